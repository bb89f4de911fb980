"""Advice and findings are those of the tools, on the same files."""

import copy
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from datetime import datetime, timezone

import holdadvise

from . import DATA, TOOLS

POOL = DATA / "pool-23.9"
NOW = int((POOL / "held.time").read_text())
LOGS = {"eventlog": POOL / "EventLog", "epochs": POOL / "epoch_history"}
REASON = (
    "Transfer input files failure at access point ap while sending files to the execution point. "
    "Details: reading from file {}: (errno 2) No such file or directory"
)
ENTRY = """[site-scratch]
text = ["scratch server {host} is offline"]
means = "the scratch server is offline"
fault = { server = 1 }
ends = "time"
remedy = "wait until {host} is back"
source = "site"
examples = ["scratch server fs7 is offline"]
"""
OPTIONS = ["-eventlog", POOL / "EventLog", "-epochs", POOL / "epoch_history"]


def tool(name, *words, **more):
    """What a tool prints."""
    done = subprocess.run([TOOLS / name, *map(str, words)], capture_output=True, text=True, **more)
    return done.stdout


def advised(*words, **more):
    return json.loads(tool("condor_holdadvise", "-json", *words, **more))


def dicts(advices):
    return [advice.to_dict() for advice in advices]


@unittest.skipUnless(TOOLS, "the tools are not built")
class Advised(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.expected = advised("-jobads", POOL / "held.long", *OPTIONS, "-now", NOW)
        self.ads = list(holdadvise.read_ads(POOL / "held.long"))

    def test_a_pool_is_judged_as_by_the_tool(self):
        self.assertGreater(len(self.expected), 20)
        for ads in (POOL / "held.long", POOL / "held.json", str(POOL / "held.long")):
            self.assertEqual(dicts(holdadvise.advise(ads, now=NOW, **LOGS)), self.expected)

    def test_however_ads_are_given(self):
        text = (POOL / "held.long").read_text()
        shapes = {
            "text": text,
            "bytes": text.encode(),
            "ads": self.ads,
            "an iterator": iter(self.ads),
            "texts": [ad.to_long() for ad in self.ads],
            "JSON texts": [ad.to_json() for ad in self.ads],
            "dicts": [dict(ad.items()) for ad in self.ads],
            "printed": [Printed(str(ad)) for ad in self.ads],
        }
        now = datetime.fromtimestamp(NOW, timezone.utc)
        for shape, ads in shapes.items():
            with self.subTest(shape):
                self.assertEqual(dicts(holdadvise.advise(ads, now=now, **LOGS)), self.expected)
        one = holdadvise.advise(self.ads[0], now=NOW, **LOGS)
        self.assertEqual(
            (len(one), one[0].job_id), (1, f"{self.ads[0]['ClusterId']}.{self.ads[0]['ProcId']}")
        )

    def test_ads_of_htcondor(self):
        try:
            import classad2
        except ImportError:
            self.skipTest("the Python module of HTCondor is not there")
        ads = list(classad2.parseAds((POOL / "held.long").read_text()))
        one = dicts(holdadvise.advise(ads[0], now=NOW, **LOGS))
        self.assertEqual([advice["ClusterId"] for advice in one], [ads[0]["ClusterId"]])
        for ads in (ads, [dict(ad) for ad in ads]):
            self.assertEqual(dicts(holdadvise.advise(ads, now=NOW, **LOGS)), self.expected)

    def test_options_are_those_of_the_tool(self):
        log = POOL / "userlog" / "alice-memory-access-point.log"
        more = ["-jobads", POOL / "held.long", "-userlog", log, "-now", NOW]
        expected = advised("21.0", *more, *OPTIONS, "-cost", "failed=2", "-cost", "delay=24")
        cost = {"failed": 2, "delay": 24}
        given = {"userlog": [log], "now": NOW, "cost": cost, **LOGS}
        found = holdadvise.advise(POOL / "held.long", jobs=["21.0"], **given)
        self.assertEqual(dicts(found), expected)
        self.assertEqual(found[0].costs["Failed"], 2)
        expected = advised(*more, "-constraint", "HoldReasonCode == 13", "-limit", "3")
        found = holdadvise.advise(
            POOL / "held.long", userlog=log, now=NOW, constraint="HoldReasonCode == 13", limit=3
        )
        self.assertEqual((len(found), dicts(found)), (3, expected))
        self.assertEqual(
            dicts(holdadvise.advise(userlog=log, now=NOW)), advised("-userlog", log, "-now", NOW)
        )

    def test_files_are_looked_at_as_by_the_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "there").write_text("x")
            ads = []
            for proc, name in enumerate(("there", "missing")):
                ads.append(
                    {
                        "ClusterId": 9,
                        "ProcId": proc,
                        "JobStatus": 5,
                        "HoldReasonCode": 13,
                        "HoldReasonSubCode": 2,
                        "HoldReason": REASON.format(f"{folder}/{name}"),
                        "Owner": me(),
                        "OsUser": me(),
                        "Iwd": str(folder),
                        "TransferInput": name,
                        "GlobalJobId": f"{os.uname().nodename}#9.{proc}#1",
                        "ShouldTransferFiles": "YES",
                        "EnteredCurrentStatus": NOW - 60,
                        "NumHolds": 1,
                        "UserLog": f"{folder}/job.log",
                    }
                )
            ads = [holdadvise.ClassAd(ad).to_long() for ad in ads]
            (folder / "ads").write_text("\n".join(ads))
            expected = advised("-jobads", folder / "ads", "-checks", "local")
            found = dicts(holdadvise.advise(folder / "ads", checks="local"))
            untimed = [without_times(found), without_times(expected)]
            self.assertEqual(*untimed)
            self.assertEqual(len(found), 2)
            unlooked = dicts(holdadvise.advise(folder / "ads", checks="none"))
            self.assertNotEqual(without_times(unlooked), untimed[0])

    def test_entries_of_the_administrator_are_used(self):
        # Entries are read once in a process.
        code = "import holdadvise, json, sys; print(json.dumps([a.to_dict() for a in "
        code += f"holdadvise.advise(sys.argv[1], now={NOW})]))"
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "site.toml").write_text(ENTRY)
            config = folder / "condor_config_val"
            config.write_text(f"#!/bin/sh\necho 'HOLDADVISE_CATALOGUE = {folder}/site.toml'\n")
            config.chmod(0o755)
            ad = {"ClusterId": 9, "ProcId": 0, "JobStatus": 5, "HoldReasonCode": 6}
            ad |= {"HoldReasonSubCode": 0, "HoldReason": "scratch server fs7 is offline"}
            ad |= {"Owner": "alice", "EnteredCurrentStatus": NOW - 60, "NumHolds": 1}
            (folder / "ads").write_text(holdadvise.ClassAd(ad).to_long())
            given = {"env": {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}}
            done = subprocess.run(
                [sys.executable, "-c", code, folder / "ads"], capture_output=True, **given
            )
            found = json.loads(done.stdout)
            self.assertEqual(found, advised("-jobads", folder / "ads", "-now", NOW, **given))
        self.assertEqual(found[0]["CatalogueEntry"], "site-scratch")
        self.assertIn("wait until fs7 is back", found[0]["Meaning"])

    def test_it_is_typed_and_frozen(self):
        fields = set(holdadvise.Advice.__dataclass_fields__) - {"_json", "_text"}
        for advice in holdadvise.advise(self.ads, now=NOW, **LOGS):
            names = advice.to_dict()
            self.assertEqual(len(fields), len(names))
            self.assertEqual(advice.recommendation, names["Recommendation"])
            self.assertEqual(advice.held_since.timestamp(), names["HeldSince"])
            self.assertEqual(
                [seen.sentence for seen in advice.evidence],
                [s["Sentence"] for s in names["Evidence"]],
            )
            self.assertEqual([seen.to_dict() for seen in advice.evidence], names["Evidence"])
            self.assertIn(f"Job {advice.job_id}", str(advice))
            self.assertIn(advice.recommendation, repr(advice))
            with self.assertRaises(AttributeError):
                advice.recommendation = "release"
            for same in (copy.deepcopy(advice), pickle.loads(pickle.dumps(advice))):
                self.assertEqual((same, same.to_dict(), str(same)), (advice, names, str(advice)))
            advice.to_dict()["Evidence"].clear()
            self.assertEqual(advice.to_dict(), names)

    def test_what_is_equal_has_one_hash(self):
        one, other = (holdadvise.advise(self.ads, now=NOW, **LOGS) for _ in range(2))
        self.assertEqual(one, other)
        self.assertEqual(set(one), set(other))
        self.assertGreater(len(set(one)), 20)
        statements = [advice.evidence for advice in (one[0], other[0])]
        self.assertEqual(*map(set, statements))
        log = POOL / "userlog" / "alice-memory-access-point.log"
        events = [list(holdadvise.EventLog(log)) for _ in range(2)]
        self.assertEqual(*events)
        self.assertEqual(len(set(events[0] + events[1])), len(events[0]))

    def test_a_notebook_shows_text_of_others_as_text(self):
        ad = dict(self.ads[0].items())
        ad["HoldReason"] = ad["Owner"] = "<script>alert(1)</script>"
        found = holdadvise.advise([ad], now=NOW)
        for page in (found._repr_html_(), found[0]._repr_html_()):
            self.assertIn("&lt;script&gt;", page)
            self.assertNotIn("<script", page)
        table = type(found)(found * 101)._repr_html_()
        self.assertEqual((table.count("<tr>"), table.count("<p>1 more.</p>")), (101, 1))

    def test_an_interrupt_ends_a_long_call(self):
        code = "import holdadvise, sys; print('begun', flush=True); "
        code += f"holdadvise.advise(sys.argv[1], now={NOW})"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ads"
            path.write_text(many(3000))
            started = subprocess.Popen(
                ["/usr/bin/env", "--default-signal=INT", sys.executable, "-c", code, path],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self.assertEqual(started.stdout.readline(), "begun\n")
            time.sleep(0.5)
            started.send_signal(signal.SIGINT)
            _, said = started.communicate(timeout=30)
        self.assertIn("KeyboardInterrupt", said)

    def test_a_block_is_that_of_the_tool(self):
        block = tool(
            "condor_holdadvise", "21.0", "-jobads", POOL / "held.long", *OPTIONS, "-now", NOW
        )
        self.assertEqual(str(holdadvise.advise(self.ads, jobs="21.0", now=NOW, **LOGS)[0]), block)

    def test_a_forked_process_is_advised(self):
        # More than one batch, so that some are judged ahead.
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ads"
            path.write_text(many(600))
            expected = dicts(holdadvise.advise(path, now=NOW))
            self.assertEqual(len(expected), 600)
            process = os.fork()
            if process == 0:
                os._exit(0 if dicts(holdadvise.advise(path, now=NOW)) == expected else 1)
            self.assertEqual(os.waitpid(process, 0)[1], 0)

    def test_signals_are_left_to_python(self):
        # In the background, and under nohup, a signal is ignored from the start.
        inherited = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, inherited)
        before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        holdadvise.advise(self.ads, now=NOW, **LOGS)
        with self.assertRaises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        self.assertEqual(
            [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)], before
        )


