"""Causes of job holds as facilitators of grid and open pools see them: stores that come back, and what looks so."""

from pathlib import Path

from causes_of_others import HOSTS, SITES, at_sites, host_state, server, service, site_state, state, text, write
from kit import Cause, Service

REPOSITORY = "data.reanalysis.example"
DOOR = "webdav.tier2.example"


# ---------------------------------------------------------------- services

def answers(name, status):
    """A server that answers everybody so while it is in trouble."""
    return (lambda w, place: w.answer(name, None, status),
            lambda w, place: w.answer(name, None, 200),
            lambda w: server(w, name))


SERVICES = [
    service("primary of the bookkeeping", "service", state("pg/recovery", "f\n", "t\n")),
    service("authentication of the storage", "service", state("xrd/sec", "gsi,ztn\n", "\n")),
    service("data repository", "service", answers(REPOSITORY, 410)),
    service("package channel", "service", state("conda/channel", "fast\n", "crawling\n")),
    service("file server of the cell", "service", state("afs/volser", "online\n", "offline\n")),
    service("gateway of the bucket", "service", state("rgw/index", "ready\n", "rebuilding\n")),
    service("ecc of card", "host", host_state("gpu/dbe", "0\n", "3\n")),
    service("fuse of host", "host", host_state("dev/fuse", "crw-rw-rw-\n", "\n")),
    service("copies in the cache", "site", site_state("stash/copies", "good\n", "torn\n")),
]


class Of(Cause):
    """Its texts are attributes, in which @proc@ and the like stand for what differs."""

    lines, line, wrong, script, more = "", None, (), None, {}

    def submit(self, c):
        return text(self.lines, c, **self.more)

    def program(self, c, corrected):
        return text(self.script, c, corrected=corrected, **self.more)

    def faulty(self, c, proc, place):
        place = place or (*self.where, None)[0]
        return [(kind, text(name, c, proc=proc, place=place, **self.more)) for kind, name in self.wrong]

    def says(self, c, proc):
        return self.line


# ---------------------------------------------------------------- database: one error, two causes

INSERT = r'''#!/usr/bin/python3
import os, sys, time
sys.stderr.write("ganga-bk: schema 38, pool_size=1\n")
sys.stderr.flush()
time.sleep(@seconds@)
standby = os.environ["PGHOST"] != "bk-rw.lab.example"
if standby or open("/srv/site/@file@").read().strip() == "t":
    sys.stderr.write("""Traceback (most recent call last):
  File "/opt/bk/bin/register_output", line 64, in <module>
    cur.execute("INSERT INTO outputs (lfn, guid, nevents) VALUES (%s, %s, %s)", row)
psycopg2.errors.ReadOnlySqlTransaction: cannot execute INSERT in a read-only transaction

""")
    sys.exit(4)
print("registered 1 output")
'''


class ReadOnly(Of):
    name, kind, seen_by = "primary-read-only", "passing", "nothing"
    story = ("The primary of the database failed over; until the new one is promoted the address leads to one "
             "that only reads.")
    needs, moment, helps, weight = ("primary of the bookkeeping",), "end", (), 0.5
    more = {"host": "bk-rw.lab.example", "file": "pg/recovery"}
    lines = 'arguments = $(Process)\nenvironment = "PGHOST=@host@ PGSSLMODE=require"\n'
    line = "cannot execute INSERT in a read-only transaction"
    wrong = (("service", "primary of the bookkeeping"), ("server", "@host@"))
    script = INSERT


class Standby(ReadOnly):
    name, kind = "standby-addressed", "lasting"
    story = "The owner gave the jobs the address for reading; the database behind it never takes a row."
    needs, helps = (), ("other",)
    more = {"host": "bk-ro.lab.example", "file": "pg/never"}
    wrong = (("attribute", "Environment"), ("server", "@host@"))

    def prepare(self, c):
        at_sites(c.world, "pg/never", "f\n")

    def correct(self, c, proc):
        return {"Environment": '"PGHOST=bk-rw.lab.example PGSSLMODE=require"'}


class Authentication(Of):
    name, kind, seen_by = "storage-knows-no-protocol", "passing", "nothing"
    story = ("The doors of the storage have lost their lists of certificates; they offer no way to log in "
             "until these are renewed.")
    needs, moment, helps, weight = ("authentication of the storage",), "start", (), 0.5
    lines = "arguments = /store/user/skim_$(Process).root\n"
    line = "[FATAL] Auth failed: No protocols left to try"
    wrong = (("service", "authentication of the storage"),)
    script = r'''#!/bin/bash
echo "X509_USER_PROXY not set, BEARER_TOKEN_FILE found" >&2
if [ -z "$(cat /srv/site/xrd/sec)" ]; then
    echo "[0B/0B][  0%][                                                  ][0B/s]  " >&2
    echo "Run: [FATAL] Auth failed: No protocols left to try (source)" >&2
    exit 52
fi
sleep @seconds@
echo "skimmed $1"
'''


