"""The folder of a sweep that never ran."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

EPOCHS = {1: range(1, 4), 2: range(4, 9)}


class FakeSweep:
    """A sweep of two rungs, as its nodes would leave it behind step by step."""

    def __init__(self, folder: Path, trials: int = 3, offline: bool = True, name: str = "hold advice"):
        self.folder = folder
        self.trials = range(1, trials + 1)
        self.write(
            "sweep.json",
            {
                "format": 1,
                "name": name,
                "seed": 42,
                "settings": [
                    {"number": 1, "frame_edges": [0, 60, 3600], "slots": 3},
                    {"number": 2, "frame_edges": [0, 30, 7200], "slots": 5},
                ],
                "trials": [{"number": n, "setting": 1 + n % 2} for n in self.trials],
                "method": "random",
                "metric": {"name": "validation_auroc", "goal": "maximize"},
                "rungs": [{"number": 1, "epochs": 3, "trials": trials}, {"number": 2, "epochs": 8, "trials": 1}],
                "patience": 6,
                "tracking": {"enabled": True, "project": "holds", "entity": None, "offline": offline, "python": "python3"},
            },
        )
        (folder / "sweep.yaml").write_text("name: hold advice\nwandb:\n  api_key: sesame  # mine\n  project: holds\nmethod: random\n")
        for n in self.trials:
            parameters = {"hidden": 16 * n, "learning_rate": 0.002, "note": "$(touch /pwned); `true`"}
            self.write(f"trials/{n:03}/parameters.json", {"trial": n, "parameters": parameters})

    def write(self, path: str, value: Any) -> None:
        """Writes JSON."""
        full = self.folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        self.place(full, json.dumps(value))

    def place(self, path: Path, text: str) -> None:
        """Puts a file where it belongs, whole and as if a minute ago."""
        beside = path.with_suffix(".new")
        beside.write_text(text)
        os.utime(beside, (time.time() - 60, time.time() - 60))
        os.replace(beside, path)

    def lines(self, trial: int, rung: int) -> list[dict[str, Any]]:
        """The metrics of a trial on a rung."""
        lines: list[dict[str, Any]] = [
            {
                "trial": trial,
                "rung": rung,
                "epoch": epoch,
                "train_loss": 1 / epoch + trial,
                "validation_loss": 3 / epoch + trial,
                "validation_auroc": 0.75,
                "validation_auroc_half_width": 0.125,
                "validation_rows": 400.0,
                "validation_clusters": 60.0,
                "learning_rate": None if epoch == 2 else 0.001,
                "seconds": 0.5,
            }
            for epoch in EPOCHS[rung]
        ]
        done = {"trial": trial, "rung": rung, "epoch": EPOCHS[rung][-1], "model_validation_auroc": 0.5 + trial / 100}
        return [*lines, {**done, "rung_seconds": 2.5, "peak_memory_mb": 300}]

    def metrics(self, trial: int, rung: int, upto: int | None = None) -> None:
        """Writes the first lines of a trial's metrics on a rung, the last one cut off."""
        text = "".join(json.dumps(line) + "\n" for line in self.lines(trial, rung)[:upto])
        path = self.folder / f"trials/{trial:03}/rung{rung}/metrics.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.place(path, text + '{"trial":7,"epo')

    def rung_done(self, trial: int, rung: int) -> None:
        """What a node leaves."""
        self.metrics(trial, rung)
        result = {
            "trial": trial,
            "rung": rung,
            "epoch": EPOCHS[rung][-1],
            "best_epoch": 2,
            "stopped_early": trial == 2,
            "diverged": False,
            "metrics": {"validation_loss": 0.25 + trial, "validation_auroc": 0.5 + trial / 100},
            "seconds": 2.5,
            "device": "cpu",
        }
        self.write(f"trials/{trial:03}/rung{rung}/result.json", result)

    def select(self, goes_on: int) -> None:
        """What `select` leaves after rung 1: one trial goes on."""
        fates = [[n, "goes-on" if n == goes_on else "lost"] for n in self.trials]
        self.write("rungs/rung1.json", {"rung": 1, "fates": fates})

    def finish(self, best: int) -> None:
        """What `select` leaves after the last rung, and `finish`."""
        fates = sorted(([n, "stopped" if n == best else "lost"] for n in self.trials), key=lambda of: of[0] != best)
        self.write("rungs/rung2.json", {"rung": 2, "fates": fates})
        self.write("best/trial.json", {"trial": best, "rung": 2, "metrics": {"validation_loss": 0.25}})
        for name in ("bestmodel.pt", "bestmodel.info", "report.html", "leaderboard.json"):
            (self.folder / name).write_text(f"content of {name}")
        (self.folder / "verdict.txt").write_text("The champion stays.\n")

    def whole(self, best: int = 1) -> None:
        """A sweep that is over."""
        for n in self.trials:
            self.rung_done(n, 1)
        self.select(best)
        self.rung_done(best, 2)
        self.finish(best)

    def rows(self, trial: int, *rungs: int) -> dict[int, dict[str, Any]]:
        """The figures of each epoch that tracking has to have."""
        rows: dict[int, dict[str, Any]] = {}
        for rung in rungs:
            for line in self.lines(trial, rung):
                kept = {name: value for name, value in line.items() if name != "trial" and value is not None}
                rows.setdefault(line["epoch"], {}).update(kept)
        return rows
