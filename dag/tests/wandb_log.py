"""Reads what the `wandb` client wrote offline.

usage: python wandb_log.py DIR/tracking/wandb

Prints a line of JSON for each run, the directories of one run merged in the order they were made in: `id`, `name`, `group`,
`job_type`, `project`, `config`, `history` (each row as it was logged), `summary`, `artifacts` (name, type, files with their
sizes and the paths they lie at), `exit_codes` (one of each directory whose run was finished), `directories`.

A .wandb file is seven bytes (`:W&B`, 0xBEE1 and 0, little-endian) and a log of LevelDB's form: blocks of 32,768 bytes that hold
chunks of a CRC-32, a length of two bytes, a kind (1 whole, 2 first, 3 middle, 4 last) and data. The data of a record's chunks is a
`Record` of the client's protobuf package. Needs Python 3.9 and `wandb`.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any, Iterator

BLOCK, HEADER, CHUNK = 32768, 7, 7
WHOLE, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def records(path: Path) -> Iterator[bytes]:
    """The records of a log; ValueError where it is damaged. One that was cut off at the end is left out."""
    content = path.read_bytes()
    if content[:HEADER] != struct.pack("<4sHB", b":W&B", 0xBEE1, 0):
        raise ValueError(f"{path}: not a .wandb file")
    at, record = HEADER, None
    while True:
        if BLOCK - at % BLOCK < CHUNK:
            at += BLOCK - at % BLOCK
        if at + CHUNK > len(content):
            return
        crc, length, kind = struct.unpack_from("<IHB", content, at)
        data = content[at + CHUNK : at + CHUNK + length]
        if len(data) < length:
            return
        if zlib.crc32(data, zlib.crc32(bytes([kind]))) != crc:
            raise ValueError(f"{path}: byte {at}: checksum does not match")
        if (kind in (WHOLE, FIRST)) != (record is None) or kind not in (WHOLE, FIRST, MIDDLE, LAST):
            raise ValueError(f"{path}: byte {at}: chunk of kind {kind} out of place")
        record = data if record is None else record + data
        if kind in (WHOLE, LAST):
            yield record
            record = None
        at += CHUNK + length


def set_nested(of: dict[str, Any], item: Any) -> None:
    """Puts a key and its value, given as JSON, where they belong."""
    *above, last = item.nested_key or [item.key]
    for name in above:
        of = of.setdefault(name, {})
    of[last] = json.loads(item.value_json)


def read(path: Path, run: dict[str, Any]) -> None:
    """Adds a .wandb file to a run."""
    from wandb.proto.wandb_internal_pb2 import Record

    for data in records(path):
        record = Record.FromString(data)
        kind = record.WhichOneof("record_type")
        if kind == "run":
            of = record.run
            run.update(
                id=of.run_id, name=of.display_name, group=of.run_group, job_type=of.job_type, project=of.project, resume=of.resume
            )
            for item in of.config.update:
                set_nested(run["config"], item)
        elif kind == "config":
            for item in record.config.update:
                set_nested(run["config"], item)
        elif kind == "history":
            row: dict[str, Any] = {}
            for item in record.history.item:
                set_nested(row, item)
            run["history"].append(row)
        elif kind == "summary":
            for item in record.summary.update:
                set_nested(run["summary"], item)
            for item in record.summary.remove:
                run["summary"].pop(item.key, None)
        elif kind == "artifact":
            of = record.artifact
            files = [{"path": file.path, "size": file.size, "at": file.local_path} for file in of.manifest.contents]
            run["artifacts"].append({"name": of.name, "type": of.type, "files": files})
        elif kind == "exit":
            run["exit_codes"].append(record.exit.exit_code)


def runs(folder: Path) -> list[dict[str, Any]]:
    """All runs under a folder, by their ids."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*run-*/run-*.wandb")):
        name = path.stem[len("run-") :]
        empty = {"config": {}, "history": [], "summary": {}, "artifacts": [], "exit_codes": [], "directories": []}
        run = found.setdefault(name, {"id": name, **empty})
        run["directories"].append(path.parent.name)
        read(path, run)
    return [found[name] for name in sorted(found)]


if __name__ == "__main__":
    try:
        for run in runs(Path(sys.argv[1])):
            print(json.dumps(run))
    except (IndexError, OSError, ValueError) as error:
        sys.exit(f"Error: {error} (usage: python wandb_log.py DIR/tracking/wandb)")
