from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import best_observer
import calibration
import logistic
import measures
import trees
from dataset import (
    InputError,
    open_tensors,
    read_dataset,
    read_parts,
    read_predictions,
    rows_of,
    write_predictions,
)
from inputs import Inputs
from tests import synthetic


def quietly(main, *argv: object) -> str:
    """Runs a command; what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main([str(one) for one in argv])
    return printed.getvalue()


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.path = synthetic.dataset(cls.folder / "holds.safetensors")
        cls.parts = cls.path.with_suffix(".parts")
        cls.dataset = read_dataset(cls.path)
        cls.test = rows_of(cls.dataset, read_parts(cls.parts, cls.dataset), 2, oracle=False)
        cls.target = cls.dataset.target[cls.test]

    def fit(self, main, *argv: object) -> np.ndarray:
        """Predictions of the released test rows."""
        out = self.folder / "out.safetensors"
        quietly(main, self.path, "--parts", self.parts, "-o", out, *argv)
        predictions = read_predictions(out, len(self.dataset))
        parts = read_parts(self.parts, self.dataset)
        np.testing.assert_array_equal(np.isfinite(predictions), parts == 2, "all rows of the test part, oracle ones too")
        return predictions[self.test]

    def test_trees_find_what_each_input_tells(self) -> None:
        found = {
            choice: measures.auroc(self.target, self.fit(trees.main, "--inputs", choice, "--grid", "none"))
            for choice in ("own", "statics", "statics+states")
        }
        self.assertGreater(found["own"], 0.6)
        self.assertGreater(found["statics"], found["own"] + 0.03, "what other jobs went through")
        self.assertGreater(found["statics+states"], found["statics"] + 0.03, "what only the states show")
        oracle = measures.auroc(self.target, self.fit(trees.main, "--train", "oracle", "--grid", "none"))
        self.assertGreater(oracle, found["statics+states"] - 0.02)

    def test_trees_are_calibrated_and_better_than_a_constant(self) -> None:
        said = self.fit(trees.main)
        constant = np.full(len(said), self.target.mean())
        self.assertLess(measures.brier(self.target, said), measures.brier(self.target, constant) - 0.02)
        self.assertLess(measures.calibration_error(self.target, said, 5), 0.12)

    def test_the_same_seed_gives_the_same_file(self) -> None:
        files = []
        for seed in (3, 3, 4):
            self.fit(trees.main, "--seed", seed, "--grid", "none", "--train", "oracle")
            files.append((self.folder / "out.safetensors").read_bytes())
        self.assertEqual(files[0], files[1])
        self.assertNotEqual(files[0], files[2])

    def test_nothing_is_learned_from_shuffled_labels(self) -> None:
        for main in (trees.main, logistic.main):
            said = self.fit(main, "--shuffle-labels")
            self.assertLess(abs(measures.auroc(self.target, said) - 0.5), 0.12)

    def test_fewer_rows_train_where_asked(self) -> None:
        self.fit(trees.main, "--rows", 200, "--grid", "none")
        about = json.loads(open_tensors(self.folder / "out.safetensors")[1]["holdadvise"])
        self.assertEqual(about["rows"], 200)

    def test_another_dataset_is_predicted_too(self) -> None:
        other = synthetic.dataset(self.folder / "other.safetensors", 400, seed=9)
        synthetic.parts(other, np.full(400, 2, np.uint8))
        out = self.folder / "applied.safetensors"
        for main in (trees.main, logistic.main, best_observer.main):
            extra = (
                ("--kinds", "trees:statics+states:oracle", "--factors", "1")
                if main is best_observer.main
                else ("--train", "oracle")
            )
            self.fit(main, *extra, "--apply", other, other.with_suffix(".parts"), out)
            read = read_dataset(other)
            rows = rows_of(read, np.full(400, 2), 2, oracle=False)
            self.assertGreater(measures.auroc(read.target[rows], read_predictions(out, 400)[rows]), 0.7)

    def test_logistic_regression_finds_linear_effects(self) -> None:
        self.assertGreater(measures.auroc(self.target, self.fit(logistic.main)), 0.7)
        self.assertGreater(measures.auroc(self.target, self.fit(logistic.main, "--train", "oracle")), 0.7)

    def test_own_inputs_say_nothing_of_other_jobs(self) -> None:
        self.assertEqual(
            Inputs(self.dataset, "own").names,
            ["code-12", "code-13", "held-for", "reason-given", "action-as-is"],
        )
        self.assertEqual(Inputs(self.dataset, "statics").names, synthetic.STATICS)
        with self.assertRaisesRegex(InputError, "inputs all: expected one of own"):
            Inputs(self.dataset, "all")

    def test_state_features_count_kinds_and_say_how_long_ago(self) -> None:
        inputs = Inputs(self.dataset, "statics+states")
        names = {name: at for at, name in enumerate(inputs.states.names())}
        states = np.full((1, synthetic.FRAMES, synthetic.SLOTS), synthetic.STATES.index("idle"), np.uint8)
        states[0, -2, 1] = synthetic.STATES.index("held-13")
        states[0, -1, 2] = synthetic.STATES.index("held-12")
        of = inputs.states.of(states, np.array([13]))[0]
        self.assertEqual(len(of), len(names))
        self.assertEqual(of[names["count others held-alike newest"]], 1)
        self.assertEqual(of[names["count others held-otherwise newest"]], 1)
        self.assertAlmostEqual(
            float(of[names["age slot1 held-alike"]]), float(np.log1p(0.5)), 6, "30 s before the decision"
        )
        self.assertGreater(of[names["age slot0 executing"]], np.log1p(7200 / 60), "never seen")
        self.assertEqual(
            (of[names["changes slot0"]], of[names["changes slot1"]], of[names["changes slot2"]]), (0, 2, 1)
        )
        states[0, 0, 0] = 200
        with self.assertRaisesRegex(InputError, "tensor states: state 200, the schema names 10"):
            inputs.states.of(states, np.array([13]))

    def test_the_best_observer_learns_from_more_data_and_chooses_on_validation(self) -> None:
        more = synthetic.dataset(self.folder / "more.safetensors", 6000, seed=1, first_cluster=100_000)
        out, table = self.folder / "best.safetensors", self.folder / "best.json"
        exact = self.folder / "exact.safetensors"
        parts = read_parts(self.parts, self.dataset)
        rows = np.flatnonzero(np.isin(parts, (1, 2)))
        write_predictions(exact, rows, np.full(len(rows), 0.5), {})
        kinds = "trees:statics+states:oracle,logistic:statics:releases"
        common = (
            self.path,
            "--parts",
            self.parts,
            "--more",
            more,
            "-o",
            out,
            "--json",
            table,
            "--grid",
            "none",
            "--kinds",
            kinds,
        )
        quietly(best_observer.main, *common, "--factors", "0.3,6", "--candidate", f"coin={exact}")
        shown = json.loads(table.read_text())
        by_name = {(row[0], row[1]): dict(zip(shown["columns"], row)) for row in shown["rows"]}
        few, many = by_name["trees:statics+states:oracle", 0.3], by_name["trees:statics+states:oracle", 6.0]
        self.assertGreater(many["rows"], 5 * few["rows"])
        self.assertGreater(many["AUROC test"], few["AUROC test"])
        self.assertEqual([row["taken"] for row in by_name.values()].count("yes"), 1)
        self.assertEqual(many["taken"], "yes")
        self.assertEqual(by_name["coin", None]["AUROC test"], 0.5)
        self.assertEqual(len(open_tensors(out)[0]["row"]), (parts == 2).sum())
        with self.assertRaisesRegex(InputError, "validation and test rows of .* are in it"):
            quietly(best_observer.main, self.path, "--parts", self.parts, "--more", self.path, "-o", out)
        apply = ("--apply", self.path, self.parts, self.folder / "applied.safetensors")
        both = (*common, "--factors", "0.3", "--kinds", "", *apply, "--candidate")
        quietly(best_observer.main, *both, f"coin={exact},{exact}")
        self.assertEqual(open_tensors(apply[3])[0]["probability"].max(), 0.5)
        with self.assertRaisesRegex(InputError, "a FILE for each --apply, 2 in all"):
            quietly(best_observer.main, *both, f"coin={exact}")
        with self.assertRaisesRegex(InputError, "more than 1 needs a larger dataset"):
            quietly(best_observer.main, self.path, "--parts", self.parts, "-o", out)


class Figures(unittest.TestCase):
    def test_auroc_counts_pairs(self) -> None:
        target, score = np.array([0, 0, 1, 1.0]), np.array([0.1, 0.4, 0.35, 0.8])
        self.assertAlmostEqual(measures.auroc(target, score), 0.75)
        self.assertAlmostEqual(measures.auroc(target, np.zeros(4)), 0.5)
        self.assertAlmostEqual(
            measures.auroc(np.array([1.0, 0.25]), np.array([1.0, 0.0])),
            1.0 * 0.75 / (1.25 * 0.75) + 0.25 * 0.75 / 2 / (1.25 * 0.75),
        )
        self.assertTrue(np.isnan(measures.auroc(np.ones(3), np.arange(3))))

    def test_calibration_mends_a_score_that_is_too_sure(self) -> None:
        random = np.random.default_rng(2)
        logit = random.normal(size=4000)
        target = (random.random(4000) < 1 / (1 + np.exp(-logit))).astype(np.float32)
        sure = 1 / (1 + np.exp(-4 * logit))
        curve = calibration.fit(sure, target, np.ones(4000), np.arange(4000) // 4, 1)
        self.assertNotEqual(curve.way, "none")
        mended = curve.apply(sure)
        self.assertGreater(measures.calibration_error(target, sure), 0.1)
        self.assertLess(measures.calibration_error(target, mended), 0.03)
        self.assertEqual(
            calibration.fit(sure[:20], target[:20], np.ones(20), np.arange(20), 1).way, "none", "too few rows"
        )

    def test_a_soft_target_is_a_share_of_a_success_and_of_a_failure(self) -> None:
        place, label, weight = calibration.doubled(np.array([1, 0.25, 0]), np.array([2, 4, 1.0]))
        self.assertEqual((place.tolist(), label.tolist(), weight.tolist()), ([0, 1, 1, 2], [1, 1, 0, 0], [2, 1, 3, 1]))
