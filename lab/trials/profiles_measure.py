#!/usr/bin/env python3
"""What a script takes of each resource: runs each of CANDIDATES in a sandbox and prints a row.

    profiles_measure.py [--unusable FILE] [--skip FILE]... CANDIDATES.jsonl >> MEASURED.jsonl

Root runs it, on Linux with the memory and cpu controllers of cgroup v1. PROFILES, a folder that the
environment names, has venv/ (the Python of the scripts, and `cryptography` for the world), runs/,
world/ and the file lock.

A candidate: project, origin, licence, path, file, language, cwd (copied for each run), argv,
variation_of and, where it is not 10 s, limit.

A row is the candidate with: wall, user, sys and delay (s; delay: waits for a core that others
had), peak_rss (bytes, of all processes at once), read_bytes and write_bytes (of the disk), rchar,
wchar, net_rx, net_tx (bytes of the link), threads, ended (exit, limit or signal) and exit_code.

--unusable: rows that no label can be made of, with their reason (PROFILES/unusable.jsonl).
--skip: rows of that file are not measured again.
"""

import argparse
import ast
import collections
import contextlib
import ctypes
import fcntl
import json
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.environ["PROFILES"]
LIMIT, WARM_LIMIT, POLL = 10.0, 2.0, 0.05  # seconds
MEMORY, FILE_SIZE = 6 << 30, 5 << 30  # bytes
# A label is the resource of whose reference the script takes most.
CPU, RSS, DISK, NETWORK = 1.0, 2 << 30, 10e6, 10e6  # cores, bytes, bytes/s, bytes/s
# Callers of one lane take turns. A second lane measures at the same time, with a link of its own.
LANE = os.environ.get("PROFILES_LANE", "")
SIDE, WORLD, GROUP = "profside" + LANE, "profworld", "profrun" + LANE
NEWNS, NEWPID, NEWIPC = 0x20000, 0x20000000, 0x8000000
libc = ctypes.CDLL(None, use_errno=True)


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}{arguments}: {os.strerror(ctypes.get_errno())}")


def shell(line, check=True):
    return subprocess.run(
        line,
        shell=True,
        check=check,
        stdout=subprocess.DEVNULL,
        stderr=None if check else subprocess.DEVNULL,
    )


# ---------------------------------------------------------------- the world
def world():
    """Starts the world's servers unless they run."""
    folder = HERE + "/world"
    os.makedirs(folder, exist_ok=True)
    with contextlib.suppress(OSError, ValueError):
        pid = int(open(folder + "/pid").read())
        if b"profiles_world" in open(f"/proc/{pid}/cmdline", "rb").read():
            return
    shell(f"ip netns del {WORLD}", check=False)
    shell(f"ip netns add {WORLD}")
    shell(f"ip netns exec {WORLD} ip link set lo up")
    # The world is at every address.
    shell(f"ip netns exec {WORLD} ip route add local 0.0.0.0/0 dev lo")
    with contextlib.suppress(OSError):
        os.remove(folder + "/ready")
    server = os.path.join(os.path.dirname(os.path.realpath(__file__)), "profiles_world.py")
    group("profworld", 32768)
    log = open(folder + "/log", "a")
    child = subprocess.Popen(
        ["ip", "netns", "exec", WORLD, HERE + "/venv/bin/python3", server, folder],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        close_fds=True,
    )
    open("/sys/fs/cgroup/cpu/profworld/cgroup.procs", "w").write(str(child.pid))
    for _ in range(200):
        if os.path.exists(folder + "/ready"):
            break
        time.sleep(0.1)
    else:
        raise SystemExit(f"the world's servers did not start: see {folder}/log")
    open(folder + "/pid", "w").write(str(child.pid))
    system = (
        open("/etc/ssl/certs/ca-certificates.crt").read()
        if os.path.exists("/etc/ssl/certs/ca-certificates.crt")
        else ""
    )
    open(folder + "/bundle.pem", "w").write(system + open(folder + "/ca.pem").read())
    open(folder + "/resolv.conf", "w").write("nameserver 10.77.0.1\n")
    open(folder + "/hosts", "w").write(
        "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 " + os.uname().nodename + "\n"
    )


