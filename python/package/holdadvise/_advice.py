"""Advice on held jobs."""

from __future__ import annotations

import copy
import dataclasses
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from . import _native
from ._sources import JobAds, Path, Paths, Words, costs, job_ads, looks, paths, warn, words
from ._values import InputError

Recommendation = Literal["release", "try", "change", "wait", "look", "remove", "undecided"]
Action = Literal["as-is", "memory", "disk", "site", "other", "unknown"]
Band = Literal[
    "very unlikely", "unlikely", "as likely as not", "likely", "very likely", "not known"
]
EventLogView = Literal["whole", "begins-later", "without-hold", "none"]
Checks = Literal["own", "local", "all", "none"]


class Statement(Mapping[str, Any]):
    """Fields of an advice that belong together, by their names in the JSON.

    Printed it is their sentence.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    @property
    def sentence(self) -> str:
        """The same in English."""
        return str(self._fields["Sentence"])

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return copy.deepcopy(dict(self._fields))

    def __hash__(self) -> int:
        # What is equal has the same sentence.
        return hash(self.sentence)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Statement({dict(self._fields)!r})"


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
    recommendation: Recommendation
    recommended_action: Optional[Action]
    undecided: Optional[Statement]
    success: dict[Action, float]
    success_later: list[dict[str, float]]
    band: Band
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
    event_log: EventLogView
    missing: list[str]
    notes: list[str]
    _json: str = dataclasses.field(repr=False, compare=False)
    _text: str = dataclasses.field(repr=False, compare=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # A field is read when it is asked for: objects of Python take ten times the room.
            if not name.startswith("_"):
                for key, value in self.to_dict().items():
                    if _field(key) == name:
                        return self.__dict__.setdefault(name, _value(name, value))
            raise AttributeError(f"'Advice' object has no attribute {name!r}")

    @property
    def job_id(self) -> str:
        """`cluster.proc`"""
        return f"{self.cluster_id}.{self.proc_id}"

    def to_dict(self) -> dict[str, Any]:
        """The object that `condor_holdadvise -json` prints; times are Unix seconds."""
        return dict(json.loads(self._json))

    def __hash__(self) -> int:
        # Lists and dicts of what is equal are equal too.
        return hash((self.cluster_id, self.proc_id, self.num_holds, self.held_since))

    def __str__(self) -> str:
        """The block that `condor_holdadvise` prints for one job."""
        return self._text

    def __repr__(self) -> str:
        return f"<Advice on job {self.job_id}: {self.recommendation}, success {self.band}>"

    def _repr_html_(self) -> str:
        """The block for a notebook."""
        return f"<pre>{html.escape(self._text)}</pre>"


_SHOWN = 100


class Advices(list[Advice]):
    """Advices in the order of their jobs; a notebook shows a table of the first 100."""

    def _repr_html_(self) -> str:
        head = ("Job", "Owner", "Advice", "Success", "Why held")
        rows = [
            (one.job_id, one.owner or "", one.recommendation, one.band, one.meaning)
            for one in self[:_SHOWN]
        ]
        more = f"<p>{len(self) - _SHOWN} more.</p>" if len(self) > _SHOWN else ""
        return f"<table>{_row('th', head)}{''.join(_row('td', row) for row in rows)}</table>{more}"


def _row(cell: str, texts: Iterable[str]) -> str:
    cells = (f"<{cell}>{html.escape(text)}</{cell}>" for text in texts)
    return f"<tr>{''.join(cells)}</tr>"


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
    advice = object.__new__(Advice)
    advice.__dict__.update(_json=text, _text=block)
    return advice


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
    checks: Optional[Checks] = None,
    now: Union[datetime, float, None] = None,
) -> Advices:
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
    return Advices(_advice(text, block) for text, block in advices)
