"""Advice on held HTCondor jobs, job event logs and ClassAds."""

from collections.abc import Mapping as _Mapping

from ._advice import Advice, Advices, Statement, advise
from ._native import AdReader, ClassAd, Damage, Event, EventLog, Expr, __version__, read_ads
from ._policies import Finding, explain, lint, replay
from ._values import Error, HoldAdviseWarning, InputError, ReadError, Value

__all__ = [
    "AdReader",
    "Advice",
    "Advices",
    "ClassAd",
    "Damage",
    "Error",
    "Event",
    "EventLog",
    "Expr",
    "Finding",
    "HoldAdviseWarning",
    "InputError",
    "ReadError",
    "Statement",
    "Value",
    "__version__",
    "advise",
    "explain",
    "lint",
    "read_ads",
    "replay",
]

_Mapping.register(ClassAd)
for _public in (Advice, Advices, Statement, Finding, advise, explain, lint, replay):
    _public.__module__ = "holdadvise"
