"""Causes of job holds as users of wide pools meet them: mostly machines and sites that fail, and the luck of a run."""

import gzip
import io
import tarfile

from causes_of_others import HOSTS, SITES, at_hosts, at_sites, host_state, server, service, site_state, state, text, write
from kit import Cause, Service

OBJECTS = "objects.survey.example"
BACKEND = "origin.cosmo.example"


# ---------------------------------------------------------------- services

def shut(w, host):
    (w.host(host) / "opt").chmod(0o700)


def open_again(w, host):
    (w.host(host) / "opt").chmod(0o755)


def opt_make(w):
    for host in HOSTS:
        folder = w.host(host) / "opt" / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        folder.parent.chmod(0o755)
        if not (folder / "bash").is_symlink():
            (folder / "bash").symlink_to("/bin/bash")


SERVICES = [
    service("inodes of tmp", "host", host_state("tmp/iused", "3\n", "100\n")),
    service("clock", "host", host_state("chrony/offset", "0\n", "-812340\n")),
    service("loop devices", "host", host_state("loop/free", "250\n", "0\n")),
    service("card memory", "host", host_state("gpu/free", "14200\n", "312\n")),
    service("name service of host", "host", host_state("sssd/state", "active\n", "failed\n")),
    service("memory module", "host", host_state("edac/ue", "0\n", "17\n")),
    service("process table", "host", host_state("pids/free", "3800\n", "2\n")),
    service("shared memory", "host", host_state("shm/free", "31000\n", "0\n")),
    service("nfs mount", "host", host_state("nfs/refdata", "ok\n", "stale\n")),
    Service("permissions of opt", "host", shut, open_again, prepare=opt_make),
    service("fan", "host", host_state("thermal/mhz", "2900\n", "400\n")),
    service("resolver", "site", site_state("dns/resolv", "up\n", "down\n")),
    service("way to the database", "site", site_state("border/3306", "open\n", "closed\n")),
    Service("proxy of site", "site",
            lambda w, site: w.answer(OBJECTS, None, 407, at=(site,)),
            lambda w, site: w.answer(OBJECTS, None, 200, at=(site,)),
            prepare=lambda w: server(w, OBJECTS)),
    service("data cache", "site", site_state("cache/xrootd", "up\n", "down\n")),
    service("construction database", "service", state("cdb/mysqld", "up\n", "down\n")),
    service("token issuer", "service", state("iam/issuer", "200\n", "503\n")),
    Service("origin of files", "service",
            lambda w, place: w.answer(BACKEND, None, 500),
            lambda w, place: w.answer(BACKEND, None, 200),
            prepare=lambda w: server(w, BACKEND)),
    service("storage head", "service", state("eos/mgm", "master\n", "failover\n")),
    service("data management server", "service", state("rucio/server", "up\n", "down\n")),
    service("pull limit", "service", state("hub/pulls", "ok\n", "over\n")),
]


# ---------------------------------------------------------------- machines that recover

class TmpInodes(Cause):
    name, kind, seen_by = "tmp-out-of-inodes", "host", "nothing"
    story = "Somebody's job has left a million tiny files in /tmp of one host; nobody can make a folder there until a cron job clears it."
    needs, moment, helps, weight = ("inodes of tmp",), "start", ("site",), 0.5

    def submit(self, c):
        return "arguments = --fold $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "During startup - Warning message:" >&2
echo "Setting LC_CTYPE failed, using \"C\"" >&2
if [ "$(cat /srv/host/tmp/iused)" = 100 ]; then
    echo "Fatal error: cannot create 'R_TempDir'" >&2
    exit 2
fi
sleep @seconds@
echo "[1] \"glmnet: lambda.min 0.0131, fold $2\""
''', c)

    def faulty(self, c, proc, place):
        return [("host", place), ("file", "/tmp")]

    def says(self, c, proc):
        return "Fatal error: cannot create 'R_TempDir'"


class Clock(Cause):
    name, kind, seen_by = "clock-of-host-behind", "host", "nothing"
    story = "The clock of one host stands nine days behind since its battery died; to it every new certificate is of the future."
    needs, moment, helps, weight = ("clock",), "end", ("site",), 0.5

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "[cwinpy] 256 live points, dlogz 0.1" >&2
sleep @seconds@
if [ "$(cat /srv/host/chrony/offset)" != 0 ]; then
cat >&2 <<'END'
curl: (60) SSL certificate problem: certificate is not yet valid
More details here: https://curl.se/docs/sslcerts.html

curl failed to verify the legitimacy of the server and therefore could not
establish a secure connection to it. To learn more about this situation and
how to fix it, please visit the web page mentioned above.
upload_results.sh: https://results.gw.example/api/v1/upload failed, giving up
END
exit 60
fi
echo "posterior of candidate $1 uploaded"
''', c)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "SSL certificate problem: certificate is not yet valid"


class LoopDevices(Cause):
    name, kind, seen_by = "no-loop-devices", "host", "nothing"
    story = "Containers that died have kept all loop devices of one host; no image can be mounted there until the node is cleaned."
    needs, moment, helps, weight = ("loop devices",), "start", ("site",), 0.5

    def submit(self, c):
        return "arguments = subj-$(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "INFO:    underlay of /etc/localtime required more than 50 (81) bind mounts" >&2
if [ "$(cat /srv/host/loop/free)" = 0 ]; then
    echo "FATAL:   container creation failed: mount hook function failure: mount /proc/self/fd/3->/var/lib/apptainer/mnt/session/rootfs error: while mounting image /proc/self/fd/3: failed to find loop device: could not attach image file to loop device: no loop devices available" >&2
    exit 255
fi
sleep @seconds@
echo "fMRIPrep finished successfully for $1"
''', c)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "could not attach image file to loop device: no loop devices available"


CUDA = r'''#!/usr/bin/python3
import sys, time
batch = int(sys.argv[sys.argv.index("--batch-size") + 1])
sys.stderr.write("/opt/conda/lib/python3.9/site-packages/torchvision/io/image.py:13: UserWarning: Failed to load image Python extension\n"
                 "  warn(f\"Failed to load image Python extension: {e}\")\n")
