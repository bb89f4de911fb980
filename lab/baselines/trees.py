"""Gradient-boosted trees (LightGBM; Ke et al. 2017) on the same rows and inputs as the LSTM.

trees.py holds.safetensors --parts parts.safetensors --inputs statics+states -o trees.safetensors
"""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np

import command
from calibration import Calibration, fit
from dataset import TRAIN, VALIDATION, Dataset, InputError, sample_clusters
from inputs import CHUNK, INPUTS, Examples, Inputs, RowSequence, examples

# Chosen from on the validation part alone: size of a tree, how many rows a leaf must have, share of the columns a tree
# may look at. The learning rate is small enough for early stopping to find the number of trees; that of `quick` is twice
# as large, for data of thousands of columns.
GRIDS: dict[str, dict[str, list[Any]]] = {
    "full": {"num_leaves": [7, 31, 127], "min_data_in_leaf": [20, 100], "feature_fraction": [0.3, 0.8]},
    "small": {"num_leaves": [7, 31], "min_data_in_leaf": [20], "feature_fraction": [0.5]},
    "quick": {"num_leaves": [7, 31], "min_data_in_leaf": [20], "feature_fraction": [0.3], "learning_rate": [0.1]},
    "none": {"num_leaves": [31], "min_data_in_leaf": [20], "feature_fraction": [0.5]},
}
FIXED = {"learning_rate": 0.05, "lambda_l2": 5.0, "bagging_fraction": 0.8, "bagging_freq": 1, "max_bin": 255}
MOST_TREES, PATIENCE = 2000, 50


class Sequence(RowSequence, lightgbm.Sequence):
    """Rows for LightGBM, read from the file as it asks for them."""


@dataclass
class Trees:
    """Trained trees with their calibration."""

    booster: lightgbm.Booster
    calibration: Calibration
    parameters: dict[str, Any]
    validation_loss: float

    def raw(self, inputs: Inputs, rows: np.ndarray) -> np.ndarray:
        parts = [
            self.booster.predict(inputs.of(rows[start : start + CHUNK]), num_iteration=self.booster.best_iteration)
            for start in range(0, len(rows), CHUNK)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def predict(self, inputs: Inputs, rows: np.ndarray) -> np.ndarray:
        return np.clip(self.calibration.apply(self.raw(inputs, rows)), 0, 1)


def train(
    parts: list[Examples], validation: Examples, releases: Examples | None, grid: str, seed: int, threads: int
) -> Trees:
    """Trains with every setting of the grid on the rows of `parts` (of one dataset or several of one schema), each with
    early stopping on `validation`, keeps the one with the smallest loss there, and calibrates it on `releases`, those
    validation rows that happened, if they are given: what is reported is of such."""
    target = np.concatenate([part.target for part in parts])
    weight = np.concatenate([part.weight for part in parts])
    soft = bool(((target > 0) & (target < 1)).any() or ((validation.target > 0) & (validation.target < 1)).any())
    names = [
        f"{at}_{''.join(c if c.isalnum() else '_' for c in name)}" for at, name in enumerate(validation.inputs.names)
    ]
    base = FIXED | {
        "objective": "cross_entropy" if soft else "binary",
        "metric": "cross_entropy",
        "verbosity": -1,
        "seed": seed,
        "num_threads": threads,
        "deterministic": True,
        "force_row_wise": True,
        "bin_construct_sample_cnt": 50_000,
        "feature_pre_filter": False,
    }
    best: Trees | None = None
    known = lightgbm.Dataset(
        [Sequence(part.inputs, part.rows) for part in parts],
        target,
        weight=weight,
        feature_name=names,
        params=base,
        free_raw_data=False,
    )
    held_out = lightgbm.Dataset(
        [Sequence(validation.inputs, validation.rows)],
        validation.target,
        weight=validation.weight,
        reference=known,
        params=base,
        free_raw_data=False,
    )
    for values in itertools.product(*GRIDS[grid].values()):
        parameters = dict(zip(GRIDS[grid], values))
        started = time.monotonic()
        booster = lightgbm.train(
            base | parameters,
            known,
            MOST_TREES,
            valid_sets=[held_out],
            callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
        )
        loss = booster.best_score["valid_0"]["cross_entropy"]
        spent = time.monotonic() - started
        print(
            f"{json.dumps(parameters)} trees {booster.best_iteration} validation loss {loss:.4f} ({spent:.0f} s)",
            flush=True,
        )
        if best is None or loss < best.validation_loss:
            best = Trees(booster, Calibration("none"), parameters | {"trees": booster.best_iteration}, loss)
    if best is None:
        raise InputError(f"grid {grid}: no settings")
    if releases is None:
        return best
    raw = best.raw(releases.inputs, releases.rows)
    cluster = releases.inputs.dataset["cluster"][releases.rows]
    best.calibration = fit(raw, releases.target, releases.weight, cluster, seed)
    best.validation_loss = best.calibration.loss
    best.parameters |= {"calibration": best.calibration.way}
    return best


def fit_dataset(
    dataset: Dataset,
    parts: np.ndarray,
    choice: str,
    oracle: bool,
    grid: str,
    seed: int,
    threads: int,
    count: int | None = None,
    shuffle: bool = False,
    calibrated: bool = True,
) -> tuple[Trees, int]:
    """Trees of the training part; also how many rows trained them."""
    inputs = Inputs(dataset, choice)
    rows = command.rows_needed(dataset, parts, TRAIN, oracle, "training")
    if count is not None:
        rows = sample_clusters(dataset, rows, count, seed)
    known = examples(inputs, rows, seed if shuffle else None)

    def held_out(oracle: bool) -> Examples:
        rows = command.rows_needed(dataset, parts, VALIDATION, oracle, "validation")
        return examples(inputs, rows, seed + 1 if shuffle else None)

    releases = held_out(False) if calibrated else None
    return train([known], held_out(oracle), releases, grid, seed, threads), len(known.rows)


def main(argv: list[str] | None = None) -> None:
    parser = command.arguments("Gradient-boosted trees on the rows and inputs of a dataset.")
    command.add_training(parser)
    command.add_apply(parser)
    parser.add_argument("--inputs", choices=INPUTS, default="statics+states", help="what the trees are given")
    parser.add_argument("--grid", choices=tuple(GRIDS), default="small", help="settings tried")
    parser.add_argument("--uncalibrated", action="store_true", help="as the trees say, not calibrated on the releases")
    options = parser.parse_args(argv)
    dataset, parts = command.read(options)
    trees, count = fit_dataset(
        dataset,
        parts,
        options.inputs,
        options.train == "oracle",
        options.grid,
        options.seed,
        options.threads,
        options.rows,
        options.shuffle_labels,
        not options.uncalibrated,
    )
    about = {
        "model": "trees",
        "inputs": options.inputs,
        "train": options.train,
        "rows": count,
        "seed": options.seed,
        "shuffled labels": options.shuffle_labels,
        "calibrated": not options.uncalibrated,
        "parameters": trees.parameters,
        "validation loss": trees.validation_loss,
    }
    tables = command.predict_all(
        options,
        dataset,
        parts,
        lambda wanted, rows: trees.predict(Inputs(wanted, options.inputs), rows),
        about,
    )
    command.write_table(
        options.json,
        ["model", "dataset", "trained on", *command.FIGURES],
        [[f"trees, {options.inputs}", name, count, *figures] for name, figures in tables],
        f"Trees: {json.dumps(about)}",
    )


if __name__ == "__main__":
    command.run(main)
