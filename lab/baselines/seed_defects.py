"""The defects of the seed (lab/baselines/README.md says where each stands in it) and which of them are mended."""

from __future__ import annotations

import re

from dataset import InputError

DEFECTS = {
    "times": "the date of a time is dropped: events of later days at the same time of day lie in the window",
    "reshape": "(jobs, frames, states) is reshaped to (frames, jobs * states) without a transpose",
    "order": "frame 0 is the hold and time runs backwards; a frame without an event is filled from the later one",
    "label": "success is normal termination at the job's end, whatever the exit status; a removal is a failure",
    "split": "each job goes to training, validation or test at random, a third each",
    "cycle": "only a job's first hold is an example",
    "metrics": "counts are reset in every batch: what is reported is the last batch of 256",
    "events": "46 kinds of event are hard-coded: later ones do not fit",
    "selection": "of several runs the one with the smallest f-measure is kept",
}
# Not a defect of the code but of what it looks at: a hold is one state, whatever its reason code.
ADDITIONS = {"code": "a hold is a state of its own for each HoldReasonCode"}


def parse(text: str) -> frozenset[str]:
    """Names with commas between; `none`; `all` (every defect), `all+code`, or `all-split`: all but that."""
    if text == "none":
        return frozenset()
    changes: list[tuple[str, str]] = re.findall(r"([+-])([a-z]+)", text[3:]) if text.startswith("all") else []
    whole = text == "all" + "".join(sign + name for sign, name in changes)
    names = [name for _, name in changes] if whole else text.split(",")
    for name in names:
        if name not in DEFECTS and name not in ADDITIONS:
            known = ",".join([*DEFECTS, *ADDITIONS])
            raise InputError(f"--mend {name}: expected none, all, all+code, all-split and the like, or of {known}")
    if not whole:
        return frozenset(names)
    added, left = ({name for sign, name in changes if sign == which} for which in "+-")
    return frozenset((set(DEFECTS) | added) - left)
