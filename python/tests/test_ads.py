"""Ads and expressions are those of HTCondor's Python module."""

import copy
import pickle
import tempfile
import pathlib
import unittest
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

import holdadvise
from holdadvise import ClassAd, Damage, Expr, Value, read_ads

from . import DATA

try:
    import classad2
    import htcondor2  # noqa: F401 Makes MY and CurrentTime known, as in the daemons.
except ImportError:
    classad2 = None

HELD = DATA / "pool-23.9" / "held.long"
AD = (
    '[ A = 1; B = a + 1; C = { 1, "x", B }; D = [ x = -1.5 ]; S = "a\\"b\\\\c\\n"; U = undefined; '
    "T = true ]"
)
EXPRESSIONS = [
    "A",
    "B * 2",
    "C",
    "D.x",
    "S",
    "U",
    "NotThere",
    "1 / 0",
    "A + S",
    "T && U",
    "isUndefined(U)",
    "-A",
    "!T",
    "C[2]",
    'strcat(S, "é")',
    "A =?= 1.0",
    "A == 1.0 ? 7 : 8",
    "MY.A",
    "TARGET.A",
    "D",
    "size(C)",
    "1e300 * 10",
    'regexp("^a", S)',
    "{ A, { B } }",
    "[ y = A ].y",
    "9223372036854775807 + 1",
]