def many(count):
    """So many held jobs, as text."""
    ad = "ClusterId = {}\nProcId = 0\nJobStatus = 5\nHoldReasonCode = 13\n"
    return "\n".join(map(ad.format, range(1, count + 1)))


class Refused(unittest.TestCase):
    def test_what_cannot_be_used_is_said(self):
        ads = POOL / "held.long"
        for given, error, text in [
            ({"jobads": "/none/held.long"}, holdadvise.ReadError, "/none/held.long"),
            ({"jobads": ads, "eventlog": "/none/EventLog"}, holdadvise.ReadError, "/none/EventLog"),
            ({"jobads": ads, "model": "/none/model.pt"}, OSError, "/none/model.pt"),
            (
                {"jobads": "a letter\nto nobody\n"},
                holdadvise.InputError,
                "jobads holds no ClassAds: line 1",
            ),
            (
                {"jobads": ads, "cost": {"fame": 1}},
                ValueError,
                'cost: "fame=1" is not failed=HOURS',
            ),
            ({"jobads": ads, "jobs": "99999.0"}, holdadvise.InputError, "job 99999.0 is not in"),
            ({"jobads": ads, "jobs": ["-apply"]}, holdadvise.InputError, "-apply"),
            ({"jobads": ads, "checks": "some"}, holdadvise.InputError, 'checks: "some" is not one'),
            ({"jobads": ads, "limit": 0}, holdadvise.InputError, "limit: 0 is not a whole number"),
            ({"jobads": ads, "limit": -1}, holdadvise.InputError, "limit: -1 is not a whole"),
            ({"jobads": ads, "constraint": "("}, holdadvise.InputError, "expected"),
            ({"jobads": [object()]}, TypeError, "expected an ad"),
            ({"jobads": ads, "now": "soon"}, TypeError, ""),
            ({}, holdadvise.InputError, "no queue is asked"),
            (
                {"eventlog": POOL / "EventLog", "jobs": "21.0"},
                holdadvise.InputError,
                "no queue is asked",
            ),
        ]:
            with self.subTest(given=given), self.assertRaises(error) as caught:
                holdadvise.advise(**given)
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(holdadvise.Error) as caught:
            holdadvise.advise("/none/held.long")
        self.assertEqual(caught.exception.errno, 2)

    def test_what_is_left_out_is_a_warning(self):
        text = (
            POOL / "held.long"
        ).read_text() + '\nClusterId = 1\nProcId = 0\nHoldReason = "open\n'
        with self.assertWarnsRegex(holdadvise.HoldAdviseWarning, "HoldReason"):
            holdadvise.advise(text, now=NOW, **LOGS)
        with self.assertWarnsRegex(holdadvise.HoldAdviseWarning, "99999.0") as caught:
            found = holdadvise.advise(POOL / "held.long", jobs="21.0 99999.0", now=NOW, **LOGS)
        self.assertEqual([advice.job_id for advice in found], ["21.0"])
        self.assertEqual(caught.filename, __file__)

    def test_no_held_job_is_no_advice(self):
        self.assertEqual(holdadvise.advise([{"ClusterId": 1, "ProcId": 0, "JobStatus": 2}]), [])
        self.assertEqual(holdadvise.advise([]), [])


