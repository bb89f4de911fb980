"""The best of all models tried, trained on up to ten times the data: what can be known from what is seen.

    best_observer.py holds.safetensors --parts parts.safetensors --more larger.safetensors \\
        --candidate lstm=lstm.safetensors --json curve.json -o best.safetensors

Every kind of model is trained on 1/10, 1/3, 1, 3 and 10 times the training part of the first dataset; what goes beyond
it comes from the larger one, of other simulations. Of those trained on most data, and the candidates, the one with the
smallest log loss on the validation releases of the first predicts its test rows.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import command
import logistic
import trees
from dataset import (
    TEST,
    TRAIN,
    VALIDATION,
    Dataset,
    InputError,
    read_dataset,
    read_predictions,
    rows_of,
    sample_clusters,
)
from inputs import INPUTS, Examples, Inputs, examples
from measures import auroc, log_loss

KINDS = [f"trees:{choice}:{train}" for choice in INPUTS for train in ("releases", "oracle")] + [
    "logistic:statics:releases",
    "logistic:statics:oracle",
]
DEFAULT = [
    "trees:statics:releases",
    "trees:statics+states:releases",
    "trees:statics:oracle",
    "trees:statics+states:oracle",
    "logistic:statics:releases",
]
# Rows alike in all of these are the same hold.
IDENTITY = ("cluster", "hold_time", "decision_instant", "code", "subcode")
COLUMNS = [
    "model",
    "times the data",
    "rows",
    "AUROC validation",
    "log loss validation",
    "AUROC test",
    "log loss test",
    "taken",
]


class Sources:
    """Training rows: the first dataset's training part, then the larger dataset."""

    def __init__(self, dataset: Dataset, parts: np.ndarray, more: Dataset | None, seed: int) -> None:
        self.dataset, self.parts, self.more, self.seed = dataset, parts, more, seed
        if more is not None:
            check_apart(dataset, parts, more)

    def of(self, choice: str, oracle: bool, factor: float) -> list[Examples]:
        """About `factor` times the training part; of the first dataset alone up to 1."""
        first = command.rows_needed(self.dataset, self.parts, TRAIN, oracle, "training")
        count = round(len(first) * factor)
        found = [examples(Inputs(self.dataset, choice), sample_clusters(self.dataset, first, count, self.seed))]
        if self.more is not None and count > len(first):
            every = np.full(len(self.more), TRAIN, np.uint8)
            rows = sample_clusters(self.more, rows_of(self.more, every, TRAIN, oracle), count - len(first), self.seed)
            found.append(examples(Inputs(self.more, choice), rows))
        return found


def check_apart(dataset: Dataset, parts: np.ndarray, more: Dataset) -> None:
    """An error where the larger dataset has other columns, or holds validation or test rows of the first."""
    if dataset.info["schema"] != more.info["schema"]:
        raise InputError(f"{more.path}: metadata `holdadvise`: another feature schema than that of {dataset.path}")
    simulations = [
        [json.dumps(one, sort_keys=True) for one in some.info.get("simulations") or []] for some in (dataset, more)
    ]
    rows = np.flatnonzero((parts == VALIDATION) | (parts == TEST))
    shared = int(np.isin(identity(dataset)[rows], identity(more)).sum())
    # Two simulations may by chance have a hold of the same cluster in the same second.
    if set(simulations[0]) & set(simulations[1]) or shared > len(rows) / 1000:
        raise InputError(
            f"{more.path}: {shared} of the {len(rows)} validation and test rows of {dataset.path} are in it; make it of simulations with other seeds"
        )


def identity(dataset: Dataset) -> np.ndarray:
    """A number for each row, alike for rows that are alike in `IDENTITY`; the access point does not count."""
    number = np.zeros(len(dataset), np.uint64)
    for name in IDENTITY:
        column = dataset[name].astype(np.int64)
        column = column & 0xFFFF_FFFF if name == "cluster" else column
        number = (number ^ column.view(np.uint64)) * np.uint64(0x9E37_79B9_7F4A_7C15)
        number ^= number >> np.uint64(29)
    return number


def train(
    kind: str, sources: Sources, factor: float, options: argparse.Namespace
) -> tuple[command.Predict, int, float]:
    """A model trained on so many times the data, on how many rows, and its log loss on the validation releases,
    cross-fitted: its calibration has seen them."""
    family, choice, rows = kind.split(":")
    oracle = rows == "oracle"
    parts = sources.of(choice, oracle, factor)
    inputs = Inputs(sources.dataset, choice)
    held_out = [
        command.rows_needed(sources.dataset, sources.parts, VALIDATION, some, "validation") for some in (oracle, False)
    ]
    validation, releases = (examples(inputs, some) for some in held_out)
    model: trees.Trees | logistic.Logistic
    if family == "trees":
        model = trees.train(parts, validation, releases, options.grid, options.seed, options.threads)
    else:
        model = logistic.train(limited(parts, options.seed), releases, options.seed)
    rows_used = sum(len(part.rows) for part in parts)
    return lambda dataset, wanted: model.predict(Inputs(dataset, choice), wanted), rows_used, model.validation_loss


