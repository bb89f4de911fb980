"""Dataset, parts and prediction files (docs/training/dataset.md): reading by memory map, checking, writing.

The states and statics of a large dataset are gigabytes: they stay in the file, and rows are copied out as they are
asked for.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

FORMAT = 3
CENSORED = 2
TRAIN, VALIDATION, TEST, NO_PART = 0, 1, 2, 255

DTYPES: dict[str, np.dtype[Any]] = {
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}

# What a simulated release that happened counts for (train/src/training/fitting/loss_weights.rs).
HAPPENED = np.float32(0.25)

# What the hash in a parts file is of, in this order.
HASHED = (
    "states",
    "statics",
    "action",
    "label",
    "weight",
    "observed",
    "truth",
    "cause",
    "reach",
    "access_point",
    "cluster",
    "owner",
    "cell",
    "hold_time",
    "decision_instant",
    "outcome_time",
    "code",
    "subcode",
    "delay",
)

# One value a row, with the type it must have.
COLUMNS = {
    "action": "U8",
    "label": "U8",
    "weight": "F32",
    "observed": "U8",
    "truth": "F32",
    "access_point": "I32",
    "cluster": "I64",
    "owner": "I64",
    "hold_time": "I64",
    "decision_instant": "I64",
    "outcome_time": "I64",
    "code": "I32",
    "subcode": "I32",
    "delay": "I64",
}


class InputError(Exception):
    """A file is not what it should be; the message names file and tensor."""


def open_tensors(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The tensors of a safetensors file as read-only memory maps, and its metadata."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(size - 8, 100_000_000):
                raise InputError(f"{path}: not a safetensors file: its header would be {length} bytes long")
            header: dict[str, Any] = json.loads(file.read(length))
            metadata = header.pop("__metadata__", None) or {}
        tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            shape = tuple(entry["shape"])
            dtype = DTYPES.get(entry["dtype"])
            if dtype is None:
                raise InputError(f"{path}: tensor {name}: type {entry['dtype']}, expected one of {', '.join(DTYPES)}")
            count = int(np.prod(shape, dtype=object)) if shape else 1
            if not (0 <= begin <= end <= size - 8 - length) or end - begin != count * dtype.itemsize:
                raise InputError(
                    f"{path}: tensor {name}: its bytes {begin} to {end} do not fit shape {list(shape)} or the file"
                )
            tensors[name] = np.memmap(path, dtype, "r", 8 + length + begin, shape) if count else np.empty(shape, dtype)
        return tensors, metadata
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: not a safetensors file: {error}") from error


def tensor(
    path: Path, tensors: dict[str, np.ndarray], name: str, kind: str, shape: tuple[int | None, ...]
) -> np.ndarray:
    """One tensor, after a look at its type and shape."""
    found = tensors.get(name)
    if found is None:
        raise InputError(f"{path}: no tensor {name}; it has {', '.join(sorted(tensors)) or 'none'}")
    if found.dtype != DTYPES[kind]:
        raise InputError(f"{path}: tensor {name}: type {found.dtype}, expected {DTYPES[kind]}")
    if len(found.shape) != len(shape) or any(want not in (None, has) for want, has in zip(shape, found.shape)):
        expected = ", ".join("any" if size is None else str(size) for size in shape)
        raise InputError(f"{path}: tensor {name}: shape {list(found.shape)}, expected [{expected}]")
    return found


@dataclass
class Dataset:
    """Rows of hold episodes; `states` and `statics` are memory maps."""

    path: Path
    info: dict[str, Any]
    states: np.ndarray
    statics: np.ndarray
    columns: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.columns["label"])

    def __getitem__(self, column: str) -> np.ndarray:
        return self.columns[column]

    @property
    def static_names(self) -> list[str]:
        return self.info["schema"]["statics"]

    @property
    def state_names(self) -> list[str]:
        return self.info["schema"]["states"]

    @cached_property
    def target(self) -> np.ndarray:
        """1 success, 0 failure; of rows a simulator tells of the true probability; NaN where unknown."""
        label = self["label"]
        known = np.where(label == CENSORED, np.nan, (label == 1).astype(np.float64))
        oracle = (self["observed"] == 0) & np.isfinite(self["truth"])
        return np.where(oracle, self["truth"], known).astype(np.float32)

    @cached_property
    def weights(self) -> np.ndarray:
        """`weight` as it counts in training the LSTM: a hold the simulator is asked about at n instants counts for
        sqrt(n), a simulated release that happened for HAPPENED."""
        weight = self["weight"].astype(np.float32)
        known = np.isfinite(self["truth"])
        happened = self["observed"] != 0
        oracle = ~happened & (known | (self["delay"] > 0))
        # With its action, whose truth is known, or once more with the action hidden.
        weight[~oracle & (happened == known)] *= HAPPENED
        oracle = np.flatnonzero(oracle)
        if len(oracle):
            names = ("cluster", "hold_time", "code", "subcode")
            hold = np.stack([self[name][oracle].astype(np.int64) for name in names], 1)
            hold = np.unique(hold, axis=0, return_inverse=True)[1].reshape(-1)
            asked = np.unique(np.stack([hold, self["decision_instant"][oracle]], 1), axis=0)
            weight[oracle] /= np.sqrt(np.bincount(asked[:, 0]))[hold].astype(np.float32)
        return weight


def read_dataset(path: Path) -> Dataset:
    """Opens and checks a dataset file of format 3."""
    tensors, metadata = open_tensors(path)
    try:
        info = json.loads(metadata["holdadvise"])
        schema = info["schema"]
        frames, slots, width = len(schema["frame_edges"]) - 1, int(schema["slots"]), len(schema["statics"])
        found, names = info.get("format"), schema["states"] + schema["statics"]
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(
            f"{path}: metadata `holdadvise`: no dataset made by `holdadvise-train tensors` ({error!r})"
        ) from error
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{path}: metadata `holdadvise`: the names of states and statics are not text")
    if found != FORMAT:
        raise InputError(f"{path}: format {found}, expected {FORMAT}; make it again with `holdadvise-train tensors`")
    rows = len(tensor(path, tensors, "label", "U8", (None,)))
    dataset = Dataset(
        path,
        info,
        tensor(path, tensors, "states", "U8", (rows, frames, slots)),
        tensor(path, tensors, "statics", "F32", (rows, width)),
        {name: np.array(tensor(path, tensors, name, kind, (rows,))) for name, kind in COLUMNS.items()},
    )
    if dataset["label"].max(initial=0) > CENSORED:
        raise InputError(f"{path}: tensor label: expected 0 failure, 1 success or 2 censored")
    if not (np.isfinite(dataset["weight"]) & (dataset["weight"] >= 0)).all():
        raise InputError(f"{path}: tensor weight: expected numbers of at least 0")
    if ((dataset["truth"] < 0) | (dataset["truth"] > 1)).any():
        raise InputError(f"{path}: tensor truth: expected probabilities, or NaN where unknown")
    return dataset


def digest(path: Path) -> str:
    """SHA-256 of a dataset's tensors: names, shapes and content, as `holdadvise-train split` makes it."""
    tensors, _ = open_tensors(path)
    hashed = hashlib.sha256()
    for name in HASHED:
        if name not in tensors:
            raise InputError(f"{path}: no tensor {name}")
        hashed.update(f"{name} {list(tensors[name].shape)}\n".encode())
        hashed.update(np.ascontiguousarray(tensors[name]).reshape(-1).view(np.uint8).data)
    return hashed.hexdigest()


