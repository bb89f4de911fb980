"""Logistic regression (scikit-learn) on the standardised statics and the one-hot (code, subcode).

logistic.py holds.safetensors --parts parts.safetensors -o logistic.safetensors
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import command
from calibration import Calibration, doubled, fit
from dataset import TRAIN, VALIDATION, Dataset, sample_clusters
from inputs import CHUNK, Examples, Inputs, examples
from measures import log_loss

# Strength of the ridge penalty, as scikit-learn's C; chosen on the validation part.
STRENGTHS = (0.001, 0.01, 0.1, 1.0)
# A (code, subcode) has a column from so many training rows on.
FEWEST_ROWS = 10
# The matrix is in memory, 1.7 KB a row.
MOST_ROWS = 200_000


@dataclass
class Encoder:
    """Standardises the statics and adds the (code, subcode) columns, as the training rows say."""

    mean: np.ndarray
    scale: np.ndarray
    codes: np.ndarray

    @classmethod
    def fitted(cls, parts: list[Examples]) -> Encoder:
        matrix = np.concatenate([part.inputs.matrix(part.rows) for part in parts])
        scale = matrix.std(0, dtype=np.float64)
        scale[scale < 1e-6] = np.inf
        codes = np.concatenate([pairs(part.inputs.dataset, part.rows) for part in parts])
        codes, counts = np.unique(codes, return_counts=True)
        return cls(matrix.mean(0, dtype=np.float64), scale, codes[counts >= FEWEST_ROWS])

    def of(self, inputs: Inputs, rows: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), len(self.mean) + len(self.codes)), np.float32)
        for start in range(0, len(rows), CHUNK):
            part = rows[start : start + CHUNK]
            standardised = np.clip((inputs.of(part) - self.mean) / self.scale, -10, 10)
            out[start : start + CHUNK, : len(self.mean)] = standardised
            out[start : start + CHUNK, len(self.mean) :] = pairs(inputs.dataset, part)[:, None] == self.codes
        return out


def pairs(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """(code, subcode) as one number."""
    return (dataset["code"][rows].astype(np.int64) << 32) + dataset["subcode"][rows]


@dataclass
class Logistic:
    """A fitted regression with its calibration."""

    encoder: Encoder
    model: LogisticRegression
    calibration: Calibration
    validation_loss: float
    strength: float

    def raw(self, inputs: Inputs, rows: np.ndarray) -> np.ndarray:
        chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
        return np.concatenate(
            [self.model.predict_proba(self.encoder.of(inputs, chunk))[:, 1] for chunk in chunks] or [np.zeros(0)]
        )

    def predict(self, inputs: Inputs, rows: np.ndarray) -> np.ndarray:
        return np.clip(self.calibration.apply(self.raw(inputs, rows)), 0, 1)


def train(parts: list[Examples], releases: Examples, seed: int) -> Logistic:
    """The regression with the smallest loss on `releases`, validation rows that happened, calibrated on them."""
    encoder = Encoder.fitted(parts)
    target, weight = (np.concatenate([getattr(part, name) for part in parts]) for name in ("target", "weight"))
    place, label, doubled_weight = doubled(target, weight)
    matrix = np.concatenate([encoder.of(part.inputs, part.rows) for part in parts])
    # Hard targets need no second copy of the rows.
    known = matrix if np.array_equal(place, np.arange(len(target))) else matrix[place]
    best: Logistic | None = None
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3).fit(known, label, doubled_weight)
        candidate = Logistic(encoder, model, Calibration("none"), 0.0, strength)
        raw = candidate.raw(releases.inputs, releases.rows)
        candidate.validation_loss = log_loss(releases.target, raw, releases.weight)
        if best is None or candidate.validation_loss < best.validation_loss:
            best = candidate
    assert best is not None, "there are strengths"
    raw = best.raw(releases.inputs, releases.rows)
    best.calibration = fit(
        raw, releases.target, releases.weight, releases.inputs.dataset["cluster"][releases.rows], seed
    )
    best.validation_loss = best.calibration.loss
    return best


def main(argv: list[str] | None = None) -> None:
    parser = command.arguments("Logistic regression on the statics and the one-hot (code, subcode).")
    command.add_training(parser)
    command.add_apply(parser)
    options = parser.parse_args(argv)
    dataset, parts = command.read(options)
    oracle, inputs = options.train == "oracle", Inputs(dataset, "statics")
    rows = command.rows_needed(dataset, parts, TRAIN, oracle, "training")
    rows = sample_clusters(dataset, rows, min(options.rows or MOST_ROWS, MOST_ROWS), options.seed)
    held_out = command.rows_needed(dataset, parts, VALIDATION, False, "validation")
    shuffle = options.seed if options.shuffle_labels else None
    with threadpool_limits(options.threads):
        model = train([examples(inputs, rows, shuffle)], examples(inputs, held_out, shuffle), options.seed)
    about = {
        "model": "logistic regression",
        "train": options.train,
        "rows": len(rows),
        "seed": options.seed,
        "shuffled labels": options.shuffle_labels,
        "C": model.strength,
        "calibration": model.calibration.way,
        "validation loss": model.validation_loss,
    }
    with threadpool_limits(options.threads):
        tables = command.predict_all(
            options,
            dataset,
            parts,
            lambda wanted, some: model.predict(Inputs(wanted, "statics"), some),
            about,
        )
    command.write_table(
        options.json,
        ["model", "dataset", "trained on", *command.FIGURES],
        [["logistic regression", name, len(rows), *figures] for name, figures in tables],
        f"Logistic regression: {json.dumps(about)}",
    )


if __name__ == "__main__":
    command.run(main)
