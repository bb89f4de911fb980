"""Errors, warnings, and the two values that Python has none for."""

from __future__ import annotations

import enum
from typing import Optional

from ._native import Damage


class Error(Exception):
    """What this package raises of its own; the message is that of the tools."""


class InputError(Error, ValueError):
    """An argument, an expression, a log or an ad that cannot be used."""

    damage: Optional[Damage] = None
    """What is damaged, where a log or a file of ads is."""


class ReadError(Error, OSError):
    """A file that cannot be read; `errno` says why, where the system does."""


class HoldAdviseWarning(UserWarning):
    """A part of the input that was not used."""


class Value(enum.Enum):
    """What an expression may be beside Python's values."""

    Error = 1
    Undefined = 2


for _public in (Error, InputError, ReadError, HoldAdviseWarning, Value):
    _public.__module__ = "holdadvise"
