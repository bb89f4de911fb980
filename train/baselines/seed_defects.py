"""The defects of the seed (train/baselines/README.md says where each stands in it) and which of them are mended."""

from __future__ import annotations

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
    """Names with commas between, `none`, `all` (every defect) or `all+code`."""
    if text == "none":
        return frozenset()
    if text.startswith("all"):
        names = [*DEFECTS, *filter(None, text[3:].lstrip("+,").split(","))]
    else:
        names = text.split(",")
    for name in names:
        if name not in DEFECTS and name not in ADDITIONS:
            raise InputError(f"--mend {name}: expected none, all, all+code, or of {','.join([*DEFECTS, *ADDITIONS])}")
    return frozenset(names)
