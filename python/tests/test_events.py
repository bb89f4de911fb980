"""Events are those of the reader of HTCondor's Python module."""

import gzip
import pathlib
import tempfile
import threading
import time
import unittest
from datetime import datetime, timezone

import holdadvise
from holdadvise import Damage, EventLog

from . import DATA

LOG = DATA / "pool-23.9" / "EventLog"
FORMS = sorted((DATA / "pool-23.9" / "forms").glob("*.log"))
HELD = (
    "012 (007.001.000) 2026-01-02 03:04:05 Job was held.\n\tBad \udcff\n\tCode 13 Subcode 2\n...\n"
)


def plain(value):
    """A value as one of Python's own."""
    if type(value).__name__ in ("Value", "Expr", "ExprTree"):
        return getattr(value, "name", None) or str(value)
    if hasattr(value, "items"):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


class Events(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "job.log"
        self.path.write_bytes(HELD.encode(errors="surrogateescape"))

    def test_events_are_those_of_htcondor(self):
        try:
            import htcondor2
        except ImportError:
            self.skipTest("the Python module of HTCondor is not there")
        logs = [LOG, *sorted((DATA / "pool-23.9" / "userlog").glob("*.log")), *FORMS]
        self.assertGreater(len(logs), 20)
        # HTCondor does not read the table of these, and takes this year where there is none.
        tables, compared = (4, 5, 15), 0
        for path in logs:
            theirs = htcondor2.JobEventLog(str(path)).events(0)
            ours = EventLog(path, damaged="raise")
            for event, expected in zip(ours, theirs):
                with self.subTest(f"{path}: byte {event.offset}"):
                    found = plain(dict(event.attributes))
                    wanted = plain(dict(expected.items()))
                    if event.number in tables:
                        found = {name: value for name, value in found.items() if name in wanted}
                    self.assertEqual(found["EventTime"][4:], wanted["EventTime"][4:])
                    if found["EventTime"] == wanted["EventTime"]:
                        self.assertEqual(event.timestamp, expected.timestamp)
                    found["EventTime"] = wanted["EventTime"]
                    self.assertEqual(found, wanted)
                    self.assertEqual((event.cluster, event.proc), (expected.cluster, expected.proc))
                    self.assertEqual(
                        (event.number, event.name), (int(expected.type), expected.type.name)
                    )
                compared += 1
            self.assertEqual((list(ours), list(theirs)), ([], []), path)
        self.assertGreater(compared, 500)

    def test_names_are_those_of_htcondor(self):
        try:
            from htcondor2 import JobEventType
        except ImportError:
            self.skipTest("the Python module of HTCondor is not there")
        for kind in JobEventType:
            self.path.write_text(f"{int(kind):03} (001.000.000) 2026-01-02 03:04:05 x\n...\n")
            self.assertEqual([event.name for event in EventLog(self.path)], [kind.name])
        self.path.write_text("900 (001.000.000) 2026-01-02 03:04:05 x\n...\n")
        self.assertEqual([event.name for event in EventLog(self.path)], ["UNKNOWN"])

    def test_an_event_is_typed(self):
        (event,) = EventLog(self.path, time_zone="America/Chicago")
        self.assertEqual((event.number, event.name, event.offset), (12, "JOB_HELD", 0))
        self.assertEqual((event.cluster, event.proc, event.subproc), (7, 1, 0))
        self.assertEqual(event.time, datetime(2026, 1, 2, 9, 4, 5, tzinfo=timezone.utc))
        self.assertEqual(event.time.timestamp(), event.timestamp)
        self.assertEqual(event.attributes["EventTime"], "2026-01-02T03:04:05")
        self.assertEqual(event.attributes["HoldReasonCode"], 13)
        # What is no UTF-8 can be printed all the same.
        self.assertEqual(event.attributes["HoldReason"], "Bad \N{REPLACEMENT CHARACTER}")
        for change in (lambda: setattr(event, "number", 1), lambda: event.attributes.update(a=1)):
            self.assertRaises(AttributeError, change)
        self.assertRegex(repr(event), "012 JOB_HELD of job 7.1")

    def test_damage_is_raised_yielded_or_skipped(self):
        good = HELD.replace("\udcff", "x")
        self.path.write_text(f"{good}no event\n...\n{good}")
        self.assertEqual(len(list(EventLog(self.path, damaged="skip"))), 2)
        found = list(EventLog(self.path, damaged="yield"))
        self.assertEqual([type(one).__name__ for one in found], ["Event", "Damage", "Event"])
        self.assertEqual(
            (found[1].offset, found[1].length, found[1].is_loss), (len(good), 13, False)
        )
        self.assertTrue(str(found[1]).startswith(f"{self.path}: byte {len(good)}: expected"))
        log = EventLog(self.path)
        next(log)
        with self.assertRaises(holdadvise.InputError) as caught:
            next(log)
        self.assertIsInstance(caught.exception.damage, Damage)
        self.assertEqual(str(caught.exception), str(found[1]))
        self.assertEqual([event.name for event in log], ["JOB_HELD"])

    def test_what_is_no_log_is_refused(self):
        self.path.write_text("a letter\n" * 9)
        for path, error in [
            (self.path, holdadvise.InputError),
            (self.path.parent, holdadvise.ReadError),
            (self.path.parent / "none", FileNotFoundError),
        ]:
            with self.subTest(path), self.assertRaises((error, holdadvise.ReadError)) as caught:
                EventLog(path)
            self.assertIn(str(path), str(caught.exception))
        self.assertRaises(ValueError, EventLog, LOG, damaged="ignore")
        self.assertRaises(ValueError, EventLog, LOG, stop_after=-1)
        self.assertRaises(ValueError, EventLog, LOG, time_zone="Mars/Olympus")

    def test_rotated_and_compressed_files_are_read(self):
        older = HELD.replace("007.001", "006.000").encode(errors="surrogateescape")
        with gzip.open(f"{self.path}.1.gz", "wb") as file:
            file.write(older)
        self.assertEqual([event.cluster for event in EventLog(self.path, rotated=True)], [6, 7])
        self.assertEqual([event.cluster for event in EventLog(f"{self.path}.1.gz")], [6])

    def test_a_log_is_followed(self):
        def write():
            for cluster in range(8, 11):
                time.sleep(0.1)
                with self.path.open("a") as file:
                    file.write(HELD.replace("007.001", f"{cluster:03}.000").replace("\udcff", "x"))

        writer = threading.Thread(target=write)
        log = EventLog(self.path, stop_after=None)
        writer.start()
        self.assertEqual([next(log).cluster for _ in range(4)], [7, 8, 9, 10])
        writer.join()
        log = EventLog(self.path, stop_after=0.3)
        self.assertEqual([event.cluster for event in log], [7, 8, 9, 10])
        write()
        self.assertEqual([event.cluster for event in log], [8, 9, 10])

    def test_other_threads_run_while_it_waits(self):
        log = EventLog(self.path, stop_after=1)
        next(log)
        waiting = threading.Thread(target=lambda: list(log))
        waiting.start()
        counted = 0
        while waiting.is_alive():
            counted += 1
        self.assertGreater(counted, 1000)

    def test_threads_share_a_log(self):
        self.path.write_text(HELD.replace("\udcff", "x") * 5000)
        log = EventLog(self.path)
        counts = [0] * 4

        def count(at):
            for _ in log:
                counts[at] += 1

        threads = [threading.Thread(target=count, args=(at,)) for at in range(len(counts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(counts), 5000)
