"""Who looks after the held jobs of a cluster in the closed loop on a pool: nobody, people by habit,
or somebody who does what the printed advice says. Inside the pool, as root."""

import math
import random
import re
import subprocess
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

import printed_advice
from people import Deed
from trial_pool import run

# Seconds that are declared an hour.
HOUR = 60
# How long a person takes to come: log-normal, hours and sigma, and how long what is undecided is
# left, hours (docs/records/closed-loop.md). Assumed.
MEDIAN, SIGMA = 2.0, 0.8
SOON = 0.25
LEFT = 8.0
# Whoever looks finds the cause so often (docs/developing/advice.md). Assumed.
FINDS = 0.5
# Hours of docs/developing/advice.md, for a clock on which a minute is an hour.
COSTS = {"failed": 8.0, "delay": 8.0, "keep": 0.9, "work": 8.0, "person": 1.0}
TOOL = [
    "condor_holdadvise",
    *(word for name, hours in COSTS.items() for word in ("-cost", f"{name}={hours / 60:.5f}")),
]

# By habit, of codes and subcodes: what is done with the jobs held for it, and how often. Assumed.
RAISES = {
    (21, 102): "RequestMemory",
    (26, 34): "RequestMemory",
    (34, 102): "RequestMemory",
    (34, 0): "RequestMemory",
    (21, 104): "RequestDisk",
    (34, 104): "RequestDisk",
}
OF_A_RESOURCE = {"double": 0.7, "release": 0.15, "remove": 0.05, "forget": 0.1}
OF_ANYTHING = {"release": 0.65, "remove": 0.1, "forget": 0.25}
AFTER_TWO = {"release": 0.3, "remove": 0.3, "forget": 0.4}

# The tool and the commands of several people at once would take the machine from the jobs.
WORKERS = ThreadPoolExecutor(2)
# Files of the play are put right by one at a time.
RIGHT = threading.Lock()

# Folders and data of an arm that is played after another one have names that are so far apart.
APART = 500

# Behind the names that are printed of jobs with one of their own each.
OTHERS = re.compile(r"\d+ more jobs? ha(?:ve|s) (?:others|another)|^each its own")


class Nobody:
    """Leaves its jobs to HTCondor."""

    habit = {}  # what a play of faults reads
    look_at = None

    def __init__(self, play, cluster, jobs):
        self.play, self.cluster, self.jobs = play, cluster, jobs

    def sees_a_hold(self, _):
        pass


class Comer(Nobody):
    """Comes a drawn delay after a hold; what is done then takes its time beside the play."""

    def __init__(self, play, cluster, jobs):
        super().__init__(play, cluster, jobs)
        self.habit = {}
        seed = f"{play.plan['seed']} {cluster.plan['number'] % APART}"
        self.delays, self.dice = random.Random(f"{seed} delay"), random.Random(f"{seed} dice")
        self.lock = threading.Lock()
        self.is_here = self.is_coming = False

    # Hours after which it comes, the median.
    median = MEDIAN

    def delay(self):
        median = self.play.plan.get("person", self.median * HOUR)
        return median * math.exp(SIGMA * self.delays.gauss(0, 1))

    def sees_a_hold(self, now):
        # Once for all jobs that go on hold until then.
        if not self.is_coming:
            self.is_coming = True
            self.comes_at(now + self.delay())

    def comes_at(self, instant):
        with self.lock:
            self.look_at = instant if self.look_at is None else min(self.look_at, instant)

    def look(self, now, _):
        """Nothing for the play to do: who comes does it."""
        self.look_at = None if not self.is_here else now + 2
        if not self.is_here:
            self.is_here, self.is_coming = True, False
            WORKERS.submit(self.come)
        return []

    def come(self):
        try:
            held = self.held()
            if held:
                self.act(held)
        except Exception as error:  # in another thread nobody would see it
            self.note({"error": repr(error)})
            raise
        finally:
            self.is_here = False

    def run(self, words):
        try:
            return run(words, check=False, user=self.cluster.owner, folder=".")
        except subprocess.TimeoutExpired:
            return ""

    def held(self, constraint="true"):
        """ProcId to code, subcode and NumHolds of the held jobs, as the owner's condor_q says."""
        out = self.run(
            [
                "condor_q",
                str(self.cluster.id),
                "-constraint",
                f"JobStatus == 5 && ({constraint})",
                "-af",
                "ProcId",
                "HoldReasonCode",
                "HoldReasonSubCode",
                "NumHolds",
            ]
        )
        rows = [line.split() for line in out.splitlines()]
        return {
            int(row[0]): tuple(int(word) if word.lstrip("-").isdigit() else 0 for word in row[1:])
            for row in rows
            if len(row) == 4
        }

    def note(self, entry):
        entry = {
            "at": round(self.play.now, 1),
            "number": self.cluster.plan["number"],
            "cluster": self.cluster.id,
            **entry,
        }
        self.play.note(entry)

    def ids(self, procs):
        return [f"{self.cluster.id}.{proc}" for proc in procs]


