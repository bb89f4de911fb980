"""Submit descriptions and programs of clusters, and how their mistakes are mended. Nothing in them tells the cause."""
import os
import pwd
import subprocess
from pathlib import Path

from causes import FAMILIES, PORTAL, QUOTAS, SERVICE
from kit import Handle
from speech import speech

COMMON = """\
executable = {home}/{folder}/run.sh
arguments = {arguments}
log = {home}/{folder}/job.log
should_transfer_files = YES
when_to_transfer_output = ON_EXIT
request_cpus = 1
request_memory = 64
request_disk = 20M
"""
# Where a play has programs that speak: files of output of each job, or one of all.
OUTPUT = {
    "own": "output = out.$(Process)\nerror = err.$(Process)\n",
    "shared": "output = out\nerror = err\n",
    "none": "",
}
# Seconds a job that is too slow or too large runs, and what it uses.
SLOW = 16
LIMIT = 9
HOG_SECONDS = 11
HOG_BYTES = 200 << 20


def run(owner, words, text=None):
    """Runs a command as an ordinary user; its output."""
    user = pwd.getpwnam(owner)
    environment = {"HOME": user.pw_dir, "USER": owner, "LOGNAME": owner, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, cwd=user.pw_dir, env=environment, check=False,
        user=user.pw_uid, group=user.pw_gid, extra_groups=[],
    )  # fmt: skip
    return done.stdout if done.returncode == 0 else ""


