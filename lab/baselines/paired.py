"""What one model brings beside another: paired over access points of a dataset that neither was trained on.

    paired.py choosing.safetensors --arm 'trees=t1.safetensors,t2.safetensors' --arm 'both=...' --less both trees

Each arm is one file of predictions for each seed of training. `--mean NAME=ONE,OTHER` adds an arm that is the mean of the
logits of two, seed by seed. Rows are releases as they are, now or later, of which a simulator knows the true
probability. Figures are of each access point alone, the mean of the seeds, then the mean of the access points;
intervals are over draws of access points.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.special import expit

import command
from calibration import logit
from dataset import Dataset, InputError, read_dataset, read_predictions
from measures import auroc, log_loss

AS_IS = 0
# Rows of an access point below which it has no figure.
LEAST_ROWS = 100
# Name, whether more is better, what it is computed with.
MEASURES = (("AUROC", auroc), ("log loss", log_loss))
# The releases asked about: all, now, later.
ROWS = ("all", "now", "later")


def wanted(dataset: Dataset) -> np.ndarray:
    """Rows of a release as it is whose true probability is known."""
    known = (dataset["observed"] == 0) & np.isfinite(dataset["truth"]) & (dataset["action"] == AS_IS)
    return np.flatnonzero(known)


def named(text: str, option: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals or not name or not values:
        raise InputError(f"{option} {text}: expected NAME=VALUE,VALUE")
    return name, values.split(",")


def arms(options: argparse.Namespace, dataset: Dataset, rows: np.ndarray) -> dict[str, list[np.ndarray]]:
    """The predictions of each arm for the rows, one array a seed."""
    found: dict[str, list[np.ndarray]] = {}
    for text in options.arm:
        name, files = named(text, "--arm")
        found[name] = [read_predictions(Path(file), len(dataset))[rows] for file in files]
        for file, probability in zip(files, found[name]):
            if not np.isfinite(probability).all():
                raise InputError(f"{file}: tensor row: {np.isnan(probability).sum()} rows asked about are not there")
    for text in options.mean:
        name, parts = named(text, "--mean")
        if len(parts) != 2 or any(part not in found for part in parts):
            raise InputError(f"--mean {text}: expected two arms of {', '.join(found)}")
        one, other = (found[part] for part in parts)
        if len(one) != len(other):
            raise InputError(f"--mean {text}: {len(one)} and {len(other)} seeds")
        found[name] = [expit((logit(a) + logit(b)) / 2) for a, b in zip(one, other)]
    return found


def of_access_points(dataset: Dataset, rows: np.ndarray, seeds: list[np.ndarray]) -> np.ndarray:
    """`[access points, rows asked about, measures]`, the mean of the seeds; NaN where there are too few rows."""
    target, weight = dataset["truth"][rows], dataset["weight"][rows]
    access_point, delay = dataset["access_point"][rows], dataset["delay"][rows]
    parts = (np.ones(len(rows), bool), delay == 0, delay > 0)
    numbers = np.unique(access_point)
    table = np.full((len(numbers), len(ROWS), len(MEASURES)), np.nan)
    for at, number in enumerate(numbers):
        for which, part in enumerate(parts):
            here = np.flatnonzero((access_point == number) & part)
            if len(here) < LEAST_ROWS:
                continue
            for column, (_, measure) in enumerate(MEASURES):
                table[at, which, column] = np.mean(
                    [measure(target[here], probability[here], weight[here]) for probability in seeds]
                )
    return table


def interval(values: np.ndarray, draws: int, seed: int) -> tuple[float, float, float, int]:
    """Mean, 95 % interval over draws of access points, how many there are."""
    known = values[np.isfinite(values)]
    if not len(known):
        return (float("nan"),) * 3 + (0,)
    random = np.random.default_rng(seed)
    means = known[random.integers(0, len(known), (draws, len(known)))].mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(known.mean()), float(low), float(high), len(known)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description="Models compared on the same access points.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("dataset", type=Path, help="dataset file of `holdadvise-train tensors`, of other simulations")
    parser.add_argument("--arm", action="append", default=[], metavar="NAME=FILE,...", help="predictions, a file a seed")
    parser.add_argument("--mean", action="append", default=[], metavar="NAME=ONE,OTHER", help="mean of two arms' logits")
    parser.add_argument("--less", nargs=2, action="append", default=[], metavar=("ONE", "OTHER"), help="ONE less OTHER")
    parser.add_argument("--draws", type=int, default=10_000, help="draws of access points")
    parser.add_argument("--seed", type=int, default=1, help="of the draws")
    parser.add_argument("--json", type=Path, metavar="FILE", help="table of the figures")
    options = parser.parse_args(argv)
    dataset = read_dataset(options.dataset)
    rows = wanted(dataset)
    predicted = arms(options, dataset, rows)
    tables = {name: of_access_points(dataset, rows, seeds) for name, seeds in predicted.items()}
    lines = [(name, tables[name], "") for name in tables]
    for one, other in options.less:
        if one not in tables or other not in tables:
            raise InputError(f"--less {one} {other}: expected two arms of {', '.join(tables)}")
        lines.append((f"{one} less {other}", tables[one] - tables[other], "+"))
    shown = []
    for name, table, sign in lines:
        for column, (measure, _) in enumerate(MEASURES):
            line = [name, measure]
            for which in range(len(ROWS)):
                mean, low, high, count = interval(table[:, which, column], options.draws, options.seed)
                line.append(f"{mean:{sign}.4f} ({low:{sign}.4f} .. {high:{sign}.4f}), {count}")
            shown.append(line)
    command.write_table(
        options.json,
        ["model", "figure", *ROWS],
        shown,
        f"{len(rows)} rows of releases as they are; 95 % intervals over {options.draws} draws of access points, and how many these are.",
    )


if __name__ == "__main__":
    command.run(main)