def of_files(datasets: list[Dataset], files: list[Path]) -> command.Predict:
    """A candidate that is files of predictions, one for each dataset."""
    said = {
        dataset.path: read_predictions(file, len(dataset)) for dataset, file in zip(datasets, files, strict=True)
    }

    def predict(asked: Dataset, rows: np.ndarray) -> np.ndarray:
        probability = said[asked.path][rows]
        absent = int(np.isnan(probability).sum())
        if absent:
            at = [dataset.path for dataset in datasets].index(asked.path)
            raise InputError(f"{files[at]}: tensor row: {absent} of the {len(rows)} rows asked for have no prediction")
        return probability

    return predict


def limited(parts: list[Examples], seed: int) -> list[Examples]:
    """No more rows than logistic regression takes into memory."""
    total = sum(len(part.rows) for part in parts)
    if total <= logistic.MOST_ROWS:
        return parts
    share = logistic.MOST_ROWS / total
    return [
        examples(part.inputs, sample_clusters(part.inputs.dataset, part.rows, int(len(part.rows) * share), seed))
        for part in parts
    ]


def main(argv: list[str] | None = None) -> None:
    parser = command.arguments("The best of all models tried, on up to ten times the data, and the learning curve.")
    command.add_apply(parser)
    parser.add_argument(
        "--more", type=Path, metavar="FILE", help="a larger dataset of other simulations; all its rows train"
    )
    parser.add_argument("--factors", default="0.1,0.3333,1,3,10", help="times the training part")
    parser.add_argument("--kinds", default=",".join(DEFAULT), help=f"models trained, of {', '.join(KINDS)}")
    parser.add_argument("--grid", choices=tuple(trees.GRIDS), default="small", help="settings of the trees tried")
    parser.add_argument(
        "--candidate",
        action="append",
        default=[],
        metavar="NAME=FILE[,FILE...]",
        help="predictions of another model for the validation and the test rows, then for the test rows of each --apply",
    )
    options = parser.parse_args(argv)
    try:
        factors = sorted({float(text) for text in options.factors.split(",")})
    except ValueError as error:
        raise InputError(f"--factors {options.factors}: expected numbers with commas between") from error
    kinds = options.kinds.split(",") if options.kinds else []
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"--kinds {kind}: expected some of {', '.join(KINDS)}")
    if not factors or factors[0] <= 0:
        raise InputError(f"--factors {options.factors}: expected numbers above 0")
    if options.more is None and factors[-1] > 1:
        raise InputError(f"--factors {options.factors}: more than 1 needs a larger dataset, --more FILE")
    dataset, parts = command.read(options)
    sources = Sources(dataset, parts, read_dataset(options.more) if options.more else None, options.seed)
    wanted = np.flatnonzero((parts == VALIDATION) | (parts == TEST))
    known, test = (rows_of(dataset, parts, part, oracle=False) for part in (VALIDATION, TEST))
    target = dataset.target
    table: list[list[Any]] = []
    best: tuple[float, int, command.Predict] | None = None

    def consider(
        name: str, factor: float | None, rows: int | None, predict: command.Predict, loss: float | None, eligible: bool
    ) -> None:
        nonlocal best
        probability = np.full(len(dataset), np.nan, np.float32)
        probability[wanted] = predict(dataset, wanted)
        figures = [measure(target[of], probability[of]) for of in (known, test) for measure in (auroc, log_loss)]
        if loss is not None:
            figures[1] = loss
        table.append([name, factor, rows, *(None if np.isnan(value) else round(value, 4) for value in figures), ""])
        if eligible and (best is None or figures[1] < best[0]):
            best = figures[1], len(table) - 1, predict

    with threadpool_limits(options.threads):
        for kind in kinds:
            for factor in factors:
                predict, rows, loss = train(kind, sources, factor, options)
                consider(kind, round(factor, 4), rows, predict, loss, factor == factors[-1])
    for text in options.candidate:
        name, equals, paths = text.partition("=")
        files = [Path(path) for path in paths.split(",")]
        if not equals or len(files) != 1 + len(options.apply):
            raise InputError(
                f"--candidate {text}: expected NAME=FILE and a FILE for each --apply, {1 + len(options.apply)} in all"
            )
        datasets = [dataset, *(read_dataset(path) for path, _, _ in options.apply)]
        consider(name, None, None, of_files(datasets, files), None, True)
    if best is None:
        raise InputError("nothing to choose from: give --kinds or --candidate")
    table[best[1]][-1] = "yes"
    taken = dict(zip(COLUMNS, table[best[1]]))
    about = {"model": "best observer", "seed": options.seed} | taken
    with threadpool_limits(options.threads):
        applied = command.predict_all(options, dataset, parts, best[2], about)
    base = len(rows_of(dataset, parts, TRAIN, oracle=False))
    command.write_table(
        options.json,
        COLUMNS,
        table,
        f"Taken, of those trained on most data, for its log loss on the {len(known)} validation releases:"
        f" {json.dumps(taken)}. Once the data is {base} releases"
        " (of models trained on what a simulator tells: all rows of the training part). Figures are of releases that happened."
        + "".join(f" On {name}: {json.dumps(dict(zip(command.FIGURES, figures)))}." for name, figures in applied[1:]),
    )


if __name__ == "__main__":
    command.run(main)
