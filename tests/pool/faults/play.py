#!/usr/bin/python3
"""Plays a schedule on the pool: play.py PLAN.json OUT.json [LOOKS.jsonl], inside the pool, as root.

With the third file the held jobs are looked at on a grid of times (looks.py).
"""
import json
import subprocess
import sys
import time
from pathlib import Path

import kit
from eventlog import SITE, Log, hold_of, succeeded
from looks import Looks
from people import Deed, Job, Person
from workload import cluster_of, run
from world import ONE_VIEW, VIEWS, World

LOG = "/var/log/condor/EventLog"
TICK = 0.5


class Play:
    # Seconds for which it goes on after the end of the schedule; everything is mended then.
    EPILOGUE = 170

    def __init__(self, plan, world=None):
        self.plan = plan
        modules = [kit.load(Path(__file__).with_name(name)) for name in plan.get("modules", [])]
        self.world = world or World(VIEWS if modules else ONE_VIEW)
        if world is None:
            self.world.build()
        for service in [service for module in modules for service in module.SERVICES]:
            if service.prepare:
                service.prepare(self.world)
        self.jobs, self.people, self.clusters = {}, {}, {}
        self.deeds = []  # (instant, deed, holds of the job then)
        self.journal = []
        self.log = Log(LOG)
        self.start = time.time()

    @property
    def now(self):
        return time.time() - self.start

    def play(self):
        switches = [(fault["from"], True, fault) for fault in self.plan["faults"]]
        switches += [(fault["to"], False, fault) for fault in self.plan["faults"]]
        switches.sort(key=lambda switch: switch[0])
        waiting = [(made["at"], made) for made in self.plan["clusters"]]
        bulk = list(self.plan["facilitator"])
        end, told = self.plan["seconds"], 0
        while self.now < end + self.EPILOGUE:
            begun = time.time()
            if self.now > end:
                for person in self.people.values():
                    person.habit.update(sees_after=0, pace="eager", removes=False)
            for at, made in [entry for entry in waiting if entry[0] <= self.now]:
                waiting.remove((at, made))
                if not self.submit(made):
                    waiting.append((self.now + 5, made))
            while switches and switches[0][0] <= self.now:
                _, down, fault = switches.pop(0)
                self.world.switch(fault["service"], down)
                fault["began" if down else "ended"] = round(time.time(), 1)
            self.produce()
            self.read_log()
            while bulk and bulk[0]["at"] <= self.now:
                self.release_in_bulk(bulk.pop(0)["service"])
            for person in self.people.values():
                if person.look_at is not None and person.look_at <= self.now:
                    for deed in person.look(self.now, self.world):
                        self.deeds.append((self.now + deed.after, deed, deed.job.holds))
            self.do_deeds()
            self.world.sweep()
            if self.now - told > 30:
                told = self.now
                self.tell()
            active = any(job.status not in ("done", "failed", "removed") for job in self.jobs.values())
            if self.now > end and not active and not waiting:
                break
            time.sleep(max(0, TICK - (time.time() - begun)))
        self.read_log()
        self.tell()

    def tell(self):
        count = {}
        for job in self.jobs.values():
            count[job.status] = count.get(job.status, 0) + 1
        holds = sum(job.holds for job in self.jobs.values())
        print(f"{self.now:5.0f} s: {holds} holds, {len(self.journal)} releases, jobs {count}", flush=True)

    def submit(self, made):
        cluster = cluster_of(made, self.world)
        cluster.submit()
        if cluster.id is None:
            return False
        self.clusters[cluster.id] = cluster
        jobs = [Job(cluster, proc) for proc in range(made["procs"])]
        self.jobs.update({(cluster.id, job.proc): job for job in jobs})
        self.people[cluster.id] = self.person_of(cluster, jobs)
        made["cluster"], made["submitted"] = cluster.id, round(time.time(), 1)
        return True

    def person_of(self, cluster, jobs):
        return Person(cluster, jobs)

    def produce(self):
        """Files that others make come into being."""
        for cluster in self.clusters.values():
            if cluster.plan["made"] and not cluster.plan.get("produced") and self.now >= cluster.plan["made"]:
                cluster.mend_files()
                cluster.plan["produced"] = round(time.time(), 1)

    def read_log(self):
        for event in self.log.read():
            job = self.jobs.get(event.job)
            if job is None:
                continue
            self.saw(job, event)
            match event.number:
                case 1:
                    job.status = "running"
                case 4:
                    job.status = "idle"
                case 5:
                    job.status = "done" if succeeded(event) else "failed"
                case 9:
                    job.status = "removed"
                case 12:
                    job.status, job.holds = "held", job.holds + 1
                    *code, job.reason = hold_of(event)
                    job.code = tuple(code)
                    self.people[event.job[0]].sees_a_hold(self.now)
                case 13:
                    job.status = "idle"
                case 28 if site := SITE.search(event.body):
                    job.site = site[1]

    def saw(self, job, event):
        """For plays that keep more than the log does."""

    def release_in_bulk(self, service):
        """A facilitator releases all that seems to be held for the service."""
        held = [job for job in self.jobs.values() if job.status == "held"]
        name = "portal." if service.startswith("credential") else service
        struck = [job for job in held if name in job.reason]
        if not struck:
            codes = {job.code for job in held if service in job.cluster.plan["needs"]}
            struck = [job for job in held if job.code in codes]
        for job in struck:
            self.deeds.append((self.now, Deed(job, "as-is", by="facilitator"), job.holds))

    def do_deeds(self):
        due = [entry for entry in self.deeds if entry[0] <= self.now]
        self.deeds = [entry for entry in self.deeds if entry[0] > self.now]
        releases = {}
        for _, deed, holds in due:
            job = deed.job
            if job.status != "held" or job.holds != holds:
                continue
            if deed.action == "remove":
                run(job.cluster.owner, ["condor_rm", job.id])
                continue
            before = self.prepare(deed)
            job.status = "releasing"
            releases.setdefault((job.cluster.owner if deed.by == "owner" else "root"), []).append(job.id)
            self.journal.append({
                "cluster": job.cluster.id, "proc": job.proc, "num_holds": job.holds,
                "asked": round(time.time(), 1), "action": deed.action, "by": deed.by, "by_file": deed.by_file, "before": before,
            })  # fmt: skip
        for user, jobs in releases.items():
            if user == "root":
                subprocess.run(["condor_release", *jobs], capture_output=True, check=False)
            else:
                run(user, ["condor_release", *jobs])

    def prepare(self, deed):
        """Edits the ad, or mends files, before a release; the state of the job before that."""
        job, cluster = deed.job, deed.job.cluster
        before = {
            "mended": job.mended, "memory": job.memory, "disk": job.disk,
            "excluded": job.excluded, "site": job.site,
        }  # fmt: skip
        match deed.action:
            case "memory" | "disk":
                self.qedit(job, cluster.edit(deed.action, job.proc))
                setattr(job, deed.action, True)
            case "site" if job.site:
                self.qedit(job, ("Requirements", f'GLIDEIN_Site =!= "{job.site}"'))
                job.excluded = job.site
            case "site":
                deed.action = "as-is"
            case "other":
                edits = cluster.correct(job.proc)
                deed.by_file = edits is None
                if edits is None:
                    cluster.mended_at = cluster.mended_at or round(time.time(), 1)
                for edit in edits or []:
                    self.qedit(job, edit)
                    job.mended = True
        return before

    @staticmethod
    def qedit(job, edit):
        run(job.cluster.owner, ["condor_qedit", job.id, *edit])

    def result(self):
        for cluster in self.clusters.values():
            cluster.plan["mended"] = cluster.mended_at
            cluster.plan["truths"] = cluster.truths()
        return {**self.plan, "start": round(self.start, 1), "journal": self.journal}


def main():
    with open(sys.argv[1]) as file:
        play = Play(json.load(file))
    looks = Looks(sys.argv[3], play.start) if len(sys.argv) > 3 else None
    play.play()
    if looks:
        looks.end()
    with open(sys.argv[2], "w") as file:
        json.dump(play.result(), file)


if __name__ == "__main__":
    main()
