"""What programs print when something fails: the line that says it, with noise before and behind as real programs make it."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Speech:
    line: str  # contained in the line that says the cause; None: nothing says it
    end: str  # `exit N`, or the name of a signal
    before: str = ""
    after: str = ""
    # A shell command that prints the line itself, instead of text.
    command: str = ""

    def shell(self):
        """Shell commands: print, and end."""
        end = self.end if self.end.startswith("exit") else f"kill -{self.end} $$; sleep 5"
        text = self.before + ("" if self.command or not self.line else self.line + "\n")
        out = _print(text) + (f"{self.command}\n" if self.command else "") + _print(self.after)
        return f"{out}{end}\n"


def _print(text):
    return f"cat >&2 <<'END'\n{text}END\n" if text else ""


WARNINGS = """\
WARNING: the option --legacy-grid is deprecated and will be removed
/usr/lib/python3/dist-packages/survey/io.py:212: UserWarning: no units given, assuming SI
  warnings.warn("no units given, assuming SI")
"""
STACK = """\
 *** Break *** stack trace follows
#0  0x00007f3a1c2b6d42 in wait4 () from /lib64/libc.so.6
#1  0x00007f3a1c23ff2b in do_system () from /lib64/libc.so.6
#2  0x00007f3a1d0a9f7e in TUnixSystem::StackTrace() () from libCore.so
#3  0x0000000000402a6b in main ()
"""
ABORT = """\
--------------------------------------------------------------------------
MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD
with errorcode 1.
--------------------------------------------------------------------------
"""
TRACE = """\
Traceback (most recent call last):
  File "/usr/lib/survey/reduce.py", line 88, in <module>
    main(sys.argv[1:])
  File "/usr/lib/survey/reduce.py", line 61, in main
    table = fetch(run, retries=3)
  File "/usr/lib/survey/remote.py", line 140, in fetch
    return self.session.get(path)
