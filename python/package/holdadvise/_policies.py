"""What `condor_releaseexpr` says of policies."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, Optional, Union

from . import _native
from ._advice import _field
from ._sources import JobAds, Path, Paths, Words, costs, job_ads, paths, warn, words
from ._values import ReadError

Policy = Union[str, "os.PathLike[str]"]
Kind = Literal["release", "hold", "remove", "exit"]


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something about a policy.

    The names are those of `condor_releaseexpr -lint -json` in lower case.
    """

    schema_version: int
    file: Optional[str]
    line: Optional[int]
    setting: Optional[str]
    rule: str
    severity: Literal["error", "warning", "note"]
    expression: Optional[str]
    start: int
    end: int
    message: str
    corrected: Optional[str]

    def to_dict(self) -> dict[str, Any]:
        """The object that `condor_releaseexpr -lint -json` prints."""
        names = (field.name for field in dataclasses.fields(self))
        return {name.title().replace("_", ""): getattr(self, name) for name in names}

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.severity}: {self.rule}: {self.message}"


def _path(path: Path) -> str:
    """A path that is no option."""
    text = os.fspath(path)
    return f"./{text}" if text.startswith("-") else text


def _policy(policy: Policy) -> str:
    """A text that is no option: an expression, or the name of a file; a `Path` has to be there."""
    if isinstance(policy, str):
        return f" {policy}" if policy.startswith("-") else policy
    path = os.path.join(".", os.fspath(policy))
    if not os.path.exists(path):
        raise ReadError(f"cannot read {os.fspath(policy)}: it is not there")
    return path


def _answer(options: list[str], **more: Any) -> Any:
    text, said = _native.releaseexpr([*options, "-json"], **more)
    warn(said, 3)
    return json.loads(text)


def _files(option: str, given: Optional[Paths]) -> list[str]:
    return [word for path in paths(given) for word in (option, _path(path))]


def _one(option: str, given: Any) -> list[str]:
    return [] if given is None else [option, str(given)]


def lint(
    policy: Policy, *, kind: Optional[Kind] = None, condor: Optional[str] = None
) -> list[Finding]:
    """Says what is wrong with an expression, or with the policies of a file.

    `kind` is what an expression by itself is for: "release" (the default), "hold", "remove" or
    "exit"; `condor` the version of HTCondor that evaluates it.
    """
    options = ["-lint", _policy(policy), *_one("-kind", kind), *_one("-condor", condor)]
    return [
        Finding(**{_field(name): value for name, value in one.items()}) for one in _answer(options)
    ]


def explain(
    jobads: JobAds,
    *,
    jobs: Optional[Words] = None,
    config: Optional[Path] = None,
    now: Union[datetime, float, None] = None,
) -> list[dict[str, Any]]:
    """Says of held jobs why their release policies do not release them, and when they will.

    These are the objects that `condor_releaseexpr -explain -json` prints.
    """
    options = ["-explain", *words(jobs), *([] if config is None else ["-config", _path(config)])]
    return list(_answer(options, jobads=job_ads(jobads), now=now))


def replay(
    policy: Policy,
    *,
    userlog: Optional[Paths] = None,
    eventlog: Optional[Paths] = None,
    epochs: Optional[Paths] = None,
    config: Optional[Path] = None,
    condor: Optional[str] = None,
    cost: Optional[Mapping[str, float]] = None,
) -> dict[str, Any]:
    """Says what a release policy would have done with the holds of these logs.

    It is the object that `condor_releaseexpr -replay -json` prints.
    """
    options = ["-replay", _policy(policy), *_one("-condor", condor)]
    options += (
        _files("-userlog", userlog) + _files("-eventlog", eventlog) + _files("-epochs", epochs)
    )
    options += [] if config is None else ["-config", _path(config)]
    for change in costs(cost):
        options += ["-cost", change]
    return dict(_answer(options))
