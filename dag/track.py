#!/usr/bin/env python3
"""Feeds Weights & Biases from the folder of a running sweep.

usage: track.py DIR [--once] [--poll SECONDS]

Reads what the sweep's nodes leave in DIR and gives it to the `wandb` client: a run for each trial (configuration, every
epoch's figures, result), and one of job type "select" with the sweep file, the best model and the report as artifacts.
Without --once it goes on until SIGTERM, then sends what is left. With --once it asks one that follows the same folder to end (DIR/tracking/stop),
sends what is left and ends. At its end it says on standard output where runs were written.

DIR/tracking/state.json says what was sent, so that nothing is sent twice; DIR/tracking/wandb holds what `wandb sync` takes.
The key comes from the environment or from netrc, never from DIR. Whatever fails here is said on standard error, once, and
the exit status is 0 all the same: a sweep does not depend on it.

Needs Python 3.9 or later and the package `wandb`, which only the sending process, a child, imports.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import hashlib
import json
import math
import os
import queue
import re
import shlex
import shutil
import signal
import struct
import stat
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterator

LARGEST = 64 << 20  # bytes of a JSON or metrics file; assumed
LARGEST_ARTIFACT = 4 << 30  # bytes of a file that is passed on as it is; assumed
LONGEST_NAME = 200  # characters of the name of a figure; assumed
LAST_EPOCH = 1 << 31
SETTLED_SECONDS = 3  # from the last change of a file that a node brings back until all of it is taken to be there
ITEM_SECONDS = {"online": 120, "offline": 60}  # without a word from the sending process
WRITE_SECONDS = 5  # from the end of a run to the end of its file
TERMINATE_SECONDS = 8  # from SIGTERM to the end
LOCK_SECONDS = 30  # that a tracker waits for one that is about to end
CONFIGURATION, MODEL, REPORT = "sweep-configuration", "best-model", "report"

said: set[str] = set()


def say(text: str) -> None:
    """Says a thing on standard error, once."""
    key = os.environ.get("WANDB_API_KEY")
    text = " ".join((text.replace(key, "(key)") if key else text).split())[:1000]
    if text not in said:
        said.add(text)
        print(f"track: {text}", file=sys.stderr, flush=True)


# What the sweep's folder holds.


def is_settled(path: Path) -> bool:
    """Whether a file is not being written; also if it is not there."""
    try:
        return time.time() - path.lstat().st_mtime >= SETTLED_SECONDS
    except OSError:
        return True


def opened(folder: Path, name: str, most: int = LARGEST) -> BinaryIO:
    """A regular file below a folder: no link below it is followed, no pipe is waited for.

    OSError where it is something else or larger.
    """
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *folders, last = Path(name).parts
        for part in folders:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        file = open(os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at), "rb")
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OSError("a link, expected a regular file in a folder") from None
        raise
    finally:
        os.close(at)
    about = os.fstat(file.fileno())
    if stat.S_ISREG(about.st_mode) and about.st_size <= most:
        return file
    file.close()
    raise OSError(f"more than {most} bytes" if stat.S_ISREG(about.st_mode) else "no regular file")


def content(folder: Path, name: str) -> bytes:
    """The bytes of a file below a folder; none if it is not there or is nothing to read, which is said."""
    try:
        with opened(folder, name) as file:
            return file.read(LARGEST)
    except FileNotFoundError:
        return b""
    except OSError as error:
        say(f"{folder / name}: {error.strerror or error}")
        return b""


def read_json(folder: Path, name: str) -> Any:
    """What a JSON file below a folder holds; None if it is not there or not whole."""
    text = content(folder, name)
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError) as error:
        if is_settled(folder / name):
            say(f"{folder / name}: {error}")
        return None


def figures(of: Any) -> dict[str, Any]:
    """The numbers and short texts of an object: W&B takes neither null nor what is not finite."""
    kept = {}
    for name, value in of.items() if isinstance(of, dict) else ():
        if len(name) > LONGEST_NAME:
            continue
        if (isinstance(value, int) and abs(value) < 1 << 63) or (isinstance(value, float) and math.isfinite(value)):
            kept[name] = value
        elif isinstance(value, str):
            kept[name] = value[:2000]
    return kept


def epochs(folder: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Epoch and figures of each complete line of a metrics.jsonl."""
    for number, line in enumerate(content(folder, name).split(b"\n")[:-1], 1):
        try:
            values = json.loads(line)
            epoch = values["epoch"]
            if isinstance(epoch, bool) or not isinstance(epoch, int) or not 0 <= epoch < LAST_EPOCH:
                raise ValueError(f"epoch is {epoch!r}, expected a whole number")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            say(f"{folder / name}: line {number}: not the figures of an epoch: {error}")
            continue
        yield epoch, {name: value for name, value in figures(values).items() if name != "trial"}