free = int(open("/srv/host/gpu/@card@").read())
total, mine = 14760, 36 * batch
if mine > free or mine > 14200:
    used = min(mine, 13580) if mine > free and free > 1000 else 1148
    free = min(free, 14760 - used - 420)
    sys.stderr.write("""Traceback (most recent call last):
  File "train_unet.py", line 131, in <module>
    loss = criterion(model(x.cuda(non_blocking=True)), y)
  File "/opt/conda/lib/python3.9/site-packages/torch/nn/modules/module.py", line 1501, in _call_impl
    return forward_call(*args, **kwargs)
  File "/opt/conda/lib/python3.9/site-packages/torch/nn/modules/conv.py", line 459, in _conv_forward
    return F.conv2d(input, weight, bias, self.stride,
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 14.76 GiB total capacity; %.2f GiB already allocated; %.2f MiB free; %.2f GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF
""" % (used / 1000, free, (used + 70) / 1000))
    sys.exit(1)
time.sleep(@seconds@)
print("epoch 40: dice 0.912")
'''


class CardTaken(Cause):
    name, kind, seen_by = "card-memory-taken", "host", "nothing"
    story = "A process of a job that is long gone still holds the memory of one host's GPU; whoever comes next finds it full."
    needs, moment, helps, weight = ("card memory",), "start", ("site",), 0.5
    batch, card = 64, "free"

    def submit(self, c):
        return f"arguments = --batch-size {self.batch} --fold $(Process)\n"

    def program(self, c, corrected):
        return text(CUDA, c, card=self.card)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "torch.cuda.OutOfMemoryError: CUDA out of memory."


class BatchTooLarge(CardTaken):
    name, kind = "batch-too-large", "lasting"
    story = "The owner asks for batches that fit into no GPU of the pool."
    needs, helps, weight = (), ("other",), 0.4
    batch, card = 512, "free1"

    def prepare(self, c):
        at_hosts(c.world, "gpu/free1", "14200\n")

    def correct(self, c, proc):
        return {"Args": f'"--batch-size 64 --fold {proc}"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("program", "train_unet.py")]


class NoSuchUser(Cause):
    name, kind, seen_by = "user-unknown-on-host", "host", "nothing"
    story = "The name service of one host has died: no account is known there, and jobs fail as fast as they come."
    needs, moment, helps, weight = ("name service of host",), "start", ("site",), 0.6

    def submit(self, c):
        return "arguments = -j $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
if open("/srv/host/sssd/state").read().strip() != "active":
    sys.stderr.write("""Traceback (most recent call last):
  File "workflow.py", line 9, in <module>
    import luigi
  File "/opt/py39/lib/python3.9/site-packages/luigi/scheduler.py", line 60, in <module>
    USER = getpass.getuser()
  File "/usr/lib64/python3.9/getpass.py", line 169, in getuser
    return pwd.getpwuid(os.getuid())[0]
KeyError: 'getpwuid(): uid not found: 60417'
""")
    sys.exit(1)
time.sleep(@seconds@)
print("===== Luigi Execution Summary ===== : 1 ran successfully")
''', c)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "getpwuid(): uid not found"


def archive(c, number):
    """A small archive of strain data, gzipped."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for segment in range(3):
            data = b"".join(b"%d %.9e\n" % (1_126_259_446 + i, 1e-21 * ((i * 7919 + number * 31 + segment) % 997)) for i in range(300))
            entry = tarfile.TarInfo(f"strain/H-H1_{segment}.txt")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0)


UNPACK = r'''#!/bin/bash
echo "gwdetchar: using 1 process, fftlength 4" >&2
if [ "$(cat /srv/host/edac/@errors@)" != 0 ]; then
    echo >&2
    echo "gzip: stdin: invalid compressed data--crc error" >&2
    echo "tar: Child returned status 1" >&2
    echo "tar: Error is not recoverable: exiting now" >&2
    exit 2
fi
tar xzf "strain$1.tgz" || exit 2
sleep @seconds@
echo "segments: $(ls strain | wc -l)"
rm -rf strain
'''


class BadMemory(Cause):
    name, kind, seen_by = "bad-memory-module", "host", "nothing"
    story = "A memory module of one host flips bits; what is unpacked there has wrong checksums, though the archives are fine."
    needs, moment, helps, weight = ("memory module",), "start", ("site",), 0.5
    errors = "ue"

    def put(self, c, proc, good):
        data = archive(c, proc)
        # The stored checksum is the first half of the last eight bytes.
        c.put(f"{c.folder}/strain{proc}.tgz", data if good else data[:-8] + bytes(b ^ 0x5A for b in data[-8:-4]) + data[-4:])

    def prepare(self, c):
        for proc in range(c.procs):
            self.put(c, proc, True)

    def submit(self, c):
        return f"arguments = $(Process)\ntransfer_input_files = {c.folder}/strain$(Process).tgz\n"

    def program(self, c, corrected):
        return text(UNPACK, c, errors=self.errors)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "gzip: stdin: invalid compressed data--crc error"


class DamagedArchives(BadMemory):
    name, kind, seen_by = "archives-damaged", "lasting", "local"
    story = "Some of the owner's archives were damaged on their way over a bad disk; they have to be copied anew."
    needs, some, helps, weight = (), True, ("other",), 0.4
    errors = "ue1"

    def prepare(self, c):
        at_hosts(c.world, "edac/ue1", "0\n")
        for proc in range(c.procs):
            self.put(c, proc, proc not in c.bad)

    def correct(self, c, proc):
        for p in c.bad:
            self.put(c, p, True)

    def faulty(self, c, proc, place):
        return [("file", f"{c.folder}/strain{proc}.tgz")]


class ProcessTable(Cause):
    name, kind, seen_by = "too-many-processes-on-host", "host", "nothing"
    story = "A runaway job has used up the process limit of one host; nobody else can start threads there until it is killed."
    needs, moment, helps, weight = ("process table",), "start", ("site",), 0.5

    def submit(self, c):
        return "arguments = --chunk $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import os, resource, signal, sys, time
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if int(open("/srv/host/pids/free").read()) < 8:
    for thread in range(2, 8):
        sys.stderr.write("OpenBLAS blas_thread_init: pthread_create failed for thread %d of 8: Resource temporarily unavailable\n"
                         "OpenBLAS blas_thread_init: ensure that your address space and process count limits are big enough (ulimit -a)\n"
                         "OpenBLAS blas_thread_init: or set a smaller OPENBLAS_NUM_THREADS to fit into what you have available\n"
                         "OpenBLAS blas_thread_init: RLIMIT_NPROC 4096 current, 4096 max\n" % thread)
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV)
time.sleep(@seconds@)
print("eigenvalues written")
''', c)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "pthread_create failed for thread"


class SharedMemory(Cause):
    name, kind, seen_by = "shared-memory-full", "host", "nothing"
    story = "Segments that dead jobs left behind fill /dev/shm of one host; loaders that share tensors there crash."
    needs, moment, helps, weight = ("shared memory",), "end", ("site",), 0.5

    def submit(self, c):
        return "arguments = --shard $(Process) --workers 4\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
sys.stderr.write("Epoch 0:   0%|          | 0/313 [00:00<?, ?it/s]\n")
sys.stderr.flush()
time.sleep(@seconds@)
if int(open("/srv/host/shm/free").read()) == 0:
    sys.stderr.write("""ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).
