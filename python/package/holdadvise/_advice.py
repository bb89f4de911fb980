"""Advice on held jobs."""

from __future__ import annotations

import copy
import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, Optional, Union

from . import _native
from ._sources import JobAds, Path, Paths, Words, costs, job_ads, looks, paths, warn, words
from ._values import InputError


class Statement(Mapping[str, Any]):
    """Fields of an advice that belong together, by their names in the JSON.

    Printed it is their sentence.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)

    @property
    def sentence(self) -> str:
        """The same in English."""
        return str(self._fields["Sentence"])

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return copy.deepcopy(self._fields)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Statement({self._fields!r})"


@dataclasses.dataclass(frozen=True)
class Advice:
    """What to do with a held job.

    The names are those of `condor_holdadvise -json` in lower case.
    """

    schema_version: int
    cluster_id: int
    proc_id: int
    owner: Optional[str]
    hold_reason_code: Optional[int]
    hold_reason_sub_code: Optional[int]
    hold_reason: Optional[str]
    num_holds: int
    held_since: datetime
    dagman_job_id: Optional[int]
    recommendation: str
    recommended_action: Optional[str]
    undecided: Optional[Statement]
    success: dict[str, float]
    success_later: list[dict[str, float]]
    band: str
    costs: dict[str, float]
    expected_costs: Optional[dict[str, float]]
    decision: Statement
    catalogue_entry: Optional[str]
    diagnosis: Optional[Statement]
    meaning: str
    evidence: list[Statement]
    inputs: list[dict[str, Any]]
    correct_before: list[Statement]
    change: Optional[Statement]
    commands: list[str]
    commands_after: list[str]
    try_: Optional[Statement]
    look: Optional[Statement]
    wait_for: Optional[Statement]
    wait_until: Optional[datetime]
    likely_from: Optional[Statement]
    look_again: Optional[datetime]
    htcondor_will: list[Statement]
    trust: dict[str, Any]
    event_log: str
    missing: list[str]
    notes: list[str]
    _json: dict[str, Any] = dataclasses.field(repr=False, compare=False)
    _text: str = dataclasses.field(repr=False, compare=False)

    @property
    def job_id(self) -> str:
        """`cluster.proc`"""
        return f"{self.cluster_id}.{self.proc_id}"

    def to_dict(self) -> dict[str, Any]:
        """The object that `condor_holdadvise -json` prints; times are Unix seconds."""
        return copy.deepcopy(self._json)

    def __str__(self) -> str:
        """The block that `condor_holdadvise` prints for one job."""
        return self._text

    def __repr__(self) -> str:
        return f"<Advice on job {self.job_id}: {self.recommendation}, success {self.band}>"


_TIMES = ("held_since", "wait_until", "look_again")


def _field(name: str) -> str:
    """`HoldReasonCode` is `hold_reason_code`; `Try` is a word of Python's."""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return "try_" if name == "try" else name


def _value(name: str, value: Any) -> Any:
    if name in _TIMES and value is not None:
        return datetime.fromtimestamp(value, timezone.utc)
    if isinstance(value, dict) and "Sentence" in value:
        return Statement(value)
    if isinstance(value, list):
        return [_value("", each) for each in value]
    return value


def _advice(text: str, block: str) -> Advice:
    object_ = json.loads(text)
    fields = {_field(name): _value(_field(name), value) for name, value in object_.items()}
    return Advice(**fields, _json=object_, _text=block)


def advise(
    jobads: Optional[JobAds] = None,
    *,
    jobs: Optional[Words] = None,
    constraint: Optional[str] = None,
    limit: Optional[int] = None,
    userlog: Optional[Paths] = None,
    eventlog: Optional[Paths] = None,
    epochs: Optional[Path] = None,
    model: Optional[Path] = None,
    cost: Optional[Mapping[str, float]] = None,
    checks: Optional[str] = None,
    now: Union[datetime, float, None] = None,
) -> list[Advice]:
    """Says of held jobs whether to release, change or remove them, or to wait.

    They come in the order of their ids. Arguments are named like the options of
    `condor_holdadvise` and mean the same. No queue is asked.
    """
    advices, refused, faults = _native.advise(
        jobads=job_ads(jobads),
        jobs=words(jobs),
        constraint=constraint,
        limit=limit,
        userlog=paths(userlog),
        eventlog=paths(eventlog),
        epochs=epochs,
        model=model,
        cost=costs(cost),
        checks=checks,
        now=now,
        looks=looks(),
    )
    if refused and not advices:
        raise InputError("; ".join(refused))
    warn(faults + refused, 2)
    return [_advice(text, block) for text, block in advices]
