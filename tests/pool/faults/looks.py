"""Looks at all held jobs on a grid of times that no release moves: their ads, and what checks of the access point answer.

A line of JSON for each look: `Begun`, `AdsAt`, `Ended` (Unix seconds), `Held` (jobs), `Ads` (job and text of its ad, where it is new or
has changed since the last look), `Time` and `Hosts` of the checks, `Answers` (new or changed ones, as `record_checks` writes them) and
`Gone` (account and question of those that were asked at the last look and are not any more). Whoever adds the lines up has all that was seen.
"""
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

# Seconds between looks.
EVERY = 20
RECORD = "record_checks"
# A look that takes longer is given up, s.
LONGEST = 60
ID = re.compile(r"^(ClusterId|ProcId) = (\d+)$", re.M)
# Jobs that are asked about in a call are those of one cluster: a call asks a few URLs only. So many calls at a time.
CALLS = 4
# What is of the question and not of the job.
NOT_OF_JOB = re.compile(r"^ServerTime = .*\n", re.M)


class Looks:
    def __init__(self, path, start):
        self.file = open(path, "w")
        self.start = start
        self.ads, self.answers = {}, {}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def end(self):
        self.over.set()
        self.thread.join(2 * LONGEST)
        self.file.close()

    def run(self):
        number = 1
        while not self.over.wait(max(0.0, self.start + number * EVERY - time.time())):
            try:
                self.look()
            except (OSError, subprocess.SubprocessError, ValueError) as error:
                print(f"a look failed: {error}", flush=True)
            # A look that took too long costs the next one its place on the grid, and moves none.
            number = max(number + 1, int((time.time() - self.start) / EVERY) + 1)

    def look(self):
        begun = time.time()
        done = subprocess.run(
            ["condor_q", "-allusers", "-constraint", "JobStatus == 5", "-long"],
            capture_output=True, text=True, timeout=LONGEST, check=True,
        )  # fmt: skip
        ads_at = time.time()
        ads = {}
        for text in done.stdout.split("\n\n"):
            number = dict(ID.findall(text))
            if len(number) == 2:
                job = f"{number['ClusterId']}.{number['ProcId']}"
                ads[job] = NOT_OF_JOB.sub("", text.strip() + "\n")
        clusters = {}
        for job, text in ads.items():
            clusters.setdefault(job.split(".")[0], []).append(text)
        with ThreadPoolExecutor(CALLS) as pool:
            records = list(pool.map(self.checks, clusters.values()))
        answers = {}
        for one in [one for record in records for one in record["Answers"]]:
            answers.setdefault((one["Account"], json.dumps(one["Question"], sort_keys=True)), one)
        times = sorted(record["Time"] for record in records)
        line = {
            "Begun": round(begun, 2), "AdsAt": round(ads_at, 2), "Ended": round(time.time(), 2),
            "Held": list(ads),
            "Ads": {job: text for job, text in ads.items() if self.ads.get(job) != text},
            # When each cluster was looked at, and the first of that.
            "Times": {cluster: record["Time"] for cluster, record in zip(clusters, records)},
            "Time": times[0] if times else int(ads_at), "Hosts": records[0]["Hosts"] if records else [],
            "Answers": [one for key, one in answers.items() if self.answers.get(key) != one],
            "Gone": [[account, json.loads(question)] for account, question in self.answers if (account, question) not in answers],
        }  # fmt: skip
        self.file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self.file.flush()
        self.ads, self.answers = ads, answers

    @staticmethod
    def checks(texts):
        """What one call answers about these ads."""
        with tempfile.TemporaryDirectory() as folder:
            ads, out = os.path.join(folder, "ads"), os.path.join(folder, "out")
            with open(ads, "w") as file:
                file.write("\n".join(texts))
            subprocess.run([RECORD, "-private-urls", ads, out], timeout=LONGEST, check=True, stdout=subprocess.DEVNULL)
            with open(out) as file:
                return json.loads(file.readlines()[-1])
