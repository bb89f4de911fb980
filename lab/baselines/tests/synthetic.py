"""Datasets and logs of known structure."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from dataset import digest

STATES = [
    "not-observed",
    "not-submitted",
    "idle",
    "executing",
    "exited-0",
    "exited-otherwise",
    "removed",
    "held-12",
    "held-13",
    "held-other",
]
STATICS = [
    "code-12",
    "code-13",
    "held-for",
    "reason-given",
    "cluster-started-10min",
    "site-known",
    "sees-access-point",
    "action-as-is",
]
FRAMES, SLOTS = 6, 3


def dataset(path: Path, rows: int = 1500, seed: int = 0, first_cluster: int = 1) -> Path:
    """A dataset and, beside it with the suffix .parts, its parts.

    Success is likelier where `held-for` is small (a static of the job), `cluster-started-10min` is great (of others), and
    where slot 2 was seen to exit with 0 (states alone tell). A third of the rows is from the oracle, with the true probability.
    """
    random = np.random.default_rng(seed)
    code = random.choice([12, 13], rows).astype(np.int32)
    statics = random.normal(size=(rows, len(STATICS))).astype(np.float32)
    statics[:, 0], statics[:, 1] = code == 12, code == 13
    states = random.integers(0, 4, (rows, FRAMES, SLOTS)).astype(np.uint8)
    recovered = random.random(rows) < 0.5
    states[recovered, random.integers(0, FRAMES, rows)[recovered], 2] = STATES.index("exited-0")
    logit = -1.5 * statics[:, 2] + 1.5 * statics[:, 4] + np.where(recovered, 1.5, -1.5)
    truth = (1 / (1 + np.exp(-logit))).astype(np.float32)
    label = (random.random(rows) < truth).astype(np.uint8)
    observed = (random.random(rows) < 0.67).astype(np.uint8)
    label[(observed == 1) & (random.random(rows) < 0.05)] = 2
    hold_time = np.sort(random.integers(1_700_000_000, 1_702_000_000, rows))
    columns = {
        "states": states,
        "statics": statics,
        "action": np.zeros(rows, np.uint8),
        "label": label,
        "weight": np.ones(rows, np.float32),
        "observed": observed,
        "truth": np.where(observed == 1, np.float32(np.nan), truth),
        "cause": np.full(rows, 255, np.uint8),
        "reach": np.full(rows, 255, np.uint8),
        "access_point": np.zeros(rows, np.int32),
        "cluster": first_cluster + np.arange(rows) // 4,
        "owner": random.integers(0, 9, rows),
        "cell": code.astype(np.int64),
        "hold_time": hold_time,
        "decision_instant": hold_time + 60,
        "outcome_time": hold_time + 600,
        "code": code,
        "subcode": np.zeros(rows, np.int32),
        "delay": np.zeros(rows, np.int64),
    }
    schema = {
        "hash": "0",
        "states": STATES,
        "statics": STATICS,
        "frame_edges": [0, 30, 60, 300, 900, 3600, 7200],
        "slots": SLOTS,
    }
    info = {"format": 3, "schema": schema, "origin": "simulated data", "real": False, "horizon": 3600}
    save_file(columns, path, metadata={"holdadvise": json.dumps(info)})
    part = np.repeat([0, 1, 2], [rows - 2 * (rows // 5), rows // 5, rows // 5]).astype(np.uint8)
    part[(observed == 1) & (label == 2)] = 255
    parts(path, part)
    return path


def parts(path: Path, part: np.ndarray) -> None:
    """The parts file beside a dataset."""
    save_file(
        {"part": part},
        path.with_suffix(".parts"),
        metadata={"holdadvise": json.dumps({"dataset": digest(path)})},
    )


def event(number: int, cluster: int, proc: int, time: int, body: str = "") -> str:
    """One event in text form."""
    return f"{number:03} ({cluster}.{proc:03}.000) {datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S}Z Something.\n{body}...\n"


def ended(cluster: int, proc: int, time: int, status: int) -> str:
    """Event 005."""
    return event(5, cluster, proc, time, f"\t(1) Normal termination (return value {status})\n")


def held(cluster: int, proc: int, time: int, code: int = 13) -> str:
    """Event 012."""
    return event(12, cluster, proc, time, f"\tWhy.\n\tCode {code} Subcode 2\n")