# ---------------------------------------------------------------- URLs: gone but back, busy but never back

class Migrated(Of):
    name, kind, seen_by = "repository-says-gone", "passing", "url"
    story = "A repository moves to new disks; until that is done it says of every file that it is gone."
    needs, moment, helps, weight = ("data repository",), "input", (), 0.5
    lines = f"transfer_input_files = http://{REPOSITORY}:8080/era5/@tag@/u850_$(Process).grib\n"
    wrong = (("server", REPOSITORY), ("service", "data repository"),
             ("url", f"http://{REPOSITORY}:8080/era5/@tag@/u850_@proc@.grib"))
    script = r'''#!/bin/bash
echo "ECCODES WARNING :  Key dataDate: truncating to 8 digits" >&2
sleep @seconds@
ls ./*.grib
'''


class DoorRetired(Of):
    name, kind, seen_by = "old-door-times-out", "lasting", "url"
    story = ("The path by way of an old door of the storage is still passed on to a machine that was thrown "
             "away; it will always time out.")
    moment, helps, weight = "input", ("other",), 0.5
    lines = f"transfer_input_files = http://{DOOR}:8080/door03/pnfs/@tag@/digi_$(Process).edm\n"
    wrong = (("url", f"http://{DOOR}:8080/door03/pnfs/@tag@/digi_@proc@.edm"), ("attribute", "TransferInput"))

    def prepare(self, c):
        server(c.world, DOOR)
        for proc in range(c.procs):
            c.world.answer(DOOR, f"/door03/pnfs/{c.tag}/digi_{proc}.edm", 504)

    script = r'''#!/bin/bash
echo "%MSG-w Timing: (NoModuleName) no TimingService" >&2
sleep @seconds@
ls ./*.edm
'''

    def correct(self, c, proc):
        return {"TransferInput": f'"http://{DOOR}:8080/door11/pnfs/{c.tag}/digi_{proc}.edm"'}


# ---------------------------------------------------------------- more services

class OnTape(Of):
    name, kind, seen_by = "files-only-on-tape", "passing", "nothing"
    story = ("Some files have been dropped from disk; the robot brings them back in its own time after they were "
             "asked for.")
    moment, some, passes, helps, weight = "start", True, (90, 600), (), 0.6
    lines = "arguments = $(Process)\n"
    line = "[3012] Internal timeout"
    wrong = (("file", "raw_@proc@.dat"), ("service", "tape robot"), ("server", "dcdoor9.desy.example"))

    def prepare(self, c):
        at_sites(c.world, f"pnfs/{c.tag}", " ".join(map(str, c.bad)) + "\n")

    script = r'''#!/bin/bash
echo "Info: replica policy is 'closest'" >&2
if grep -qw "$1" /srv/site/pnfs/@tag@; then
    echo "[2024-01-17 05:12:40.118201 +0100][Error  ][XRootD            ] [dcdoor9.desy.example:1094] Unable to get \
the response to request kXR_open" >&2
    echo "Run: [ERROR] Server responded with an error: [3012] Internal timeout (source)" >&2
    exit 54
fi
sleep @seconds@
echo "raw_$1.dat read"
'''

    def heal(self, c):
        at_sites(c.world, f"pnfs/{c.tag}", "\n")


class Channel(Of):
    name, kind, seen_by = "channel-of-packages-crawls", "passing", "nothing"
    story = "The mirror of the packages is being synchronised and hardly answers; no environment can be made meanwhile."
    needs, moment, helps, weight = ("package channel",), "start", (), 0.5
    lines = "arguments = create -y -f env.yml --replica $(Process)\n"
    line = "Download error (28) Timeout was reached"
    wrong = (("service", "package channel"), ("server", "conda.mirror.example"))
    script = r'''#!/bin/bash
echo "warning  libmamba 'root_prefix' set with default value: $PWD/mamba" >&2
if [ "$(cat /srv/site/conda/channel)" != fast ]; then
cat >&2 <<END
error    libmamba Download error (28) Timeout was reached \
[https://conda.mirror.example/conda-forge/linux-64/repodata.json.zst]
    Operation too slow. Less than 30 bytes/sec transferred the last 60 seconds
critical libmamba Multiple errors occurred:
    Download error (28) Timeout was reached
END
exit 1
fi
sleep @seconds@
echo "Transaction finished"
'''


