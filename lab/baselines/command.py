"""What the commands share: their arguments, their errors, their tables."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dataset import (
    TEST,
    Dataset,
    InputError,
    read_dataset,
    read_parts,
    rows_of,
    write_predictions,
)
from measures import auroc, brier, calibration_error, log_loss


def arguments(about: str) -> argparse.ArgumentParser:
    """A parser with the arguments every baseline takes."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("dataset", type=Path, help="dataset file of `holdadvise-train tensors`")
    parser.add_argument(
        "--parts", type=Path, required=True, metavar="FILE", help="parts file of `holdadvise-train split`"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="predictions of the test rows")
    parser.add_argument("--json", type=Path, metavar="FILE", help="table of the figures")
    parser.add_argument("--seed", type=int, default=1, help="of everything random")
    parser.add_argument("--threads", type=int, default=1, help="threads")
    return parser


def add_apply(parser: argparse.ArgumentParser) -> None:
    """Other datasets to predict, such as another preset's."""
    parser.add_argument(
        "--apply",
        nargs=3,
        action="append",
        type=Path,
        default=[],
        metavar=("DATASET", "PARTS", "OUTPUT"),
        help="also predict the test rows of another dataset",
    )


def add_training(parser: argparse.ArgumentParser) -> None:
    """Which rows train."""
    parser.add_argument(
        "--train",
        choices=("releases", "oracle"),
        default="releases",
        help="releases that happened; oracle: also what a simulator tells of",
    )
    parser.add_argument("--rows", type=int, metavar="N", help="train on about N rows: whole clusters drawn at random")
    parser.add_argument(
        "--shuffle-labels",
        action="store_true",
        help="shuffle the targets of training and validation: nothing can be learned",
    )


def read(options: argparse.Namespace) -> tuple[Dataset, np.ndarray]:
    """Dataset and parts."""
    dataset = read_dataset(options.dataset)
    return dataset, read_parts(options.parts, dataset)


def rows_needed(dataset: Dataset, parts: np.ndarray, part: int, oracle: bool, name: str) -> np.ndarray:
    """Rows of a part; an error where there are none, or only successes or only failures."""
    rows = rows_of(dataset, parts, part, oracle)
    target = dataset.target[rows]
    if not len(rows) or target.max() <= 0.5 or target.min() >= 0.5:
        raise InputError(
            f"{dataset.path}: tensor label: the {name} part has {len(rows)} rows with an outcome, expected successes and failures"
        )
    return rows


def figures(dataset: Dataset, parts: np.ndarray, probability: np.ndarray, part: int = TEST) -> list[Any]:
    """Rows, AUROC, Brier, log loss, calibration error of the releases that happened in a part."""
    rows = rows_of(dataset, parts, part, oracle=False)
    target, p = dataset.target[rows], probability[rows]
    if not len(rows):
        return [0, None, None, None, None]
    values = [auroc(target, p), brier(target, p), log_loss(target, p), calibration_error(target, p)]
    return [len(rows), *(None if np.isnan(value) else round(value, 4) for value in values)]


FIGURES = ["rows", "AUROC", "Brier", "log loss", "calibration error"]

Predict = Callable[[Dataset, np.ndarray], np.ndarray]


def predict_all(
    options: argparse.Namespace, dataset: Dataset, parts: np.ndarray, predict: Predict, about: dict[str, Any]
) -> list[tuple[str, list[Any]]]:
    """Writes the predictions of the test rows of the dataset and of each that --apply names; name and figures of each."""
    found = []
    for path, of_parts, output in [(None, None, options.output), *options.apply]:
        if path is not None:
            trained, dataset = dataset, read_dataset(path)
            if dataset.info["schema"] != trained.info["schema"]:
                raise InputError(f"{path}: metadata `holdadvise`: another feature schema than that of {trained.path}")
            parts = read_parts(of_parts, dataset)
        test = np.flatnonzero(parts == TEST)
        probability = np.full(len(dataset), np.nan, np.float32)
        probability[test] = predict(dataset, test)
        write_predictions(output, test, probability[test], about)
        found.append((dataset.path.name, figures(dataset, parts, probability)))
    return found


def write_table(path: Path | None, columns: list[str], rows: list[list[Any]], text: str) -> None:
    """Writes `{columns, rows, text}` and prints it."""
    if path is not None:
        try:
            path.write_text(json.dumps({"columns": columns, "rows": rows, "text": text}, indent=1) + "\n")
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from error
    shown = [columns] + [["" if value is None else str(value) for value in row] for row in rows]
    widths = [max(len(row[at]) for row in shown) for at in range(len(columns))]
    for row in shown:
        print("  ".join(value.ljust(width) for value, width in zip(row, widths)).rstrip())
    print(text)


def run(main: Callable[[list[str] | None], None]) -> None:
    """Runs a command; an error of the input is one line on standard error and exit status 1."""
    try:
        main(None)
    except InputError as error:
        sys.exit(f"Error: {error}")
    except BrokenPipeError:
        # Whoever reads the output has seen enough of it; nothing more is written to it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
