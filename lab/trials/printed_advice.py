"""What a person reads of `condor_holdadvise`: its text for people, taken apart by its layout alone
(src/print)."""

import re
from calendar import timegm
from dataclasses import dataclass, field
from time import strptime

# A block begins in the first column; a lone job's as `Job 1.0 of alice, ...`, of several jobs as
# `3 jobs of cluster 1 of alice, ...`, `2 jobs (1.0, 2.0) of alice and bob, ...`.
HEAD = re.compile(r"^(?:Job (?P<job>\d+\.\d+)|(?P<jobs>\d+) jobs (?:of |\())")
VERDICTS = ("RELEASE", "TRY", "CHANGE", "WAIT", "LOOK", "REMOVE", "UNDECIDED")
# Columns of a label; what is said stands behind them.
LABEL = 13
CONSTRAINT = re.compile(r"-constraint '([^']*)'")
MINUTE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
URL = re.compile(r"\bhttps?://[^\s'\",)|]+")
PATH = re.compile(r"(?<![\w/:.])/[^\s'\",)|:]+")


@dataclass
class Block:
    """The advice for one job, or for the jobs that one thing holds."""

    text: str
    verdict: str = ""
    jobs: int = 1
    # Label to text.
    says: dict = field(default_factory=dict)
    # Lines to paste now, and later.
    now: list = field(default_factory=list)
    later: list = field(default_factory=list)
    # For whoever follows it: the jobs that are held, and whether what holds them was found.
    procs: list = field(default_factory=list)
    found: bool = False

    def constraint(self):
        """The jobs that its commands are about; None where it has none."""
        found = CONSTRAINT.search("\n".join(self.now + self.later))
        return found and found[1]

    def act(self):
        """What to do."""
        return self.says.get(self.verdict, "")

    def change(self):
        """What to change first, without what is printed of evidence."""
        return f"{self.says.get('first', '')} {self.says.get('CHANGE', '')}".strip()

    def named(self):
        """The URLs and the files that it says to put right, or to look at; none where it quotes
        what a program wrote."""
        text = f"{self.change()} {self.says.get('LOOK', '')}"
        if '"' in text or "first line of" in text or "what its program wrote" in text:
            return [], []
        # A sentence may end behind a name.
        names = [[name.rstrip(".,;") for name in pattern.findall(text)] for pattern in (URL, PATH)]
        return sorted(set(names[0])), sorted(set(names[1]))

    def releases_anyway(self):
        """It has a release for where a look shows nothing."""
        return "If nothing is wrong" in self.says.get("note", "")

    def look_again(self):
        """The instant it names for the next look, Unix seconds, or None."""
        found = MINUTE.search(self.says.get("WAIT", "").rpartition(" again at ")[2])
        return found and timegm(strptime(found[0], "%Y-%m-%d %H:%M"))

    def urls_to_wait_for(self):
        """The URLs by which whoever waits sees that the server answers again; empty where no server
        is waited for."""
        named = re.search(r"(\S+) (?:answers|serves files) again", self.says.get("WAIT", ""))
        if not named:
            return []
        server = named[1]
        # Of jobs with one of their own each the text has what they share.
        urls = {
            url for url in URL.findall(self.text) if f"//{server}" in url and "..." not in url
        }
        return sorted(urls) or [f"http://{server}/"]


def blocks(text):
    """The blocks of an answer, in their order."""
    found, lines = [], None
    for line in text.splitlines():
        if HEAD.match(line):
            found.append(lines := [])
        # What stands around the blocks begins in the first column.
        elif not line.startswith("  "):
            lines = None
        if lines is not None:
            lines.append(line)
    return [block(lines) for lines in found]


def block(lines):
    out = Block("\n".join(lines))
    head = HEAD.match(lines[0])
    out.jobs = int(head["jobs"] or 1)
    label = ""
    for line in lines[1:]:
        if line.startswith("  | "):
            label = "|"
            out.says[label] = f"{out.says.get(label, '')} {line[4:]}".strip()
            continue
        label, text = line[:LABEL].strip() or label, line[LABEL:]
        out.verdict = out.verdict or (label if label in VERDICTS else "")
        if label in ("do", "afterwards"):
            # A line may say for which jobs those below it are.
            if not (text.startswith("for ") and text.endswith(":")):
                (out.now if label == "do" else out.later).append(text)
        elif label:
            out.says[label] = f"{out.says.get(label, '')} {text}".strip()
    return out
