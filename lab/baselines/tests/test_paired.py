"""Paired comparison: each access point by itself, then the mean of those with enough rows."""

from __future__ import annotations

import unittest
from pathlib import Path

import numpy as np

import paired
from dataset import Dataset


def known(access_point: list[int], delay: list[int]) -> Dataset:
    """Rows of a release as it is, every other one of them sure to succeed."""
    rows = len(access_point)
    columns = {
        "truth": np.tile(np.array([0, 1], np.float32), rows // 2),
        "weight": np.ones(rows, np.float32),
        "observed": np.zeros(rows, np.uint8),
        "action": np.zeros(rows, np.uint8),
        "access_point": np.array(access_point, np.int32),
        "delay": np.array(delay, np.int64),
    }
    return Dataset(Path("none"), {}, np.zeros(0), np.zeros(0), columns)


class Paired(unittest.TestCase):
    def test_an_access_point_counts_as_much_as_another_and_none_with_few_rows(self) -> None:
        least = paired.LEAST_ROWS
        dataset = known([1] * least + [2] * 2 * least + [3] * (least - 2), [0] * (2 * least) + [9] * (2 * least - 2))
        rows = paired.wanted(dataset)
        self.assertEqual(len(rows), len(dataset["truth"]))
        # The first is ranked rightly, the others the wrong way round.
        first = dataset["access_point"] == 1
        right = np.where(first, dataset["truth"], 1 - dataset["truth"])
        table = paired.of_access_points(dataset, rows, [right, np.full(len(rows), 0.5)])
        np.testing.assert_allclose(table[:, 0, 0], [0.75, 0.25, np.nan])
        np.testing.assert_allclose(table[:, 1, 0], [0.75, 0.25, np.nan])
        np.testing.assert_allclose(table[:, 2, 0], [np.nan, 0.25, np.nan])
        mean, low, high, count = paired.interval(table[:, 0, 0], 1000, 1)
        self.assertEqual((mean, low, high, count), (0.5, 0.25, 0.75, 2))
        self.assertEqual(paired.interval(np.full(3, np.nan), 10, 1)[3], 0)


if __name__ == "__main__":
    unittest.main()
