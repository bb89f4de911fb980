"""The pipeline and model this project started from, ported with its defects, each of which can be mended.

    seed.py holds.safetensors --parts parts.safetensors --log sim/EventLog --json seed.json -o seed.safetensors

What it reports of itself, with all defects, with each mended alone and with all mended; the fully mended one also predicts
the test rows of the parts. README.md says what was unclear and what is assumed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import command
import seed_network
from dataset import TEST, TRAIN, VALIDATION, Dataset, InputError, write_predictions
from measures import auroc
from seed_defects import ADDITIONS, DEFECTS, parse
from seed_log import HELD, RELEASED, Log, read_log
from seed_network import Network, Settings, metrics_of
from seed_tensor import Example, Shape, Tensors, as_sequence, examples_of, state_count

Key = tuple[int, int, int, int]


class Holds:
    """Which hold of which log a row of the dataset is: by access point, cluster, time of the hold and code.

    A dataset has no proc. Jobs of one cluster held in the same second for the same code are kept apart by when they were
    released; where that too is the same they get the mean of their predictions.
    """

    def __init__(self, dataset: Dataset, parts: np.ndarray, logs: list[Log]) -> None:
        points = np.unique(dataset["access_point"])
        if len(points) != len(logs):
            raise InputError(
                f"{dataset.path}: tensor access_point: {len(points)} access points, but {len(logs)} logs; give --log once for each, in their order"
            )
        self.log_of_point = {int(point): at for at, point in enumerate(points)}
        names = ("access_point", "cluster", "hold_time", "code")
        columns = [dataset[name].astype(np.int64) for name in names]
        columns[1] = columns[1] & 0xFFFF_FFFF
        self.keys: list[Key] = list(zip(*(column.tolist() for column in columns)))
        self.instants = dataset["decision_instant"]
        self.part: dict[tuple[Key, int], int] = {}
        for row in np.flatnonzero((dataset["observed"] == 1) & (parts <= TEST)):
            self.part[self.keys[row], int(self.instants[row])] = int(parts[row])
        # The holds of the logs: event of the hold, job, time of the release (-1: none).
        self.held: dict[Key, list[tuple[int, int, int]]] = defaultdict(list)
        for point, at in self.log_of_point.items():
            log = logs[at]
            for event in np.flatnonzero(log.number == HELD):
                job = int(log.job[event])
                after = log.of_job(job)
                after = after[np.searchsorted(after, event) + 1 :]
                after = after[np.isin(log.number[after], (HELD, RELEASED))]
                released = int(log.time[after[0]]) if len(after) and log.number[after[0]] == RELEASED else -1
                self.held[self.key(point, log, event)].append((int(event), job, released))

    def key(self, point: int, log: Log, event: int | np.integer) -> Key:
        return point, log.jobs[log.job[event]][0] & 0xFFFF_FFFF, int(log.time[event]), int(log.code[event])

    def of_row(self, row: int | np.integer) -> list[tuple[int, int, int]]:
        """The holds of the log that the row may be of: one, or a few that are alike."""
        holds = self.held.get(self.keys[row], [])
        return [hold for hold in holds if hold[2] == self.instants[row]] or holds


@dataclass
class Result:
    """A trained variant and its figures."""

    network: Network
    shape: Shape
    validation: dict[str, float]
    row: list[Any]
    mean: float


class Port:
    """All that the variants share."""

    def __init__(self, options, dataset: Dataset, parts: np.ndarray, logs: list[Log]) -> None:
        self.options, self.dataset, self.parts, self.logs = options, dataset, parts, logs
        self.holds = Holds(dataset, parts, logs)
        self.horizon = int(dataset.info["horizon"])

    def settings(self, run: int) -> tuple[Shape, Settings]:
        """As given, or with several runs drawn as the seed's sweep draws them."""
        o = self.options
        if o.runs == 1:
            return Shape(o.jobs, o.frames, o.frame_seconds), Settings(
                o.layers, o.hidden, o.learning_rate, o.batch, o.epochs
            )
        random = np.random.default_rng([o.seed, 4, run])
        shape = Shape(int(random.integers(10, 101)), int(random.integers(10, 101)), int(random.integers(60, 401)))
        layers, hidden = int(random.integers(1, 11)), int(random.choice([16, 32, 64, 128]))
        rate, batch = (
            float(random.uniform(0, 0.1)),
            int(np.exp(random.uniform(np.log(32), np.log(256))) / 8 + 0.5) * 8,
        )
        return shape, Settings(layers, hidden, rate, batch, o.epochs)

    def variant(self, mended: frozenset[str]) -> Result:
        """Trains a variant, over all its runs, and keeps the run that the seed would keep."""
        results = [self.run(mended, *self.settings(run)) for run in range(self.options.runs)]
        best = max if "selection" in mended else min
        return best(results, key=lambda result: result.validation.get("f-measure", 0.0))

    def run(self, mended: frozenset[str], shape: Shape, settings: Settings) -> Result:
        seed = self.options.seed
        found: list[tuple[int, Example]] = []
        tensors: list[Tensors] = []
        for at, log in enumerate(self.logs):
            examples, context = examples_of(log, mended, self.horizon)
            found += [(at, example) for example in examples]
            tensors.append(Tensors(log, shape, mended, context))
        part = self.parts_of(found, mended)
        kept = self.limited(part)
        found, part = [found[at] for at in kept], part[kept]
        label = np.array([example.label for _, example in found], np.float32)
        made = [tensors[at].of(example.job, example.held, self.chance(at, example.held)) for at, example in found]
        rows = [np.flatnonzero(part == number) for number in (TRAIN, VALIDATION, TEST)]
        names = ("training", "validation", "test")
        for name, of_part in zip(names, rows):
            if not len(of_part):
                raise InputError(
                    f"{self.dataset.path}: none of the {len(found)} released holds of the logs is in the {name} part"
                )
        train, validation, test = (as_sequence(np.stack([made[row] for row in of_part]), mended) for of_part in rows)
        states = state_count(mended)
        network, on_validation = seed_network.train(
            train,
            label[rows[0]],
            (validation, label[rows[1]]),
            states,
            settings,
            mended,
            np.random.default_rng([seed, 3]),
        )
        said = network.predict(test, states)
        reported = metrics_of(said, label[rows[2]], mended)
        asked = [found[row] for row in rows[2]]
        at_hold = [
            tensors[at].of(example.job, example.held, self.chance(at, example.held), cut=True) for at, example in asked
        ]
        then = network.predict(as_sequence(np.stack(at_hold), mended), states)
        figures = [
            len(found),
            label.mean(),
            reported["rows"],
            reported["accuracy"],
            reported["f-measure"],
            len(said),
            auroc(label[rows[2]], said),
            auroc(label[rows[2]], then),
        ]
        return Result(
            network, shape, on_validation, [rounded(value) for value in figures], float(label[rows[0]].mean())
        )

    def chance(self, log: int, held: int) -> np.random.Generator:
        """What draws the context of a hold: the same for every variant and purpose."""
        return np.random.default_rng([self.options.seed, 2, log, held])

    def parts_of(self, found: list[tuple[int, Example]], mended: frozenset[str]) -> np.ndarray:
        """At random, or with the split mended as the parts file says of the row of that release; 255 none."""
        if "split" not in mended:
            return np.random.default_rng([self.options.seed, 1]).integers(0, 3, len(found)).astype(np.uint8)
        points = {at: point for point, at in self.holds.log_of_point.items()}
        part = np.full(len(found), 255, np.uint8)
        for at, (of_log, example) in enumerate(found):
            log = self.logs[of_log]
            key = self.holds.key(points[of_log], log, example.held)
            part[at] = self.holds.part.get((key, int(log.time[example.released])), 255)
        return part

    def limited(self, part: np.ndarray) -> np.ndarray:
        """At most --examples of each part, drawn at random."""
        random = np.random.default_rng([self.options.seed, 6])
        kept = [
            random.permutation(np.flatnonzero(part == number))[: self.options.examples]
            for number in (TRAIN, VALIDATION, TEST)
        ]
        return np.sort(np.concatenate(kept))

    def predict(self, mended: frozenset[str], result: Result) -> tuple[np.ndarray, np.ndarray, str]:
        """Probability of every test row: one tensor for each hold, whatever the action and the instant asked about."""
        rows = np.flatnonzero(self.parts == TEST)
        of_row = [[(self.log_number(row), event, job) for event, job, _ in self.holds.of_row(row)] for row in rows]
        wanted = sorted({hold for holds in of_row for hold in holds})
        tensors = [Tensors(log, result.shape, mended, np.ones(len(log.jobs), bool)) for log in self.logs]
        probability: dict[tuple[int, int, int], float] = {}
        for start in range(0, len(wanted), 256):
            batch = wanted[start : start + 256]
            made = np.stack([tensors[at].of(job, event, self.chance(at, event)) for at, event, job in batch])
            said = result.network.predict(as_sequence(made, mended), state_count(mended))
            probability |= dict(zip(batch, said.tolist()))
        values = [np.mean([probability[hold] for hold in holds]) if holds else result.mean for holds in of_row]
        absent = sum(not holds for holds in of_row)
        alike = sum(len(holds) > 1 for holds in of_row)
        text = (
            f"{len(rows)} test rows: {absent} of a hold that the logs do not show, scored with the training mean {result.mean:.3f}; "
            f"{alike} of several like holds of one second, scored with the mean of their predictions."
        )
        return rows, np.array(values), text

    def log_number(self, row: int | np.integer) -> int:
        return self.holds.log_of_point[self.holds.keys[row][0]]


