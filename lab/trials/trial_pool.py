"""What the programs of trials share: they run inside a test pool, as root."""
import os
import pwd
import subprocess
import sys
import time
from pathlib import Path

USER = "alice"
LOG = Path("/var/log/condor/EventLog.1")
LOG_BYTES = 300_000_000


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


def write_log():
    """An event log beside HTCondor's, as if it were rotated: short runs of many jobs, all through the last 20 hours."""
    end = time.time() - 60
    begin = end - 20 * 3600
    written, cluster = 0, 500_000
    with open(LOG, "w", encoding="utf-8") as log:
        while written < LOG_BYTES:
            at = begin + (end - begin) * written / LOG_BYTES
            cluster += 1
            head = f"({cluster}.000.000) {time.strftime('%m/%d %H:%M:%S', time.localtime(at))}"
            owner, host = f"user{cluster % 40}", f"e{cluster % 300}"
            said = [
                f"000 {head} Job submitted from host: <192.0.2.1:9618?sock=schedd>\n",
                f"001 {head} Job executing on host: <192.0.2.{cluster % 250}:9618?sock=startd>\n\tSlotName: slot1@{host}.example.org\n",
            ]
            if cluster % 9 == 0:
                said.append(f"012 {head} Job was held.\n\tTransfer input files failure at execution point slot1@{host}.example.org: "
                            f"https://web{cluster % 12}.example.org/{owner}.dat: HTTP response code 503\n\tCode 13 Subcode 256\n")
            else:
                said.append(f"005 {head} Job terminated.\n\t(1) Normal termination (return value {int(cluster % 20 == 0)})\n"
                            "\t\tUsr 0 00:00:10, Sys 0 00:00:01  -  Run Remote Usage\n\t1000  -  Run Bytes Sent By Job\n"
                            "\t2000  -  Run Bytes Received By Job\n")
            text = "...\n".join(said) + "...\n"
            written += len(text)
            log.write(text)
    account = pwd.getpwnam("condor")
    os.chown(LOG, account.pw_uid, account.pw_gid)
