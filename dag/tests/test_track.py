from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from typing import Any, Callable

import track
import wandb_log
from fake_sweep import FakeSweep
from wandb_server import Server

TRACK = Path(__file__).parent.parent / "track.py"

# Seconds: longer than anything takes on a busy machine, shorter than a client that hangs (`STUB`).
PATIENCE = 300

# Stands in for the client: says what was asked of it in calls.jsonl, fails as told.
STUB = '''
import json, os, sys, time
from pathlib import Path
here = Path(__file__).parent
def call(*of):
    with open(here / "calls.jsonl", "a") as file: file.write(json.dumps(of) + "\\n")
class Settings:
    def __setattr__(self, name, value):
        if name.startswith("x_"): raise ValueError(name)
class Artifact:
    def __init__(self, name, type): self.name, self.files = name, []
    def add_file(self, path, name): self.files.append(name)
class Run:
    def __init__(self, directory): self.settings, self.summary = self, {}; self.sync_dir = directory
    def log(self, values, step, commit): call("log", step, values)
    def log_artifact(self, artifact): call("artifact", artifact.name, artifact.files)
    def finish(self): call("finish", self.summary)
def init(**of):
    what = (here / "what").read_text()
    if what == "hang":
        call("hang")
        time.sleep(1000)
    if what == "exit":
        call("exit")
        os._exit(3)
    if of["id"].endswith(what): raise RuntimeError(what)
    if what == of["mode"]: raise RuntimeError(f"no {what} here, WANDB_API_KEY=" + os.environ.get("WANDB_API_KEY", ""))
    call("init", of["id"], of["mode"], of["resume"])
    return Run(of["dir"] + "/wandb/run-1-" + of["id"])
'''


class Tracking(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.sweep_folder = self.folder / "sweep"
        self.sweep_folder.mkdir()
        self.tracking = self.sweep_folder / "tracking"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": ""}

    def start(self, *arguments: str) -> subprocess.Popen:
        """track.py on the sweep, looking ten times a second."""
        command = [sys.executable, str(TRACK), str(self.sweep_folder), "--poll", "0.1", *arguments]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process: subprocess.Popen) -> None:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()

    def once(self) -> str:
        """track.py --once: what it says."""
        process = self.start("--once")
        said = process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 0, said)
        return said

    def catches(self, process: subprocess.Popen, number: int) -> bool:
        """Whether it has come as far as to have a handler for the signal, or has ended."""
        if process.poll() is not None:
            return True
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
        return bool(int(caught.split()[1], 16) >> (number - 1) & 1)

    def terminate(self, process: subprocess.Popen) -> str:
        """SIGTERM, as HTCondor removes a service node: what it said. It ends in time and without an error."""
        self.wait(lambda: self.catches(process, signal.SIGTERM))
        process.terminate()
        said = process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 0, said)
        return said

    def wait(self, until: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not until():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.02)

    def runs(self) -> dict[str, dict[str, Any]]:
        """The runs in the offline directories, by the last part of their ids."""
        return {run["id"].split("-")[-1]: run for run in wandb_log.runs(self.tracking / "wandb")}

    def sent(self) -> list[str]:
        """The last parts of the ids of runs that state.json has."""
        try:
            return [run.split("-")[-1] for run in json.loads((self.tracking / "state.json").read_text())["runs"]]
        except FileNotFoundError:
            return []

    def assert_history(self, run: dict[str, Any], rows: dict[int, dict[str, Any]]) -> None:
        """The history is the rows, each once, in order, the epoch its step."""
        own = [{name: value for name, value in row.items() if name[0] != "_"} for row in run["history"]]
        self.assertEqual(own, [rows[epoch] for epoch in sorted(rows)])
        self.assertEqual([row["_step"] for row in run["history"]], sorted(rows))

    def assert_whole(self, sweep: FakeSweep, best: int = 1) -> None:
        """All that a finished sweep has was sent, once."""
        runs = self.runs()
        self.assertEqual(list(runs), [*(f"{n:03}" for n in sweep.trials), "select"])
        for n in sweep.trials:
            rungs = (1, 2) if n == best else (1,)
            self.assert_history(runs[f"{n:03}"], sweep.rows(n, *rungs))
            self.assertEqual(runs[f"{n:03}"]["exit_codes"], [0] * len(runs[f"{n:03}"]["directories"]))
        self.assertEqual(len(runs["select"]["artifacts"]), 3)