def rounded(value: Any) -> Any:
    """Four digits; None for what is not a number."""
    if isinstance(value, int):
        return value
    return None if np.isnan(value) else round(float(value), 4)


COLUMNS = [
    "mended",
    "examples",
    "success share",
    "rows it reports on",
    "accuracy it reports",
    "f-measure it reports",
    "test rows",
    "AUROC of its test",
    "AUROC with the log cut at the hold",
]


def variants(asked: str) -> list[tuple[str, frozenset[str]]]:
    """The variants of the table, or the one asked for."""
    if asked != "table":
        return [(asked, parse(asked))]
    defects = [name for name in DEFECTS if name != "selection"]
    names = ["none", *defects, *(f"all-{name}" for name in defects), "all", *(f"all+{name}" for name in ADDITIONS)]
    return [(name, parse(name)) for name in names]


def main(argv: list[str] | None = None) -> None:
    parser = command.arguments("The seed's pipeline and model, with and without its defects.")
    parser.add_argument(
        "--log",
        type=Path,
        action="append",
        required=True,
        metavar="FILE",
        help="job event log; once for each access point of the dataset",
    )
    parser.add_argument(
        "--mend",
        default="table",
        help=f"none, all, all+code, all-split and the like, some of {','.join(DEFECTS)} with commas between, or table: all variants",
    )
    parser.add_argument("--predict", default="all", help="the variant that predicts the test rows, as --mend names it")
    parser.add_argument("--jobs", type=int, default=55, help="j: job slots")
    parser.add_argument("--frames", type=int, default=55, help="m: frames")
    parser.add_argument("--frame-seconds", type=int, default=230, help="timeframe_len")
    parser.add_argument("--layers", type=int, default=2, help="LSTM layers")
    parser.add_argument("--hidden", type=int, default=50, help="units of a layer")
    parser.add_argument("--learning-rate", type=float, default=0.001, help="of Adam")
    parser.add_argument("--batch", type=int, default=32, help="examples of a step")
    parser.add_argument("--epochs", type=int, default=20, help="at most")
    parser.add_argument(
        "--runs",
        type=int,
        default=1,
        help="more than 1: so many settings drawn as in the seed's sweep, one of them kept",
    )
    parser.add_argument("--examples", type=int, default=4000, help="at most, in each part")
    options = parser.parse_args(argv)
    for name in (
        "jobs",
        "frames",
        "frame_seconds",
        "layers",
        "hidden",
        "batch",
        "epochs",
        "runs",
        "examples",
    ):
        if getattr(options, name) < 1:
            raise InputError(f"--{name.replace('_', '-')} {getattr(options, name)}: expected a number of at least 1")
    table = variants(options.mend)
    predicts = parse(options.predict)
    if predicts not in [mended for _, mended in table]:
        table.append((options.predict, predicts))
    with threadpool_limits(options.threads):
        dataset, parts = command.read(options)
        port = Port(options, dataset, parts, [read_log(path) for path in options.log])
        rows: list[list[Any]] = []
        text = ""
        for name, mended in table:
            result = port.variant(mended)
            rows.append([name, *result.row])
            print(json.dumps(dict(zip(COLUMNS, rows[-1]))), flush=True)
            if mended == predicts:
                test, probability, text = port.predict(mended, result)
                about = {
                    "model": "seed",
                    "mended": sorted(mended),
                    "seed": options.seed,
                    "shape": vars(result.shape),
                    "text": text,
                }
                write_predictions(options.output, test, probability, about)
                whole = np.full(len(dataset), np.nan, np.float32)
                whole[test] = probability
                figures = command.figures(dataset, parts, whole)
                text += f" On the releases of the test part: {json.dumps(dict(zip(command.FIGURES, figures)))}."
    setting = (
        f"{options.runs} runs drawn"
        if options.runs > 1
        else f"{options.jobs} jobs, {options.frames} frames of {options.frame_seconds} s"
    )
    text = f"The seed's model, {setting}, seed {options.seed}. Predictions: {options.predict} mended. {text}"
    command.write_table(options.json, COLUMNS, rows, text)


if __name__ == "__main__":
    command.run(main)
