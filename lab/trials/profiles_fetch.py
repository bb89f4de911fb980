#!/usr/bin/env python3
"""Brings the scripts of a list and prints a candidate of profiles_measure.py for each.

    profiles_fetch.py [--mirror FOLDER] [--pin] [--set NAME] LIST.tsv > CANDIDATES.jsonl

Scripts are put under PROFILES/scripts, sources under PROFILES/src (PROFILES is a folder that the
environment names).

A line of the list has ten columns, tabs between them:
  set        main or kept
  project    a short name
  origin     github:OWNER/NAME@COMMIT, pypi:NAME==VERSION or debian:PACKAGE=VERSION
  language   python, shell or r
  path       of the script in its source
  folder     the folder of the source that is copied with it (without: the script alone)
  argv       words of the command, quoted as in a shell, run in that folder
  setup      a shell line that makes its input first, in that folder; $INPUTS: profiles_inputs.py
  change     PATTERN=>REPLACEMENT, regular expressions of Python with ' ;; ' between them
  variation  1 where another line has the same script as its authors wrote it

--pin writes the newest commit or version to origins that name none.
--mirror: bare repositories OWNER+NAME/repo that are there already.
"""

import argparse
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile

HERE = os.environ["PROFILES"]
COLUMNS = "set project origin language path folder argv setup change variation".split()
BIGGEST = 4 << 20  # bytes of a file that is copied along


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, **more).stdout


class Github:
    def __init__(self, rest, mirror):
        self.name, _, self.commit = rest.partition("@")
        plain = self.name.replace("/", "+")
        self.git = next(
            (
                place
                for place in (f"{mirror}/{plain}/repo/.git", f"{mirror}/{plain}/repo")
                if os.path.exists(place + "/HEAD")
            ),
            f"{HERE}/src/{plain}.git",
        )
        if not os.path.exists(self.git):
            run("git", "clone", "-q", "--bare", f"https://github.com/{self.name}", self.git)
        self.commit = (
            run("git", "--git-dir", self.git, "rev-parse", self.commit or "HEAD").decode().strip()
        )
        self.origin = f"github:{self.name}@{self.commit}"
        listing = run(
            "git", "--git-dir", self.git, "ls-tree", "-r", "-l", "-z", self.commit
        ).decode(errors="replace")
        self.files = {}
        for line in filter(None, listing.split("\0")):
            about, path = line.split("\t", 1)
            size = about.split()[3]
            if size.isdigit() and about.split()[1] == "blob":
                self.files[path] = int(size)

    def read(self, path):
        return run("git", "--git-dir", self.git, "cat-file", "blob", f"{self.commit}:{path}")


class Folder:
    """A source that lies unpacked in a folder."""

    def find(self, top):
        self.top = top
        self.files = {}
        for place, _, names in os.walk(top):
            for name in names:
                where = os.path.join(place, name)
                if os.path.isfile(where) and not os.path.islink(where):
                    self.files[os.path.relpath(where, top)] = os.path.getsize(where)

    def read(self, path):
        return open(os.path.join(self.top, path), "rb").read()


class Pypi(Folder):
    def __init__(self, rest, _):
        name, _, version = rest.partition("==")
        place = f"{HERE}/src/pypi/{name}"
        if not glob.glob(place + f"/*{version}*"):
            os.makedirs(place, exist_ok=True)
            run(
                HERE + "/venv/bin/pip",
                "download",
                "-q",
                "--no-deps",
                "--no-binary",
                ":all:",
                "-d",
                place,
                f"{name}=={version}" if version else name,
            )
        archive = sorted(glob.glob(place + f"/*{version}*[pz]"))[0]
        version = version or re.search(r"-(\d[^-]*?)\.(tar\.gz|zip)$", archive)[1]
        self.origin = f"pypi:{name}=={version}"
        top = f"{place}/{version}"
        if not os.path.isdir(top):
            if archive.endswith(".zip"):
                zipfile.ZipFile(archive).extractall(top)
            else:
                tarfile.open(archive).extractall(top, filter="data")
        self.find(glob.glob(top + "/*/")[0])


class Debian(Folder):
    def __init__(self, rest, _):
        name = rest.partition("=")[0]
        top = f"{HERE}/src/debian/{name}"
        if not os.path.isdir(top):
            os.makedirs(top + ".deb", exist_ok=True)
            run("apt-get", "download", name, cwd=top + ".deb")
            run("dpkg", "-x", glob.glob(top + ".deb/*.deb")[0], top)
        version = (
            run("dpkg-deb", "-f", glob.glob(top + ".deb/*.deb")[0], "Version").decode().strip()
        )
        self.origin = f"debian:{name}={version}"
        self.find(top)