class NoPrimary(Of):
    name, kind, seen_by = "replica-set-without-primary", "passing", "nothing"
    story = "A long maintenance of the database of tasks: most of its members are off, the rest elects nobody."
    moment, passes, helps, weight = "start", (350, 1200), (), 0.6
    lines = "arguments = rapidfire --nlaunches 1 --worker $(Process)\n"
    line = "No replica set members match selector"
    wrong = (("service", "database of tasks"), ("server", "mongo3.materials.example"))

    def prepare(self, c):
        at_sites(c.world, f"mongo/{c.tag}", "SECONDARY\n")

    script = r'''#!/usr/bin/python3
import sys, time
sys.stderr.write("2024-01-17 05:12:10,440 INFO Hostname/IP lookup (this will take a few seconds)\n")
if open("/srv/site/mongo/@tag@").read().strip() != "PRIMARY":
    sys.stderr.write("""Traceback (most recent call last):
  File "/opt/fw/bin/rlaunch", line 8, in <module>
    sys.exit(rlaunch())
  File "/opt/fw/lib/python3.11/site-packages/pymongo/topology.py", line 272, in _select_servers_loop
    raise ServerSelectionTimeoutError(
pymongo.errors.ServerSelectionTimeoutError: No replica set members match selector "Primary()", Timeout: 30s, Topology \
Description: <TopologyDescription id: 65a75a2e1f, topology_type: ReplicaSetNoPrimary, servers: [<ServerDescription \
('mongo3.materials.example', 27017) server_type: RSSecondary, rtt: 0.0021>]>
""")
    sys.exit(1)
time.sleep(@seconds@)
print("Rocket finished")
'''

    def heal(self, c):
        at_sites(c.world, f"mongo/{c.tag}", "PRIMARY\n")


class Volume(Of):
    name, kind, seen_by = "volume-of-cell-offline", "passing", "nothing"
    story = ("A file server of the AFS cell salvages its volumes; what lies on them looks as if its device did "
             "not exist.")
    needs, moment, helps, weight = ("file server of the cell",), "start", (), 0.5
    lines = "arguments = $(Process)\n"
    line = "No such device"
    wrong = (("service", "file server of the cell"),
             ("file", "/afs/cell.lab.example/work/k/kpi/cards/card@proc@.dat"))
    script = r'''#!/bin/bash
echo "tokens held: User's (AFS ID 40117) rxkad tokens for cell.lab.example" >&2
if [ "$(cat /srv/site/afs/volser)" != online ]; then
    echo "cp: cannot stat '/afs/cell.lab.example/work/k/kpi/cards/card$1.dat': No such device" >&2
    echo "madevent.sh: no card, stopping" >&2
    exit 19
fi
sleep @seconds@
echo "Cross-section :   0.3117 +- 0.0008 pb"
'''


# ---------------------------------------------------------------- bucket: one error, two causes

BUCKET = r'''#!/bin/bash
echo "<5>NOTICE: Config file \"/home/@owner@/.config/rclone/rclone.conf\" not found - using defaults" >&2
if [ "$1" != @real@ ] || [ "$(cat /srv/site/@file@)" != ready ]; then
    echo "<3>ERROR : S3 bucket tomo path $1/slab$2: error reading source root directory: directory not found" >&2
    echo "<3>ERROR : Attempt 3/3 failed with 1 errors and: directory not found" >&2
    echo "Failed to copy: directory not found" >&2
    exit 3
fi
sleep @seconds@
echo "reconstructed slab $2"
'''


class Bucket(Of):
    name, kind, seen_by = "bucket-looks-empty", "passing", "nothing"
    story = ("After a restart the gateway of the object store builds the index of a bucket anew; until then the "
             "bucket looks empty.")
    needs, moment, helps, weight = ("gateway of the bucket",), "start", (), 0.5
    more = {"given": "2024A", "file": "rgw/index", "real": "2024A"}
    lines = "arguments = @given@ $(Process)\n"
    script = BUCKET
    line = "error reading source root directory: directory not found"
    wrong = (("service", "gateway of the bucket"),)


class Prefix(Bucket):
    name, kind = "prefix-in-lower-case", "lasting"
    story = "The owner wrote the name of the run in lower case; the store keeps apart what looks alike."
    needs, helps = (), ("other",)
    more = {"given": "2024a", "file": "rgw/other", "real": "2024A"}
    wrong = (("attribute", "Args"),)

    def prepare(self, c):
        at_sites(c.world, "rgw/other", "ready\n")

    def correct(self, c, proc):
        return {"Args": f'"2024A {proc}"'}


# ---------------------------------------------------------------- not a file of its kind: one error, two causes

SIGNATURE = r'''#!/usr/bin/python3
import sys, time
name = sys.argv[1]
with open(name, "rb") as f:
    head = f.read(8)
if head != b"\x89HDF\r\n\x1a\n":
    sys.stderr.write("""Traceback (most recent call last):
  File "xas_bin.py", line 29, in <module>
    scan = h5py.File(sys.argv[1], "r")
  File "/opt/beam/lib/python3.11/site-packages/h5py/_hl/files.py", line 231, in make_fid
    fid = h5f.open(name, flags, fapl=fapl)
  File "h5py/h5f.pyx", line 106, in h5py.h5f.open
OSError: Unable to open file (file signature not found)
""")
    sys.exit(1)
time.sleep(@seconds@)
print("binned", name)
'''