class Cluster:
    """A cluster of the schedule, as submitted."""

    # Options of condor_submit.
    SUBMIT = ()

    def __init__(self, plan, world):
        self.plan, self.world = plan, world
        self.id = None
        self.mended_at = None  # a mend by file
        self.family = FAMILIES[plan["family"]]
        self.flaw = next((flaw for flaw in self.family.flaws if flaw.cause == plan["flaw"]), None)
        self.owner = plan["owner"]
        self.home = Path("/home", self.owner)
        self.folder = f"run{plan['number']:03}"
        self.data = f"run{plan['number']:03}"

    def is_bad(self, proc):
        return self.flaw is not None and proc in self.plan["bad"]

    def of_kind(self, *kinds):
        return [name for name in self.plan["needs"] if SERVICE[name].kind in kinds]

    def submit(self):
        folder = self.home / self.folder
        folder.mkdir(exist_ok=True)
        self.write_program(mended=False)
        user = pwd.getpwnam(self.owner)
        os.chown(folder, user.pw_uid, user.pw_gid)
        text = COMMON.format(home=self.home, folder=self.folder, arguments=self.arguments())
        text += self.output_lines() + self.lines() + self.plan.get("lines", "") + f"queue {self.plan['procs']}\n"
        out = run(self.owner, ["condor_submit", "-terse", *self.SUBMIT], text)
        self.id = int(out.split(".")[0]) if out else None
        if self.id and self.flaw and self.flaw.cause == "missing-folder":
            self.work_folder().rmdir()

    def arguments(self):
        return f"{'--fats' if self.flaw and self.flaw.cause == 'bad-argument' else '--fast'} $(Process)"

    def output_lines(self):
        return OUTPUT[self.plan.get("output", "none")].replace("= ", f"= {self.home}/{self.folder}/")

    # What the submit description says beside the common lines.

    def lines(self):
        name, cause = self.family.name, self.flaw.cause if self.flaw else None
        if name in ("refused", "status-404", "status-503", "status-403"):
            self.arrange_urls()
            return f"transfer_input_files = {self.url('$(Process)', wrong=cause)}\n"
        if name in ("input-missing", "input-unreadable"):
            self.arrange_files()
            return f"transfer_input_files = {self.path('$(Process)', wrong=cause)}\n"
        if name == "folder-missing":
            self.make_work_folder()
            return f"initialdir = {self.plan['needs'][0]}/{self.data}\n"
        if name == "output-missing":
            return f"transfer_output_files = {'results' if cause == 'wrong-output' else 'result'}.dat\n"
        if name == "quota":
            where = f"{self.quota()}/$(Cluster).$(Process).dat"
            return f'transfer_output_files = result.dat\ntransfer_output_remaps = "result.dat = {where}"\n'
        if name == "exit-code":
            return "on_exit_hold = ExitCode =!= 0\non_exit_hold_subcode = ExitCode\n"
        if name == "time":
            return (
                f"+RunLimit = {LIMIT}\nperiodic_hold = JobStatus == 2 && time() - JobCurrentStartDate > RunLimit\n"
                'periodic_hold_reason = "ran longer than RunLimit"\nperiodic_hold_subcode = 46\n'
            )
        return ""

    def quota(self):
        if self.plan["needs"]:
            return self.plan["needs"][0]
        return self.world.quota_of_project(f"{QUOTAS[self.plan['number'] % 2].name}/{self.data}")

    def work_folder(self):
        """Where it is stored: it may be behind a mount that is gone now."""
        return Path("/srv/store", Path(self.plan["needs"][0]).name, self.data)

    def make_work_folder(self):
        self.work_folder().mkdir(exist_ok=True)
        self.work_folder().chmod(0o777)

    # URLs: /run017/part3.dat, on the portal below the owner's name.

    def url(self, proc, wrong=None):
        server, port, part = PORTAL if self.family.name == "status-403" else self.plan["needs"][0], 8080, "part"
        if wrong == "wrong-server":
            port = 8088
        elif wrong in ("wrong-url", "broken-url"):
            part = "input"
        below = f"{self.owner}/{self.data}" if server == PORTAL else self.data
        return f"http://{server}:{port}/{below}/{part}{proc}.dat"

    def arrange_urls(self):
        cause = self.flaw.cause if self.flaw else None
        status = {"wrong-url": 404, "wrong-url-one": 404, "not-yet-produced": 404, "broken-url": 503, "forbidden-url": 403}
        if cause not in status:
            return
        for proc in self.plan["bad"]:
            server, path = self.url(proc, wrong=cause)[7:].split(":8080", 1)
            self.world.status[server, path] = status[cause]

    def allow_urls(self):
        """The files of the cluster are there, or allowed, from now on."""
        for key in [key for key in self.world.status if f"/{self.data}/" in key[1]]:
            del self.world.status[key]

    # Files: /data/atlas/run017/part3.dat

    def path(self, proc, wrong=None):
        return f"{self.plan['needs'][0]}/{self.data}/{'input' if wrong == 'wrong-path' else 'part'}{proc}.dat"

    def stored(self, proc):
        return Path("/srv/store", Path(self.plan["needs"][0]).name, self.data, f"part{proc}.dat")

    def arrange_files(self):
        gone = self.flaw and self.flaw.cause in ("deleted-input", "not-yet-produced", "wrong-path-one")
        self.stored(0).parent.mkdir(exist_ok=True)
        for proc in range(self.plan["procs"]):
            if gone and proc in self.plan["bad"]:
                continue
            self.stored(proc).write_text("17\n")
            if self.flaw and self.flaw.cause == "unreadable-input":
                self.stored(proc).chmod(0o600)

    def restore_files(self):
        for proc in range(self.plan["procs"]):
            self.stored(proc).write_text("17\n")
            self.stored(proc).chmod(0o644)

    # The program.

    def write_program(self, mended):
        path = self.home / self.folder / "run.sh"
        path.write_text(self.program(mended))
        path.chmod(0o755)

    def program(self, mended):
        cause = self.flaw.cause if self.flaw and not mended else None
        seconds = self.plan["seconds"]
        if self.family.name == "memory":
            chance = {"memory-too-small": 1.0, "memory-varies": 1.0 - self.flaw.luck}[self.flaw.cause]
            return (
                "#!/usr/bin/python3\nimport random, time\n"
                f"block = b'1' * ({HOG_BYTES} if random.random() < {chance} else 1)\ntime.sleep({HOG_SECONDS})\n"
            )
        if self.family.name == "disk":
            chance = {"disk-too-small": 1.0, "disk-varies": 1.0 - self.flaw.luck}[self.flaw.cause]
            return (
                f"#!/bin/sh\n{self.draw(chance)} && head -c 60M /dev/zero >scratch.dat\n"
                f"sleep {HOG_SECONDS}\nrm -f scratch.dat\n"
            )
        if self.family.name == "time":
            chance = {"too-long": 1.0, "time-varies": 1.0 - self.flaw.luck, "slow-site": 0.0}[self.flaw.cause]
            slow = 'test -e /srv/site/extra' if self.flaw.cause == "slow-site" else f"! {self.draw(chance)}"
            return f"#!/bin/sh\n{slow} && exec sleep {seconds}\nexec sleep {SLOW}\n"
        if self.family.name == "interpreter":
            path = {"bad-interpreter": "software/bin/tol", "site-lacks-software": "extra/bin/tool"}
            return f"#!/srv/site/{path.get(cause, 'software/bin/tool')}\nsleep {seconds}\n"
        if self.family.name == "quota":
            size = "8M" if cause == "too-large-output" else "200K"
            return f"#!/bin/sh\nsleep {seconds}\nhead -c {size} /dev/zero >result.dat\n"
        if self.family.name in ("output-missing", "exit-code"):
            return self.program_with_checks(cause)
        return f"#!/bin/sh\nsleep {seconds}\n"

    def program_with_checks(self, cause):
        fails = [(f"test -e /srv/services/{name.replace(' ', '-')}", name) for name in self.of_kind("flag")]
        if self.of_kind("software"):
            fails.append(("test -x /srv/site/software/bin/tool", "software"))
        if self.of_kind("host"):
            fails.append(("test -e /srv/host/ok", "host"))
        if cause == "bug":
            fails += [(f'test "$2" != {proc}', "bug") for proc in self.plan["bad"]]
        if cause == "flaky":
            fails.append((f"! {self.draw(1.0 - self.flaw.luck)}", "flaky"))
        if self.family.name == "output-missing":
            end = "echo 1 >result.dat"
            otherwise = "exit 0"
        else:
            fails.append(('test "$1" = --fast', "bad-argument"))
            end, otherwise = "exit 0", f"exit {self.plan['exit_code']}"
        checks = "".join(f"{check} || {self.failing(what, otherwise)}\n" for check, what in fails)
        return f"#!/bin/sh\nsleep {self.plan['seconds']}\n{checks}{end}\n"

    def failing(self, what, otherwise):
        """What the program does when a check fails."""
        words = speech(self.plan.get("voice", {}), what)
        return f"{{\n{words.shell()}}}" if words else otherwise

    @staticmethod
    def draw(chance):
        """A shell command that succeeds with this probability, anew in each run."""
        return f"test $(od -An -N2 -tu2 /dev/urandom) -lt {round(chance * 65_536)}"

    # Mends.

    def mend_files(self):
        """Mends a mistake that lies in files or on a server, for the whole cluster."""
        match self.flaw.cause:
            case "deleted-input" | "unreadable-input" | "not-yet-produced" if self.family.name.startswith("input"):
                self.restore_files()
            case "forbidden-url" | "not-yet-produced":
                self.allow_urls()
            case "missing-folder":
                self.make_work_folder()
            case _:
                self.write_program(mended=True)

    def correct(self, proc):
        """What the owner corrects: attributes of this job and their expressions, or, None, files for the whole cluster."""
        if self.flaw.mend == "file":
            self.mend_files()
            return None
        return [self.edit("other", proc)]

    def edit(self, action, proc):
        """The attributes to set for a job: name and expression."""
        if action == "memory":
            return "RequestMemory", "512"
        if action == "disk":
            return "RequestDisk", "200000"
        match self.flaw.cause if self.flaw else None:
            case "wrong-server" | "wrong-url" | "broken-url":
                return "TransferInput", f'"{self.url(proc)}"'
            case "wrong-path":
                return "TransferInput", f'"{self.path(proc)}"'
            # The right file of a single job lies elsewhere.
            case "wrong-url-one":
                return "TransferInput", f'"{self.url(proc).replace("part", "piece")}"'
            case "wrong-path-one":
                self.stored(proc).with_name(f"piece{proc}.dat").write_text("17\n")
                return "TransferInput", f'"{self.path(proc).replace("part", "piece")}"'
            case "wrong-output":
                return "TransferOutput", '"result.dat"'
            case "bad-argument":
                return "Args", f'"--fast {proc}"'
            case "too-long" | "time-varies" | "slow-site":
                return "RunLimit", "600"
        return None

    # What is true, for `truth.py`.

    def faulty(self, cause, proc):
        """What is really wrong where this service or flaw holds the job: kind and name, each a right answer."""
        program = ("program", f"{self.home}/{self.folder}/run.sh")
        service = SERVICE.get(cause)
        if service and service.place:
            return [(service.reach, service.place)]
        if service and service.kind == "flag":
            return [("service", cause)]
        if self.family.name in ("refused", "status-404", "status-503", "status-403"):
            url = self.url(proc, wrong=None if service else cause)
            server = ("server", url.split("/")[2].split(":")[0])
            return [("url", url), server if service else ("attribute", "TransferInput")]
        if self.family.name in ("input-missing", "input-unreadable"):
            path = ("file", self.path(proc, wrong=None if service else cause))
            return [path] if cause in ("deleted-input", "unreadable-input") or service else [path, ("attribute", "TransferInput")]
        if self.family.name == "folder-missing":
            return [("file", f"{self.plan['needs'][0]}/{self.data}")]
        if self.family.name == "quota":
            return [("file", str(self.quota())), ("file", f"{self.quota()}/{self.id}.{proc}.dat")]
        return {
            "bad-interpreter": [("file", program[1]), program, ("file", "/srv/site/software/bin/tol")],
            "site-lacks-software": [("site", "Hilltop")],
            "slow-site": [("site", "Hilltop")],
            "wrong-output": [("attribute", "TransferOutput"), ("file", "results.dat")],
            "bad-argument": [("attribute", "Args"), ("attribute", "Arguments")],
            "bug": [program, ("file", program[1])],
            "flaky": [program, ("file", program[1])],
            "memory-too-small": [("attribute", "RequestMemory")],
            "memory-varies": [("attribute", "RequestMemory")],
            "disk-too-small": [("attribute", "RequestDisk")],
            "disk-varies": [("attribute", "RequestDisk")],
            "too-long": [("attribute", "RunLimit"), ("limit", "RunLimit"), program],
            "time-varies": [("attribute", "RunLimit"), ("limit", "RunLimit"), program],
        }[cause]

    def says(self, cause, proc):
        """What the line of the program's error output that tells this cause has in it."""
        words = speech(self.plan.get("voice", {}), cause)
        return words.line if words and self.plan["output"] != "none" else None

    def truths(self):
        """Of each service and flaw that may hold a job of the cluster what is wrong, and the line that says so."""
        causes = [*self.plan["needs"], *([self.flaw.cause] if self.flaw else [])]
        return {
            cause: [
                {"faulty": self.faulty(cause, proc), "says": self.says(cause, proc)}
                for proc in range(self.plan["procs"])
            ]
            for cause in causes
        }


