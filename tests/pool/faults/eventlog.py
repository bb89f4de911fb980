"""The global event log, as far as a play needs it."""
import calendar
import os
import re
import time
from dataclasses import dataclass

HEAD = re.compile(r"(\d{3}) \((\d+)\.(\d+)\.\d+\) (\d\d)/(\d\d) (\d\d):(\d\d):(\d\d) (.*)")
CODE = re.compile(r"^\tCode (-?\d+) Subcode (-?\d+)$", re.M)
SITE = re.compile(r'^MachineAttrGLIDEIN_Site0 = "(\w+)"$', re.M)
# Of event 001: which execution point runs the job.
SLOT = re.compile(r"^\tSlotName: \S*@(\S+)$", re.M)
RETURN = re.compile(r"\(1\) Normal termination \(return value (\d+)\)")


@dataclass
class Event:
    number: int
    job: tuple
    time: int
    title: str
    body: str


class Log:
    """Reads events as they are written; times are UTC, the year is this one."""

    def __init__(self, path):
        self.path, self.offset, self.rest = path, 0, ""
        self.year = time.gmtime().tm_year

    def read(self):
        """The events since the last call; none while nothing was written."""
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8", errors="replace") as log:
            log.seek(self.offset)
            text = log.read()
            self.offset = log.tell()
        blocks = (self.rest + text).split("\n...\n")
        self.rest = blocks.pop()
        return [event for event in map(self.event, blocks) if event]

    def event(self, block):
        head = HEAD.match(block)
        if not head:
            return None
        number, cluster, proc, *date = (int(word) for word in head.groups()[:-1])
        instant = calendar.timegm((self.year, *date))
        return Event(number, (cluster, proc), instant, head[9], block)


def hold_of(event):
    """Code, subcode and reason of event 012."""
    code = CODE.search(event.body)
    return int(code[1]), int(code[2]), event.body.split("\n")[1].strip()


def succeeded(event):
    """Whether event 005 tells of an end with code 0."""
    code = RETURN.search(event.body)
    return bool(code) and code[1] == "0"
