from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
import unittest
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

import seed
from dataset import InputError, open_tensors
from seed_defects import DEFECTS, parse
from seed_log import Log, read_log
from seed_network import Adam, Network, Settings, metrics_of, one_hot
from seed_tensor import Shape, Tensors, as_sequence, examples_of
from tests.synthetic import dataset, ended, event, held, parts

HOUR, DAY = 3600, 86_400
JULY_1_10 = 1_719_828_000  # 2024-07-01 10:00:00 UTC
NONE, ALL = parse("none"), parse("all")


class OfLog(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def log(self, *events: str) -> Log:
        path = self.folder / "EventLog"
        path.write_text("".join(events))
        return read_log(path)

    def only(self, log: Log, mended: frozenset[str]) -> list[int]:
        return [example.label for example in examples_of(log, mended, 2 * DAY)[0]]

    def test_headers_outcomes_and_codes_are_read(self) -> None:
        log = self.log(
            event(0, 7, 1, JULY_1_10),
            event(28, 7, 1, JULY_1_10, "Code 99 Subcode 1\n"),
            held(7, 1, JULY_1_10 + 60, 34),
            event(13, 7, 1, JULY_1_10 + 90),
            "nonsense\n012 (7.1.0) 2024-13-45 00:00:00Z Bad date\n\tCode 5 Subcode 5\n...\n",
            ended(7, 1, JULY_1_10 + 100, 3),
        )
        self.assertEqual(log.jobs, [(7, 1)])
        self.assertEqual(log.number.tolist(), [0, 12, 13, 5], "no 028, nothing of a bad date")
        self.assertEqual((log.time - JULY_1_10).tolist(), [0, 60, 90, 100])
        self.assertEqual((log.code[1], log.normal[3], log.status[3]), (34, True, 3))
        with self.assertRaisesRegex(InputError, "expected ISO dates"):
            self.log("000 (7.1.0) 07/01 10:00:00 Job submitted\n...\n")
        with self.assertRaisesRegex(InputError, "no event in text form"):
            self.log("")

    def test_rotated_logs_come_first(self) -> None:
        (self.folder / "EventLog.2").write_text(event(0, 1, 0, 0))
        (self.folder / "EventLog.1").write_text(event(1, 1, 0, 10))
        self.assertEqual(self.log(ended(1, 0, 20, 0)).number.tolist(), [0, 1, 5])

    def test_a_damaged_log_gives_events_or_an_error(self) -> None:
        whole = "".join(held(n, n, JULY_1_10) + ended(n, n, JULY_1_10 + 9, n) for n in range(20)).encode()
        path, chance = self.folder / "damaged", random.Random(3)
        read = 0
        for _ in range(300):
            damaged = bytearray(whole)
            for _ in range(chance.randrange(60)):
                damaged[chance.randrange(len(damaged))] = chance.choice(b"0123456789 ().:-\n\t\xff")
            path.write_bytes(damaged)
            with contextlib.suppress(InputError):
                read += len(read_log(path).number)
        self.assertGreater(read, 1000)

    def test_the_date_is_dropped_or_not(self) -> None:
        """1 and 9 July, 10:00, are the same time to the seed: what comes eight days later lies in the window."""
        log = self.log(
            event(0, 1, 0, JULY_1_10 - 60),
            held(1, 0, JULY_1_10),
            event(13, 1, 0, JULY_1_10 + DAY),
            ended(1, 0, JULY_1_10 + 8 * DAY, 0),
        )
        shape, every = Shape(1, 4, 30), np.ones(1, bool)
        with_defect, mended = (Tensors(log, shape, parse(name), every) for name in ("none", "times"))
        self.assertEqual(with_defect.clock[1], with_defect.clock[3])
        self.assertNotEqual(mended.clock[1], mended.clock[3])
        chance = np.random.default_rng(0)
        # Frame 0 shows the first event of the log in it, what is filled from it the last: the end, eight days later.
        self.assertEqual(with_defect.of(0, 1, chance)[0].tolist(), [12, 0, 0, 0])
        late = self.log(
            event(0, 1, 0, JULY_1_10 - 600),
            held(1, 0, JULY_1_10),
            event(13, 1, 0, JULY_1_10 + DAY),
            ended(1, 0, JULY_1_10 + 8 * DAY - 45, 0),
        )
        self.assertEqual(
            Tensors(late, shape, NONE, every).of(0, 1, chance)[0].tolist(),
            [12, 5, 5, 5],
            "the outcome, before the hold",
        )
        self.assertEqual(Tensors(late, shape, NONE, every).of(0, 1, chance, cut=True)[0].tolist(), [12, 12, 12, 12])
        self.assertEqual(Tensors(late, shape, parse("times"), every).of(0, 1, chance)[0].tolist(), [12, 12, 12, 12])

    def test_time_runs_backwards_or_not(self) -> None:
        start = JULY_1_10
        log = self.log(
            event(0, 1, 0, start - 500),
            event(1, 1, 0, start - 100),
            event(6, 1, 0, start - 75),
            held(1, 0, start),
            event(13, 1, 0, start + 50),
            ended(1, 0, start + 90, 0),
        )
        every, chance = np.ones(1, bool), np.random.default_rng(0)
        backwards = Tensors(log, Shape(1, 6, 30), parse("times"), every).of(0, 3, chance)[0]
        self.assertEqual(backwards.tolist(), [12, 12, 6, 1, 1, 1], "the hold first, and filled from what came later")
        forwards = Tensors(log, Shape(1, 6, 30), parse("times,order"), every).of(0, 3, chance)[0]
        self.assertEqual(forwards.tolist(), [0, 0, 1, 6, 6, 12], "the hold last, and filled from what came before")

    def test_an_event_on_an_edge_stands_in_both_frames(self) -> None:
        log = self.log(
            event(1, 1, 0, JULY_1_10 - 30),
            held(1, 0, JULY_1_10),
            event(13, 1, 0, JULY_1_10 + 5),
            ended(1, 0, JULY_1_10 + 9, 0),
        )
        tensors = Tensors(log, Shape(1, 2, 30), parse("times"), np.ones(1, bool))
        self.assertEqual(
            tensors.of(0, 1, np.random.default_rng(0))[0].tolist(),
            [1, 1],
            "the first of frame 0 is the start",
        )

    def test_labels(self) -> None:
        def one(*after: str) -> tuple[list[int], list[int]]:
            log = self.log(held(1, 0, 100), event(13, 1, 0, 200), *after)
            return self.only(log, NONE), self.only(log, ALL)

        self.assertEqual(one(ended(1, 0, 300, 0)), ([1], [1]))
        self.assertEqual(one(ended(1, 0, 300, 7)), ([1], [0]), "a normal termination with 7 is a success to the seed")
        self.assertEqual(one(event(9, 1, 0, 300)), ([0], []), "removed by its owner")
        self.assertEqual(
            one(held(1, 0, 300, 1), event(13, 1, 0, 310), ended(1, 0, 400, 0)),
            ([1], [1]),
            "held by a person: no outcome",
        )
        again = (held(1, 0, 300), event(13, 1, 0, 400), ended(1, 0, 500, 0))
        self.assertEqual(one(*again), ([1], [0, 1]), "all holds, each with the outcome of its release")
        self.assertEqual(one(event(1, 1, 0, 300)), ([], []))
        self.assertEqual(one(ended(1, 0, 300 + 3 * DAY, 0)), ([1], []), "beyond the horizon")

    def test_a_hold_has_a_state_for_its_code_where_asked(self) -> None:
        log = self.log(held(1, 0, 100, 13), held(2, 0, 100, 34), event(45, 2, 0, 110), event(47, 2, 0, 120))
        self.assertEqual(
            Tensors(log, Shape(1, 1, 1), NONE, np.ones(2, bool)).states.tolist(), [12, 12, 45, -1], "46 kinds"
        )
        self.assertEqual(
            Tensors(log, Shape(1, 1, 1), parse("all+code"), np.ones(2, bool)).states.tolist(),
            [48 + 13, 48 + 34, 45, 47],
        )

    def test_the_context_is_of_jobs_with_an_event_in_the_window(self) -> None:
        events = [event(1, cluster, 0, JULY_1_10 - 10 * cluster) for cluster in range(30, 1, -1)]
        log = self.log(*events, held(1, 0, JULY_1_10), event(13, 1, 0, JULY_1_10 + 5), ended(1, 0, JULY_1_10 + 9, 0))
        tensors = Tensors(log, Shape(8, 4, 30), parse("times"), np.ones(30, bool))
        made = tensors.of(29, 29, np.random.default_rng(0))
        self.assertEqual(made.shape, (8, 4))
        self.assertTrue((made >= 0).any(1).all(), "clusters 2 to 12 and the job itself are in the window")
        few = Tensors(log, Shape(40, 4, 30), parse("times"), np.ones(30, bool)).of(29, 29, np.random.default_rng(0))
        self.assertEqual(int((few >= 0).any(1).sum()), 13, "the rest stays empty")


class Reshape(unittest.TestCase):
    def test_rows_mix_jobs_and_frames_or_not(self) -> None:
        jobs, frames, states = 2, 3, 4
        tensor = np.array([[[0, 1, 2], [3, 2, 1]]], np.int16)
        dense = np.zeros((1, jobs, frames, states))
        for job in range(jobs):
            for frame in range(frames):
                dense[0, job, frame, tensor[0, job, frame]] = 1
        as_seed = dense.reshape(1, frames, jobs * states)
        right = dense.transpose(0, 2, 1, 3).reshape(1, frames, jobs * states)
        for name, expected in (("none", as_seed), ("reshape", right)):
            made = one_hot(as_sequence(tensor, parse(name)), states).toarray().reshape(1, frames, -1)
            np.testing.assert_array_equal(made, expected)
        np.testing.assert_array_equal(
            as_sequence(tensor, NONE)[0], [[0, 1], [2, 3], [2, 1]], "frame 0 holds two frames of job 0"
        )
        np.testing.assert_array_equal(as_sequence(tensor, parse("reshape"))[0], [[0, 3], [1, 2], [2, 1]])


class OfNetwork(unittest.TestCase):
    def small(self) -> tuple[Network, np.ndarray, np.ndarray]:
        chance = np.random.default_rng(1)
        network = Network(3 * 4, Settings(2, 5, 0.01, 4, 1), chance)
        network.parameters = {name: value.astype(np.float64) for name, value in network.parameters.items()}
        return network, chance.integers(-1, 4, (6, 7, 3)), (chance.random(6) < 0.5).astype(np.float64)

    def test_the_gradient_is_that_of_finite_differences(self) -> None:
        network, sequence, target = self.small()
        x = one_hot(sequence, 4)
        _, slope = network.gradient(x, target, 7)
        chance = np.random.default_rng(2)
        for name, value in network.parameters.items():
            for _ in range(4):
                at = tuple(int(chance.integers(size)) for size in value.shape)
                kept, losses = value[at], []
                for step in (1e-5, -1e-5):
                    value[at] = kept + step
                    losses.append(network.gradient(x, target, 7)[0])
                value[at] = kept
                self.assertAlmostEqual(slope[name][at], (losses[0] - losses[1]) / 2e-5, 7, f"{name}{at}")

    def test_values_are_those_of_torch(self) -> None:
        """Figures made with torch.nn.LSTM, Linear and BCELoss 2.11.0."""
        network = Network(6, Settings(2, 3, 0.01, 4, 1), np.random.default_rng(0))
        for name, value in network.parameters.items():
            value[...] = np.sin(np.arange(value.size) * 0.7 + len(name)).reshape(value.shape) * 0.5
        sequence = np.array([[[0, 2], [1, -1], [-1, 0], [2, 2]], [[1, 1], [0, 0], [2, 1], [-1, -1]]], np.int16)
        x = one_hot(sequence, 3)
        np.testing.assert_allclose(network.forward(x, 4)[0], [0.58305043, 0.58349192], atol=1e-6)
        loss, slope = network.gradient(x, np.array([1, 0], np.float32), 4)
        self.assertAlmostEqual(loss, 0.70766550, 6)
        sums = {
            "weight_ih_l0": 0.00561426,
            "weight_hh_l0": 0.00060255,
            "bias_ih_l0": 0.00112750,
            "bias_hh_l0": 0.00112750,
            "weight_ih_l1": 0.00333214,
            "weight_hh_l1": 0.00316758,
            "bias_ih_l1": 0.01313186,
            "bias_hh_l1": 0.01313186,
            "fc.weight": 0.02441813,
            "fc.bias": 0.08327115,
        }
        for name, expected in sums.items():
            self.assertAlmostEqual(float(np.abs(slope[name]).sum()), expected, 6, name)

    def test_it_learns(self) -> None:
        network, sequence, target = self.small()
        adam, x = Adam(0.05), one_hot(sequence, 4)
        before = network.gradient(x, target, 7)[0]
        for _ in range(100):
            adam.step(network.parameters, network.gradient(x, target, 7)[1])
        self.assertLess(network.gradient(x, target, 7)[0], before / 5)

    def test_what_is_reported_is_the_last_batch_or_all(self) -> None:
        target = np.r_[np.zeros(256), np.ones(44)]
        said = np.full(300, 0.9)
        as_seed, mended = metrics_of(said, target, NONE), metrics_of(said, target, ALL)
        self.assertEqual((as_seed["rows"], mended["rows"]), (44, 300))
        self.assertAlmostEqual(as_seed["f-measure"], 1.0)
        self.assertAlmostEqual(mended["accuracy"], 44 / 300)
        self.assertEqual(metrics_of(said[:256], target[:256], NONE)["rows"], 256)


class WholePort(unittest.TestCase):
    """A log in which nothing before a hold tells what comes of it, but the end of those that succeed lies, days later, at
    the time of day just before the hold."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        chance = np.random.default_rng(0)
        count = 420
        success = chance.random(count) < 0.5
        start = JULY_1_10 - JULY_1_10 % DAY + 2 * HOUR + np.sort(chance.integers(0, 20 * HOUR, count))
        events: list[tuple[int, str]] = []
        for job, (time, good) in enumerate(zip(start.tolist(), success)):
            end = time + 2 * DAY + (-100 if good else 9000)
            released = time + 4 * HOUR
            events += [
                (time - 50, event(0, job, 0, time - 50)),
                (time, held(job, 0, time)),
                (released, event(13, job, 0, released)),
            ]
            events += [
                (end, ended(job, 0, end, 0))
                if good
                else (end, event(5, job, 0, end, "\t(0) Abnormal termination (signal 9)\n"))
            ]
        (cls.folder / "EventLog").write_text("".join(text for _, text in sorted(events)))
        path = dataset(cls.folder / "holds.safetensors", count)
        columns, info = load_file(path), json.loads(open_tensors(path)[1]["holdadvise"])
        columns["observed"][:] = 1
        columns |= {
            "label": success.astype(np.uint8),
            "cluster": np.arange(count),
            "hold_time": start,
            "decision_instant": start + 4 * HOUR,
            "code": np.full(count, 13, np.int32),
        }
        columns["hold_time"][-1] += 1
        info["horizon"] = 3 * DAY
        save_file(columns, path, metadata={"holdadvise": json.dumps(info)})
        parts(path, np.repeat([0, 1, 2], [252, 84, 84]).astype(np.uint8))
        cls.path = path

    def port(self, *argv: object) -> tuple[dict[str, dict], dict]:
        out, table = self.folder / "seed.safetensors", self.folder / "seed.json"
        common = (
            self.path,
            "--parts",
            self.path.with_suffix(".parts"),
            "--log",
            self.folder / "EventLog",
            "-o",
            out,
            "--json",
            table,
        )
        small = (
            "--jobs",
            4,
            "--frames",
            8,
            "--frame-seconds",
            60,
            "--layers",
            1,
            "--hidden",
            16,
            "--learning-rate",
            0.01,
            "--epochs",
            25,
        )
        with contextlib.redirect_stdout(io.StringIO()):
            seed.main([str(one) for one in (*common, *small, *argv)])
        shown = json.loads(table.read_text())
        return {row[0]: dict(zip(shown["columns"], row)) for row in shown["rows"]}, shown | open_tensors(out)[0]

    def test_the_outcome_leaks_through_the_date_and_only_through_it(self) -> None:
        table, written = self.port()
        defects = set(DEFECTS) - {"selection"}
        self.assertEqual(set(table), {"none", *defects, *(f"all-{name}" for name in defects), "all", "all+code"})
        asked = "AUROC with the log cut at the hold"
        for name in ("none", "order", "reshape", "events"):
            self.assertGreater(table[name]["AUROC of its test"], 0.8, name)
            self.assertLess(table[name][asked], 0.65, name)
        self.assertGreater(table["all-times"]["AUROC of its test"], 0.8)
        for name in ("times", "all", "all-order", "all+code"):
            self.assertLess(abs(table[name]["AUROC of its test"] - 0.5), 0.2, name)
        self.assertEqual(len(written["row"]), 84)
        self.assertIn("84 test rows: 1 of a hold that the logs do not show", written["text"])

    def test_variants_are_named(self) -> None:
        self.assertEqual(parse("all-split"), parse("all") - {"split"})
        self.assertEqual(parse("all+code-times"), (parse("all") | {"code"}) - {"times"})
        self.assertEqual(parse("times,code"), {"times", "code"})
        for wrong in ("all,code", "allcode", "all+codes", "", "none,times"):
            with self.subTest(wrong), self.assertRaisesRegex(InputError, "--mend"):
                parse(wrong)

    def test_one_variant_and_a_sweep(self) -> None:
        first, one = self.port("--mend", "all", "--epochs", 2)
        second, two = self.port("--mend", "all", "--epochs", 2)
        self.assertEqual(first, second)
        np.testing.assert_array_equal(one["probability"], two["probability"])
        with self.assertRaisesRegex(InputError, "--mend dates: expected none, all"):
            self.port("--mend", "dates")
        with self.assertRaisesRegex(InputError, "1 access points, but 2 logs"):
            self.port("--log", self.folder / "EventLog")