def plain(value):
    if type(value).__name__ == "Value":
        return f"Value.{value.name}"
    if hasattr(value, "items"):
        return {name: plain(value[name]) for name in value.keys()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value if isinstance(value, (str, int, float, bool, datetime)) else f"Expr {value}"


@unittest.skipIf(classad2 is None, "the Python module of HTCondor is not there")
class OfHTCondor(unittest.TestCase):
    def test_ads_read_are_the_same(self):
        theirs = list(classad2.parseAds(HELD.read_text()))
        ours = list(read_ads(HELD))
        self.assertEqual(len(ours), len(theirs))
        for found, expected in zip(ours, theirs):
            self.assertEqual(plain(found), plain(expected))
            self.assertEqual(ClassAd(expected), found)
            # Each reads what the other prints.
            self.assertEqual(plain(classad2.ClassAd(str(found))), plain(expected))
            self.assertEqual(plain(ClassAd(expected.printOld())), plain(expected))
            self.assertEqual(plain(ClassAd(expected.printJson())), plain(expected))
            self.assertEqual(plain(ClassAd(dict(expected))), plain(expected))

    def test_values_are_the_same(self):
        ours, theirs = ClassAd(AD), classad2.ClassAd(AD)
        target = "[ A = 5 ]"
        for text in EXPRESSIONS:
            found = Expr(text).eval(ours, ClassAd(target))
            expected = classad2.ExprTree(text).eval(theirs, classad2.ClassAd(target))
            with self.subTest(text):
                self.assertEqual(plain(found), plain(expected))
                self.assertEqual(type(plain(found)), type(plain(expected)))
                self.assertEqual(
                    plain(Expr(text).eval(theirs, target=classad2.ClassAd(target))), plain(expected)
                )
        for name in theirs:
            self.assertEqual(plain(ours[name]), plain(theirs[name]))
            self.assertEqual(plain(ours.eval(name)), plain(theirs.eval(name)))

    def test_matches_are_the_same(self):
        ads = [
            "[ A = 1; Requirements = TARGET.A == 2 ]",
            "[ A = 2; Requirements = TARGET.A == 1 ]",
            "[ A = 2 ]",
        ]
        for one in ads:
            for other in ads:
                ours = [ClassAd(one), ClassAd(other)]
                theirs = [classad2.ClassAd(one), classad2.ClassAd(other)]
                self.assertEqual(ours[0].matches(ours[1]), theirs[0].matches(theirs[1]))
                self.assertEqual(
                    ours[0].symmetric_match(ours[1]), theirs[0].symmetricMatch(theirs[1])
                )


class Ads(unittest.TestCase):
    def test_it_is_a_mapping(self):
        ad = ClassAd({"A": 1, "b": "x", "C": [1, 2.5, True, None], "D": {"x": Expr("A + 1")}})
        self.assertIsInstance(ad, Mapping)
        self.assertEqual(
            (list(ad), len(ad), ad["a"], "B" in ad, "E" in ad, 3 in ad),
            (["A", "b", "C", "D"], 4, 1, True, False, False),
        )
        self.assertEqual(ad["C"], [1, 2.5, True, Value.Undefined])
        self.assertEqual(ad["D"], ClassAd("[ x = A + 1 ]"))
        self.assertEqual(dict(ad), dict(ad.items()))
        self.assertEqual((ad.get("a"), ad.get("e"), ad.get("e", 7)), (1, None, 7))
        ad["a"] = Expr("2 * 3")
        ad.update({"F": 5})
        self.assertEqual(
            (ad["A"], ad.eval("A"), ad.lookup("F").eval(), ad.keys()[-1]),
            (Expr("2 * 3"), 6, 5, "F"),
        )
        del ad["f"]
        for wrong in ("f", "nothing"):
            self.assertRaises(KeyError, ad.__getitem__, wrong)
            self.assertRaises(KeyError, ad.__delitem__, wrong)
            self.assertRaises(KeyError, ad.lookup, wrong)
        self.assertRaises(TypeError, hash, ad)

    def test_it_reads_back(self):
        for ad in [ClassAd(AD), ClassAd(), *read_ads(HELD)]:
            for back in (
                eval(repr(ad)),
                ClassAd(str(ad)),
                ClassAd(ad.to_long() if "\\n" not in repr(ad) else ad),
                ClassAd(ad.to_json()),
                copy.deepcopy(ad),
                pickle.loads(pickle.dumps(ad)),
                ad.copy(),
                ClassAd(dict(ad)),
            ):
                self.assertEqual(back, ad)
        for text in EXPRESSIONS:
            expr = Expr(text)
            self.assertEqual(
                (eval(repr(expr)), Expr(str(expr)), pickle.loads(pickle.dumps(expr))), (expr,) * 3
            )
            self.assertEqual(len({expr, Expr(text)}), 1)
        changed = ClassAd(AD)
        same = changed.copy()
        changed["A"] = 2
        self.assertNotEqual(changed, same)

    def test_times(self):
        berlin = timezone(timedelta(hours=1))
        at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=berlin)
        ad = ClassAd({"At": at, "For": timedelta(days=1, seconds=2.5)})
        self.assertEqual(str(ad["At"]), str(at))
        self.assertEqual(ad["For"], 86402.5)
        self.assertEqual(ClassAd(str(ad)).eval("For"), ad["For"])
        self.assertEqual(ClassAd(str(ad)).eval("At"), at)
        self.assertEqual(Expr("time()").eval(now=at), int(at.timestamp()))
        self.assertEqual(ClassAd("[ T = time() + 1 ]").eval("T", now=5.5), 6)
        # Python has no such year.
        self.assertIsInstance(Expr('absTime("0000-01-01T00:00:00+00:00")').eval(), Expr)

    def test_an_expression_is_explained(self):
        expr = Expr("NumHolds < 2 || MemoryUsage > RequestMemory && numholds > 0")
        self.assertEqual(expr.references(), ["NumHolds", "MemoryUsage", "RequestMemory"])
        steps = expr.steps({"NumHolds": 3})
        self.assertEqual(steps[0], (0, str(expr), Value.Undefined))
        self.assertIn((2, "NumHolds", 3), steps)
        self.assertEqual(Expr('"a\\b"', old=True).eval(), "a\\b")

    def test_what_is_none_is_refused(self):
        for make, error in [
            (lambda: Expr("(A = 5"), holdadvise.InputError),
            (lambda: ClassAd("[ A = ]"), holdadvise.InputError),
            (lambda: ClassAd("A = 1\n\nB = 2\n"), holdadvise.InputError),
            (lambda: ClassAd(7), TypeError),
            (lambda: ClassAd({"A": object()}), TypeError),
            (lambda: ClassAd({"A\n": 1}), holdadvise.InputError),
            (lambda: ClassAd({"A": 1 << 64}), OverflowError),
            (lambda: ClassAd({"A": endless()}), holdadvise.InputError),
            (lambda: Expr("1").eval(now=float("nan")), holdadvise.InputError),
            (lambda: list(read_ads("/none")), holdadvise.ReadError),
        ]:
            self.assertRaises(error, make)
        with self.assertRaises(holdadvise.InputError) as caught:
            Expr("(JobStatus = 5) && NumHolds < 3")
        self.assertIn("expected ')', found '='; write '==' to compare", str(caught.exception))
        broken = next(read_ads("A = (\nB = 1\n", damaged="skip"))
        self.assertEqual(broken["B"], 1)
        self.assertRaises(holdadvise.InputError, broken.__getitem__, "A")

    def test_damage_of_files_of_ads(self):
        text = "A = 1\nno attribute\n\nA = 2\n"
        self.assertEqual([ad["A"] for ad in read_ads(text, damaged="skip")], [1, 2])
        kinds = [type(one).__name__ for one in read_ads(text, damaged="yield")]
        self.assertEqual(sorted(kinds), ["ClassAd", "ClassAd", "Damage"])
        with self.assertRaisesRegex(holdadvise.InputError, "line 2") as caught:
            list(read_ads(text))
        self.assertIsInstance(caught.exception.damage, Damage)
        self.assertEqual(caught.exception.damage.line, 2)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ads"
            path.write_text(text)
            with self.assertRaisesRegex(holdadvise.InputError, f"{path}: line 2"):
                list(read_ads(path))
        self.assertEqual([list(ad) for ad in read_ads(HELD, attributes=["procid"])][0], ["ProcId"])


def endless():
    ad = {}
    ad["A"] = ad
    return ad