class ByHabit(Comer):
    """Reads the code, never the cause."""

    def act(self, held):
        kinds = {}
        for proc, (code, subcode, holds) in held.items():
            kinds.setdefault((code, subcode), []).append((proc, holds))
        for code, jobs in sorted(kinds.items()):
            resource = RAISES.get(code)
            table = (
                OF_A_RESOURCE
                if resource
                else AFTER_TWO
                if max(holds for _, holds in jobs) > 2
                else OF_ANYTHING
            )
            deed = self.dice.choices(list(table), list(table.values()))[0]
            procs = [proc for proc, _ in jobs]
            self.note({"deed": deed, "code": code, "procs": procs, "person": int(deed == "double")})
            if deed == "double":
                self.run(
                    [
                        "condor_qedit",
                        *self.ids(procs),
                        resource,
                        f"2 * {self.request(procs[0], resource)}",
                    ]
                )
            if deed in ("double", "release"):
                self.run(["condor_release", *self.ids(procs)])
            elif deed == "remove":
                self.run(["condor_rm", *self.ids(procs)])

    def request(self, proc, resource):
        return self.run(["condor_q", f"{self.cluster.id}.{proc}", "-af", resource]).strip() or "1"


class ByAdvice(Comer):
    """Asks `condor_holdadvise` and does what its text says. It sees that text, what condor_q and a
    browser show, and, where it puts a thing right by hand, whether that thing is wrong."""

    more = []

    def __init__(self, play, cluster, jobs):
        super().__init__(play, cluster, jobs)
        self.known = {}  # the holds that were asked about
        self.waits = []  # blocks
        self.ask_at = 0.0
        self.left = LEFT

    def act(self, held):
        waited = [block for block in self.waits if self.is_in_order(block)]
        for block in waited:
            self.waits.remove(block)
            self.paste(block, block.later, "waited")
        is_new = any(
            self.known.get(proc) != hold
            for proc, hold in held.items()
            if proc not in self.pasted_for(waited)
        )
        if is_new or self.play.now >= self.ask_at:
            self.ask(held)
        next_look = self.ask_at + self.delay()
        if any(
            block.found or block.urls_to_wait_for() or any(block.named()) for block in self.waits
        ):
            next_look = min(next_look, self.play.now + self.delay())
        self.comes_at(next_look)

    @staticmethod
    def pasted_for(blocks):
        return {proc for block in blocks for proc in block.procs}

    def is_in_order(self, block):
        """Whether the server that is waited for answers, or what was found wrong, or is named, is
        as it should be."""
        if block.found:
            return all(self.play.cause(self.cluster, proc) is None for proc in block.procs)
        urls, files = (block.urls_to_wait_for(), []) if block.verdict == "WAIT" else block.named()
        looks = [self.status(url) == 200 for url in urls] + [
            self.is_readable(file) for file in files
        ]
        return bool(looks) and all(looks)

    def is_readable(self, file):
        return self.run(["sh", "-c", 'test -r "$0" && echo yes', file]) != ""

    @staticmethod
    def status(url):
        try:
            with urllib.request.urlopen(url, timeout=3) as answer:
                return answer.status
        except (OSError, HTTPException):
            return None

    def ask(self, held):
        begun = time.time()
        text = self.run([*TOOL, *self.more, str(self.cluster.id)])
        took = round(time.time() - begun, 1)
        blocks = printed_advice.blocks(text)
        after = self.held()
        both = [proc for proc, hold in held.items() if after.get(proc) == hold]
        self.note(
            {
                "asked": both,
                "answered": sum(block.jobs for block in blocks),
                "seconds": took,
                "said": [[block.verdict, block.jobs] for block in blocks],
                "text": text,
            }
        )
        self.known, self.waits = after, []
        self.ask_at = math.inf
        for block in blocks:
            constraint = block.constraint()
            # A block without commands is about those of the others.
            block.procs = sorted(self.held(constraint)) if constraint else both
        for block in blocks:
            self.ask_at = min(self.ask_at, self.play.now + self.follow(block))
        if math.isinf(self.ask_at):
            self.ask_at = self.play.now + HOUR * LEFT

    def follow(self, block):
        """Does what the text says; seconds until the tool is to be asked again."""
        match block.verdict:
            case "RELEASE" | "REMOVE":
                self.paste(block, block.now, block.verdict.lower())
                return math.inf
            case "TRY":
                self.paste(block, block.now, "try")
                return 0.0
            case "CHANGE":
                return self.change(block)
            case "LOOK":
                return self.look_at_it(block)
            case "WAIT":
                self.waits.append(block)
                at = block.look_again()
                return max(at - time.time(), 0.0) if at else HOUR * LEFT
        return self.leave()

    def leave(self):
        left, self.left = self.left, 2 * self.left
        return HOUR * left

    def change(self, block):
        if block.now:
            self.paste(block, block.now, "change", person=1)
        if not block.later:
            return math.inf
        if self.is_in_order(block):
            self.paste(block, block.later, "in order", person=1)
            return math.inf
        wrong = self.play.wrong_of(self.cluster, block.procs, block.change())
        done = [proc for proc in wrong if self.put_right(proc)]
        self.note(
            {
                "by hand": block.change(),
                "procs": block.procs,
                "wrong": wrong,
                "put right": done,
                "person": 1,
            }
        )
        return self.go_on(block, done, "changed", wrong == block.procs)

    def go_on(self, block, done, why, found):
        """Pastes what stands behind a change for the jobs that it was made for. The others: sees
        now and then whether what was found, or is named, is in order, and asks again later."""
        if done:
            self.paste(block, block.later, why, done)
        if len(done) == len(block.procs):
            return math.inf
        block.found = found
        block.procs = [proc for proc in block.procs if proc not in done]
        self.waits.append(block)
        return self.leave()

    def look_at_it(self, block):
        self.paste(block, block.now, "look", person=1)
        if self.is_in_order(block):
            self.paste(block, block.later, "in order")
            return math.inf
        if self.dice.random() >= FINDS:
            if block.releases_anyway():
                self.paste(block, block.later, "nothing found")
                return math.inf
            return self.go_on(block, [], "looked", False)
        causes = {proc: self.play.cause(self.cluster, proc) for proc in block.procs}
        done = [proc for proc, cause in causes.items() if cause is None or self.put_right(proc)]
        self.note({"found": sorted({str(cause) for cause in causes.values()}), "put right": done})
        return self.go_on(block, done, "found", True)

    def put_right(self, proc):
        with RIGHT:
            return self.play.put_right(self.cluster, proc)

    def paste(self, block, lines, why, procs=None, person=0):
        """Pastes lines of the text; of a command for several jobs what is for some of them."""
        if not lines:
            return
        # The tool asks before it acts; whoever pastes its call agrees.
        lines = [f"{line} -yes" if " -apply " in line else line for line in lines]
        text = "\n".join(lines)
        if procs is not None and set(procs) != set(block.procs):
            only = " || ".join(f"ProcId == {proc}" for proc in procs)
            text = text.replace("-constraint '", f"-constraint '({only}) && ")
        self.run(["sh", "-c", text])
        self.note(
            {
                "pasted": lines,
                "why": why,
                "procs": block.procs if procs is None else procs,
                "person": person,
            }
        )


