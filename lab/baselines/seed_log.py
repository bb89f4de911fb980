"""The headers of a job event log in text form, all that the seed's model looks at: job, event number, time, how it
terminated, hold reason code.

Job ad information events (028) are left out: the seed labels a job by its last event, and where the access point writes
028 behind every event there would be no label at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dataset import InputError

SUBMIT, TERMINATED, ABORTED, HELD, RELEASED, AD_INFORMATION = 0, 5, 9, 12, 13, 28

HEADER = re.compile(
    rb"(\d{3}) \((-?\d{1,10})\.(-?\d{1,10})\.-?\d{1,10}\) (\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?[ \r\n]"
)
OTHER_DATE = re.compile(rb"\d{3} \(-?\d{1,10}\.-?\d{1,10}\.-?\d{1,10}\) \d\d/\d\d")
TERMINATION = re.compile(rb"\s*\((\d)\) (?:Normal|Abnormal) termination(?: \(return value (-?\d{1,10})\))?")
HOLD_CODE = re.compile(rb"\s*Code (-?\d{1,9}) ")


@dataclass
class Log:
    """Events of one access point in the order of the log; jobs are numbered as they appear."""

    jobs: list[tuple[int, int]]
    job: np.ndarray
    number: np.ndarray
    time: np.ndarray
    normal: np.ndarray
    status: np.ndarray
    code: np.ndarray

    def __post_init__(self) -> None:
        self.by_job = np.argsort(self.job, kind="stable")
        self.job_start = np.searchsorted(self.job[self.by_job], np.arange(len(self.jobs) + 1))

    def of_job(self, job: int) -> np.ndarray:
        """Positions of a job's events, in order."""
        return self.by_job[self.job_start[job] : self.job_start[job + 1]]


def log_files(path: Path) -> list[Path]:
    """A log with what was rotated out of it before, the highest number first."""
    rotated = [(int(one.suffix[1:]), one) for one in path.parent.glob(path.name + ".*") if one.suffix[1:].isdigit()]
    return [one for _, one in sorted(rotated, reverse=True)] + [path]


def read_log(path: Path) -> Log:
    """Reads a log in text form with ISO dates; times without a zone are UTC. What is no event is skipped."""
    jobs: dict[tuple[int, int], int] = {}
    rows: list[list[int]] = []
    days: dict[bytes, int] = {}
    for one in log_files(path):
        try:
            with one.open("rb") as file:
                read_events(file, jobs, rows, days)
        except OSError as error:
            raise InputError(f"{one}: {error.strerror or error}") from error
        except ValueError as error:
            raise InputError(f"{one}: {error}") from error
    if not rows:
        raise InputError(f"{path}: no event in text form with an ISO date (EVENT_LOG_FORMAT_OPTIONS = ISO_DATE)")
    columns = np.array(rows, np.int64).T
    return Log(list(jobs), columns[0], columns[1], columns[2], columns[3] == 1, columns[4], columns[5])


def read_events(
    file: BinaryIO, jobs: dict[tuple[int, int], int], rows: list[list[int]], days: dict[bytes, int]
) -> None:
    """Adds the events of a file: job, number, time, normal termination, exit status, hold code."""
    last: list[int] | None = None
    for line in file:
        if last is not None and line[:1] in b" \t":
            if last[1] == TERMINATED and (found := TERMINATION.match(line)):
                last[3], last[4] = int(found[1]), int(found[2] or -1)
            elif last[1] == HELD and (found := HOLD_CODE.match(line)):
                last[5] = int(found[1])
            continue
        if not line[:3].isdigit():
            continue
        found = HEADER.match(line)
        if not found:
            if OTHER_DATE.match(line):
                raise ValueError("dates without a year; expected ISO dates (EVENT_LOG_FORMAT_OPTIONS = ISO_DATE)")
            continue
        number = int(found[1])
        if number == AD_INFORMATION:
            last = None
            continue
        day = days.get(found[4])
        if day is None:
            try:
                day = int(datetime.fromisoformat(found[4].decode() + "T00:00:00+00:00").timestamp())
            except ValueError:
                last = None
                continue
            days[found[4]] = day
        time = day + int(found[5]) * 3600 + int(found[6]) * 60 + int(found[7]) - offset(found[8])
        job = jobs.setdefault((int(found[2]), int(found[3])), len(jobs))
        last = [job, number, time, 0, -1, -1]
        rows.append(last)


def offset(zone: bytes | None) -> int:
    """Seconds east of UTC."""
    if zone in (None, b"Z"):
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
    return -seconds if zone[:1] == b"-" else seconds
