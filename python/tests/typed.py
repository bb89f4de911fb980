"""A program that uses the package, for type checkers."""
# pyright: strict

from __future__ import annotations

import pathlib
from datetime import datetime, timezone
from typing import Optional

import holdadvise

now = datetime.now(timezone.utc)
advices: list[holdadvise.Advice] = holdadvise.advise(
    [{"ClusterId": 1, "ProcId": 0, "JobStatus": 2}],
    eventlog=[pathlib.Path("tests/data/pool-23.9/EventLog")],
    cost={"delay": 24},
    now=now,
)
for advice in advices:
    recommendation: str = advice.recommendation
    since: datetime = advice.held_since
    again: Optional[datetime] = advice.look_again
    sentences: list[str] = [seen.sentence for seen in advice.evidence]
    probability: float = advice.success["as-is"]
    change: Optional[holdadvise.Statement] = advice.change

line: Optional[int] = None
for finding in holdadvise.lint("HoldReasonCode == 13"):
    severity: str = finding.severity
    line = finding.line

for event in holdadvise.EventLog("job.log", damaged="yield") if not advices and line else ():
    if isinstance(event, holdadvise.Event):
        name: str = event.name
        time: datetime = event.time
        reason: object = event.attributes.get("HoldReason")
    elif isinstance(event, holdadvise.Damage):
        message: str = event.message

job = holdadvise.ClassAd({"NumHolds": 2})
job["JobStatus"] = 5
expr: holdadvise.Expr = job.lookup("NumHolds")
is_held: bool = holdadvise.Expr("JobStatus == 5").eval(job, now=now) is True
names: list[str] = list(job)
for ad in holdadvise.read_ads("A = 1\n\nA = 2\n", attributes=("A",)):
    text: str = ad.to_long()
try:
    holdadvise.Expr("(")
except holdadvise.InputError as error:
    damage: Optional[holdadvise.Damage] = error.damage
