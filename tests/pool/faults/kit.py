#!/usr/bin/python3
"""Modules of causes: somebody writes a `Cause` for each kind of trouble, and the play takes it up beside the families of causes.py.

kit.py FILE... tries modules without a pool: every method once, every program compiled, all texts printed.
"""
import importlib.util
import os
import pwd
import random
import subprocess
import sys
from pathlib import Path

import causes
from causes import FAMILIES, SERVICE, SITES, Flaw

KINDS = ["passing", "lasting", "luck", "host"]
MOMENTS = {"input": "input", "start": "start", "end": "run"}
ACTIONS = ["memory", "disk", "site", "other"]
SEEN = ["local", "url", "ad", "nothing"]
FAULTY = ["file", "attribute", "url", "server", "host", "site", "limit", "program", "service"]


class Cause:
    """What causes are made from; the defaults of their attributes and methods."""

    name = story = kind = None
    seen_by = "nothing"  # or of each service that it needs one: a dict
    needs = ()
    moment = "end"
    helps = ()
    luck = 0.0
    where = ()
    passes = None
    some = False
    weight = 1.0

    def prepare(self, c):
        """Makes what the cluster needs, before its submission."""

    def submit(self, c):
        """Further lines of the submit description."""
        return ""

    def heal(self, c):
        """The flaw ends by itself."""

    def correct(self, c, proc):
        """The owner corrects the job."""
        return None

    def faulty(self, c, proc, place):
        """What is really wrong."""
        return []

    def says(self, c, proc):
        """What the program writes of it."""
        return None


class Service:
    """What jobs share. With the reach `site` or `host` there is one of it in each place."""

    def __init__(self, name, reach, begin, end, prepare=None):
        self.name, self.reach, self.begin, self.end, self.prepare = name, reach, begin, end, prepare

    def places(self):
        return {"service": [None], "site": list(SITES), "host": sum(SITES.values(), [])}[self.reach]

    def each(self):
        """One service of the play for each place."""
        return [
            causes.Service(
                self.name if place is None else f"{self.name} of {place}",
                "kit", self.name, self.reach, place, self.begin, self.end,
            )
            for place in self.places()
        ]  # fmt: skip