class KitCluster(Cluster):
    """A cluster of a module of causes."""

    # A script may well have been edited elsewhere after its submission.
    SUBMIT = ("-allow-crlf-script",)

    def __init__(self, plan, world):
        super().__init__(plan, world)
        self.maker, self.handle = self.family.made_by, Handle(plan, world)

    def submit(self):
        # The folder is there before the cause makes what it needs.
        self.handle.put(f"{self.handle.folder}/run.sh", "", 0o755)
        self.maker.prepare(self.handle)
        super().submit()

    def arguments(self):
        return ""

    def lines(self):
        return (
            "on_exit_hold = ExitBySignal || ExitCode =!= 0\n"
            "on_exit_hold_subcode = ifThenElse(ExitBySignal, 0, ExitCode)\n" + self.maker.submit(self.handle)
        )

    def write_program(self, mended):
        self.handle.put(f"{self.handle.folder}/run.sh", self.maker.program(self.handle, mended), 0o755)

    def mend_files(self):
        self.maker.heal(self.handle)

    def correct(self, proc):
        edits = self.maker.correct(self.handle, proc)
        if edits is not None:
            return list(edits.items())
        self.write_program(mended=True)
        return None

    def faulty(self, cause, proc):
        service = SERVICE.get(cause)
        self.handle.service = cause if service else None
        return self.maker.faulty(self.handle, proc, service.place if service else None)

    def says(self, cause, proc):
        return self.maker.says(self.handle, proc)


def cluster_of(plan, world):
    return (KitCluster if FAMILIES[plan["family"]].made_by else Cluster)(plan, world)