class Sweep:
    """The folder of a sweep."""

    def __init__(self, folder: Path):
        """Reads the plan; ValueError if there is none."""
        self.folder = folder
        path = folder / "sweep.json"
        self.plan = read_json(folder, path.name)
        if not isinstance(self.plan, dict) or not isinstance(self.plan.get("trials"), list):
            raise ValueError(f"{path}: no plan of a sweep")
        self.name = str(self.plan.get("name") or "sweep")
        self.settings = {of["number"]: of for of in self.plan["settings"]}
        self.rungs = sorted(of["number"] for of in self.plan["rungs"])
        digest = hashlib.sha256(content(folder, path.name)).hexdigest()[:8]
        slug = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[:40] or "sweep"
        self.prefix = f"{slug}-{digest}"

    def trial(self, trial: dict[str, Any], final: bool, whole: bool) -> dict[str, Any] | None:
        """What there is to send of a trial, in all; None if nothing yet.

        A rung's epochs are told of when its result is there, in the final pass whatever there is. `whole`: a trial is told
        of when it is over.
        """
        number = trial["number"]
        within = f"trials/{number:03}"
        asked = read_json(self.folder, f"{within}/parameters.json")
        asked = asked.get("parameters") if isinstance(asked, dict) else None
        rows: dict[int, dict[str, Any]] = {}
        summary: dict[str, Any] = {}
        fate = self.fate(number)
        for rung in self.rungs:
            names = [f"{within}/rung{rung}/{name}" for name in ("result.json", "metrics.jsonl")]
            result = read_json(self.folder, names[0])
            if not final and not all(is_settled(self.folder / name) for name in names):
                result = None
            if result is not None or final:
                for epoch, values in epochs(self.folder, names[1]):
                    rows.setdefault(epoch, {}).update(values)
            if isinstance(result, dict):
                summary = {name: value for name, value in figures(result).items() if name != "trial"}
                summary.update(figures(result.get("metrics")))
                summary.update(lost=fate == "lost", best=fate == "best")
        if not (rows or summary) or (whole and fate is None and not final):
            return None
        setting = self.settings.get(trial["setting"], {})
        config = dict(asked) if isinstance(asked, dict) else {}
        config.update(
            trial=number,
            setting=trial["setting"],
            frame_edges=setting.get("frame_edges"),
            slots=setting.get("slots"),
            sweep=self.name,
            sweep_seed=self.plan.get("seed"),
            metric=(self.plan.get("metric") or {}).get("name"),
            goal=(self.plan.get("metric") or {}).get("goal"),
        )
        return {
            "id": f"{self.prefix}-{number:03}",
            "name": f"trial {number:03}",
            "job_type": "train",
            "config": config,
            "rows": sorted(rows.items()),
            "summary": summary,
            "artifacts": [],
            "over": fate is not None,
        }

    def fate(self, trial: int) -> str | None:
        """`lost`, or `best` after the last rung; None while the trial may go on or be the best."""
        for rung in self.rungs:
            decision = read_json(self.folder, f"rungs/rung{rung}.json")
            for of, fate in (decision.get("fates") or ()) if isinstance(decision, dict) else ():
                if of == trial and fate == "lost":
                    return "lost"
                if of == trial and rung == self.rungs[-1]:
                    return "best"
        return None

    def is_plain(self, name: str) -> bool:
        """A file can be passed on; why not is said."""
        try:
            opened(self.folder, name, LARGEST_ARTIFACT).close()
            return True
        except FileNotFoundError:
            return False
        except OSError as error:
            say(f"{self.folder / name}: {error.strerror or error}")
            return False

    def select(self, final: bool) -> dict[str, Any] | None:
        """What was asked and what came of it; None before there is a best model, whole, or, in the final pass, any file."""
        best = read_json(self.folder, "best/trial.json")
        files = {
            CONFIGURATION: ["sweep.yaml"],
            MODEL: ["bestmodel.pt", "bestmodel.info"],
            REPORT: ["report.html", "leaderboard.json", "leaderboard.txt", "sweep.html", "verdict.txt"],
        }
        artifacts = []
        for kind, names in files.items():
            there = [name for name in names if self.is_plain(name)]
            if there:
                artifacts.append({"name": f"{self.prefix}-{kind}", "type": kind, "files": there})
        if not any(artifact["type"] == MODEL for artifact in artifacts) and not (final and artifacts):
            return None
        if not final and not all(is_settled(self.folder / path) for artifact in artifacts for path in artifact["files"]):
            return None
        summary = {}
        if isinstance(best, dict):
            summary = {f"best_{name}": value for name, value in figures(best).items()}
            summary.update({f"best_{name}": value for name, value in figures(best.get("metrics")).items()})
        verdict = content(self.folder, "verdict.txt")
        if verdict:
            summary["verdict"] = verdict.decode(errors="replace")[:2000]
        keep = ("name", "seed", "method", "metric", "rungs", "settings", "patience")
        return {
            "id": f"{self.prefix}-select",
            "name": "select",
            "job_type": "select",
            "config": {name: self.plan[name] for name in keep if name in self.plan},
            "rows": [],
            "summary": summary,
            "artifacts": artifacts,
        }