KINDS = {"github": Github, "pypi": Pypi, "debian": Debian}
LICENCES = (
    ("MIT", "MIT License|Permission is hereby granted, free of charge"),
    ("Apache-2.0", "Apache License"),
    ("AGPL", "AFFERO"),
    ("LGPL", "LESSER GENERAL"),
    ("GPL", "GNU GENERAL PUBLIC"),
    ("BSD", "Redistribution and use"),
    ("MPL-2.0", "Mozilla Public"),
    ("Unlicense", "public domain"),
    ("PSF", "PYTHON SOFTWARE"),
)


def licence(source):
    for path in sorted(source.files):
        if (
            "/" not in path
            and path.lower().startswith(("licen", "copying"))
            or path.endswith("/copyright")
        ):
            words = source.read(path).decode(errors="replace")
            return next(
                (name for name, pattern in LICENCES if re.search(pattern, words, re.I)), None
            )
    return None


def lay(source, line):
    """The script with what it needs, in a folder of its own; the candidate."""
    digest = hashlib.sha256("\t".join(line.values()).encode()).hexdigest()[:8]
    stem = re.sub(r"\W+", "_", os.path.splitext(os.path.basename(line["path"]))[0])
    cwd = f"{HERE}/scripts/{line['project']}/{stem}-{digest}"
    folder = line["folder"].strip("/")
    inner = os.path.relpath(line["path"], folder) if folder else os.path.basename(line["path"])
    file = os.path.join(cwd, inner)
    if not os.path.exists(file):
        shutil.rmtree(cwd, ignore_errors=True)
        os.makedirs(cwd)
        for path in [
            path
            for path in source.files
            if folder and (folder == "." or path.startswith(folder + "/"))
        ] + [line["path"]]:
            if source.files.get(path, 0) > BIGGEST and path != line["path"]:
                continue
            to = os.path.join(cwd, os.path.relpath(path, folder) if folder else inner)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            with open(to, "wb") as out:
                out.write(source.read(path))
        words = open(file, errors="surrogateescape", newline="").read()
        for rule in filter(None, line["change"].split(" ;; ")):
            pattern, _, replacement = rule.partition("=>")
            words, times = re.subn(pattern, replacement, words, flags=re.M)
            if not times:
                shutil.rmtree(cwd)
                raise ValueError(f"the change {rule!r} finds nothing in the script")
        with open(file, "w", errors="surrogateescape", newline="") as out:
            out.write(words)
        if line["setup"]:
            inputs = os.path.join(os.path.dirname(os.path.realpath(__file__)), "profiles_inputs.py")
            run("bash", "-c", line["setup"], cwd=cwd, env=os.environ | {"INPUTS": inputs})
    return {
        "project": line["project"],
        "origin": source.origin,
        "licence": licence(source),
        "path": line["path"],
        "file": file,
        "language": line["language"],
        "cwd": cwd,
        "argv": shlex.split(line["argv"]),
        "variation_of": line["path"] if line["variation"] else None,
        "set": line["set"],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirror", default="/nowhere")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--set")
    parser.add_argument("list")
    asked = parser.parse_args()
    sources, lines = {}, []
    for number, text in enumerate(open(asked.list), 1):
        text = text.rstrip("\n")
        if not text or text.startswith("#"):
            lines.append(text)
            continue
        cells = text.split("\t")
        line = dict(zip(COLUMNS, cells + [""] * (len(COLUMNS) - len(cells))))
        try:
            if line["origin"] not in sources:
                kind, _, rest = line["origin"].partition(":")
                sources[line["origin"]] = KINDS[kind](rest, asked.mirror)
            source = sources[line["origin"]]
            line["origin"] = source.origin
            if asked.set in (None, line["set"]):
                print(json.dumps(lay(source, line)))
        except Exception as error:  # one script must not stop the others
            said = getattr(error, "stderr", b"") or b""
            print(
                f"{asked.list}:{number}: {line['path']}: {error!r}",
                said.decode(errors="replace")[-300:],
                file=sys.stderr,
            )
        lines.append("\t".join(line.values()).rstrip("\t"))
    if asked.pin:
        with open(asked.list, "w") as out:
            out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