def link():
    """Makes the lane's link to the world unless it is there."""
    if shell(f"ip netns exec {SIDE} ip link show pside", check=False).returncode == 0:
        return
    net, far = f"10.77.{int(LANE or 0)}", "pworld" + LANE
    shell(f"ip netns del {SIDE}", check=False)
    shell(f"ip netns add {SIDE}")
    shell(f"ip link add pside netns {SIDE} type veth peer name {far} netns {WORLD}")
    for name, device, address in ((SIDE, "pside", net + ".2"), (WORLD, far, net + ".1")):
        inside = f"ip netns exec {name} "
        shell(f"{inside}ip addr add {address}/24 dev {device}")
        shell(f"{inside}ip link set {device} up")
        shell(f"{inside}tc qdisc add dev {device} root tbf rate 1gbit burst 1mb latency 50ms")
    shell(f"ip netns exec {SIDE} ip link set lo up")
    shell(f"ip netns exec {SIDE} ip route add default via {net}.1")


def group(name, shares):
    for controller in ("memory", "cpu"):
        os.makedirs(f"/sys/fs/cgroup/{controller}/{name}", exist_ok=True)
    open(f"/sys/fs/cgroup/cpu/{name}/cpu.shares", "w").write(str(shares))


# ---------------------------------------------------------------- the sandbox
def mount(source, target, kind=None, flags=0):
    encode = lambda word: word.encode() if word else None
    call("mount", encode(source), encode(target), encode(kind), flags, None)


def hide(run):
    """The mounts that only the run sees: its folder is /tmp, and the places of others are empty."""
    bind, recursive, private, read_only, remount = 0x1000, 0x4000, 0x40000, 1, 32
    mount(None, "/", None, recursive | private)
    mount("proc", "/proc", "proc")
    venv = HERE + "/venv"
    tmp = run + "/tmp"
    for source, target in (
        (HERE + "/world/resolv.conf", "/etc/resolv.conf"),
        (HERE + "/world/hosts", "/etc/hosts"),
        (HERE + "/world/bundle.pem", "/etc/ssl/certs/ca-certificates.crt"),
    ):
        if os.path.exists(target):
            mount(source, os.path.realpath(target), None, bind)
    inner = f"{tmp}{venv.removeprefix('/tmp')}" if venv.startswith("/tmp/") else None
    if inner:
        os.makedirs(inner, exist_ok=True)
        mount(venv, inner, None, bind)
        mount(None, inner, None, bind | remount | read_only)
    mount(tmp, "/tmp", None, bind | recursive)
    mount("/tmp", "/var/tmp", None, bind)
    for place in ("/root", "/work", "/home", "/mnt"):
        if os.path.isdir(place):
            mount("empty", place, "tmpfs")
    mount("shm", "/dev/shm", "tmpfs")


def environment():
    bundle = "/tmp/profiles-ca.pem"
    kept = {
        name: os.environ[name]
        for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
        if name in os.environ
    }
    return kept | {
        "PATH": HERE + "/venv/bin:/usr/local/bin:/usr/bin:/bin:/usr/games",
        "HOME": "/tmp/run",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "USER": "runner",
        "LOGNAME": "runner",
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "SSL_CERT_FILE": bundle,
        "REQUESTS_CA_BUNDLE": bundle,
        "CURL_CA_BUNDLE": bundle,
        "GIT_SSL_CAINFO": bundle,
        "AWS_CA_BUNDLE": bundle,
        "PYTHONWARNINGS": "ignore",
        "AWS_ACCESS_KEY_ID": "runner",
        "AWS_SECRET_ACCESS_KEY": "runner",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "localhost",
    }


