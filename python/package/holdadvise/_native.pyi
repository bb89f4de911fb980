import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, Optional, Union, final

from typing_extensions import Self, disjoint_base

_Path = Union[str, os.PathLike[str]]
_Now = Union[datetime, float, None]
_Damaged = Literal["skip", "raise", "yield"]

__all__ = [
    "ClassAd",
    "Expr",
    "AdReader",
    "EventLog",
    "Event",
    "Damage",
    "read_ads",
    "advise",
    "releaseexpr",
    "look",
    "__version__",
]
__version__: str

@final
class Damage:
    """A part of a file that could not be used."""

    @property
    def message(self) -> str:
        """What was expected, and where."""

    @property
    def line(self) -> Optional[int]:
        """The line, from 1, of a file of ads."""

    @property
    def offset(self) -> Optional[int]:
        """The first byte, of a log."""

    @property
    def length(self) -> Optional[int]:
        """Bytes that were skipped, of a log."""

    @property
    def is_loss(self) -> bool:
        """Events that nobody has seen may be lost."""

@disjoint_base
class ClassAd(Mapping[str, Any]):
    """Names of attributes, in any case, and their expressions.

    Constants, lists and ads are Python's values, all else is `Expr`. A text may have any form:
    `-long`, JSON, XML, brackets. Ads of other modules are read from what `str` makes of them.
    """

    def __new__(cls, source: Any = None, /) -> Self: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def __setitem__(self, name: str, value: Any, /) -> None: ...
    def __delitem__(self, name: str, /) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def get(self, name: str, default: Any = None, /) -> Any: ...
    def keys(self) -> list[str]: ...  # type: ignore[override]
    def values(self) -> list[Any]: ...  # type: ignore[override]
    def items(self) -> list[tuple[str, Any]]: ...  # type: ignore[override]
    def update(self, other: Any) -> None: ...
    def lookup(self, name: str) -> Expr:
        """The expression of an attribute."""

    def eval(self, name: str, /, target: Any = None, *, now: _Now = None) -> Any:
        """The value of an attribute, against the ad `target`.

        `Value.Undefined` where the ad lacks it.
        """

    def matches(self, other: Any, /, *, now: _Now = None) -> bool:
        """Whether this ad meets the requirements of the other."""

    def symmetric_match(self, other: Any, /, *, now: _Now = None) -> bool:
        """Whether each meets the requirements of the other."""

    def to_long(self) -> str:
        """As `condor_q -long` prints it."""

    def to_json(self) -> str:
        """As `condor_q -json` prints it."""

    def copy(self) -> ClassAd: ...
    def __copy__(self) -> ClassAd: ...
    def __deepcopy__(self, memo: Any, /) -> ClassAd: ...

@final
class Expr:
    """An expression of the ClassAd language.

    It is read in the new syntax or, `old`, that of `condor_q -long`.
    """

    def __new__(cls, text: str, /, *, old: bool = False) -> Self: ...
    def eval(self, ad: Any = None, target: Any = None, *, now: _Now = None) -> Any:
        """Its value on an ad."""

    def steps(
        self, ad: Any = None, target: Any = None, *, now: _Now = None
    ) -> list[tuple[int, str, Any]]:
        """Its parts with their values on an ad: depth, text and value."""

    def references(self) -> list[str]:
        """Names of attributes that it refers to, each once."""

@final
class AdReader:
    """The iterator of `read_ads`."""

    def __iter__(self) -> AdReader: ...
    def __next__(self) -> Union[ClassAd, Any]: ...

@final
class Event:
    """An event of a job event log."""

    @property
    def number(self) -> int:
        """The number of the kind, as in the log."""

    @property
    def name(self) -> str:
        """The kind, as `htcondor2.JobEventType` names it; UNKNOWN for others."""

    @property
    def cluster(self) -> int: ...
    @property
    def proc(self) -> int: ...
    @property
    def subproc(self) -> int: ...
    @property
    def time(self) -> datetime:
        """In UTC."""

    @property
    def timestamp(self) -> int:
        """Unix seconds."""

    @property
    def offset(self) -> int:
        """The byte of the file that the event begins at."""

    @property
    def attributes(self) -> MappingProxyType[str, Any]:
        """By the names that HTCondor gives them; read-only."""

@final
class EventLog:
    """The events of a job event log, in their order.

    Text, XML and JSON, compressed with gzip or not. `damaged` says what is done with damage: it is
    raised as `InputError` and the next item comes behind it, or yielded as `Damage`, or skipped.
    `stop_after`: seconds that an event which is not written yet is waited for; None is for ever,
    and the log is followed through its rotations. `rotated`: the older files of the log first.
    `time_zone`: the zone of the access point that wrote it, such as "Europe/Berlin"; default: the
    system's.
    """

    def __new__(
        cls,
        path: _Path,
        /,
        *,
        damaged: _Damaged = "raise",
        stop_after: Optional[float] = 0.0,
        rotated: bool = False,
        time_zone: Optional[str] = None,
    ) -> Self: ...
    def __iter__(self) -> EventLog: ...
    def __next__(self) -> Union[Event, Any]: ...

def read_ads(
    source: Union[_Path, bytes],
    /,
    *,
    attributes: Optional[Iterable[str]] = None,
    damaged: _Damaged = "raise",
) -> AdReader:
    """The ads of a file or text, in any form; of each the attributes that are named, or all."""

def advise(
    *,
    jobads: Union[_Path, bytes, None],
    jobs: Sequence[str],
    constraint: Optional[str],
    limit: Optional[int],
    userlog: Sequence[_Path],
    eventlog: Sequence[_Path],
    epochs: Optional[_Path],
    model: Optional[_Path],
    cost: Sequence[str],
    checks: Optional[str],
    now: _Now,
    looks: Optional[tuple[str, list[str]]],
) -> tuple[list[tuple[str, str]], list[str], list[str]]: ...
def releaseexpr(
    options: Sequence[str], *, jobads: Union[_Path, bytes, None] = None, now: _Now = None
) -> tuple[str, list[str]]: ...
def look(arguments: Sequence[str]) -> None: ...