class Handle:
    """What the methods of a cause see of a cluster."""

    def __init__(self, plan, world):
        self.plan, self.world = plan, world
        self.owner = plan["owner"]
        self.tag = f"run{plan['number']:03}"
        self.home = f"/home/{self.owner}"
        self.folder = f"{self.home}/{self.tag}"
        self.procs, self.bad, self.seconds = plan["procs"], plan["bad"], plan["seconds"]
        self.dice = random.Random(plan["habit"]["seed"] + 1)
        self.service = None  # the one in trouble, where `faulty` is asked

    def put(self, path, text, mode=0o644):
        """Writes a file of the owner's, and makes folders that are missing."""
        path = Path(path)
        made = [folder for folder in [path.parent, *path.parent.parents] if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        user = pwd.getpwnam(self.owner)
        for one in [*made, path]:
            os.chown(one, user.pw_uid, user.pw_gid)


def load(path):
    """The module of a file, its services and causes in the tables of causes.py."""
    path = Path(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    # The module's own `from kit import ...` is to find these classes, also where this file is the program.
    sys.modules.setdefault("kit", sys.modules[__name__])
    spec.loader.exec_module(module)
    module.CAUSES = [one() if isinstance(one, type) else one for one in module.CAUSES]
    module.SERVICES = list(getattr(module, "SERVICES", []))
    by_name = {service.name: service for service in module.SERVICES}
    for service in module.SERVICES:
        SERVICE.update({one.name: one for one in service.each()})
    for cause in module.CAUSES:
        if cause.name in FAMILIES:
            raise ValueError(f"{path}: two causes have the name {cause.name}")
        FAMILIES[cause.name] = family_of(cause, by_name)
        of_services = cause.seen_by if isinstance(cause.seen_by, dict) else {}
        causes.SEEN_BY[cause.name] = None if of_services else cause.seen_by
        causes.SEEN_BY.update({(cause.name, service): seen for service, seen in of_services.items()})
    return module


def family_of(cause, services):
    needs = tuple(services[name].each() for name in cause.needs)
    flaws = () if cause.needs else (flaw_of(cause),)
    return causes.Family(
        cause.name, needs, flaws, MOMENTS[cause.moment], cause.weight, tuple(cause.helps), cause
    )


def flaw_of(cause):
    helps = tuple(cause.helps)
    reach = "job" if cause.some else "site" if cause.where else "cluster"
    passes = cause.passes is not None
    remedy = "wait" if passes or not helps else helps[0]
    return Flaw(
        cause.name, reach, remedy, "kit", transient=cause.kind != "lasting",
        luck=cause.luck, success=cause.luck, where=tuple(cause.where), also=helps, passes=passes,
    )  # fmt: skip


class NoWorld:
    """Stands for the world of a pool where there is none."""

    SITES = SITES

    def __init__(self, folder):
        self.folder = Path(folder)

    def server(self, name):
        assert name.endswith(".example"), f"server {name} does not end with .example"

    def answer(self, server, path, status, at=("AP", "Lakeside", "Hilltop")):
        assert status in ("refused", "slow") or isinstance(status, int), f"status {status!r}"
        assert set(at) <= {"AP", "Lakeside", "Hilltop"}, f"at {at}"

    def disk(self, path, size):
        pass

    def site(self, site):
        assert site in SITES, f"no site {site}"
        return self._made(self.folder / "sites" / site)

    def host(self, host):
        assert any(host in hosts for hosts in SITES.values()), f"no host {host}"
        return self._made(self.folder / "hosts" / host)

    @staticmethod
    def _made(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def complaints(cause, services):
    """What is wrong with the attributes of a cause."""
    checks = [
        (isinstance(cause.name, str) and cause.name, "name is missing"),
        (cause.story, "story is missing"),
        (cause.kind in KINDS, f"kind is none of {KINDS}"),
        (isinstance(cause.seen_by, dict) or cause.seen_by in SEEN, f"seen_by is none of {SEEN}"),
        (cause.moment in MOMENTS, f"moment is none of {list(MOMENTS)}"),
        (set(cause.helps) <= set(ACTIONS), f"helps has others than {ACTIONS}"),
        (set(cause.needs) <= set(services), f"needs a service that is not in SERVICES: {cause.needs}"),
        (not (cause.needs and (cause.luck or cause.passes or cause.where)), "has needs and a flaw"),
        (cause.kind != "luck" or 0 < cause.luck < 1, "luck is not between 0 and 1"),
        (cause.kind != "passing" or cause.needs or cause.passes, "passing, but neither needs nor passes"),
    ]
    return [text for holds, text in checks if not holds]


def try_out(path):
    import tempfile

    module = load(path)
    services = {service.name for service in module.SERVICES}
    wrong = 0
    for cause in module.CAUSES:
        print(f"== {cause.name} ({cause.kind}, seen by {cause.seen_by}): {cause.story}")
        for text in complaints(cause, services):
            wrong += 1
            print(f"WRONG: {text}")
    with tempfile.TemporaryDirectory() as folder:
        for cause in module.CAUSES:
            print(f"== {cause.name}")
            plan = {
                "number": 17, "owner": "alice", "procs": 4, "bad": [1, 2] if cause.some else [0, 1, 2, 3],
                "seconds": 3, "habit": {"seed": 1},
            }  # fmt: skip
            c = Handle(plan, NoWorld(folder))
            c.put = lambda *words, **more: print(f"   (puts {words[0]})")
            wrong += try_methods(cause, c, folder)
    print(f"{len(module.CAUSES)} causes, {wrong} wrong")
    return wrong


def try_methods(cause, c, folder):
    """Without a pool and its users a method may fail for want of them: that is said, no more."""
    wrong = 0
    print(cause.submit(c))
    for corrected in (False, True):
        text = cause.program(c, corrected)
        path = Path(folder, "program")
        path.write_text(text)
        first = text.split("\n", 1)[0]
        tool = ["python3", "-m", "py_compile"] if "python" in first else ["bash", "-n"] if "sh" in first else ["true"]
        done = subprocess.run([*tool, str(path)], capture_output=True, text=True, check=False)
        if done.returncode or not text.startswith("#!"):
            wrong += 1
            print(f"WRONG: the program does not compile: {first!r} {done.stderr}")
    for name, call in {
        "faulty": lambda: cause.faulty(c, c.bad[0], "l1.lakeside.example"),
        "says": lambda: cause.says(c, c.bad[0]),
    }.items():
        try:
            answer = call()
            print(f"{name}: {answer}")
            if name == "faulty" and not (answer and all(kind in FAULTY for kind, _ in answer)):
                wrong += 1
                print(f"WRONG: faulty names nothing, or another kind than {FAULTY}")
        except Exception as error:  # whatever a module of somebody else raises
            wrong += 1
            print(f"WRONG: {name}: {error!r}")
    for name in ("prepare", "correct", "heal"):
        print(f"{name}: {'own' if name in vars(type(cause)) else 'none'}")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if sum(try_out(path) for path in sys.argv[1:]) else 0)