class ByAdviceAndUrls(ByAdvice):
    """Lets the tool ask the URLs of the jobs too."""

    more = ["-checks", "all"]


class ByAdviceSoon(ByAdvice):
    """Comes soon, as a program would that sees each hold."""

    median = SOON


class Play:
    """What of the world those who follow advice may learn: a mixin for the play."""

    def cause(self, cluster, proc):
        """What is found wrong with a held job by whoever finds it out; None: nothing any more."""
        job = self.jobs[cluster.id, proc]
        flaw = cluster.flaw
        if flaw and cluster.is_bad(proc) and not job.mended and not cluster.mended_at:
            is_made = flaw.passes and self.now >= cluster.plan["made"]
            done = {"memory": job.memory, "disk": job.disk, "site": job.excluded}.get(flaw.remedy)
            if not is_made and not done:
                return flaw.cause
        down = [name for name in cluster.plan["needs"] if name in self.world.down]
        return down[0] if down else None

    def wrong_of(self, cluster, procs, text):
        """Those of the jobs that are held by what a text names to change."""
        wrong = [proc for proc in procs if self.is_wrong(cluster, proc, text)]
        # Of what each job has of its own the text names the first.
        return procs if wrong and OTHERS.search(text) else wrong

    def is_wrong(self, cluster, proc, text):
        """Whether a text names what holds the job, or the line of its program that says it."""
        cause = self.cause(cluster, proc)
        if cause is None:
            return False
        said = cluster.says(cause, proc)
        if said and " ".join(said.split()) in " ".join(text.split()):
            return True
        faulty = cluster.faulty(cause, proc)
        things = [
            name for kind, name in faulty if kind in ("file", "url", "program", "site", "host")
        ]
        names = things or [name for kind, name in faulty if kind in ("attribute", "limit")]
        return any(name in text for name in names)

    def put_right(self, cluster, proc):
        """Puts right what is wrong with a job, where anybody can."""
        flaw, job = cluster.flaw, self.jobs[cluster.id, proc]
        # A file of the cluster was put right with another job's.
        if cluster.mended_at and cluster.is_bad(proc):
            return True
        if (
            flaw is None
            or self.cause(cluster, proc) != flaw.cause
            or flaw.passes
            or cluster.plan.get("lost")
        ):
            return False
        action = flaw.remedy if flaw.remedy in ("memory", "disk", "site") else "other"
        self.prepare(Deed(job, action))
        return True


PEOPLE = {
    "habits": ByHabit,
    "advice": ByAdvice,
    "advice-urls": ByAdviceAndUrls,
    "advice-soon": ByAdviceSoon,
}