def wrapper(run, argv, limit, out):
    """Runs in a fork: starts the script as PID 2 of a namespace, waits for its tree and writes
    what they took."""
    for controller in ("memory", "cpu"):
        open(f"/sys/fs/cgroup/{controller}/{GROUP}/cgroup.procs", "w").write(str(os.getpid()))
    with open(f"/var/run/netns/{SIDE}") as side:
        call("setns", side.fileno(), 0)
    call("unshare", NEWNS | NEWPID | NEWIPC)
    first = os.fork()
    if first:
        os.write(out, f"{first}\n".encode())
        os.waitpid(first, 0)
        os._exit(0)
    hide(run)
    user = pwd.getpwnam("runner")
    start = time.monotonic()
    script = os.fork()
    if not script:
        os.setsid()
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(os.open("/tmp/stdout", os.O_WRONLY), 1)
        os.dup2(os.open("/tmp/stderr", os.O_WRONLY), 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        os.chdir("/tmp/run")
        try:
            os.execvpe(argv[0], argv, environment())
        except OSError as error:
            os.write(2, f"{argv[0]}: {error}\n".encode())
        os._exit(127)
    over = []

    def stop(*_):
        over.append(True)
        os.kill(-1, signal.SIGKILL)  # all of the namespace but this process

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    status = None
    while status is None:
        pid, ended = os.waitpid(-1, 0)
        if pid == script:
            status = ended
    wall = time.monotonic() - start
    signal.setitimer(signal.ITIMER_REAL, 0)
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    taken = dict(line.split(": ") for line in open("/proc/self/io").read().splitlines())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    row = {
        "wall": round(wall, 3),
        "user": round(used.ru_utime, 3),
        "sys": round(used.ru_stime, 3),
        "maxrss": used.ru_maxrss * 1024,
    }
    row |= {
        name: int(taken[name])
        for name in ("read_bytes", "write_bytes", "cancelled_write_bytes", "rchar", "wchar")
    }
    row["ended"] = "limit" if over else "exit" if os.WIFEXITED(status) else "signal"
    row["exit_code"] = os.waitstatus_to_exitcode(status)
    os.write(out, (json.dumps(row) + "\n").encode())
    os._exit(0)


class Poll:
    """Memory, threads and delay of the processes of the run, looked at every `POLL` seconds."""

    def __init__(self, own):
        self.own, self.peak, self.threads, self.delay = own, 0, 0, 0.0
        self.times, self.shared_at, self.looked = {}, 0.0, time.monotonic()

    def look(self):
        try:
            processes = [
                int(pid)
                for pid in open(f"/sys/fs/cgroup/memory/{GROUP}/cgroup.procs").read().split()
            ]
        except OSError:
            return
        processes = [pid for pid in processes if pid not in self.own]
        total, threads, longest, ran_all = 0, 0, 0, 0
        began = time.monotonic()
        several = len(processes) > 1 and began >= self.shared_at
        for pid in processes:
            with contextlib.suppress(OSError, ValueError, IndexError):
                # Pages that forks share count once.
                if several:
                    total += (
                        int(
                            re.search(
                                r"^Pss:\s+(\d+)", open(f"/proc/{pid}/smaps_rollup").read(), re.M
                            )[1]
                        )
                        * 1024
                    )
                elif len(processes) == 1:
                    total += int(open(f"/proc/{pid}/statm").read().split()[1]) * 4096
                for task in os.listdir(f"/proc/{pid}/task"):
                    threads += 1
                    ran, waited = map(
                        int, open(f"/proc/{pid}/task/{task}/schedstat").read().split()[:2]
                    )
                    ran_before, waited_before = self.times.get(task, (0, 0))
                    longest, ran_all = (
                        max(longest, waited - waited_before),
                        ran_all + ran - ran_before,
                    )
                    self.times[task] = ran, waited
        if several:
            self.shared_at = time.monotonic() + 5 * (time.monotonic() - began)
        self.peak, self.threads = max(self.peak, total), max(self.threads, threads)
        # Of threads that wait at once only the longest wait counts, and none while the run has all
        # of the cores itself.
        left = os.cpu_count() * (began - self.looked) - ran_all / 1e9
        self.delay += min(longest / 1e9, max(0.0, left))
        self.looked = began


def traffic(pid):
    line = re.search(r"pside:\s*(.*)", open(f"/proc/{pid}/net/dev").read())[1].split()
    return int(line[0]), int(line[8])


def cool(folder):
    """Drops the files of a folder from the page cache."""
    top = os.open(folder, os.O_RDONLY)
    call("syncfs", top)
    os.close(top)
    for top, _, files in os.walk(folder):
        for name in files:
            where = os.path.join(top, name)
            if os.path.islink(where) or not os.path.isfile(where):
                continue
            with open(where, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def end_of(where, size=600):
    with open(where, "rb") as file:
        file.seek(max(0, os.path.getsize(where) - size))
        return file.read().decode(errors="replace")


def execute(candidate, argv, limit, copy=True, show=False):
    """One run, measured."""
    run = f"{HERE}/runs/{os.getpid()}"
    shutil.rmtree(run, ignore_errors=True)
    os.makedirs(run + "/tmp")
    if copy:
        shutil.copytree(candidate["cwd"], run + "/tmp/run", symlinks=True)
    else:
        os.mkdir(run + "/tmp/run")
    for name in ("stdout", "stderr"):
        open(f"{run}/tmp/{name}", "w").close()
    shutil.copy(HERE + "/world/bundle.pem", run + "/tmp/profiles-ca.pem")
    subprocess.run(["chown", "-R", "runner:", run + "/tmp"], check=True)
    os.chmod(run + "/tmp", 0o1777)
    cool(run + "/tmp/run")
    group(GROUP, 65536)
    open(f"/sys/fs/cgroup/memory/{GROUP}/memory.limit_in_bytes", "w").write(str(MEMORY))
    inlet, outlet = os.pipe()
    middle = os.fork()
    if not middle:
        try:
            os.close(inlet)
            wrapper(run, argv, limit, outlet)
        except BaseException as error:  # the fork must not go on as its parent
            os.write(2, f"wrapper: {error!r}\n".encode())
        os._exit(1)
    os.close(outlet)
    results = os.fdopen(inlet)
    first = int(results.readline() or 0)
    if not first:
        os.waitpid(middle, 0)
        raise RuntimeError("the sandbox could not be made")
    before = after = traffic(middle)
    poll, finished = Poll({middle, first}), threading.Event()
    lines = []
    reader = threading.Thread(
        target=lambda: (lines.extend(results.readlines()), finished.set()), daemon=True
    )
    reader.start()
    safety = time.monotonic() + limit + 60
    while not finished.wait(POLL):
        poll.look()
        with contextlib.suppress(OSError, TypeError):
            after = traffic(middle)
        if time.monotonic() > safety:
            for pid in open(f"/sys/fs/cgroup/memory/{GROUP}/cgroup.procs").read().split():
                os.kill(int(pid), signal.SIGKILL)
            break
    os.waitpid(middle, 0)
    shell_side = subprocess.run(
        ["ip", "netns", "exec", SIDE, "cat", "/proc/net/dev"], capture_output=True, text=True
    ).stdout
    line = re.search(r"pside:\s*(.*)", shell_side)[1].split()
    after = int(line[0]), int(line[8])
    if not lines:
        raise RuntimeError("the run wrote no figures")
    row = json.loads(lines[-1])
    row["peak_rss"] = max(poll.peak, row.pop("maxrss"))
    row |= {
        "delay": round(poll.delay, 3),
        "threads": poll.threads,
        "net_rx": after[0] - before[0],
        "net_tx": after[1] - before[1],
    }
    row["stdout_bytes"] = os.path.getsize(run + "/tmp/stdout")
    row["stderr_tail"] = end_of(run + "/tmp/stderr")
    if show:
        say(end_of(run + "/tmp/stdout", 5000))
    shutil.rmtree(run, ignore_errors=True)
    return row


# ---------------------------------------------------------------- warm libraries
warmed = set()  # also those of other callers since the machine started


def modules(where, language):
    """The libraries that a script names."""
    source = open(where, errors="replace").read()
    if language == "r":
        return sorted(
            set(
                re.findall(
                    r"(?:library|require|requireNamespace)\(\s*[\"']?([A-Za-z][\w.]+)", source
                )
            )
        )
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return sorted(name for name in names if name.isidentifier() or "." in name)


def warm(candidate):
    language = candidate["language"]
    if language == "shell":
        execute(candidate, candidate["argv"], WARM_LIMIT)
        return
    names = [f"{language}:{name}" for name in modules(candidate["file"], language)]
    record = f"{HERE}/world/warm"
    with contextlib.suppress(OSError):
        warmed.update(open(record).read().split())
    if warmed.issuperset(names):
        return
    names, wanted = [name.partition(":")[2] for name in names], names
    if language == "r":
        line = ["Rscript", "-e", ";".join(f'try(library("{name}"),silent=TRUE)' for name in names)]
    else:
        line = [
            "python3",
            "-c",
            f"import importlib\nfor name in {names!r}:\n try: importlib.import_module(name)\n"
            " except BaseException: pass",
        ]
    execute(candidate, line, LIMIT, copy=False)
    open(record, "a").write(" ".join(wanted) + "\n")


# ---------------------------------------------------------------- labels
def shares(row):
    wall = max(row["wall"], 1e-3)
    return {
        "cpu": (row["user"] + row["sys"]) / max(wall - row["delay"], 0.05 * wall) / CPU,
        "memory": row["peak_rss"] / RSS,
        "disk": (row["read_bytes"] + row["write_bytes"]) / wall / DISK,
        "network": (row["net_rx"] + row["net_tx"]) / wall / NETWORK,
    }


def label(row):
    of = shares(row)
    return max(of, key=of.get)


def reason(row):
    """Why no label can be made of a row, or nothing."""
    if row["ended"] == "signal":
        return f"ended by signal {-row['exit_code']}"
    if row["ended"] == "exit" and row["exit_code"] != 0:
        return f"exit code {row['exit_code']}"
    return "" if row["wall"] >= 1 else "less than 1 s"


def key(row):
    return json.dumps(
        [row["project"], row["path"], row["argv"], row.get("variation_of"), row.get("file")]
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--unusable", default=HERE + "/unusable.jsonl")
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--show", action="store_true", help="the end of what each run prints")
    parser.add_argument("candidates")
    asked = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("root is needed, for namespaces and control groups")
    done = set()
    for name in asked.skip:
        if os.path.exists(name):
            done |= {key(json.loads(line)) for line in open(name)}
    try:
        pwd.getpwnam("runner")
    except KeyError:
        shell("useradd --system --no-create-home --shell /bin/bash runner")
    counts = collections.Counter()
    for line in open(asked.candidates):
        candidate = json.loads(line)
        if key(candidate) in done:
            continue
        with open(HERE + "/lock" + LANE, "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                with open(HERE + "/world.lock", "w") as starting:
                    fcntl.flock(starting, fcntl.LOCK_EX)
                    world()
                    link()
                warm(candidate)
                row = candidate | execute(
                    candidate, candidate["argv"], candidate.get("limit", LIMIT), show=asked.show
                )
            except Exception as error:  # one candidate must not stop the others
                say(candidate["project"], candidate["path"], "not run:", repr(error))
                counts["not run"] += 1
                continue
        why = reason(row)
        if why:
            with open(asked.unusable, "a") as out:
                out.write(json.dumps(row | {"reason": why}) + "\n")
        else:
            row.pop("stderr_tail")
            print(json.dumps(row), flush=True)
        counts[why and "unusable" or label(row)] += 1
        of = " ".join(f"{name} {share:.2f}" for name, share in shares(row).items())
        say(
            f"{candidate['project']:20.20} {candidate['path'][-44:]:44} {row['wall']:5.1f} s  {of} "
            f"{why or label(row).upper()}  {dict(counts)}"
        )
        if why and row["stderr_tail"]:
            say("    " + row["stderr_tail"].strip().rsplit("\n", 1)[-1][:200])


if __name__ == "__main__":
    main()
