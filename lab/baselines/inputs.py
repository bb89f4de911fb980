"""What a model is given of each row.

`own`            statics of the held job alone
`statics`        all statics: with what its cluster, owner, site, server, file, reason and access point went through
`statics+states` and counts and recency over the states tensor: with the statics all that the LSTM is given
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataset import Dataset, InputError

INPUTS = ("own", "statics", "statics+states")

# Rows made at a time: some tens of megabytes.
CHUNK = 8192

# Columns of other jobs: a scope of docs/training/features.md and what is counted in it.
OF_OTHERS = re.compile(
    r"(cluster|owner|site|server|file|reason|access-point)-"
    r"(known|others|started|succeeded|held|last|released|as-is|changed)(-.*)?"
    r"|sees-access-point|queue-.*"
)

# States that mean the same to a job, by their names; holds for this row's code are kept apart from others.
KINDS = {
    "not-observed": "unseen",
    "not-submitted": "before",
    "idle": "idle",
    "idle-after-eviction": "idle",
    "idle-after-release": "released",
    "input-queued": "input",
    "input-transfer": "input",
    "input-transferred": "input",
    "executing": "executing",
    "suspended": "away",
    "disconnected": "away",
    "output-transfer": "output",
    "output-transferred": "output",
    "exited-0": "succeeded",
    "exited-otherwise": "failed",
    "removed": "removed",
}
HELD_ALIKE, HELD_OTHERWISE = "held-alike", "held-otherwise"
# Frames counted together, newest first.
WINDOWS = (("newest", 0, 6), ("middle", 6, 14), ("oldest", 14, None))
# Slots of one kind (docs/training/features.md); in a dataset of another number of slots all but the first are one kind.
GROUPS = {12: (("self", 0, 1), ("cluster", 1, 5), ("owner", 5, 8), ("code", 8, 10), ("any", 10, 12))}


class StateFeatures:
    """Counts and recency of the kinds of state."""

    def __init__(self, dataset: Dataset) -> None:
        self.path, names = dataset.path, dataset.state_names
        kinds = list(dict.fromkeys(KINDS.values())) + [HELD_ALIKE, HELD_OTHERWISE]
        unknown = [name for name in names if name not in KINDS and not name.startswith("held-")]
        if unknown:
            raise InputError(f"{dataset.path}: schema.states: what kind of state is {unknown[0]}?")
        self.kinds = kinds
        self.kind_of_state = np.array([kinds.index(KINDS.get(name, HELD_OTHERWISE)) for name in names], np.uint8)
        self.states = len(names)
        by_name = {name: number for number, name in enumerate(names)}
        self.other_hold = by_name.get("held-other", -1)
        self.hold_state = {int(name[5:]): number for name, number in by_name.items() if re.fullmatch(r"held-\d+", name)}
        edges = np.asarray(dataset.info["schema"]["frame_edges"], np.float64)
        # Minutes from the end of each frame to the decision, newest first, as a logarithm.
        self.age = np.log1p(edges[:-1] / 60).astype(np.float32)
        self.never = np.float32(np.log1p(edges[-1] / 60) + 1)
        self.slots = int(dataset.info["schema"]["slots"])
        self.groups = GROUPS.get(self.slots, (("self", 0, 1), ("others", 1, self.slots)))
        self.windows = [(name, a, b) for name, a, b in WINDOWS if a < len(self.age)]

    def names(self) -> list[str]:
        counts = [
            f"count {group} {kind} {window}"
            for group, _, _ in self.groups
            for window, _, _ in self.windows
            for kind in self.kinds
        ]
        seen = [f"age slot{slot} {kind}" for slot in range(self.slots) for kind in self.kinds]
        changes = [f"changes slot{slot}" for slot in range(self.slots)]
        last = [f"now slot{slot}" for slot in range(self.slots)]
        return counts + seen + changes + last

    def of(self, states: np.ndarray, code: np.ndarray) -> np.ndarray:
        """`[rows, features]` of `states` `[rows, frames, slots]`, oldest frame first."""
        rows = len(states)
        if rows and states.max() >= self.states:
            raise InputError(f"{self.path}: tensor states: state {states.max()}, the schema names {self.states}")
        newest_first = states[:, ::-1, :]
        alike = np.array([self.hold_state.get(int(one), self.other_hold) for one in code])[:, None, None]
        kind = self.kind_of_state[newest_first]
        kind[newest_first == alike] = self.kinds.index(HELD_ALIKE)
        # Rows last: sums and minima over frames and slots then run over neighbours in memory.
        by_frame = np.ascontiguousarray(kind.transpose(1, 2, 0))
        frames, kinds = len(by_frame), len(self.kinds)
        frame = np.arange(frames, dtype=np.uint16)[:, None, None]
        age = np.append(self.age, self.never)
        blocks = [(a, b, begin, end) for _, a, b in self.groups for _, begin, end in self.windows]
        counts = np.empty((rows, len(blocks), kinds), np.float32)
        seen = np.empty((rows, self.slots, kinds), np.float32)
        for number in range(kinds):
            is_kind = by_frame == number
            for at, (a, b, begin, end) in enumerate(blocks):
                counts[:, at, number] = is_kind[begin:end, a:b].sum((0, 1), dtype=np.uint16)
            seen[:, :, number] = age[np.where(is_kind, frame, np.uint16(frames)).min(0)].T
        changes = (newest_first[:, 1:] != newest_first[:, :-1]).sum(1).astype(np.float32)
        now = kind[:, 0].astype(np.float32)
        return np.concatenate([counts.reshape(rows, -1), seen.reshape(rows, -1), changes, now], 1)


class Inputs:
    """The columns of a choice of inputs, made for the rows asked for."""

    def __init__(self, dataset: Dataset, choice: str) -> None:
        if choice not in INPUTS:
            raise InputError(f"inputs {choice}: expected one of {', '.join(INPUTS)}")
        self.dataset = dataset
        names = dataset.static_names
        own = [at for at, name in enumerate(names) if not OF_OTHERS.fullmatch(name)]
        self.statics = np.array(own if choice == "own" else range(len(names)), np.int64)
        self.states = StateFeatures(dataset) if choice == "statics+states" else None
        self.names = [names[at] for at in self.statics] + (self.states.names() if self.states else [])

    def of(self, rows: np.ndarray) -> np.ndarray:
        """`float32 [rows, columns]`, for at most some thousands of rows at a time."""
        statics = self.dataset.statics[rows]
        if not np.isfinite(statics).all():
            raise InputError(f"{self.dataset.path}: tensor statics: a value is not a finite number")
        if len(self.statics) < statics.shape[1]:
            statics = statics[:, self.statics]
        if self.states is None:
            return statics
        return np.concatenate([statics, self.states.of(self.dataset.states[rows], self.dataset["code"][rows])], 1)

    def matrix(self, rows: np.ndarray) -> np.ndarray:
        """All rows at once."""
        out = np.empty((len(rows), len(self.names)), np.float32)
        for start in range(0, len(rows), CHUNK):
            out[start : start + CHUNK] = self.of(rows[start : start + CHUNK])
        return out


@dataclass
class Examples:
    """Rows with their targets and weights."""

    inputs: Inputs
    rows: np.ndarray
    target: np.ndarray
    weight: np.ndarray


def examples(inputs: Inputs, rows: np.ndarray, shuffle: int | None = None) -> Examples:
    """The rows of a dataset; with `shuffle` their targets are permuted by that seed."""
    target = inputs.dataset.target[rows]
    if shuffle is not None:
        target = np.random.default_rng(shuffle).permutation(target)
    return Examples(inputs, rows, target, inputs.dataset.weights[rows])


class RowSequence:
    """Rows as LightGBM asks for them: single ones in growing order to find the bins, then ranges."""

    batch_size = CHUNK

    def __init__(self, inputs: Inputs, rows: np.ndarray) -> None:
        self.inputs, self.rows = inputs, rows
        self.kept_from, self.kept = -1, np.empty((0, 0), np.float32)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> np.ndarray:
        if isinstance(at, slice):
            return self.inputs.of(self.rows[at])
        if isinstance(at, list):
            return np.stack([self[one] for one in at])
        start = int(at) // CHUNK * CHUNK
        if start != self.kept_from:
            self.kept_from, self.kept = start, self.inputs.of(self.rows[start : start + CHUNK])
        # LightGBM finds its bins from float64 only.
        return self.kept[int(at) - start].astype(np.float64)