class Offline(Tracking):
    def test_a_growing_sweep_is_sent_whole_and_once(self) -> None:
        sweep = FakeSweep(self.sweep_folder)
        process = self.start()
        sweep.metrics(1, 1, 2)
        sweep.rung_done(2, 1)
        sweep.rung_done(3, 1)
        time.sleep(0.5)
        self.assertEqual(self.sent(), [], "no trial is over")
        sweep.rung_done(1, 1)
        sweep.select(1)
        self.wait(lambda: sorted(self.sent()) == ["002", "003"])
        sweep.rung_done(1, 2)
        sweep.finish(1)
        self.wait(lambda: {"001", "select"} <= set(self.sent()))
        self.assertEqual(self.terminate(process), "")
        self.assertEqual(self.once(), "")
        self.assert_whole(sweep)

        run = self.runs()["001"]
        self.assertEqual(len(run["directories"]), 1)
        self.assertRegex(run["id"], r"^hold-advice-[0-9a-f]{8}-001$")
        self.assertEqual((run["project"], run["group"], run["job_type"], run["name"]), ("holds", "hold advice", "train", "trial 001"))
        expected = {
            "hidden": 16,
            "learning_rate": 0.002,
            "note": "$(touch /pwned); `true`",
            "trial": 1,
            "setting": 2,
            "frame_edges": [0, 30, 7200],
            "slots": 5,
            "sweep": "hold advice",
            "sweep_seed": 42,
            "metric": "validation_auroc",
            "goal": "maximize",
        }
        self.assertEqual({name: value for name, value in run["config"].items() if name != "_wandb"}, expected)
        summary = run["summary"]
        self.assertEqual((summary["rung"], summary["epoch"], summary["validation_loss"]), (2, 8, 1.25))
        self.assertEqual((summary["best"], summary["diverged"], summary["stopped_early"]), (True, False, False))
        summary = self.runs()["002"]["summary"]
        self.assertEqual((summary["rung"], summary["lost"], summary["best"], summary["stopped_early"]), (1, True, False, True))

        select = self.runs()["select"]
        files = {artifact["type"]: [file["path"] for file in artifact["files"]] for artifact in select["artifacts"]}
        self.assertEqual(files["sweep-configuration"], ["sweep.yaml"])
        self.assertEqual(sorted(files["best-model"]), ["bestmodel.info", "bestmodel.pt"])
        self.assertEqual(sorted(files["report"]), ["leaderboard.json", "report.html", "verdict.txt"])
        self.assertEqual(select["summary"]["verdict"], "The champion stays.\n")
        self.assertEqual((select["summary"]["best_trial"], select["job_type"]), (1, "select"))
        for artifact in select["artifacts"]:
            for file in artifact["files"]:
                self.assertTrue(Path(file["at"]).is_relative_to(self.tracking), file["at"])
                self.assertEqual(Path(file["at"]).stat().st_size, int(file["size"]))

    def test_no_key_is_read_or_passed_on(self) -> None:
        self.environment["WANDB_API_KEY"] = "0123456789" * 4
        sweep = FakeSweep(self.sweep_folder, 1)
        with open(self.sweep_folder / "sweep.yaml", "a") as file:
            file.write("more: {nested: ['x 0123456789012345678901234567890123456789'], WANDB-API-KEY: open}\n")
        sweep.whole()
        self.assertEqual(self.once(), "")
        for path in self.tracking.rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                for secret in (b"sesame", b"0123456789" * 4, b": open"):
                    self.assertNotIn(secret, content, path)
        (sent,) = (of for of in self.runs()["select"]["artifacts"] if of["type"] == "sweep-configuration")
        text = Path(sent["files"][0]["at"]).read_text()
        self.assertEqual(text.count("(redacted)"), 3, text)
        self.assertIn("project: holds", text)

    def test_once_sends_what_is_there_and_again_only_what_is_new(self) -> None:
        sweep = FakeSweep(self.sweep_folder)
        sweep.rung_done(1, 1)
        sweep.metrics(2, 1, 2)
        self.once()
        self.assert_history(self.runs()["001"], sweep.rows(1, 1))
        self.assertEqual(len(self.runs()["002"]["history"]), 2)
        self.assertNotIn("003", self.runs())
        before = self.tree()
        self.once()
        self.assertEqual(self.tree(), before)
        sweep.whole()
        self.once()
        runs = self.runs()
        self.assertEqual({len(runs[n]["directories"]) for n in ("001", "002", "select")}, {2})
        self.assertTrue(runs["001"]["resume"])
        self.assert_history(runs["001"], sweep.rows(1, 1, 2))
        self.assert_history(runs["003"], sweep.rows(3, 1))

    def tree(self) -> list[str]:
        return sorted(str(path) for path in (self.tracking / "wandb").glob("*-run-*"))

    def test_killed_and_restarted_it_sends_the_rest(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 12)
        sweep.whole()
        for all_of_it in (False, True):
            already = len(self.sent())
            process = self.start()
            self.wait(lambda: len(self.sent()) >= already + 3)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            process.kill()
            for child in children if all_of_it else ():
                os.kill(int(child), signal.SIGKILL)
            self.end(process)
            self.assertLess(len(self.sent()), 12)
        self.assertEqual(self.once(), "")
        self.assert_whole(sweep)

    def test_a_directory_that_was_not_finished_is_written_anew(self) -> None:
        sweep = FakeSweep(self.sweep_folder)
        sweep.whole()
        self.once()
        state = json.loads((self.tracking / "state.json").read_text())
        (run,) = (run for run in state["runs"] if run.endswith("-002"))
        (directory,) = state["runs"].pop(run)["directories"]
        (self.tracking / "state.json").write_text(json.dumps(state))
        time.sleep(1.1)
        self.once()
        self.assert_whole(sweep)
        self.assertNotEqual(self.runs()["002"]["directories"], [directory])

    def test_sigterm_sends_what_is_there(self) -> None:
        sweep = FakeSweep(self.sweep_folder)
        process = self.start()
        self.wait(self.tracking.exists)
        sweep.rung_done(1, 1)
        sweep.metrics(2, 1, 3)
        self.terminate(process)
        self.assert_history(self.runs()["001"], sweep.rows(1, 1))
        self.assertEqual(len(self.runs()["002"]["history"]), 3)

    def test_lines_that_are_no_figures_are_said_and_left_out(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 1)
        sweep.rung_done(1, 1)
        path = self.sweep_folder / "trials/001/rung1/metrics.jsonl"
        good = path.read_text().rsplit("\n", 1)[0]
        path.write_text(f'{good}\n[1]\nnonsense\n{{"epoch":"4"}}\n{{"epoch":4,"train_loss":NaN,"other":[1]}}\n')
        said = self.once()
        self.assertEqual(re.findall(r"line (\d+): not the figures of an epoch", said), ["5", "6", "7"])
        self.assert_history(self.runs()["001"], {**sweep.rows(1, 1), 4: {"epoch": 4}})

    def test_what_one_trial_leaves_ends_nothing(self) -> None:
        secret = self.folder / "secret.json"
        secret.write_text('{"trial": 1, "metrics": {"stolen": 7}, "parameters": {"stolen": 7}}\n')

        def pipe(path: Path) -> None:
            path.unlink(missing_ok=True)
            os.mkfifo(path)

        def link(path: Path) -> None:
            path.unlink(missing_ok=True)
            path.symlink_to(secret)

        def large(path: Path) -> None:
            with open(path, "wb") as file:
                file.truncate(track.LARGEST + 1)

        def deep(path: Path) -> None:
            path.write_text("[" * 200_000)

        for number, spoil in enumerate((pipe, link, large, deep)):
            sweep_folder = self.folder / f"sweep{number}"
            sweep_folder.mkdir()
            self.sweep_folder, self.tracking = sweep_folder, sweep_folder / "tracking"
            sweep = FakeSweep(sweep_folder)
            sweep.whole()
            for name in ("parameters.json", "rung1/result.json", "rung1/metrics.jsonl"):
                spoil(sweep_folder / "trials/002" / name)
                os.utime(sweep_folder / "trials/002" / name, (0, 0), follow_symlinks=False)
            said = self.once()
            self.assertEqual([name for name in self.runs() if name != "002"], ["001", "003", "select"], said)
            self.assertIn("trials/002/", said)
            self.assertNotIn("stolen", json.dumps(self.runs()))

    def test_a_folder_or_artifact_that_is_a_link_is_not_followed(self) -> None:
        sweep = FakeSweep(self.sweep_folder)
        sweep.whole()
        (self.folder / "key").write_text("stolen")
        for name, to in (("trials/002", "trials"), ("report.html", self.folder / "key"), ("verdict.txt", self.folder / "key")):
            path = self.sweep_folder / name
            shutil.move(path, f"{path}.moved")
            path.symlink_to(Path(f"{path}.moved") if name == "trials/002" else to)
        said = self.once()
        runs = self.runs()
        self.assertEqual(list(runs), ["001", "003", "select"], said)
        self.assertIn("report.html: a link, expected a regular file", said)
        self.assertNotIn("stolen", json.dumps(runs))

    def test_a_rewritten_metrics_file_is_not_sent_again(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 1)
        sweep.metrics(1, 1, 2)
        self.once()
        sweep.metrics(1, 1, 1)
        self.once()
        sweep.rung_done(1, 1)
        self.once()
        self.assert_history(self.runs()["001"], sweep.rows(1, 1))

    def test_files_that_are_still_being_written_wait(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 1, offline=False)
        sweep.rung_done(1, 1)
        path = self.sweep_folder / "trials/001/rung1/metrics.jsonl"
        whole = path.read_text()
        path.write_text(whole[:100])
        read = track.Sweep(self.sweep_folder)
        trial = read.plan["trials"][0]
        self.assertIsNone(read.trial(trial, final=False, whole=False))
        self.assertEqual(read.trial(trial, final=True, whole=False)["rows"], [])
        sweep.place(path, whole)
        self.assertEqual(len(read.trial(trial, final=False, whole=False)["rows"]), 3)

    def test_a_trial_is_over_when_it_has_lost_or_the_last_rung_is_decided(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 2)
        sweep.rung_done(1, 1)
        sweep.write("rungs/rung1.json", {"rung": 1, "fates": [[1, "stopped"], [2, "lost"]]})
        read = track.Sweep(self.sweep_folder)
        self.assertIsNone(read.trial(read.plan["trials"][0], final=False, whole=True))
        self.assertFalse(read.trial(read.plan["trials"][0], final=False, whole=False)["over"])
        for fate in ("lost", "stopped"):
            sweep.write("rungs/rung2.json", {"rung": 2, "fates": [[1, fate], [2, "lost"]]})
            item = read.trial(read.plan["trials"][0], final=False, whole=True)
            self.assertEqual((item["over"], item["summary"]["lost"], item["summary"]["best"]), (True, fate == "lost", fate == "stopped"))

    def test_names_become_ids_that_are_file_names(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 1, name="../Ein Name; rm -rf $HOME/#?%:é" + "x" * 99)
        sweep.whole()
        self.assertEqual(self.once(), "")
        self.assertRegex(self.runs()["001"]["id"], r"^ein-name-rm-rf-home-x{20}-[0-9a-f]{8}-001$")

    def test_wandb_mode_decides_where_the_plan_does_not(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 1, offline=False)
        sweep.whole()
        self.environment["WANDB_MODE"] = "disabled"
        self.assertEqual(self.once(), "")
        self.assertFalse(self.tracking.exists())
        self.environment["WANDB_MODE"] = "offline"
        self.assertEqual(self.once(), "")
        self.assert_whole(sweep)

    def test_without_a_key_the_final_pass_writes_directories(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 2, offline=False)
        sweep.whole()
        said = self.once()
        self.assertIn("wandb sync takes it", said)
        self.assertEqual(len(said.splitlines()), 2, said)
        self.assert_whole(sweep)


