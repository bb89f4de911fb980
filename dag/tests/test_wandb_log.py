from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

import wandb_log
from track import is_whole
from wandb.proto.wandb_internal_pb2 import Record


def log(records: list[bytes]) -> bytes:
    """A .wandb file, written as the format says."""
    content = bytearray(struct.pack("<4sHB", b":W&B", 0xBEE1, 0))
    for record in records:
        first = True
        while True:
            left = 32768 - len(content) % 32768
            if left < 7:
                content += bytes(left)
                left = 32768
            part, record = record[: left - 7], record[left - 7 :]
            kind = {(True, True): 1, (True, False): 2, (False, False): 3, (False, True): 4}[first, not record]
            content += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            first = False
            if not record:
                break
    return bytes(content)


def history(step: int, text: str = "") -> Record:
    record = Record()
    for name, value in (("_step", step), ("text", text)):
        record.history.item.add(nested_key=[name], value_json=json.dumps(value))
    return record


class Reading(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, directory: str, content: bytes) -> Path:
        path = self.folder / f"offline-run-{directory}-x-1" / "run-x-1.wandb"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return path

    def test_records_of_all_lengths_around_the_ends_of_blocks(self) -> None:
        for around in (32768, 2 * 32768):
            records = []
            for length in (around - 60, 1, *range(around - 20, around + 20), 0, 100_000, 5):
                records.append(bytes([length % 251]) * length)
            path = self.write(str(around), log(records))
            self.assertEqual(list(wandb_log.records(path)), records)

    def test_directories_of_a_run_are_merged_in_order(self) -> None:
        one, config, end = history(1), Record(), Record()
        config.config.update.add(nested_key=["a", "b"], value_json="[1]")
        end.exit.exit_code = 0
        self.write("20250102_000000", log([of.SerializeToString() for of in (history(2, "ü" * 70_000), end)]))
        self.write("20250101_000000", log([of.SerializeToString() for of in (one, config)]))
        (run,) = wandb_log.runs(self.folder)
        self.assertEqual([row["_step"] for row in run["history"]], [1, 2])
        self.assertEqual(run["history"][1]["text"], "ü" * 70_000)
        self.assertEqual((run["id"], run["config"], run["exit_codes"]), ("x-1", {"a": {"b": [1]}}, [0]))
        command = [sys.executable, wandb_log.__file__, str(self.folder)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertEqual(json.loads(printed), run)

    def test_a_cut_file_is_read_to_the_cut_and_is_not_whole(self) -> None:
        end = Record()
        end.exit.exit_code = 0
        content = log([history(step, "x" * 20_000).SerializeToString() for step in range(4)] + [end.SerializeToString()])
        path = self.write("1", content)
        self.assertTrue(is_whole(path))
        for cut, rows in ((1, 4), (20, 3), (20_100, 2), (len(content) - 7, 0)):
            path.write_bytes(content[:-cut])
            self.assertEqual(len(list(wandb_log.records(path))), rows)
            self.assertFalse(is_whole(path))
        path.write_bytes(b"")
        self.assertFalse(is_whole(path))

    def test_damage_is_an_error(self) -> None:
        content = bytearray(log([history(1).SerializeToString()]))
        path = self.write("1", content)
        for at in range(len(content)):
            # A length beyond the end is a cut; any other change is found.
            if at in (11, 12):
                continue
            damaged = content.copy()
            damaged[at] ^= 1
            path.write_bytes(damaged)
            with self.assertRaises(ValueError, msg=at):
                list(wandb_log.records(path))


if __name__ == "__main__":
    unittest.main()