# What was sent.


class State:
    """DIR/tracking/state.json: of each run the last epoch sent, a digest of the rest, and its finished directories."""

    def __init__(self, folder: Path):
        self.path = folder / "state.json"
        found = read_json(folder, self.path.name)
        runs = found.get("runs") if isinstance(found, dict) else None
        self.runs = {run: of for run, of in (runs or {}).items() if isinstance(of, dict)}

    def remaining(self, item: dict[str, Any]) -> dict[str, Any] | None:
        """The part of an item that was not sent; None if it all was."""
        sent = self.runs.get(item["id"], {})
        rows = [(epoch, values) for epoch, values in item["rows"] if epoch > sent.get("epoch", -1)]
        digest = hashlib.sha256(json.dumps([item["config"], item["summary"]], sort_keys=True).encode())
        for artifact in item["artifacts"]:
            for name in artifact["files"]:
                digest.update(name.encode())
                with opened(self.path.parent.parent, name, LARGEST_ARTIFACT) as file:
                    while part := file.read(1 << 20):
                        digest.update(part)
        if not rows and digest.hexdigest() == sent.get("digest"):
            return None
        return {**item, "rows": rows, "digest": digest.hexdigest()}

    def sent(self, item: dict[str, Any], directory: str) -> None:
        """Remembers that an item was sent, and where its directory is."""
        of = self.runs.setdefault(item["id"], {"directories": []})
        of["directories"] = [*of.get("directories", []), directory]
        of["digest"] = item["digest"]
        if item["rows"]:
            of["epoch"] = item["rows"][-1][0]
        beside = self.path.with_suffix(".new")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
            with open(os.open(beside, flags, 0o666), "w") as file:
                json.dump({"format": 1, "runs": self.runs}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.path)
        except OSError as error:
            say(f"{self.path}: {error.strerror}: what was sent is not remembered")

    def remove_unfinished(self, wandb: Path, run: str | None = None) -> None:
        """Removes directories of runs whose sending did not end: what they hold is sent anew."""
        for of_run, of in [(run, self.runs.get(run, {}))] if run else list(self.runs.items()):
            for path in wandb.glob(f"*run-*-{of_run}"):
                if path.name not in of.get("directories", []) and not list(path.glob("*.synced")):
                    shutil.rmtree(path, ignore_errors=True)


# Sending, in a process of its own: nothing that the client does can harm or hold up the one that follows the sweep.


