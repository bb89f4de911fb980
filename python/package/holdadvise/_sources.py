"""Arguments, as the native part takes them."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from . import _native
from ._native import ClassAd
from ._values import HoldAdviseWarning, InputError

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]
Words = Union[str, Iterable[str]]
JobAds = Union[Path, bytes, Mapping[str, Any], Iterable[Any]]

# Looks at files for this process: a file system may hang, and the process that looks is left behind
# then. It needs nothing but the interpreter and the native part, whatever account it becomes.
_LOOK = (
    "import sys; from importlib.machinery import ExtensionFileLoader; from importlib import util; "
    "loader = ExtensionFileLoader('_native', sys.argv[1]); "
    "module = util.module_from_spec(util.spec_from_loader('_native', loader)); "
    "loader.exec_module(module); module.look(sys.argv[3:])"
)


def looks() -> Optional[tuple[str, list[str]]]:
    """The program that looks at files; None inside programs that are no Python."""
    if not os.path.basename(sys.executable or "").startswith(("python", "pypy")):
        return None
    return sys.executable, ["-I", "-S", "-c", _LOOK, str(_native.__file__)]


def job_ads(ads: Optional[JobAds]) -> Union[Path, bytes, None]:
    """A path or text stays; all else becomes the text of the ads, as `condor_q -json` has it."""
    if ads is None or isinstance(ads, (str, bytes, os.PathLike)):
        return ads
    is_one = isinstance(ads, Mapping) or not isinstance(ads, Iterable)
    return ("[" + ",\n".join(_json([ads] if is_one else ads)) + "]").encode()


def _json(ads: Iterable[Any]) -> Iterator[str]:
    for ad in ads:
        if isinstance(ad, (str, bytes, os.PathLike)):
            yield from (each.to_json() for each in _native.read_ads(ad))
        else:
            yield (ad if isinstance(ad, ClassAd) else ClassAd(ad)).to_json()


def paths(given: Optional[Paths]) -> list[Path]:
    if given is None:
        return []
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def words(given: Optional[Words]) -> list[str]:
    if given is None:
        return []
    found = given.split() if isinstance(given, str) else [str(word) for word in given]
    for word in found:
        if word.startswith("-"):
            raise InputError(f"jobs: {word!r} is no cluster, cluster.proc or owner")
    return found


def costs(given: Optional[Mapping[str, float]]) -> list[str]:
    return [f"{name}={hours}" for name, hours in (given or {}).items()]


def warn(lines: Iterable[str], calls: int) -> None:
    """Warns whoever called the package, so many calls above this one."""
    for line in lines:
        warnings.warn(line, HoldAdviseWarning, stacklevel=calls + 1)
