"""What a person reads of `condor_holdadvise`: its text for people, taken apart by its layout alone
(src/print)."""

import re
from calendar import timegm
from dataclasses import dataclass, field
from time import strptime

# A block begins in the first column; a lone job's as `Job 1.0 of alice, ...`, of like jobs as
# `3 jobs of cluster 1 of alice, ...`.
HEAD = re.compile(r"^(?:Job (?P<job>\d+\.\d+)|(?P<jobs>\d+) jobs of (?:cluster (?P<cluster>\d+)|DAG \d+))[ ,]")
VERDICT = re.compile(r"^  (RELEASE|TRY|CHANGE|WAIT|LOOK|REMOVE|UNDECIDED)\b")
LABEL = re.compile(r"^ {0,2}([A-Z][^:]*):(?: +|$)(.*)$")
COMMAND = re.compile(r"^[a-z]")
CONSTRAINT = re.compile(r"-constraint '([^']*)'")
MINUTE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
URL = re.compile(r"\bhttps?://[^\s'\",)|]+")
PATH = re.compile(r"(?<![\w/:.])/[^\s'\",)|:]+")
# Labels of commands; behind them may stand for which jobs.
NOW = "Commands"
LATER = ("After that", "When that has happened", "Once it is in order")


@dataclass
class Block:
    """The advice for one job, or for like jobs of a cluster."""

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

    def change(self):
        """What to change first, without what is printed of evidence."""
        return " ".join(
            text for label, text in self.says.items() if label.startswith("Change first")
        )

    def named(self):
        """The URLs and the files that it says to put right, or to look at; none where it quotes
        what a program wrote."""
        text = f"{self.change()} {self.says.get('Look at', '')}"
        if '"' in text or "interpreter" in text or "what its program wrote" in text:
            return [], []
        # A sentence may end behind a name.
        names = [[name.rstrip(".,;") for name in pattern.findall(text)] for pattern in (URL, PATH)]
        return sorted(set(names[0])), sorted(set(names[1]))

    def releases_anyway(self):
        """It has a release for where a look shows nothing."""
        return any("or if nothing is wrong" in label for label in self.says)

    def look_again(self):
        """The instant it names for the next look, Unix seconds, or None."""
        found = MINUTE.search(self.says.get("Look again", ""))
        return found and timegm(strptime(found[0], "%Y-%m-%d %H:%M"))

    def urls_to_wait_for(self):
        """The URLs by which whoever waits sees that the server answers again; empty where no server
        is waited for."""
        named = re.search(r"(\S+) answers (?:you|again)", self.says.get("Wait until", ""))
        if not named:
            return []
        # Of jobs with one of their own each the text has what they share.
        urls = {
            url for url in URL.findall(self.text) if f"//{named[1]}" in url and "[...]" not in url
        }
        return sorted(urls) or [f"http://{named[1]}/"]


def blocks(text):
    """The blocks of an answer, in their order."""
    found, lines = [], None
    for line in text.splitlines():
        if HEAD.match(line):
            found.append(lines := [])
        # The sum at the end, and what was judged without before the first block.
        elif not line or re.match(r"^(\d+ held jobs? |Trust:)", line):
            if line:
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
        if verdict := VERDICT.match(line):
            out.verdict = out.verdict or verdict[1]
            label = "verdict"
        elif COMMAND.match(line):
            (out.now if label.startswith(NOW) else out.later).append(line)
        elif match := LABEL.match(line):
            label = match[1]
            out.says[label] = f"{out.says.get(label, '')} {match[2]}".strip()
        elif label and not label.startswith((NOW, *LATER)) and line.strip():
            out.says[label] = f"{out.says.get(label, '')} {line.strip()}".strip()
    return out