@unittest.skipUnless(TOOLS, "the tools are not built")
class Policies(unittest.TestCase):
    POLICIES = [
        "NumHold < 3 && HoldReasonCode = 13",
        "HoldReasonCode == 13",
        "-1 < NumHolds",
        "true",
    ]

    def test_findings_are_those_of_the_tool(self):
        for policy in self.POLICIES:
            text = f" {policy}" if policy.startswith("-") else policy
            expected = json.loads(tool("condor_releaseexpr", "-lint", text, "-json"))
            findings = holdadvise.lint(policy)
            self.assertEqual([finding.to_dict() for finding in findings], expected)
        self.assertTrue(holdadvise.lint("HoldReasonCode == 13"))

    def test_a_file_is_looked_at(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "job.sub"
            path.write_text("executable = x\nperiodic_release = HoldReasonCode == 13\nqueue\n")
            expected = json.loads(tool("condor_releaseexpr", "-lint", path, "-json"))
            for given in (path, str(path)):
                self.assertEqual(
                    [finding.to_dict() for finding in holdadvise.lint(given)], expected
                )
            self.assertIn(f"{path}:2: warning", str(holdadvise.lint(path)[0]))
            with self.assertRaises(holdadvise.ReadError):
                holdadvise.lint(path.with_name("none"))
            path.write_text("executable = x\n")
            with self.assertRaisesRegex(holdadvise.InputError, "sets no policy"):
                holdadvise.lint(path)

    def test_jobs_are_explained_as_by_the_tool(self):
        expected = json.loads(
            tool(
                "condor_releaseexpr",
                "-explain",
                "-jobads",
                POOL / "held.long",
                "-now",
                NOW,
                "-json",
            )
        )
        ads = list(holdadvise.read_ads(POOL / "held.long"))
        for given in (POOL / "held.long", ads, (POOL / "held.long").read_text()):
            self.assertEqual(holdadvise.explain(given, now=NOW), expected)
        self.assertEqual(holdadvise.explain(ads, jobs="21.0", now=NOW)[0]["ClusterId"], 21)

    def test_policies_are_replayed_as_by_the_tool(self):
        policy = "HoldReasonCode == 13 && NumHolds < 3"
        expected = json.loads(tool("condor_releaseexpr", "-replay", policy, *OPTIONS, "-json"))
        self.assertEqual(holdadvise.replay(policy, **LOGS), expected)


class Printed:
    """An ad of another module."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


def me():
    return subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()


def without_times(object_):
    """The same without what the clock has a part in."""
    if isinstance(object_, dict):
        times = ("CheckedAt", "LookAgain", "LikelyFrom", "SuccessLater", "ChangedAt", "Sentence")
        return {name: without_times(value) for name, value in object_.items() if name not in times}
    return [without_times(one) for one in object_] if isinstance(object_, list) else object_
