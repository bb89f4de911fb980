"""What the programs of trials share: they run inside a test pool, as root."""
import os
import pwd
import subprocess
import sys
from pathlib import Path

USER = "alice"


def run(words, more=None, check=True, user=USER, folder="outage"):
    """Runs a command as an ordinary user, in a folder of theirs; its standard output."""
    account = pwd.getpwnam(user)
    environment = {"HOME": account.pw_dir, "USER": user, "LOGNAME": user, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=Path(account.pw_dir, folder), env=environment | (more or {}), check=False,
        user=account.pw_uid, group=account.pw_gid, extra_groups=[], timeout=120,
    )  # fmt: skip
    if check and done.returncode != 0:
        sys.exit(f"{Path(sys.argv[0]).name}: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def ads_of(text):
    """The ads of `condor_q -long`: attribute to text, without what differs from query to query."""
    for block in text.split("\n\n"):
        ad = dict(line.split(" = ", 1) for line in block.splitlines() if " = " in line)
        ad.pop("ServerTime", None)
        if ad:
            yield ad


def folder_of(user, name, files):
    """Makes a folder of a user's with these files: name to text."""
    account = pwd.getpwnam(user)
    folder = Path(account.pw_dir, name)
    folder.mkdir()
    for file, text in files.items():
        (folder / file).write_text(text)
        (folder / file).chmod(0o755 if text.startswith("#!") else 0o644)
    for path in [folder, *folder.iterdir()]:
        os.chown(path, account.pw_uid, account.pw_gid)
    return folder