"""
PROGRESS = "[INFO] reading configuration\n[INFO] 128 of 128 channels calibrated\n"

SPEECHES = {
    "licence server": [
        Speech("License checkout failed: License server machine is down or not responding. (-96,491)", "exit 1", "Feature:       SIMULATOR\n"),
        Speech("FATAL: no license for feature 'mesher' is available", "exit 255", PROGRESS, "Exiting.\n"),
        Speech("Error: Unable to check out a license. Cannot connect to license server system. (-15,570:111)", "exit 3", WARNINGS),
        Speech("ERROR: ld.so: object 'liblmclient.so' lost its connection: Connection refused", "exit 2", "", ABORT),
    ],
    "database": [
        Speech('psycopg2.OperationalError: connection to server at "conditions.pool.example" (198.51.100.200), port 5432 failed: Connection refused', "exit 1", WARNINGS + TRACE),
        Speech("requests.exceptions.ConnectTimeout: HTTPSConnectionPool(host='conditions.pool.example', port=443): Max retries exceeded with url: /iov (Caused by ConnectTimeoutError(None, 'Connection to conditions.pool.example timed out. (connect timeout=10)'))", "exit 1", TRACE),
        Speech("ERROR 2003 (HY000): Can't connect to MySQL server on 'runs.pool.example:3306' (111)", "exit 1", PROGRESS),
        Speech("frontier error: [fn-htclient.c:458]: server is not responding: Connection timed out", "SEGV", "", STACK),
        Speech("Error: ORA-12541: TNS:no listener", "exit 134", PROGRESS, "Aborted\n"),
    ],
    "software": [
        Speech("root: error while loading shared libraries: libCore.so.6.28: cannot open shared object file: No such file or directory", "exit 127", WARNINGS),
        Speech("/cvmfs/software.pool.example/setup.sh: Transport endpoint is not connected", "exit 1", "", "Setup failed, giving up\n"),
        Speech("not found", "exit 127", PROGRESS, command="analyse-tracks --all"),
        Speech("ModuleNotFoundError: No module named 'lakesurvey'", "exit 1", WARNINGS, command="python3 -c 'import lakesurvey'"),
        Speech("Lmod has detected the following error: The following module(s) are unknown: \"gcc/12.3\"", "exit 1", "", "Please check the spelling or version number. Also try \"module spider ...\"\n"),
        Speech("cannot find /cvmfs/software.pool.example/v7/bin/reco: Input/output error", "exit 126", PROGRESS),
    ],
    "host": [
        Speech("RuntimeError: CUDA error: no CUDA-capable device is detected", "exit 1", WARNINGS + TRACE),
        Speech("/usr/bin/reco: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by /usr/bin/reco)", "exit 1"),
        Speech("OSError: [Errno 28] No space left on device: '/scratch/tmp/blocks.tmp'", "exit 1", PROGRESS + TRACE),
        Speech(None, "SEGV", PROGRESS, "*** Process received signal ***\n" + STACK),
        Speech("sqlite3.OperationalError: disk I/O error", "exit 134", TRACE),
        Speech("mkdir: cannot create directory '/scratch/tmp': Read-only file system", "exit 1", "", ABORT),
        Speech("Illegal instruction (core dumped)", "exit 132", PROGRESS),
    ],
    "bug": [
        Speech("IndexError: list index out of range", "exit 1", PROGRESS, command="python3 -c 'rows = []; print(rows[7])'"),
        Speech("ZeroDivisionError", "exit 1", WARNINGS, command="python3 -c 'print(3 / 0)'"),
        Speech("terminate called after throwing an instance of 'std::out_of_range'", "exit 134", PROGRESS, "  what():  vector::_M_range_check: __n (which is 12) >= this->size() (which is 12)\nAborted (core dumped)\n"),
        Speech("ValueError: could not convert string to float", "exit 1", "", command="python3 -c 'float(\"n/a\")'"),
        Speech("Assertion `!tracks.empty()' failed.", "exit 134", "reco: fit.cc:311: void fit(Event&): ", "Aborted\n"),
        Speech("Segmentation fault", "exit 139", WARNINGS, STACK),
        Speech("Error in if (variance == 0) stop(\"flat\") : missing value where TRUE/FALSE needed", "exit 1", "Loading required package: survey\n", "Execution halted\n"),
        Speech("Error: unexpected end of file in line 4711 of the catalogue", "exit 2", PROGRESS),
    ],
    "flaky": [
        Speech("curl: (56) Recv failure: Connection reset by peer", "exit 56", PROGRESS),
        Speech("deadlock detected between worker 3 and worker 5, giving up", "exit 143", WARNINGS),
        Speech("minimisation did not converge (random start 8831): chi2/ndf = 412", "exit 1", PROGRESS, "Hint: try another seed\n"),
        Speech("Bus error", "exit 135", PROGRESS),
        Speech("Killed", "exit 137", WARNINGS),
    ],
    "bad-argument": [
        Speech("run.sh: error: unrecognized arguments: --fats", "exit 2", "usage: run.sh [-h] [--fast] N\n"),
        Speech("illegal option -- fats", "exit 64", "", "Try 'run.sh --help' for more information.\n"),
        Speech("ValueError: unknown mode '--fats'", "exit 1", TRACE),
    ],
}  # fmt: skip


def kind_of(cause):
    """Which speeches a service or flaw has."""
    if cause in SPEECHES:
        return cause
    return "software" if cause.startswith("software of") else "host" if cause.endswith(".example") else None


def draw(dice, causes, half=None):
    """The number of a speech for each of these that has some; of a kind the same. Of a half every second one."""
    kinds = sorted({kind for cause in causes if (kind := kind_of(cause))})
    first, step = {None: (0, 1), "first": (0, 2), "second": (1, 2)}[half]
    return {kind: dice.choice(range(len(SPEECHES[kind]))[first::step]) for kind in kinds}


def speech(voice, cause):
    kind = kind_of(cause)
    return SPEECHES[kind][voice[kind]] if kind in voice else None