class Sender:
    """A process that gives runs to the `wandb` client, one after the other."""

    def __init__(self, mode: str, tracking: Path, plan: dict[str, Any], lock: Any):
        about = {"mode": mode, "tracking": str(tracking), "project": plan.get("project"), "entity": plan.get("entity")}
        # These would make all runs one.
        of_a_run = ("WANDB_RUN_ID", "WANDB_SWEEP_ID", "WANDB_NAME", "WANDB_RESUME", "WANDB_DIR", "WANDB_RUN_GROUP")
        environment = {name: value for name, value in os.environ.items() if name not in of_a_run}
        environment.update(
            WANDB_DATA_DIR=str(tracking / "data"),
            WANDB_CACHE_DIR=str(tracking / "cache"),
            WANDB_SILENT="true",
            WANDB_ERROR_REPORTING="false",
        )
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--send", json.dumps(about)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
            pass_fds=[lock.fileno()],  # Who comes after us waits for the end of this one as well.
        )
        self.answers: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        """Passes answers on; an empty one at the end."""
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put(b"")

    def send(self, item: dict[str, Any], deadline: Callable[[], float]) -> str:
        """Sends an item and returns the name of its directory; OSError says why it could not be sent."""
        try:
            self.process.stdin.write(json.dumps(item).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It said why before it ended.
        answer = None
        while answer is None:
            try:
                answer = self.answers.get(timeout=0.1)
            except queue.Empty:
                if time.monotonic() > deadline():
                    raise OSError("W&B did not answer in time") from None
        if not answer:
            raise OSError(f"the process that sends ended with status {self.process.wait()}")
        found = json.loads(answer)
        if "error" in found:
            raise OSError(found["error"])
        return found["directory"]

    def close(self, seconds: float) -> None:
        """Ends the process, if it does not end by itself with all it started."""
        try:
            self.process.stdin.close()
            self.process.wait(max(0.1, seconds))
        except (OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        self.process.wait()


def send_all() -> None:
    """The sending process: items in, a line of JSON each, and out where each went or why it did not."""
    about = json.loads(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    # What the client prints goes nowhere.
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        try:
            import wandb

            item = json.loads(line)
            answer = {"directory": send_one(wandb, item, about)}
        except ModuleNotFoundError as error:
            answer = {"error": f"{sys.executable}: {error}: pip install wandb"}
        except BaseException as error:
            # The same of every run, so that it is said once.
            answer = {"error": f"W&B: {type(error).__name__}: {error}".replace(item["id"], "RUN")}
        print(json.dumps(answer), file=answers, flush=True)
        if "error" in answer:
            # Its exit handlers may wait for the network for ever.
            os._exit(1)


def send_one(wandb: Any, item: dict[str, Any], about: dict[str, Any]) -> str:
    """Sends an item; the name of its directory under tracking/wandb."""
    settings = wandb.Settings()
    wanted = {
        "silent": True,
        "console": "off",
        "disable_git": True,
        "save_code": False,
        "disable_job_creation": True,
        "init_timeout": 30,
        "x_disable_stats": True,
        "x_disable_meta": True,
        "x_disable_machine_info": True,
        "x_save_requirements": False,
    }
    for name, value in wanted.items():
        try:
            setattr(settings, name, value)
        except ValueError:
            pass  # Other versions have other settings.
    directory = Path(about["tracking"]) / "wandb"
    # Directories are named after the second they were made in.
    while (directory / f"offline-run-{time.strftime('%Y%m%d_%H%M%S')}-{item['id']}").exists():
        time.sleep(0.1)
    # resume: a run that exists is gone on with, on the server and by `wandb sync`.
    run = wandb.init(
        project=about["project"] or None,
        entity=about["entity"],
        id=item["id"],
        name=item["name"],
        group=item["group"],
        job_type=item["job_type"],
        config=item["config"],
        mode=about["mode"],
        dir=about["tracking"],
        resume="allow",
        settings=settings,
    )
    if Path(run.settings.sync_dir).parent != directory:
        raise OSError(f"{about['tracking']}: cannot be written to")
    directory = Path(run.settings.sync_dir)
    for epoch, values in item["rows"]:
        # Committed, for a row that is not changes the summary later on.
        run.log(values, step=epoch, commit=True)
    run.summary.update(item["summary"])
    with tempfile.TemporaryDirectory(dir=about["tracking"]) as folder:
        for artifact in item["artifacts"]:
            sent = wandb.Artifact(artifact["name"], type=artifact["type"])
            for name in artifact["files"]:
                # The client opens names, which may have become links meanwhile.
                copy = Path(folder) / name
                with opened(Path(about["tracking"]).parent, name, LARGEST_ARTIFACT) as file, open(copy, "wb") as to:
                    shutil.copyfileobj(file, to)
                if artifact["type"] == CONFIGURATION:
                    redact(copy)
                sent.add_file(str(copy), name=name)
            run.log_artifact(sent)
        run.finish()
    # The client does not say so where it could not write, and may write for a moment longer.
    until = time.monotonic() + WRITE_SECONDS
    while about["mode"] == "offline" and not is_whole(directory / f"run-{item['id']}.wandb"):
        if time.monotonic() > until:
            raise OSError(f"{directory.parent}: not written to the end: is the disk full?")
        time.sleep(0.05)
    return directory.name


def redact(path: Path) -> None:
    """Takes comments, and values that are secret, out of a sweep file."""
    import yaml  # wandb needs it

    key = os.environ.get("WANDB_API_KEY")

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            secret = re.compile(r"api.?key|token|password|secret", re.IGNORECASE)
            return {name: "(redacted)" if secret.search(str(name)) else clean(of) for name, of in value.items()}
        if isinstance(value, list):
            return [clean(of) for of in value]
        return "(redacted)" if isinstance(value, str) and key and key in value else value

    try:
        text = yaml.safe_dump(clean(yaml.safe_load(path.read_text())), sort_keys=False)
    except (yaml.YAMLError, ValueError, RecursionError):
        text = "# Left out: not YAML.\n"
    path.write_text(text)


def is_whole(path: Path) -> bool:
    """Whether a .wandb file holds the end of its run."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, at, record = path.read_bytes(), 7, b""
    while at + 7 <= len(content):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        crc, length, kind = struct.unpack_from("<IHB", content, at)
        part = content[at + 7 : at + 7 + length]
        if len(part) < length or zlib.crc32(part, zlib.crc32(bytes([kind]))) != crc:
            return False
        record = part if kind in (1, 2) else record + part
        if kind in (1, 4) and Record.FromString(record).WhichOneof("record_type") == "exit":
            return True
        at += 7 + length
    return False


# Following the sweep.


class Tracker:
    """Follows a sweep's folder."""

    def __init__(self, sweep: Sweep, offline: bool, lock: Any):
        self.sweep, self.offline, self.lock = sweep, offline, lock
        self.tracking = sweep.folder / "tracking"
        self.state = State(self.tracking)
        self.stopped = 0.0  # when SIGTERM came
        self.over: set[int] = set()  # trials of which nothing more is to come
        self.written: dict[str, set[str]] = {"online": set(), "offline": set()}  # ids of runs, by where they went
        self.state.remove_unfinished(self.tracking / "wandb")

    def stop(self, *_: Any) -> None:
        """SIGTERM, SIGINT."""
        self.stopped = self.stopped or time.monotonic()

    def is_stopped(self) -> bool:
        """Whether it was told to end, by a signal or by --once."""
        if not self.stopped and (self.tracking / "stop").exists():
            self.stop()
        return bool(self.stopped)

    def items(self, final: bool) -> Iterator[dict[str, Any]]:
        """What is left to send."""
        for trial in [*self.sweep.plan["trials"], None]:
            number = trial["number"] if trial else 0
            if number in self.over and not final:
                continue
            try:
                item = self.sweep.trial(trial, final, self.offline) if trial else self.sweep.select(final)
                left = self.state.remaining(item) if item else None
            except Exception as error:  # noqa: BLE001: what a trial left ends nothing.
                say(f"{self.sweep.folder}: {type(error).__name__}: {error}")
                continue
            if left:
                yield {**left, "group": self.sweep.name}
            elif item and item.get("over"):
                self.over.add(number)

    def send(self, mode: str, final: bool) -> bool:
        """One pass over the folder. False if something could not be sent; two failures in a row end the pass."""
        sender, failed, in_a_row, last = None, False, 0, 0.0

        def deadline() -> float:
            return min(last, self.stopped + TERMINATE_SECONDS) if self.is_stopped() else last

        for item in self.items(final):
            try:
                if self.stopped and time.monotonic() > self.stopped + TERMINATE_SECONDS:
                    raise OSError("ended before all was sent: track.py DIR --once sends the rest")
                if sender is None:
                    sender = Sender(mode, self.tracking, self.sweep.plan["tracking"], self.lock)
                self.state.remove_unfinished(self.tracking / "wandb", item["id"])
                last = time.monotonic() + ITEM_SECONDS[mode]
                self.state.sent(item, sender.send(item, deadline))
                self.written[mode].add(item["id"])
                in_a_row = 0
            except OSError as error:
                say(f"{error}")
                failed, in_a_row = True, in_a_row + 1
                if sender:
                    sender.close(0)
                    sender = None
                if in_a_row == 2 or self.stopped:
                    break
        if sender:
            last = time.monotonic() + 10
            sender.close(deadline() - time.monotonic())
        return not failed

    def final(self) -> None:
        """Sends all that is left; where the network does not answer, to directories for `wandb sync`."""
        if not self.offline and self.send("online", True):
            return
        if not self.offline and not self.stopped:
            say(f"what could not be sent is in {self.tracking / 'wandb'}: wandb sync takes it")
        if self.offline or not self.stopped:
            self.send("offline", True)

    def tell(self) -> None:
        """Says on standard output where runs were written."""
        to, wandb = self.sweep.plan["tracking"], self.tracking / "wandb"
        project = "/".join(name for name in (to.get("entity"), to.get("project")) if name)
        where = {
            "online": f"sent to W&B, project {project or 'uncategorized'}",
            "offline": f"written to {wandb}: `wandb sync {shlex.quote(str(wandb))}` sends them",
        }
        for mode, runs in self.written.items():
            if runs:
                print(f"track: {len(runs)} {'run' if len(runs) == 1 else 'runs'} {where[mode]}", flush=True)

    def follow(self, poll: float) -> None:
        """Sends what comes, until SIGTERM. After a failure it waits longer each time, ten minutes at most."""
        wait = poll
        while not self.is_stopped():
            wait = poll if self.send("offline" if self.offline else "online", False) else min(2 * wait, 600)
            until = time.monotonic() + wait
            while time.monotonic() < until and not self.is_stopped():
                time.sleep(min(0.5, poll))


def lock(tracking: Path, once: bool) -> Any:
    """The lock that only one tracker of a folder has; None if another does not let go of it. --once asks it to."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    file, stop = open(os.open(tracking / "lock", flags, 0o666), "w"), tracking / "stop"
    until = time.monotonic() + LOCK_SECONDS
    while time.monotonic() < until:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stop.unlink(missing_ok=True)
            return file
        except BlockingIOError:
            if once:
                stop.touch()
            time.sleep(0.2)
    file.close()
    return None


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Feeds Weights & Biases from the folder of a sweep.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of `holdadvise-train dag`")
    parser.add_argument("--once", action="store_true", help="send what is left and end")
    parser.add_argument("--poll", type=float, default=30, metavar="SECONDS", help="how often to look (default: 30)")
    options = parser.parse_args()
    try:
        sweep = Sweep(options.folder.absolute())
        tracking = sweep.plan.get("tracking") or {}
        mode = os.environ.get("WANDB_MODE", "online")
        if not tracking.get("enabled") or mode == "disabled":
            return
        (sweep.folder / "tracking").mkdir(exist_ok=True)
        locked = lock(sweep.folder / "tracking", options.once)
        if locked is None:
            say(f"{sweep.folder}: another tracker follows it")
            return
        tracker = Tracker(sweep, bool(tracking.get("offline")) or mode in ("offline", "dryrun"), locked)
        signal.signal(signal.SIGTERM, tracker.stop)
        signal.signal(signal.SIGINT, tracker.stop)
        if not options.once:
            tracker.follow(max(0.1, options.poll))
        tracker.final()
        tracker.tell()
    except Exception as error:  # noqa: BLE001
        say(f"{options.folder}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    send_all() if sys.argv[1:2] == ["--send"] else main()