def read_parts(path: Path, dataset: Dataset) -> np.ndarray:
    """The part of each row: 0 train, 1 validation, 2 test, 255 none."""
    tensors, metadata = open_tensors(path)
    part = np.array(tensor(path, tensors, "part", "U8", (None,)))
    if len(part) != len(dataset):
        raise InputError(f"{path}: tensor part: {len(part)} rows, {dataset.path} has {len(dataset)}")
    if not np.isin(part, (TRAIN, VALIDATION, TEST, NO_PART)).all():
        raise InputError(f"{path}: tensor part: expected 0 train, 1 validation, 2 test or 255 none")
    try:
        expected = json.loads(metadata["holdadvise"])["dataset"]
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"{path}: metadata `holdadvise`: no parts made by `holdadvise-train split` ({error!r})"
        ) from error
    if expected != digest(dataset.path):
        raise InputError(
            f"{path}: tensor part: made for another dataset than {dataset.path}; run `holdadvise-train split` again"
        )
    return part


def rows_of(dataset: Dataset, parts: np.ndarray, part: int, oracle: bool) -> np.ndarray:
    """Row numbers of a part whose target is known: releases that happened, and what a simulator tells of if `oracle`."""
    wanted = (parts == part) & np.isfinite(dataset.target)
    if not oracle:
        wanted &= dataset["observed"] == 1
    return np.flatnonzero(wanted)


def sample_clusters(dataset: Dataset, rows: np.ndarray, count: int, seed: int) -> np.ndarray:
    """About `count` of the rows: whole clusters in a random order that depends on the seed alone, so that a smaller
    sample lies within a greater one."""
    if count >= len(rows):
        return rows
    clusters, of_row = np.unique(dataset["cluster"][rows], return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(clusters))
    order = np.argsort(rank[of_row], kind="stable")
    return np.sort(rows[order[:count]])


def write_predictions(path: Path, rows: np.ndarray, probability: np.ndarray, about: dict[str, Any]) -> None:
    """Writes `row` i64 and `probability` f32, and how they were made as JSON under the metadata key `holdadvise`."""
    if not (np.isfinite(probability).all() and ((probability >= 0) & (probability <= 1)).all()):
        raise InputError(f"{path}: tensor probability: a value is not within 0 to 1")
    tensors = {"row": rows.astype("<i8"), "probability": probability.astype("<f4")}
    try:
        path.write_bytes(save(tensors, metadata={"holdadvise": json.dumps(about)}))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def read_predictions(path: Path, rows: int) -> np.ndarray:
    """Probability of each of the dataset's rows, NaN where the file has none."""
    tensors, _ = open_tensors(path)
    row = tensor(path, tensors, "row", "I64", (None,))
    probability = tensor(path, tensors, "probability", "F32", (len(row),))
    if len(row) and not (0 <= row.min() and row.max() < rows):
        raise InputError(f"{path}: tensor row: a number beyond the {rows} rows of the dataset")
    all_rows = np.full(rows, np.nan, np.float32)
    all_rows[row] = probability
    return all_rows