class HalfWritten(Of):
    name, kind, seen_by = "scans-being-rewritten", "passing", "local"
    story = ("A colleague's script writes the scans anew with a better calibration; a file is empty until its "
             "turn has come.")
    moment, some, passes, helps, weight = "start", True, (50, 300), (), 0.5
    bad_bytes, script = b"", SIGNATURE
    lines = "arguments = scan$(Process).h5\ntransfer_input_files = @folder@/scan$(Process).h5\n"
    line = "Unable to open file (file signature not found)"
    wrong = (("file", "@folder@/scan@proc@.h5"),)

    def put(self, c, proc, good):
        c.put(f"{c.folder}/scan{proc}.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 2040 if good else self.bad_bytes)

    def prepare(self, c):
        for proc in range(c.procs):
            self.put(c, proc, proc not in c.bad)

    def heal(self, c):
        for proc in c.bad:
            self.put(c, proc, True)


class LoginPage(HalfWritten):
    name, kind = "login-page-saved", "lasting"
    story = ("The owner fetched some scans after the session at the portal had ended; what was saved is its page "
             "to log in.")
    passes, helps = None, ("other",)
    bad_bytes = (b"<!DOCTYPE html>\n<html><head><title>Sign in - Beamline portal</title></head>\n"
                 b"<body><form action=\"/login\" method=\"post\"><input name=\"user\"></form></body></html>\n")

    def correct(self, c, proc):
        self.heal(c)


# ---------------------------------------------------------------- bad hosts and sites

class NoExec(Of):
    name, kind, seen_by = "scratch-without-execution", "host", "nothing"
    story = ("The scratch disk of one host is mounted so that nothing on it may be executed, nor any library "
             "there loaded.")
    where, moment, helps, weight = ("l2.lakeside.example",), "start", ("site",), 0.8
    lines = "arguments = --window $(Process)\n"
    line = "failed to map segment from shared object: Operation not permitted"
    wrong = (("host", "@place@"),)

    def prepare(self, c):
        for host in HOSTS:
            write(c.world.host(host) / "scratch/options", "rw,noexec\n" if host in self.where else "rw,relatime\n")

    script = r'''#!/usr/bin/python3
import os, sys, time
sys.stderr.write("unpacking stingray-1.1.2 into %s\n" % os.path.basename(os.getcwd()))
if "noexec" in open("/srv/host/scratch/options").read():
    sys.stderr.write("""Traceback (most recent call last):
  File "fit_qpo.py", line 3, in <module>
    from stingray import Powerspectrum
ImportError: %s/lib/stingray/_core.cpython-311-x86_64-linux-gnu.so: failed to map segment from shared object: \
Operation not permitted
""" % os.getcwd())
    sys.exit(1)
time.sleep(@seconds@)
print("QPO at 0.47 Hz")
'''


class NoWayOut(Of):
    name, kind, seen_by = "site-without-way-out", "host", "nothing"
    story = ("The machines of one site have no way to the outside; a program that fetches its model from the net "
             "cannot start there.")
    where, moment, helps, weight = ("Lakeside",), "start", ("site", "other"), 0.8
    lines = "arguments = --fasta part$(Process).fa\n"
    line = "We couldn't connect to 'https://huggingface.co' to load this file"
    wrong = (("site", "@place@"), ("program", "score_variants.py"), ("server", "huggingface.co"))

    def prepare(self, c):
        for site in SITES:
            write(c.world.site(site) / "nat/outbound", "none\n" if site in self.where else "full\n")

    script = r'''#!/usr/bin/python3
import sys, time
bundled = @corrected@
if not bundled and open("/srv/site/nat/outbound").read().strip() != "full":
    sys.stderr.write("""Traceback (most recent call last):
  File "score_variants.py", line 18, in <module>
    tok = AutoTokenizer.from_pretrained("facebook/esm2_t12_35M_UR50D")
  File "/opt/plm/lib/python3.11/site-packages/transformers/utils/hub.py", line 425, in cached_file
    raise EnvironmentError(
OSError: We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files and \
it looks like facebook/esm2_t12_35M_UR50D is not the path to a directory containing a file named config.json.
Checkout your internet connection or see how to run the library in offline mode at \
'https://huggingface.co/docs/transformers/installation#offline-mode'.
""")
    sys.exit(1)
time.sleep(@seconds@)
print("scored", sys.argv[2])
'''

    def correct(self, c, proc):
        return None                                 # the model comes along: program(c, True)


class Ecc(Of):
    name, kind, seen_by = "card-with-bad-cells", "host", "nothing"
    story = "The GPU of one host has bad memory cells; programs that use it end until the card is reset."
    needs, moment, helps, weight = ("ecc of card",), "end", ("site",), 0.6
    lines = "arguments = --replica $(Process)\n"
    line = "uncorrectable ECC error encountered"
    wrong = (("host", "@place@"),)
    script = r'''#!/bin/bash
echo "Info: Benchmark time: 1 CPUs 0.0118 s/step" >&2
sleep @seconds@
if [ "$(cat /srv/host/gpu/dbe)" != 0 ]; then
    echo "FATAL ERROR: CUDA error cudaStreamSynchronize(stream) in file src/CudaTileListKernel.cu, function \
sortTileLists, line 1127" >&2
    echo " on Pe 0 device 0 pci 0:af:0: uncorrectable ECC error encountered" >&2
    exit 1
fi
echo "WallClock: 812.4"
'''


class Fuse(Of):
    name, kind, seen_by = "fuse-not-loaded", "host", "nothing"
    story = ("One host came up with a new kernel for which the module of FUSE was not built; images cannot be "
             "mounted there.")
    needs, moment, helps, weight = ("fuse of host",), "start", ("site",), 0.6
    lines = "arguments = exec @tag@.sif run $(Process)\n"
    line = "fuse: device not found, try 'modprobe fuse' first"
    wrong = (("host", "@place@"), ("file", "/dev/fuse"))
    script = r'''#!/bin/bash
echo "WARNING: Skipping mount /etc/localtime [binds]: /etc/localtime doesn't exist in container" >&2
if [ -z "$(cat /srv/host/dev/fuse)" ]; then
    echo "fuse: device not found, try 'modprobe fuse' first" >&2
    echo "FATAL:   container creation failed: while mounting image driver: squashfuse_ll exited with status 1" >&2
    exit 255
fi
sleep @seconds@
echo "ran $4"
'''


class SmallGlidein(Of):
    name, kind, seen_by = "batch-system-below-kills", "host", "nothing"
    story = ("The pilots of one site ask its batch system for less memory than they offer; it kills what uses "
             "all that it was given.")
    where, moment, helps, weight = ("Hilltop",), "end", ("site",), 0.8
    lines = "arguments = block_$(Process)\n"
    line = "Detected 1 oom_kill event in StepId"
    wrong = (("site", "@place@"),)

    def prepare(self, c):
        for site in SITES:
            write(c.world.site(site) / "slurm/mem", "24\n" if site in self.where else "4096\n")

    script = r'''#!/bin/bash
echo "flye: INFO: Total read length: 1480112; starting assembly" >&2
sleep @seconds@
if [ "$(cat /srv/site/slurm/mem)" -lt 40 ]; then
    echo "slurmstepd: error: Detected 1 oom_kill event in StepId=7741209.batch. Some of the step tasks have been OOM \
Killed." >&2
    exit 137
fi
echo "contigs of $1 written"
'''


class TornCopies(Of):
    name, kind, seen_by = "torn-copies-in-cache", "host", "nothing"
    story = "The cache of one site ran full while it wrote and hands out files with holes until it is emptied."
    needs, moment, helps, weight = ("copies in the cache",), "start", ("site",), 0.6
    lines = "arguments = minbias_$(Process).root\n"
    line = "R__unzip: error -3 in inflate (zlib)"
    wrong = (("site", "@place@"),)
    script = r'''#!/bin/bash
echo "Warning in <UnknownClass::SetDisplay>: DISPLAY not set" >&2
if [ "$(cat /srv/site/stash/copies)" != good ]; then
    echo "Error in <TBasket::ReadBasketBuffers>: fNbytes = 1203, fKeylen = 0, fObjlen = 0, noutot = 0, nout=0, nin=0, \
nbuf=0" >&2
    echo "R__unzip: error -3 in inflate (zlib)" >&2
    echo "Error in <TTree::GetEntry>: basket of branch hits of $1 is damaged, run ends" >&2
    exit 68
fi
sleep @seconds@
echo "mixed 40 collisions of $1"
'''


# ---------------------------------------------------------------- luck

class Lincs(Of):
    name, kind, seen_by = "bonds-break-at-random", "luck", "nothing"
    story = ("The step of time is at the edge of what the molecule bears; with some random velocities its bonds "
             "break. Half the step never fails.")
    moment, helps, luck, weight = "end", ("other",), 0.5, 0.6
    lines = "arguments = --dt 0.005 --replica $(Process)\n"
    line = "Too many LINCS warnings (1001)"
    wrong = (("attribute", "Args"), ("program", "gmx"))
    script = r'''#!/bin/bash
echo "Changing nstlist from 20 to 80, rlist from 1.224 to 1.359" >&2
sleep @seconds@
if [ "$2" = 0.005 ] && (( RANDOM % 100 >= 50 )); then
cat >&2 <<'END'

Step 18402, time 92.01 (ps)  LINCS WARNING
relative constraint deviation after LINCS:
rms 0.842113, max 22.104782 (between atoms 1204 and 1207)

-------------------------------------------------------
Program:     gmx mdrun, version 2023.3
Source file: src/gromacs/mdlib/constr.cpp (line 246)

Fatal error:
Too many LINCS warnings (1001)
If you know what you are doing you can adjust the lincs warning threshold in
your mdp file or set the environment variable GMX_MAXCONSTRWARN to -1,
but normally it is better to fix the problem
-------------------------------------------------------
END
exit 1
fi
echo "Performance: 61.2 ns/day" >&2
'''

    def correct(self, c, proc):
        return {"Args": f'"--dt 0.0025 --replica {proc}"'}


class Latency(Of):
    name, kind, seen_by = "output-seen-too-late", "luck", "nothing"
    story = "The workflow waits a little for files to be seen on a slow disk; in some runs they are seen after that."
    moment, helps, luck, weight = "end", ("other",), 0.6, 0.6
    lines = "arguments = -c1 --latency-wait 5 sorted/s$(Process).bam\n"
    line = "MissingOutputException in rule sort"
    wrong = (("attribute", "Args"), ("program", "snakemake"), ("file", "sorted/s@proc@.bam"))
    script = r'''#!/bin/bash
echo "Building DAG of jobs..." >&2
sleep @seconds@
if [ "$3" -lt 30 ] && (( RANDOM % 100 >= 60 )); then
cat >&2 <<END
MissingOutputException in rule sort in file /srv/Snakefile, line 31:
Job 4  completed successfully, but some output files are missing. Missing files after $3 seconds. This might be due \
to filesystem latency. If that is the case, consider to increase the wait time with --latency-wait:
$4
Shutting down, this might take some time.
Exiting because a job execution failed. Look above for error message
END
exit 1
fi
echo "5 of 5 steps (100%) done" >&2
'''

    def correct(self, c, proc):
        return {"Args": f'"-c1 --latency-wait 60 sorted/s{proc}.bam"'}


class JuliaPeak(Of):
    name, kind, seen_by = "peak-by-order-of-blocks", "luck", "nothing"
    story = ("Blocks are contracted in an order drawn at random; a bad order needs a matrix larger than what was "
             "asked for. With more memory any order fits.")
    moment, helps, luck, weight = "end", ("memory",), 0.5, 0.6
    lines = "arguments = --sector $(Process)\nrequest_memory = 80\n"
    line = "ERROR: LoadError: OutOfMemoryError()"
    wrong = (("limit", "memory"), ("attribute", "RequestMemory"))
    script = r'''#!/bin/bash
mb=$(sed -n 's/^RequestMemory *= *\([0-9]*\).*/\1/p' "$_CONDOR_JOB_AD")
echo "[ Info: heap size hint: ${mb}M, contraction order: greedy, seed from entropy" >&2
sleep @seconds@
if [ "${mb:-0}" -lt 400 ] && (( RANDOM % 100 >= 50 )); then
cat >&2 <<'END'
ERROR: LoadError: OutOfMemoryError()
Stacktrace:
 [1] GenericMemory
   @ ./boot.jl:516 [inlined]
 [2] contract(A::BlockTensor{Float64, 6}, order::Vector{Int64})
   @ Main /srv/dmrg.jl:204
in expression starting at /srv/dmrg.jl:311
END
exit 1
fi
echo "E0 = -0.4431471"
'''


class SlowDown(Of):
    name, kind, seen_by = "store-asks-to-slow-down", "luck", "nothing"
    story = "The object store turns requests away at random whenever many come at once; each upload may be among them."
    moment, helps, luck, weight = "end", (), 0.55, 0.6
    lines = "arguments = chunk-$(Process).zarr\n"
    line = "An error occurred (SlowDown) when calling the PutObject operation"
    wrong = (("service", "object store"), ("file", "chunk-@proc@.zarr"))
    script = r'''#!/usr/bin/python3
import random, sys, time
sys.stderr.write("Boto3 will no longer support Python 3.7 starting December 13, 2023.\n")
sys.stderr.flush()
time.sleep(@seconds@)
if random.random() >= 0.55:
    sys.stderr.write("""Traceback (most recent call last):
  File "regrid.py", line 97, in <module>
    s3.put_object(Bucket="nex-regrid", Key=key, Body=buf)
  File "/opt/geo/lib/python3.7/site-packages/botocore/client.py", line 964, in _make_api_call
    raise error_class(parsed_response, operation_name)
botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the PutObject operation (reached max \
retries: 4): Please reduce your request rate.
""")
    sys.exit(1)
print("uploaded", sys.argv[1])
'''


class DoubleFree(Of):
    name, kind, seen_by = "threads-free-twice", "luck", "nothing"
    story = "Two threads free the same buffer if they end at the same time; the C library then aborts the run."
    moment, helps, luck, weight = "end", ("other",), 0.6, 0.5
    lines = "arguments = -t 4 -i frame_$(Process).ms\n"
    line = "double free or corruption (!prev)"
    wrong = (("attribute", "Args"), ("program", "@folder@/run.sh"))
    script = r'''#!/bin/bash
ulimit -c 0
echo "Gridding 1948 visibilities in 4 threads" >&2
sleep @seconds@
if [ "$2" -gt 1 ] && (( RANDOM % 100 >= 60 )); then
    echo "double free or corruption (!prev)" >&2
    kill -ABRT $$
    sleep 5
fi
echo "rms 11.2 uJy/beam"
'''

    def correct(self, c, proc):
        return {"Args": f'"-t 1 -i frame_{proc}.ms"'}


# ---------------------------------------------------------------- lasting, of the job itself

class Scheme(Of):
    name, kind, seen_by = "scheme-not-given", "lasting", "nothing"
    story = "The owner changed the model of turbulence and did not say by which scheme its new field is to be solved."
    moment, helps, weight = "start", ("other",), 0.5
    lines = "arguments = -case angle$(Process)\ntransfer_input_files = @folder@/fvSchemes\n"
    line = "Entry 'div(phi,omega)' not found in dictionary"
    wrong = (("file", "@folder@/fvSchemes"),)

    def put(self, c, field):
        c.put(f"{c.folder}/fvSchemes", "divSchemes\n{\n    default none;\n    div(phi,U) bounded Gauss linear;\n"
                                       f"    div(phi,{field}) bounded Gauss upwind;\n}}\n")

    def prepare(self, c):
        self.put(c, "epsilon")

    script = r'''#!/bin/bash
echo "Selecting turbulence model type RAS"
echo "Selecting RAS turbulence model kOmegaSST"
if ! grep -q 'div(phi,omega)' fvSchemes; then
cat >&2 <<'END'


--> FOAM FATAL IO ERROR: (openfoam-2306)
Entry 'div(phi,omega)' not found in dictionary "system/fvSchemes/divSchemes"

file: system/fvSchemes/divSchemes at line 3 to 5.

    From const Foam::entry& Foam::dictionary::lookupEntry(const Foam::word&, Foam::keyType::option) const
    in file db/dictionary/dictionary.C at line 382.

FOAM exiting

END
exit 1
fi
sleep @seconds@
echo "SIMPLE solution converged in 212 iterations"
'''

    def correct(self, c, proc):
        self.put(c, "omega")


class FileForFolder(Of):
    name, kind, seen_by = "file-in-place-of-folder", "lasting", "local"
    story = ("A copy to a folder that was not there made a file of its name; the results that are to go into the "
             "folder cannot.")
    moment, helps, weight = "end", ("other",), 0.5
    lines = ("arguments = $(Process)\ntransfer_output_files = mass.yoda\n"
             'transfer_output_remaps = "mass.yoda=@folder@/hists/mass_$(Process).yoda"\n')
    wrong = (("file", "@folder@/hists"), ("file", "@folder@/hists/mass_@proc@.yoda"))

    def prepare(self, c):
        c.put(f"{c.folder}/hists", "bins 40 0 200\n")

    script = r'''#!/bin/bash
echo "Rivet.AnalysisHandler: WARN  Sub-event weights not found" >&2
sleep @seconds@
echo "BEGIN YODA_HISTO1D_V2 /m$1" >mass.yoda
'''

    def correct(self, c, proc):
        path = Path(f"{c.folder}/hists")
        if path.is_file():
            path.rename(f"{c.folder}/binning.txt")
        c.put(f"{path}/README", "one file for each sample\n")


class MinutesForSeconds(Of):
    name, kind, seen_by = "minutes-given-for-seconds", "lasting", "ad"
    story = "The owner allows each run so many minutes, but the attribute counts seconds: every run is stopped."
    moment, helps, weight = "end", ("other",), 0.5
    lines = "arguments = -n 4000 $(Process)\nallowed_execute_duration = 5\n"
    wrong = (("attribute", "AllowedExecuteDuration"), ("limit", "time"))
    script = r'''#!/bin/bash
echo "PISM WARNING: option -periodicity has no effect" >&2
for ((step = 0; step < 20; step++)); do
    sleep 1
    echo "S -@tag@ $step.0"
done
'''

    def correct(self, c, proc):
        return {"AllowedExecuteDuration": "300"}


class Plugin(Of):
    name, kind, seen_by = "filter-not-named", "lasting", "nothing"
    story = ("The images are packed with a filter of which the owner's jobs do not say where it lies; the "
             "library looks where nothing is.")
    moment, helps, weight = "start", ("other",), 0.5
    lines = 'arguments = panel_$(Process)\nenvironment = "OMP_NUM_THREADS=1"\n'
    line = "can't open directory: /usr/local/hdf5/lib/plugin"
    wrong = (("attribute", "Environment"),)
    script = r'''#!/usr/bin/python3
import os, sys, time
sys.stderr.write("indexamajig: no -j given, using 1\n")
if not os.environ.get("HDF5_PLUGIN_PATH"):
    sys.stderr.write("""HDF5-DIAG: Error detected in HDF5 (1.12.2) thread 0:
  #000: H5D.c line 1061 in H5Dread(): can't synchronously read data
    major: Dataset
    minor: Read failed
  #012: H5PLpath.c line 885 in H5PL__find_plugin_in_path(): can't open directory: /usr/local/hdf5/lib/plugin
    major: Plugin for dynamically loaded library
    minor: Can't open directory or file
Failed to read image data of %s
""" % sys.argv[1])
    sys.exit(1)
time.sleep(@seconds@)
print("indexed 41 of 200 frames")
'''

    def correct(self, c, proc):
        return {"Environment": '"OMP_NUM_THREADS=1 HDF5_PLUGIN_PATH=/cvmfs/xray.example/hdf5/plugin"'}


# ---------------------------------------------------------------- what somebody else puts right

class Bandwidth(Of):
    name, kind, seen_by = "repository-over-quota", "passing", "nothing"
    story = ("The group's repository is over what it may hand out in a month; the head of the group buys more in "
             "the end.")
    moment, passes, helps, weight = "start", (80, 500), (), 0.5
    lines = "arguments = $(Process)\n"
    line = "batch response: This repository is over its data quota."
    wrong = (("service", "quota of the repository"), ("file", "nets/bdt.onnx"))

    def prepare(self, c):
        at_sites(c.world, f"lfs/{c.tag}", "over\n")

    script = r'''#!/bin/bash
echo "Downloading nets/bdt.onnx (48 MB)" >&2
if [ "$(cat /srv/site/lfs/@tag@)" = over ]; then
cat >&2 <<END
Error downloading object: nets/bdt.onnx (3f1b9ac): Smudge error: Error downloading nets/bdt.onnx (3f1b9ac07): batch \
response: This repository is over its data quota. Account responsible for LFS bandwidth should purchase more data \
packs to restore access.
error: external filter 'git-lfs filter-process' failed
fatal: nets/bdt.onnx: smudge filter lfs failed
END
exit 128
fi
sleep @seconds@
echo "AUC 0.94, part $1"
'''

    def heal(self, c):
        at_sites(c.world, f"lfs/{c.tag}", "fine\n")


class GroupSpace(Of):
    name, kind, seen_by = "space-of-group-exhausted", "passing", "nothing"
    story = ("The space of the working group on the storage is used up; its manager grants more when the request "
             "is read.")
    moment, passes, helps, weight = "end", (150, 700), (), 0.5
    lines = "arguments = fit_$(Process).root\n"
    line = "Unable to get quota space - quota not defined or exhausted"
    wrong = (("service", "quota of the group"), ("file", "/eos/wg/charm/@tag@/fit_@proc@.root"))

    def prepare(self, c):
        at_sites(c.world, f"eosquota/{c.tag}", "0\n")

    script = r'''#!/bin/bash
echo "RooFit: batch mode off, using old evaluation" >&2
sleep @seconds@
if [ "$(cat /srv/site/eosquota/@tag@)" = 0 ]; then
    echo "Run: [ERROR] Server responded with an error: [3021] Unable to get quota space - quota not defined or \
exhausted /eos/wg/charm/@tag@/$1; Disk quota exceeded (destination)" >&2
    echo "stage_out: giving up on $1" >&2
    exit 51
fi
echo "$1 stored"
'''

    def heal(self, c):
        at_sites(c.world, f"eosquota/{c.tag}", "8000\n")


class NoRule(Of):
    name, kind, seen_by = "dataset-never-requested", "lasting", "nothing"
    story = ("The data set lies at no disk that jobs may read; the owner has to ask for a copy, which those who "
             "keep the data then approve.")
    moment, helps, weight = "start", ("other",), 0.5
    lines = "arguments = data24_13p6TeV:DAOD_$(Process)\n"
    line = "no available source, all replicas are on excluded RSEs"
    wrong = (("file", "data24_13p6TeV:DAOD_@proc@"), ("service", "copy of the data set"))

    def prepare(self, c):
        at_sites(c.world, f"rules/{c.tag}", "none\n")

    script = r'''#!/bin/bash
echo "2024-01-17 05:12:39,001	INFO	Getting sources of DIDs" >&2
if [ "$(cat /srv/site/rules/@tag@)" != OK ]; then
    echo "2024-01-17 05:12:41,310	WARNING	$1: no available source, all replicas are on excluded RSEs (1 of 1)" >&2
    echo "2024-01-17 05:12:41,312	ERROR	None of the requested files have been downloaded." >&2
    exit 74
fi
sleep @seconds@
echo "downloaded $1"
'''

    def correct(self, c, proc):
        at_sites(c.world, f"rules/{c.tag}", "OK\n")


CAUSES = [
    ReadOnly, Standby, Authentication, Migrated, DoorRetired, OnTape, Channel, NoPrimary, Volume, Bucket, Prefix,
    HalfWritten, LoginPage, NoExec, NoWayOut, Ecc, Fuse, SmallGlidein, TornCopies, Lincs, Latency,
    JuliaPeak, SlowDown, DoubleFree, Scheme, FileForFolder, MinutesForSeconds, Plugin, Bandwidth, GroupSpace,
    NoRule,
]