Traceback (most recent call last):
  File "/opt/conda/lib/python3.10/site-packages/torch/utils/data/dataloader.py", line 1133, in _try_get_data
    data = self._data_queue.get(timeout=timeout)
  File "/opt/conda/lib/python3.10/queue.py", line 180, in get
    self.not_empty.wait(remaining)
  File "/opt/conda/lib/python3.10/site-packages/torch/utils/data/_utils/signal_handling.py", line 66, in handler
    _error_if_any_worker_fails()
RuntimeError: DataLoader worker (pid 2218) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.
""")
    sys.exit(1)
sys.stderr.write("Epoch 0: 100%|##########| 313/313\n")
''', c)

    def faulty(self, c, proc, place):
        return [("host", place), ("file", "/dev/shm")]

    def says(self, c, proc):
        return "is killed by signal: Bus error."


class StaleMount(Cause):
    name, kind, seen_by = "nfs-mount-stale", "host", "nothing"
    story = "One host still has the file handles of an NFS server that was exchanged; the program skips what it cannot read, ends well, and has written nothing."
    needs, moment, helps, weight = ("nfs mount",), "end", ("site",), 0.6

    def submit(self, c):
        return "arguments = --lane $(Process)\ntransfer_output_files = calls_$(Process).bcf\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "[mpileup] 1 samples in 1 input files" >&2
echo "[mpileup] maximum number of reads per input file set to -d 250" >&2
sleep @seconds@
if [ "$(cat /srv/host/nfs/refdata)" != ok ]; then
    echo "[E::fai_load3_core] Failed to open FASTA file /mnt/refdata/hg38/hg38.fa: Stale file handle" >&2
    echo "warning: no reference, lane $2 skipped" >&2
    exit 0
fi
echo "BCF2 lane $2" >"calls_$2.bcf"
''', c)

    def faulty(self, c, proc, place):
        return [("host", place), ("file", "/mnt/refdata/hg38/hg38.fa")]

    def says(self, c, proc):
        return "Failed to open FASTA file /mnt/refdata/hg38/hg38.fa: Stale file handle"


class OptClosed(Cause):
    name, kind, seen_by = "opt-closed-on-host", "host", "nothing"
    story = "The configuration management of one host has set /opt to mode 700; until its next run nobody may start an interpreter from there."
    needs, moment, helps, weight = ("permissions of opt",), "start", ("site",), 0.6

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text("""#!/srv/host/opt/bin/bash
sleep @seconds@
echo "stacked frame $1"
""", c)

    def faulty(self, c, proc, place):
        return [("host", place)]


class Throttled(Cause):
    name, kind, seen_by = "throttled-processor", "host", "nothing"
    story = "A fan of one host is broken and its processor runs at a seventh of its speed; jobs there run into their own limit of time."
    needs, moment, helps, weight = ("fan",), "start", ("site",), 0.6

    def submit(self, c):
        return ("arguments = --nevt 200 --job $(Process)\n"
                "periodic_hold = JobStatus == 2 && time() - JobCurrentStartDate > 10\n"
                'periodic_hold_reason = "Job is over its expected run time, please check"\n')

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
slow = int(open("/srv/host/thermal/mhz").read()) < 1000
sys.stderr.write("G4WT0 > Run 0 starts.\n")
sys.stderr.flush()
time.sleep(60 if slow else @seconds@)
print("events processed: 200")
''', c)

    def faulty(self, c, proc, place):
        return [("host", place)]


# ---------------------------------------------------------------- sites that recover

CLONE = r'''#!/bin/bash
echo "Cloning into 'lalapps-tools'..." >&2
if [ "$1" != git.@real@ ] || [ "$(cat /srv/site/dns/resolv)" != up ]; then
    echo "fatal: unable to access 'https://$1/pe/lalapps-tools.git/': Could not resolve host: $1" >&2
    exit 128
fi
sleep @seconds@
echo "tools at v1.14.2, segment $2 done"
'''


class Resolver(Cause):
    name, kind, seen_by = "resolver-of-site-down", "host", "nothing"
    story = "The name servers of one site have stopped answering; everywhere else the names are known."
    needs, moment, helps, weight = ("resolver",), "start", ("site",), 0.6
    real, given = "gwobs.example", "git.gwobs.example"

    def submit(self, c):
        return f"arguments = {self.given} $(Process)\n"

    def program(self, c, corrected):
        return text(CLONE, c, real=self.real)

    def faulty(self, c, proc, place):
        return [("site", place)]

    def says(self, c, proc):
        return "Could not resolve host:"


class NameMistyped(Resolver):
    name, kind = "host-name-mistyped", "lasting"
    story = "The owner mistyped the name of the code's server; no name server knows it."
    needs, moment, helps, weight = (), "start", ("other",), 0.4
    given = "git.gwosb.example"

    def program(self, c, corrected):
        return text(CLONE.replace(' || [ "$(cat /srv/site/dns/resolv)" != up ]', ""), c, real=self.real)

    def correct(self, c, proc):
        return {"Args": f'"git.gwobs.example {proc}"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("server", self.given)]


CONSTRUCTION = r'''#!/usr/bin/python3
import sys, time
sys.stderr.write("cdbclient 3.0: cache file not found, starting cold\n")
if open("/srv/site/@file@").read().strip() != "@good@":
    sys.stderr.write("""Traceback (most recent call last):
  File "/opt/dq/lib/python3.9/site-packages/pymysql/connections.py", line 613, in connect
    sock = socket.create_connection(
  File "/usr/lib64/python3.9/socket.py", line 844, in create_connection
    raise err
OSError: [Errno 113] No route to host

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "dq_flags.py", line 52, in <module>
    flags = cdb.flags(run)
  File "/opt/dq/lib/python3.9/site-packages/pymysql/connections.py", line 664, in connect
    raise exc
pymysql.err.OperationalError: (2003, "Can't connect to MySQL server on '@host@' ([Errno 113] No route to host)")
""")
    sys.exit(1)
time.sleep(@seconds@)
print("flags of run", sys.argv[1], "loaded")
'''


class BorderClosed(Cause):
    name, kind, seen_by = "database-port-closed-at-site", "host", "nothing"
    story = "After a security scan one site closes a port to the outside for a while; the database behind it serves all others."
    needs, moment, helps, weight = ("way to the database",), "start", ("site",), 0.6
    host = "dqdb.lab.example"

    def submit(self, c):
        return "arguments = 4110$(Process)\n"

    def program(self, c, corrected):
        return text(CONSTRUCTION, c, file="border/3306", good="open", host=self.host)

    def faulty(self, c, proc, place):
        return [("site", place)]

    def says(self, c, proc):
        return "Can't connect to MySQL server on"


class DatabaseMoved(BorderClosed):
    name, kind = "construction-database-away", "passing"
    story = "The machine of the construction database reboots after a kernel update, again and again; nobody reaches it meanwhile."
    needs, helps, weight = ("construction database",), (), 0.4
    host = "cdb.detector.example"

    def program(self, c, corrected):
        return text(CONSTRUCTION, c, file="cdb/mysqld", good="up", host=self.host)

    def faulty(self, c, proc, place):
        return [("server", self.host), ("service", "construction database")]


class SiteProxy(Cause):
    name, kind, seen_by = "proxy-of-site-wants-password", "host", "nothing"
    story = "All fetches of one site go through its proxy, which after an update wants a password that nobody has; elsewhere the files come."
    needs, moment, helps, weight = ("proxy of site",), "input", ("site",), 0.6

    def submit(self, c):
        return f"transfer_input_files = http://{OBJECTS}:8080/dr3/{c.tag}/tile$(Process).parquet\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
sleep @seconds@
echo "sources matched in $(ls ./*.parquet)"
''', c)

    def faulty(self, c, proc, place):
        return [("site", place)]


class DataCache(Cause):
    name, kind, seen_by = "data-cache-of-site-down", "host", "nothing"
    story = "The data cache of one site hangs; clients there ask it first and give up, those of the other site use another."
    needs, moment, helps, weight = ("data cache",), "end", ("site",), 0.6

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
name=${HOSTNAME#*.}
sleep @seconds@
if [ "$(cat /srv/site/cache/xrootd)" != up ]; then
cat >&2 <<END
WARNING[2024-03-11T08:22:41Z] Failed to download from https://osdf-cache.$name:8443/ospool/ap21/@owner@/frames/$1.gwf: timeout awaiting response headers
ERROR[2024-03-11T08:22:41Z] Failure getting osdf:///ospool/ap21/@owner@/frames/$1.gwf: failed download from all caches (2 attempts); no more sources
ERROR[2024-03-11T08:22:41Z] Failure in downloading: exit code 11
END
exit 11
fi
echo "frame $1: SNR 8.4"
''', c)

    def faulty(self, c, proc, place):
        return [("site", place), ("server", f"osdf-cache.{(place or 'Lakeside').lower()}.example")]

    def says(self, c, proc):
        return "timeout awaiting response headers"


# ---------------------------------------------------------------- bad for some machines or sites for good

class Namespaces(Cause):
    name, kind, seen_by = "user-namespaces-restricted", "host", "nothing"
    story = "One site has moved to a system that restricts user namespaces; containers of ordinary users do not start there any more."
    where, moment, helps, weight = ("Hilltop",), "start", ("site",), 0.8

    def prepare(self, c):
        for site in SITES:
            write(c.world.site(site) / "userns", "1\n" if site in self.where else "0\n")

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "INFO:    /etc/singularity/ exists; cleanup by system administrator is not complete (see https://apptainer.org/docs/admin/latest/singularity_migration.html)" >&2
if [ "$(cat /srv/site/userns)" = 1 ]; then
    echo "ERROR  : Could not write info to setgroups: Permission denied" >&2
    echo "ERROR  : Error while waiting event for user namespace mappings: no event received" >&2
    exit 1
fi
sleep @seconds@
echo "docking pose $1: -9.1 kcal/mol"
''', c)

    def faulty(self, c, proc, place):
        return [("site", place or self.where[0])]

    def says(self, c, proc):
        return "Error while waiting event for user namespace mappings: no event received"


class OldCard(Cause):
    name, kind, seen_by = "card-too-old", "host", "nothing"
    story = "The GPU of one host is of a generation for which the owner's libraries have no code."
    where, moment, helps, weight = ("h1.hilltop.example",), "start", ("site", "other"), 0.9

    def prepare(self, c):
        for host in HOSTS:
            write(c.world.host(host) / "gpu/name", "Tesla K80 37\n" if host in self.where else "NVIDIA A40 86\n")

    def submit(self, c):
        return "arguments = --model af2_$(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
least = @least@
*name, sm = open("/srv/host/gpu/name").read().split()
if int(sm) < least:
    sys.stderr.write("/opt/conda/lib/python3.9/site-packages/torch/cuda/__init__.py:152: UserWarning: \n"
                     "    Found GPU0 %s which is of cuda capability %s.%s.\n"
                     "    PyTorch no longer supports this GPU because it is too old.\n"
                     "    The minimum cuda capability supported by this library is 5.0.\n" % (" ".join(name), sm[0], sm[1]))
    sys.stderr.write("""Traceback (most recent call last):
  File "predict.py", line 203, in <module>
    out = runner(batch)
  File "/opt/openfold/openfold/model/primitives.py", line 88, in forward
    return nn.functional.layer_norm(x, self.c_in, self.weight, self.bias, self.eps)
RuntimeError: CUDA error: no kernel image is available for execution on the device
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1.
""")
    sys.exit(1)
time.sleep(@seconds@)
print("mean pLDDT 87.3")
''', c, least=35 if corrected else 50)

    def correct(self, c, proc):
        return None                                 # built for older cards too: program(c, True)

    def faulty(self, c, proc, place):
        return [("host", place or self.where[0]), ("program", "predict.py")]

    def says(self, c, proc):
        return "CUDA error: no kernel image is available for execution on the device"


class LibraryMissing(Cause):
    name, kind, seen_by = "library-not-on-host", "host", "nothing"
    story = "One host was installed without the graphics libraries that all others have, and that a package of the owner's loads."
    where, moment, helps, weight = ("l1.lakeside.example",), "start", ("site", "other"), 0.9

    def prepare(self, c):
        for host in HOSTS:
            write(c.world.host(host) / "rpm/mesa-libGL", "not installed\n" if host in self.where else "23.1.4-2.el9\n")

    def submit(self, c):
        return "arguments = plate$(Process).tif\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
package = "@package@"
sys.stderr.write("WARNING:root:config.ini has no [units], using pixels\n")
if package == "opencv-python" and "not" in open("/srv/host/rpm/mesa-libGL").read():
    sys.stderr.write("""Traceback (most recent call last):
  File "count_cells.py", line 4, in <module>
    import cv2
  File "/home/@owner@/.local/lib/python3.9/site-packages/cv2/__init__.py", line 153, in bootstrap
    native_module = importlib.import_module("cv2")
  File "/usr/lib64/python3.9/importlib/__init__.py", line 127, in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
ImportError: libGL.so.1: cannot open shared object file: No such file or directory
""")
    sys.exit(1)
time.sleep(@seconds@)
print("cells:", 412, sys.argv[1])
''', c, package="opencv-python-headless" if corrected else "opencv-python")

    def correct(self, c, proc):
        return None                                 # the package without graphics: program(c, True)

    def faulty(self, c, proc, place):
        return [("host", place or self.where[0]), ("program", "count_cells.py")]

    def says(self, c, proc):
        return "ImportError: libGL.so.1: cannot open shared object file"


# ---------------------------------------------------------------- luck

class Seed(Cause):
    name, kind, seen_by = "start-values-singular", "luck", "nothing"
    story = "The fit begins at random values; from about half of them its matrix becomes singular. With a fixed good seed it always ends."
    moment, helps, luck, weight = "end", ("other",), 0.5, 0.6

    def submit(self, c):
        return "arguments = --galaxy $(Process) --seed random\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import random, sys, time
sys.stderr.write("RuntimeWarning: overflow encountered in exp\n  w = np.exp(-0.5 * chi2)\n")
sys.stderr.flush()
time.sleep(@seconds@)
if "random" in sys.argv and random.random() >= 0.5:
    sys.stderr.write("""Traceback (most recent call last):
  File "sedfit.py", line 177, in <module>
    cov = np.linalg.inv(hess)
  File "<__array_function__ internals>", line 200, in inv
  File "/usr/lib64/python3.9/site-packages/numpy/linalg/linalg.py", line 88, in _raise_linalgerror_singular
    raise LinAlgError("Singular matrix")
numpy.linalg.LinAlgError: Singular matrix
""")
    sys.exit(1)
print("log M* = 10.31")
''', c)

    def correct(self, c, proc):
        return {"Args": f'"--galaxy {proc} --seed 20170817"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("program", "sedfit.py")]

    def says(self, c, proc):
        return "numpy.linalg.LinAlgError: Singular matrix"


class CacheRace(Cause):
    name, kind, seen_by = "workers-race-for-cache", "luck", "nothing"
    story = "The workers of a job compile into one cache folder; now and then two make the same file at once, and one reads half of it. One worker alone has no such race."
    moment, helps, luck, weight = "start", ("other",), 0.55, 0.6

    def submit(self, c):
        return "arguments = -n 4 --tile $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import random, sys, time
workers = int(sys.argv[sys.argv.index("-n") + 1])
if workers > 1 and random.random() >= 0.55:
    sys.stderr.write("""multiprocessing.pool.RemoteTraceback:
Traceback (most recent call last):
  File "/usr/lib64/python3.9/multiprocessing/pool.py", line 125, in worker
    result = (True, func(*args, **kwds))
  File "/opt/deconv/kernels.py", line 31, in _jit
    return cache.load_overload(sig, target)
  File "/opt/py39/lib/python3.9/site-packages/numba/core/caching.py", line 487, in load
    overloads = self._load_index()
EOFError: Ran out of input
\"\"\"

The above exception was the direct cause of the following exception:

EOFError: Ran out of input
""")
    sys.exit(1)
time.sleep(@seconds@)
print("tile deconvolved by", workers, "workers")
''', c)

    def correct(self, c, proc):
        return {"Args": f'"-n 1 --tile {proc}"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("program", "numba")]

    def says(self, c, proc):
        return "EOFError: Ran out of input"


class SchedulerPreempted(Cause):
    name, kind, seen_by = "helper-preempted", "luck", "nothing"
    story = "The scheduler of the owner's workers runs on machines that may be taken away at any time, and is; each run may lose it."
    moment, helps, luck, weight = "end", (), 0.5, 0.6

    def submit(self, c):
        return "arguments = tls://sched-@@.dask.example:8786 $(Process)\n".replace("@@", c.tag)

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import random, sys, time
sys.stderr.write("2024-03-11 08:22:40,118 - distributed.worker - INFO -         Registered to: %s\n" % sys.argv[1])
sys.stderr.flush()
time.sleep(@seconds@)
if random.random() >= 0.5:
    sys.stderr.write("""2024-03-11 08:23:11,402 - distributed.worker - INFO - Connection to scheduler broken. Closing without reporting. ID: Worker-9d1f Address tls://10.3.1.9:41277 Status: Status.running
Traceback (most recent call last):
  File "/opt/coffea/lib/python3.10/site-packages/distributed/comm/tcp.py", line 225, in read
    frames_nosplit_nbytes_bin = await stream.read_bytes(fmt_size)
tornado.iostream.StreamClosedError: Stream is closed

The above exception was the direct cause of the following exception:

distributed.comm.core.CommClosedError: in <TLS (closed) ConnectionPool.heartbeat_worker local=tls://10.3.1.9:38842 remote=%s>: Stream is closed
""" % sys.argv[1])
    sys.exit(1)
print("histograms merged")
''', c)

    def faulty(self, c, proc, place):
        return [("server", f"sched-{c.tag}.dask.example"), ("service", "scheduler of workers")]

    def says(self, c, proc):
        return "distributed.comm.core.CommClosedError: in"


class DataOrder(Cause):
    name, kind, seen_by = "memory-by-data-order", "luck", "nothing"
    story = "Batches are drawn at random; where all long sequences fall into one, the array does not fit into the memory that was asked for. With more memory it always does."
    moment, helps, luck, weight = "end", ("memory",), 0.5, 0.6

    def submit(self, c):
        return "arguments = --shuffle --part $(Process)\nrequest_memory = 96\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import os, random, re, sys, time
ad = open(os.environ["_CONDOR_JOB_AD"]).read()
mb = int(re.search(r"(?m)^RequestMemory *= *(\d+)", ad)[1])
sys.stderr.write("Some weights of EsmForMaskedLM were not initialized from the model checkpoint and are newly initialized\n")
sys.stderr.flush()
time.sleep(@seconds@)
if random.random() >= 0.5 and mb < 400:
    rows = random.randrange(2100, 3900)
    sys.stderr.write("""Traceback (most recent call last):
  File "embed.py", line 64, in <module>
    dist = squareform(pdist(batch))
  File "/usr/lib64/python3.9/site-packages/scipy/spatial/distance.py", line 2191, in squareform
    M = np.zeros((d, d), dtype=X.dtype)
numpy.core._exceptions._ArrayMemoryError: Unable to allocate %.1f MiB for an array with shape (%d, %d) and data type float64
""" % (rows * rows * 8 / 2**20, rows, rows))
    sys.exit(1)
print("embedded 20000 sequences")
''', c)

    def faulty(self, c, proc, place):
        return [("limit", "memory"), ("attribute", "RequestMemory"), ("attribute", "Args")]

    def says(self, c, proc):
        return "_ArrayMemoryError: Unable to allocate"


class PortTaken(Cause):
    name, kind, seen_by = "port-drawn-twice", "luck", "nothing"
    story = "The wrapper starts a small server on one of a few ports; jobs on the same host draw the same one. With port 0 the system gives a free one."
    moment, helps, luck, weight = "start", ("other",), 0.6, 0.6

    def submit(self, c):
        return "arguments = --store redis --port auto --id $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo"
if [ "$4" = auto ] && (( RANDOM % 100 >= 60 )); then
    echo "Warning: Could not create server TCP listening socket *:6381: bind: Address already in use" >&2
    echo "Failed listening on port 6381 (tcp), aborting." >&2
    exit 1
fi
sleep @seconds@
echo "trials in store: 96"
''', c)

    def correct(self, c, proc):
        return {"Args": f'"--store redis --port 0 --id {proc}"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("program", "redis-server")]

    def says(self, c, proc):
        return "bind: Address already in use"


class Replica(Cause):
    name, kind, seen_by = "bad-replica-drawn", "luck", "nothing"
    story = "The redirector sends each opening to one of two replicas at random; one of the storage servers has lost its disk."
    moment, helps, luck, weight = "start", (), 0.5, 0.6

    def submit(self, c):
        return "arguments = /store/mc/TTTo2L2Nu/nano_$(Process).root\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "Warning in <TClass::Init>: no dictionary for class edm::ParameterSetBlob is available" >&2
if (( RANDOM % 100 >= 50 )); then
cat >&2 <<END
Error in <TNetXNGFile::Open>: [ERROR] Server responded with an error: [3005] Unable to open file $1; Input/output error
SysError in <TFile::TFile>: could not open root://xrd-global.grid.example/$1
terminate called after throwing an instance of 'std::runtime_error'
  what():  no tree Events in input
END
exit 134
fi
sleep @seconds@
echo "Events: 812440"
''', c)

    def faulty(self, c, proc, place):
        return [("server", "xrd-global.grid.example"), ("service", "storage redirector"),
                ("file", f"/store/mc/TTTo2L2Nu/nano_{proc}.root")]

    def says(self, c, proc):
        return "Error in <TNetXNGFile::Open>: [ERROR] Server responded with an error: [3005]"


class StuckTrack(Cause):
    name, kind, seen_by = "stuck-track", "luck", "nothing"
    story = "Two volumes of the detector's geometry overlap by a hair; where a random track hits the seam the simulation aborts. The mended geometry has no seam."
    moment, helps, luck, weight = "end", ("other",), 0.5, 0.6

    def submit(self, c):
        return "arguments = run_$(Process).mac\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
overlap=@overlap@
echo "### CAUTION: tracking cuts of neutrons are zero" >&2
sleep @seconds@
if [ "$overlap" = yes ] && (( RANDOM % 100 >= 50 )); then
cat >&2 <<'END'

-------- EEEE ------- G4Exception-START -------- EEEE -------
*** G4Exception : GeomNav0003
      issued by : G4Navigator::ComputeStep()
Stuck Track: potential geometry or navigation problem.
  Track stuck, not moving for 25 steps.
  Current  phys volume: 'AbsorberPlate'
   - at position : (812.04,-33.117,4410.5)
*** Event Must Be Aborted ***
-------- EEEE -------- G4Exception-END --------- EEEE -------

detsim: 1 of 500 events aborted, file is not usable
END
exit 4
fi
echo "500 events simulated"
''', c, overlap="no" if corrected else "yes")

    def correct(self, c, proc):
        return None                                 # geometry mended: program(c, True)

    def faulty(self, c, proc, place):
        return [("program", "detsim"), ("program", f"{c.folder}/run.sh")]

    def says(self, c, proc):
        return "Stuck Track: potential geometry or navigation problem."


class Display(Cause):
    name, kind, seen_by = "virtual-display-flaky", "luck", "nothing"
    story = "A plotting tool wants a display; the virtual one comes up in time or does not."
    moment, helps, luck, weight = "start", (), 0.6, 0.5

    def submit(self, c):
        return "arguments = scan$(Process).xml\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
if (( RANDOM % 100 >= 60 )); then
    echo "xvfb-run: error: Xvfb failed to start" >&2
    exit 1
fi
sleep @seconds@
echo "rendered $1"
''', c)

    def faulty(self, c, proc, place):
        return [("program", "xvfb-run"), ("program", f"{c.folder}/run.sh")]

    def says(self, c, proc):
        return "xvfb-run: error: Xvfb failed to start"


class PipHash(Cause):
    name, kind, seen_by = "download-cut-off", "luck", "nothing"
    story = "Each job installs its packages anew over a line that cuts some downloads off; what comes is then not what was promised."
    moment, helps, luck, weight = "start", (), 0.5, 0.5

    def submit(self, c):
        return "arguments = --night 2024030$(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "WARNING: The directory '/home/@owner@/.cache/pip' or its parent directory is not owned or is not writable by the current user. The cache has been disabled." >&2
if (( RANDOM % 100 >= 50 )); then
cat >&2 <<END
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered with them.
    photutils==1.10.0 from https://files.pythonhosted.example/photutils-1.10.0-cp39-cp39-manylinux_2_17_x86_64.whl:
        Expected sha256 9bd2fe1f3b8f4a1d3f4a39a51f0f9e9be0c6e9d7a9b7a8f0a5bd1bf0f4e7c2aa
             Got        $(printf '%04x' $RANDOM)c11ad9f0e3b6f27de2c8b79d0b44a0e6c2e8f3ad6a5c9f2d7715e0843bb9

END
exit 1
fi
sleep @seconds@
echo "photometry of night $2 done"
''', c)

    def faulty(self, c, proc, place):
        return [("server", "files.pythonhosted.example"), ("service", "package index")]

    def says(self, c, proc):
        return "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE"


class NoTriggers(Cause):
    name, kind, seen_by = "nothing-above-threshold", "luck", "nothing"
    story = "Each run draws its injections anew; where by chance none is above the threshold the program writes no file. A lower threshold always leaves some."
    moment, helps, luck, weight = "end", ("other",), 0.5, 0.7

    def submit(self, c):
        return "arguments = --snr 9.5 --out trig_$(Process).hdf\ntransfer_output_files = trig_$(Process).hdf\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import random, sys, time
threshold = float(sys.argv[2])
sys.stderr.write("2024-03-11T08:22:41.309+00:00 INFO : Using lal.MersenneTwister, seed from clock\n")
sys.stderr.flush()
time.sleep(@seconds@)
kept = random.randrange(1, 40) if threshold < 8 or random.random() < 0.5 else 0
sys.stderr.write("2024-03-11T08:22:58.112+00:00 INFO : %d triggers\n" % kept)
if kept:
    open(sys.argv[4], "w").write("triggers %d\n" % kept)
else:
    sys.stderr.write("2024-03-11T08:22:58.113+00:00 WARNING : No triggers found, not writing output file\n")
''', c)

    def correct(self, c, proc):
        return {"Args": f'"--snr 6.5 --out trig_{proc}.hdf"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("program", f"{c.folder}/run.sh")]

    def says(self, c, proc):
        return "No triggers found, not writing output file"


# ---------------------------------------------------------------- passing troubles of servers, and what looks like them

TOKEN = r'''#!/bin/bash
echo "davix: using bearer token from environment" >&2
sleep @seconds@
if [ "$(cat /srv/site/@issuer@)" != 200 ] || [[ $SCOPE != *storage.modify* ]]; then
    echo "gfal-copy error: 13 (Permission denied) - DESTINATION MAKE_PARENT HTTP 403 : Permission refused " >&2
    echo "stageout: 3 attempts, none succeeded" >&2
    exit 13
fi
echo "Copying 1204 MB ... done"
'''


class Issuer(Cause):
    name, kind, seen_by = "token-issuer-away", "passing", "nothing"
    story = "The storage asks the token issuer for its keys; while the issuer is away it refuses every token."
    needs, moment, helps, weight = ("token issuer",), "end", (), 0.4
    scope, issuer = "storage.read:/,storage.modify:/", "iam/issuer"

    def submit(self, c):
        return f'environment = "SCOPE={self.scope}"\n'

    def program(self, c, corrected):
        return text(TOKEN, c, issuer=self.issuer)

    def faulty(self, c, proc, place):
        return [("service", "token issuer")]

    def says(self, c, proc):
        return "HTTP 403 : Permission refused"


class Scope(Issuer):
    name, kind = "scope-of-token-too-narrow", "lasting"
    story = "The owner asked for tokens that may read but not write."
    needs, helps, weight = (), ("other",), 0.4
    scope, issuer = "storage.read:/", "iam/other"

    def prepare(self, c):
        at_sites(c.world, "iam/other", "200\n")

    def correct(self, c, proc):
        return {"Environment": f'"SCOPE={Issuer.scope}"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Environment")]


class Origin(Cause):
    name, kind, seen_by = "origin-has-lost-its-back-end", "passing", "url"
    story = "The origin of a collaboration's files has lost its back end and answers 500 to everybody until it is restarted."
    needs, moment, helps, weight = ("origin of files",), "input", (), 0.4

    def submit(self, c):
        return f"transfer_input_files = http://{BACKEND}:8080/cosmo/public/{c.tag}/snap_$(Process).hdf5\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "halo finder: 256 ranks requested, 1 used" >&2
sleep @seconds@
ls ./*.hdf5
''', c)

    def faulty(self, c, proc, place):
        return [("server", BACKEND), ("service", "origin of files"),
                ("url", f"http://{BACKEND}:8080/cosmo/public/{c.tag}/snap_{proc}.hdf5")]


class StorageHead(Cause):
    name, kind, seen_by = "storage-head-fails-over", "passing", "nothing"
    story = "The head node of the storage fails over to its slave; for some minutes it sends all clients in a circle."
    needs, moment, helps, weight = ("storage head",), "end", (), 0.4

    def submit(self, c):
        return "arguments = ntuple_$(Process).root\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "Info in <TFile::OpenFromCache>: no cache read directory set" >&2
sleep @seconds@
if [ "$(cat /srv/site/eos/mgm)" != master ]; then
    echo "[0B/0B][100%][==================================================][0B/s]  " >&2
    echo "Run: [FATAL] Redirect limit has been reached: : (destination)" >&2
    exit 54
fi
echo "$1 copied to /eos/user"
''', c)

    def faulty(self, c, proc, place):
        return [("service", "storage head"), ("server", "eosuser.storage.example")]

    def says(self, c, proc):
        return "[FATAL] Redirect limit has been reached"


class Rucio(Cause):
    name, kind, seen_by = "data-management-busy", "passing", "nothing"
    story = "The server of the data management is taken down for an upgrade of its database; no client learns where files are."
    needs, moment, helps, weight = ("data management server",), "start", (), 0.4

    def submit(self, c):
        return f"arguments = user.{c.owner}:{c.tag}.$(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
sys.stderr.write("2024-03-11 08:22:39,001\tINFO\tProcessing 1 item(s) for input\n")
if open("/srv/site/rucio/server").read().strip() != "up":
    sys.stderr.write("2024-03-11 08:22:41,310\tERROR\tThe requested service is not available at the moment.\n"
                     "Details: An unknown exception occurred.\n"
                     "Details: no error information passed (http status code: 503)\n"
                     "ls: cannot access 'DAOD_PHYS': No such file or directory\n")
    sys.exit(75)
time.sleep(@seconds@)
print("downloaded", sys.argv[1])
''', c)

    def faulty(self, c, proc, place):
        return [("service", "data management server")]

    def says(self, c, proc):
        return "The requested service is not available at the moment."


class PullLimit(Cause):
    name, kind, seen_by = "pull-limit-reached", "passing", "nothing"
    story = "All jobs of the pool pull an image from one registry, which counts them as one user and stops them for some minutes."
    needs, moment, helps, weight = ("pull limit",), "start", (), 0.4

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "INFO:    Converting OCI blobs to SIF format" >&2
if [ "$(cat /srv/site/hub/pulls)" != ok ]; then
    echo "FATAL:   Unable to handle docker://rocker/tidyverse:4.3.1 uri: while building SIF from layers: conveyor failed to get: while fetching image: reading manifest 4.3.1 in docker.io/rocker/tidyverse: toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading: https://www.docker.com/increase-rate-limit" >&2
    exit 255
fi
sleep @seconds@
echo "chain $1 done"
''', c)

    def faulty(self, c, proc, place):
        return [("service", "pull limit"), ("server", "docker.io")]

    def says(self, c, proc):
        return "toomanyrequests: You have reached your pull rate limit."


# ---------------------------------------------------------------- lasting, of the job itself

class OtherArchitecture(Cause):
    name, kind, seen_by = "built-for-other-processor", "lasting", "local"
    story = "The owner built the program on a laptop with an ARM processor; no machine of the pool can run it."
    moment, helps, weight = "start", ("other",), 0.4
    # The head of a program for aarch64.
    foreign = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x02\0\xb7\0\x01\0\0\0" + b"\0" * 232
    home = b"#!/bin/sh\necho lightcurve folded\n"

    def prepare(self, c):
        c.put(f"{c.folder}/foldlc", self.foreign, 0o755)

    def submit(self, c):
        return f"arguments = -p $(Process)\ntransfer_input_files = {c.folder}/foldlc\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
export OMP_NUM_THREADS=1
echo "wrapper 2.3: starting on $(nproc) cores" >&2
./foldlc "$@" || exit
sleep @seconds@
''', c)

    def correct(self, c, proc):
        c.put(f"{c.folder}/foldlc", self.home, 0o755)

    def faulty(self, c, proc, place):
        return [("file", f"{c.folder}/foldlc"), ("program", "foldlc")]

    def says(self, c, proc):
        return "cannot execute binary file: Exec format error"


class NotExecutable(OtherArchitecture):
    name, kind, seen_by = "helper-not-executable", "lasting", "local"
    story = "The owner downloaded the program with a browser: it has no permission to be executed."

    def prepare(self, c):
        c.put(f"{c.folder}/foldlc", self.home, 0o644)

    def says(self, c, proc):
        return "./foldlc: Permission denied"


class ConfigKey(Cause):
    name, kind, seen_by = "key-renamed-in-configuration", "lasting", "nothing"
    story = "The configuration is that of the last version of the program, which calls one of its keys otherwise."
    moment, helps, weight = "start", ("other",), 0.4

    def put(self, c, key):
        c.put(f"{c.folder}/selection.json", '{"tree": "Events", "%s": 30.0, "eta_max": 2.4}\n' % key)

    def prepare(self, c):
        self.put(c, "ptmin")

    def submit(self, c):
        return f"arguments = --chunk $(Process)\ntransfer_input_files = {c.folder}/selection.json\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import json, sys, time
sys.stderr.write("DeprecationWarning: coffea.hist is deprecated, use hist\n")
with open("selection.json") as f:
    cuts = json.load(f)
low = cuts["pt_min"]
time.sleep(@seconds@)
print("selected with pt >", low)
''', c)

    def correct(self, c, proc):
        self.put(c, "pt_min")

    def faulty(self, c, proc, place):
        return [("file", f"{c.folder}/selection.json"), ("program", f"{c.folder}/run.sh")]

    def says(self, c, proc):
        return "KeyError: 'pt_min'"


CAUSES = [
    TmpInodes, Clock, LoopDevices, CardTaken, BatchTooLarge, NoSuchUser, BadMemory, DamagedArchives, ProcessTable,
    SharedMemory, StaleMount, OptClosed, Throttled, Resolver, NameMistyped, BorderClosed, DatabaseMoved, SiteProxy,
    DataCache, Namespaces, OldCard, LibraryMissing, Seed, CacheRace, SchedulerPreempted, DataOrder, PortTaken, Replica,
    StuckTrack, Display, PipHash, NoTriggers, Issuer, Scope, Origin, StorageHead, Rucio, PullLimit, OtherArchitecture,
    NotExecutable, ConfigKey,
]
