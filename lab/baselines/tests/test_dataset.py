from __future__ import annotations

import json
import random
import tempfile
import unittest
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

import dataset
from dataset import InputError
from tests import synthetic


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = synthetic.dataset(self.folder / "holds.safetensors", 200)

    def changed(self, change) -> Path:
        """A copy of the dataset after `change(columns, info)`."""
        columns = load_file(self.path)
        info = json.loads(dataset.open_tensors(self.path)[1]["holdadvise"])
        change(columns, info)
        path = self.folder / "changed.safetensors"
        save_file(columns, path, metadata={"holdadvise": json.dumps(info)})
        return path

    def test_a_dataset_is_read_as_it_was_written(self) -> None:
        read = dataset.read_dataset(self.path)
        columns = load_file(self.path)
        self.assertEqual(len(read), 200)
        np.testing.assert_array_equal(read.states, columns["states"])
        np.testing.assert_array_equal(read.statics, columns["statics"])
        self.assertIsInstance(read.statics, np.memmap)
        target, oracle = read.target, columns["observed"] == 0
        np.testing.assert_array_equal(target[oracle], columns["truth"][oracle])
        self.assertTrue(np.isnan(target[~oracle & (columns["label"] == 2)]).all())
        np.testing.assert_array_equal(
            target[~oracle & (columns["label"] != 2)], columns["label"][~oracle & (columns["label"] != 2)]
        )

    def test_errors_name_file_and_tensor(self) -> None:
        wrong = {
            "no tensor truth": lambda columns, _: columns.pop("truth"),
            "tensor statics: shape [200, 7], expected [200, 8]": lambda columns, _: columns.update(
                statics=columns["statics"][:, :7].copy()
            ),
            "tensor label: type int64, expected uint8": lambda columns, _: columns.update(
                label=columns["label"].astype(np.int64)
            ),
            "tensor label: expected 0 failure": lambda columns, _: columns["label"].__setitem__(3, 9),
            "tensor weight: expected numbers": lambda columns, _: columns["weight"].__setitem__(3, np.nan),
            "tensor truth: expected probabilities": lambda columns, _: columns["truth"].__setitem__(3, 1.5),
            "format 1, expected 3": lambda _, info: info.update(format=1),
            "metadata `holdadvise`": lambda _, info: info.pop("schema"),
        }
        for message, change in wrong.items():
            path = self.changed(change)
            with self.subTest(message), self.assertRaises(InputError) as raised:
                dataset.read_dataset(path)
            self.assertIn(message, str(raised.exception))
            self.assertIn(str(path), str(raised.exception))
        other = synthetic.dataset(self.folder / "other.safetensors", 201)
        with self.assertRaisesRegex(InputError, "tensor part: 200 rows, .*other.safetensors has 201"):
            dataset.read_parts(self.path.with_suffix(".parts"), dataset.read_dataset(other))
        synthetic.dataset(other, 200, seed=5)
        with self.assertRaisesRegex(InputError, "made for another dataset"):
            dataset.read_parts(self.path.with_suffix(".parts"), dataset.read_dataset(other))
        save_file({"part": np.zeros(200, np.uint8)}, self.path.with_suffix(".parts"))
        with self.assertRaisesRegex(InputError, "no parts made by"):
            dataset.read_parts(self.path.with_suffix(".parts"), dataset.read_dataset(self.path))
        with self.assertRaisesRegex(InputError, "No such file"):
            dataset.read_dataset(self.folder / "absent")

    def test_damaged_files_give_an_error_and_nothing_else(self) -> None:
        whole = self.path.read_bytes()
        path, chance = self.folder / "damaged", random.Random(1)
        header = int.from_bytes(whole[:8], "little")
        for _ in range(300):
            damaged = bytearray(
                whole[: chance.choice([len(whole), chance.randrange(len(whole)), chance.randrange(8 + header)])]
            )
            for _ in range(chance.randrange(4)):
                if damaged:
                    damaged[chance.randrange(min(len(damaged), 8 + header))] = chance.randrange(256)
            path.write_bytes(damaged)
            try:
                dataset.read_dataset(path)
            except InputError as error:
                self.assertIn(str(path), str(error))
        nested = b"[" * 200_000
        path.write_bytes(len(nested).to_bytes(8, "little") + nested)
        with self.assertRaisesRegex(InputError, "not a safetensors file"):
            dataset.read_dataset(path)

    def test_predictions_are_read_as_they_were_written(self) -> None:
        path = self.folder / "p.safetensors"
        dataset.write_predictions(path, np.array([3, 7]), np.array([0.25, 0.5]), {"model": "x"})
        read = dataset.read_predictions(path, 9)
        self.assertEqual((read[3], read[7], np.isnan(read).sum()), (0.25, 0.5, 7))
        with self.assertRaisesRegex(InputError, "tensor row: a number beyond the 7 rows"):
            dataset.read_predictions(path, 7)
        with self.assertRaisesRegex(InputError, "tensor probability: a value is not within"):
            dataset.write_predictions(path, np.array([3]), np.array([np.nan]), {})

    def test_a_smaller_sample_of_clusters_lies_within_a_greater_one(self) -> None:
        read = dataset.read_dataset(self.path)
        rows = np.arange(200)
        small, great = (dataset.sample_clusters(read, rows, count, 5) for count in (40, 120))
        self.assertEqual((len(small), len(great)), (40, 120))
        self.assertTrue(np.isin(small, great).all())
        self.assertEqual(len(np.unique(read["cluster"][small])), 10, "whole clusters")
        np.testing.assert_array_equal(dataset.sample_clusters(read, rows, 999, 5), rows)

    def test_a_hold_asked_about_often_counts_for_the_root_of_it(self) -> None:
        def same_hold(columns, _) -> None:
            columns["observed"][:3] = 0, 0, observed
            columns["hold_time"][:3] = columns["hold_time"][0]
            columns["code"][:3] = 12
            columns["decision_instant"][:3] = 10, 20, 20
            columns["truth"][:3] = 0.5, 0.5, truth

        for observed, truth, counts in ((1, np.nan, 1), (1, 0.5, 0.25), (0, np.nan, 0.25)):
            weights = dataset.read_dataset(self.changed(same_hold)).weights
            np.testing.assert_allclose(weights[:3], [0.5**0.5, 0.5**0.5, counts])
