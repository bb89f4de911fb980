"""Bytes that nobody chose: every function that takes some ends with a value or an error of its own.

A panic of the native part is neither, and fails a test. The inputs are those that `fuzz/corpus`
keeps, and what is near them.
"""

import gzip
import pathlib
import random
import tempfile
import unittest
import warnings

import holdadvise
from holdadvise import ClassAd, EventLog, Expr, read_ads

from . import ROOT

# Of each target; the slowest takes some milliseconds for one.
INPUTS = 150


def inputs(target):
    """Kept inputs of a target, and of each one that differs: always the same ones."""
    packed = gzip.decompress((ROOT / "fuzz" / "corpus" / f"{target}.gz").read_bytes())
    kept = []
    while packed:
        end = 4 + int.from_bytes(packed[:4], "little")
        kept.append(packed[4:end])
        packed = packed[end:]
    chosen = random.Random(1)
    for one in chosen.sample(kept, min(len(kept), INPUTS)):
        yield one
        other = bytearray(one or b"?")
        for _ in range(3):
            other[chosen.randrange(len(other))] = chosen.choice(b'\0\n"\\[({\xff9')
        yield bytes(other)


class Bytes(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore", holdadvise.HoldAdviseWarning)

    def ends(self, function, *given, **more):
        """What comes of a call; `None` for one of the package's errors."""
        try:
            return function(*given, **more)
        except holdadvise.Error:
            return None

    def test_ads(self):
        seen = 0
        for text in inputs("classad_long"):
            for ad in self.ends(lambda: list(read_ads(text, damaged="yield"))) or []:
                if isinstance(ad, holdadvise.Damage):
                    self.assertTrue(str(ad))
                    continue
                seen += 1
                for name in ad:
                    self.ends(ad.__getitem__, name)
                    self.ends(ad.eval, name, now=1795282000)
                self.ends(ClassAd, str(ad))
        self.assertGreater(seen, INPUTS // 4)

    def test_expressions(self):
        ad, seen = ClassAd("[ A = 1; S = \"x\" ]"), 0
        for text in inputs("classad_expr"):
            for old in (False, True):
                expr = self.ends(Expr, text.decode(errors="replace"), old=old)
                if expr is not None:
                    seen += 1
                    self.ends(expr.eval, ad, now=1795282000)
                    self.ends(expr.steps, ad, now=1795282000)
                    self.assertIsInstance(expr.references(), list)
        self.assertGreater(seen, INPUTS // 4)

    def test_events(self):
        with tempfile.TemporaryDirectory() as folder:
            path, seen = pathlib.Path(folder) / "job.log", 0
            for text in inputs("eventlog_text"):
                path.write_bytes(text)
                for event in self.ends(lambda: list(EventLog(path, damaged="skip"))) or []:
                    seen += 1
                    self.ends(lambda: (event.time, dict(event.attributes)))
            self.assertGreater(seen, INPUTS // 4)

    def test_advice_and_policies(self):
        with tempfile.TemporaryDirectory() as folder:
            path, seen = pathlib.Path(folder) / "job.log", 0
            for text in inputs("python"):
                ads, log, lines = (text.split(b"\n%%\n") + [b"", b""])[:3]
                path.write_bytes(log)
                lines = lines.decode(errors="replace").splitlines()
                jobs, constraint, _, _, policy = (lines + [""] * 5)[:5]
                more = {"constraint": constraint or None, "limit": 4, "now": 1795282000}
                advices = self.ends(
                    holdadvise.advise, ads, jobs=jobs or None, userlog=path, checks="none", **more
                )
                seen += len(advices or [])
                self.ends(holdadvise.explain, ads, now=1795282000)
                if "/" not in policy and "\0" not in policy:
                    self.ends(holdadvise.lint, policy)
            self.assertGreater(seen, 0)