class Online(Tracking):
    """The client itself, and a server on the loopback."""

    def setUp(self) -> None:
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.close)
        self.environment.update(WANDB_BASE_URL=self.server.url, WANDB_API_KEY="0" * 40)

    def assert_server(self, sweep: FakeSweep, best: int = 1) -> None:
        """The server has every epoch of every trial once."""
        runs = {run.split("-")[-1]: run for run in self.server.runs}
        self.assertEqual(sorted(runs), [*(f"{n:03}" for n in sweep.trials), "select"])
        for n in sweep.trials:
            rows = sweep.rows(n, *((1, 2) if n == best else (1,)))
            self.assert_history({"history": self.server.history(runs[f"{n:03}"])}, rows)
            run = self.server.runs[runs[f"{n:03}"]]
            summary = json.loads(run["summary"])
            self.assertEqual((summary["lost"], summary["validation_loss"]), (n != best, 0.25 + n))
            self.assertEqual(run["config"]["hidden"]["value"], 16 * n)

    def test_killed_and_restarted_it_sends_the_rest(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 8, offline=False)
        process = self.start()
        for n in sweep.trials:
            sweep.rung_done(n, 1)
        self.wait(lambda: len(self.sent()) >= 3)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        self.end(process)
        self.assertLess(len(self.sent()), 8)
        sweep.whole()
        self.assertEqual(self.once(), "")
        self.assert_server(sweep)
        before = json.dumps(self.server.runs)
        self.assertEqual(self.once(), "")
        self.assertEqual(json.dumps(self.server.runs), before)
        (self.tracking / "state.json").unlink()
        self.assertEqual(self.once(), "")
        self.assert_server(sweep)

    def test_wandb_sync_takes_the_directories(self) -> None:
        sweep = FakeSweep(self.sweep_folder)
        sweep.rung_done(1, 1)
        self.once()
        sweep.whole()
        command = [sys.executable, str(TRACK), str(self.sweep_folder), "--once"]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, timeout=PATIENCE)
        written = self.tracking / "wandb"
        where = f"track: 4 runs written to {written}: `wandb sync {written}` sends them\n"
        self.assertEqual((done.stdout, done.stderr), (where, ""))
        self.assertEqual(len(self.runs()["001"]["directories"]), 2)
        self.assertEqual(self.server.runs, {})
        program = [sys.executable, "-m", "wandb", "sync", str(self.tracking / "wandb")]
        done = subprocess.run(program, capture_output=True, text=True, env=self.environment, cwd=self.folder, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_server(sweep)


class Failures(Tracking):
    def stub(self, what: str) -> None:
        """A client that fails in some way."""
        folder = self.folder / "stub"
        folder.mkdir(exist_ok=True)
        (folder / "wandb.py").write_text(textwrap.dedent(STUB))
        (folder / "what").write_text(what)
        self.environment["PYTHONPATH"] = str(folder)

    def calls(self, kind: str) -> list[Any]:
        calls = self.folder / "stub/calls.jsonl"
        text = calls.read_text() if calls.exists() else ""
        return [call[1:] for call in map(json.loads, text.splitlines()) if call[0] == kind]

    def test_without_the_client_it_is_said_once(self) -> None:
        FakeSweep(self.sweep_folder).whole()
        self.stub("")
        (self.folder / "stub/wandb.py").write_text("raise ModuleNotFoundError(\"No module named 'wandb'\")")
        self.assertEqual(self.once(), f"track: {sys.executable}: No module named 'wandb': pip install wandb\n")
        process = self.start()
        time.sleep(1.5)
        self.assertEqual(len(self.terminate(process).splitlines()), 1)

    def test_online_each_rung_is_sent_when_it_is_done(self) -> None:
        self.stub("fine")
        sweep = FakeSweep(self.sweep_folder, 2, offline=False)
        process = self.start()
        sweep.metrics(1, 1, 2)
        sweep.rung_done(2, 1)
        self.wait(lambda: len(self.sent()) == 1)
        self.assertEqual([step for step, _ in self.calls("log")], [1, 2, 3])
        sweep.rung_done(1, 1)
        self.wait(lambda: len(self.sent()) == 2)
        sweep.select(1)
        self.wait(lambda: len(self.calls("finish")) == 3)
        self.assertEqual([summary["lost"] for (summary,) in self.calls("finish")], [False, False, True])
        sweep.rung_done(1, 2)
        sweep.finish(1)
        self.terminate(process)
        self.assertEqual(self.once(), "")
        self.assertEqual([step for step, _ in self.calls("log")], [1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8])
        self.assertEqual({(mode, resume) for _, mode, resume in self.calls("init")}, {("online", "allow")})
        self.assertEqual(len(self.calls("artifact")), 3)

    def test_without_a_network_it_goes_on_and_says_so_without_the_key(self) -> None:
        self.stub("online")
        self.environment["WANDB_API_KEY"] = "sesame" * 7
        sweep = FakeSweep(self.sweep_folder, 2, offline=False)
        sweep.whole()
        process = self.start()
        time.sleep(1)
        said = self.terminate(process)
        self.assertEqual(said, "track: W&B: RuntimeError: no online here, WANDB_API_KEY=(key)\n")
        (self.folder / "stub/what").write_text("fine")
        self.assertEqual(self.once(), "")
        self.assertEqual(len(self.calls("log")), 11)

    def test_one_run_that_cannot_be_sent_holds_up_no_other(self) -> None:
        self.stub("-001")
        FakeSweep(self.sweep_folder, 4, offline=False).whole()
        process = self.start()
        self.wait(lambda: len(self.sent()) == 4)
        self.terminate(process)

    def test_a_client_that_hangs_or_dies_does_not_hold_up_the_end(self) -> None:
        for what, reason in (("hang", "W&B did not answer in time"), ("exit", "the process that sends ended with status 3")):
            with self.subTest(what):
                self.stub(what)
                FakeSweep(self.sweep_folder, offline=False).whole()
                process = self.start()
                self.wait(lambda what=what: self.calls(what))
                self.assertIn(reason, self.terminate(process))

    def test_a_folder_that_cannot_be_written_to_fails_nothing(self) -> None:
        FakeSweep(self.sweep_folder).whole()
        self.tracking.write_text("")
        self.assertIn("File exists", self.once())

    def test_a_full_disk_fails_nothing_and_is_made_good_later(self) -> None:
        sweep = FakeSweep(self.sweep_folder, 6)
        sweep.whole()
        self.tracking.mkdir()
        mount = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=$0 tmpfs "$1" && shift && exec "$@"']
        if subprocess.run([*mount, "1M", str(self.tracking), "true"], capture_output=True).returncode:
            print("skipped: a full disk: no mounts without root")
            self.skipTest("no mounts without root")
        keep = '"$@"; status=$?; cp -a "$0" "$0.kept"; exit $status'
        command = ["sh", "-c", keep, str(self.tracking), sys.executable, str(TRACK), str(self.sweep_folder), "--once"]
        for size in ("4k", "100k"):
            done = subprocess.run([*mount, size, str(self.tracking), *command], capture_output=True, text=True, env=self.environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, "No space left on device|not written to the end")
            self.assertLessEqual(len(done.stderr.splitlines()), 8, done.stderr)
            kept = Path(f"{self.tracking}.kept")
            shutil.rmtree(self.tracking)
            kept.rename(self.tracking)
            self.assertLess(len(self.sent()), 7)
        self.assertEqual(self.once(), "")
        self.assert_whole(sweep)

    def test_no_plan_and_no_tracking_are_no_errors(self) -> None:
        self.assertIn("no plan of a sweep", self.once())
        sweep = FakeSweep(self.sweep_folder)
        plan = json.loads((self.sweep_folder / "sweep.json").read_text())
        plan["tracking"]["enabled"] = False
        sweep.write("sweep.json", plan)
        self.assertEqual(self.once(), "")
        self.assertFalse(self.tracking.exists())

    def test_once_takes_over_from_one_that_follows(self) -> None:
        self.stub("fine")
        sweep = FakeSweep(self.sweep_folder, 2, offline=False)
        follows = self.start()
        self.wait((self.tracking / "lock").exists)
        sweep.whole()
        self.assertEqual(self.once(), "")
        self.assertEqual(follows.communicate(timeout=PATIENCE)[1], "")
        self.assertEqual(follows.returncode, 0)
        self.assertEqual(len(self.calls("log")), 11)
        self.assertFalse((self.tracking / "stop").exists())

    def test_one_that_follows_waits_for_one_that_was_killed(self) -> None:
        self.stub("hang")
        sweep = FakeSweep(self.sweep_folder, 2, offline=False)
        sweep.whole()
        first = self.start()
        child = f"/proc/{first.pid}/task/{first.pid}/children"
        self.wait((self.folder / "stub/calls.jsonl").exists)
        sender = int(Path(child).read_text())
        first.kill()
        self.end(first)
        (self.folder / "stub/what").write_text("fine")
        second = self.start()
        time.sleep(1)
        self.assertEqual(self.sent(), [])
        os.kill(sender, signal.SIGKILL)
        self.wait(lambda: len(self.sent()) == 3)
        self.assertEqual(self.terminate(second), "")


if __name__ == "__main__":
    unittest.main()
