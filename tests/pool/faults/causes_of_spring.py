"""Causes of job holds as the help desk of a laboratory meets them in a spring of moves and renewals."""

from pathlib import Path

from causes_of_others import SITES, at_sites, host_state, server, service, state, text, write
from causes_of_winter import Of, answers
from kit import Service

EVENTS = "events.seismo.example"
READS = "objects.biobank.example"
JOURNAL = "tables.publisher.example"
UPLOAD = "upload.waves.example"
CAMPAIGN = "/data/campaign24"


# ---------------------------------------------------------------- services

def rename_view(before, after):
    def rename(w, place):
        for site in SITES:
            (w.site(site) / "spack" / before).rename(w.site(site) / "spack" / after)
    return rename


def make_view(w):
    for site in SITES:
        folder = w.site(site) / "spack/view/bin"
        folder.mkdir(parents=True, exist_ok=True)
        for one in (folder, folder.parent, folder.parent.parent):
            one.chmod(0o755)
        if not (folder / "bash").is_symlink():
            (folder / "bash").symlink_to("/bin/bash")


def campaign(mode):
    def change(w, place=None):
        Path(CAMPAIGN).mkdir(parents=True, exist_ok=True)
        Path(CAMPAIGN).chmod(mode)
    return change


SERVICES = [
    service("token server of the optimiser", "service", state("grb/token", "up\n", "down\n")),
    service("queue of scan points", "service", state("redis/bgsave", "ok\n", "err\n")),
    service("key distribution centre", "service", state("krb/kdc", "up\n", "down\n")),
    service("pool of disk servers", "service", state("xrd/read", "fast\n", "expired\n")),
    service("index lock", "service", state("lock/index", "free\n", "held\n")),
    service("event catalogue", "service", answers(EVENTS, 429)),
    Service("view of the software", "service", rename_view("view", "view.old"), rename_view("view.old", "view"),
            prepare=make_view),
    Service("folder of the campaign", "service", campaign(0o555), campaign(0o1777), prepare=campaign(0o1777)),
    service("leak on host", "host", host_state("mem/free", "41000\n", "96\n")),
]


def unlike(file, good, below="site"):
    return f'[ "$(cat /srv/{below}/{file})" != {good} ]'


class Plain(Of):
    """A script that warns, works, and ends so with an error where a condition of the shell holds."""

    moment, weight, seen_by = "start", 0.5, "nothing"
    warning, trouble, error, end, done, to = "", "false", "", "exit 1", "done", " >&2"

    def program(self, c, corrected):
        warn = f"cat >&2 <<'END'\n{self.warning}\nEND\n" if self.warning else ""
        tell = f"    cat{self.to} <<'END'\n{self.error}\nEND\n" if self.error else ""
        check = f"if {self.trouble}; then\n{tell}    {self.end}\nfi\n"
        work = "sleep @seconds@\n"
        body = work + check if self.moment == "end" else check + work
        script = f"#!/bin/bash\nulimit -c 0\n{warn}{body}echo \"{self.done}\"\n"
        return text(script, c, corrected=corrected, bad=" ".join(map(str, c.bad)), **self.more)


# ---------------------------------------------------------------- services that come back, and what looks so

class TokenServer(Plain):
    name, kind, needs = "token-server-restarts", "passing", ("token server of the optimiser",)
    story = "The machine that hands out the tokens of an optimiser is patched and started again now and then."
    lines = "arguments = siting_$(Process).mps\ntransfer_input_files = @folder@/gurobi.lic\n"
    given, file = "grb2.opt.example", "grb/token"
    warning = "Set parameter TokenServer to value \"grb2.opt.example\"\nSet parameter LogFile to value \"siting.log\""
    trouble = '! grep -q grb2 gurobi.lic || ' + unlike("grb/token", "up")
    error = """Traceback (most recent call last):
  File "site_batteries.py", line 22, in <module>
    env = gp.Env(params=options)
  File "src/gurobipy/env.pxi", line 153, in gurobipy.Env.__init__
gurobipy.GurobiError: Failed to connect to token server (error 10009), see https://gurobi.example/faq-conn"""
    line = "Failed to connect to token server"
    wrong = (("service", "token server of the optimiser"), ("server", "grb2.opt.example"))
    done = "Optimal solution found (tolerance 1.00e-04)"

    def prepare(self, c):
        c.put(f"{c.folder}/gurobi.lic", f"TOKENSERVER={self.given}\nPORT=41954\n")

    def correct(self, c, proc):
        c.put(f"{c.folder}/gurobi.lic", "TOKENSERVER=grb2.opt.example\nPORT=41954\n")


class TokenServerGone(TokenServer):
    name, kind, needs, helps = "token-server-replaced", "lasting", (), ("other",)
    story = "The licence file that the owner sends along still names the machine that was replaced at Easter."
    given, wrong = "grb1.opt.example", (("file", "@folder@/gurobi.lic"), ("server", "grb1.opt.example"))
    warning = "Set parameter LogFile to value \"siting.log\""
    trouble = "! grep -q grb2 gurobi.lic"


class Snapshots(Plain):
    name, kind, needs, moment = "queue-cannot-save", "passing", ("queue of scan points",), "end"
    story = "The queue of a parameter scan takes no results while it cannot write its snapshot."
    lines = "arguments = --worker $(Process)\n"
    warning = "12-Mar 04:11:48 rq.worker: *** Listening on scan-a, scan-b..."
    trouble = unlike("redis/bgsave", "ok")
    error = """Traceback (most recent call last):
  File "worker.py", line 57, in <module>
    r.hset("scan:41", mapping=point)
  File "/opt/scan/lib/python3.12/site-packages/redis/connection.py", line 524, in read_response
    raise response
redis.exceptions.ResponseError: MISCONF Redis is configured to save RDB snapshots, but it's currently unable to \
persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report \
errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for \
details about the RDB error."""
    line = "MISCONF Redis is configured to save RDB snapshots"
    wrong = (("service", "queue of scan points"),)


class NoKdc(Plain):
    name, kind, needs = "no-kdc-answers", "passing", ("key distribution centre",)
    story = "The servers of tickets are off for a while, and no job can log in to the file system of the laboratory."
    lines = "arguments = -k -t robot.keytab run$(Process)\n"
    warning = "stage.sh: KRB5CCNAME not set, using FILE:./krb5cc"
    trouble = unlike("krb/kdc", "up")
    error = "kinit: Cannot contact any KDC for realm 'PHYS.UNI.EXAMPLE' while getting initial credentials"
    line = "Cannot contact any KDC for realm 'PHYS.UNI.EXAMPLE'"
    wrong = (("service", "key distribution centre"),)


class PortClosed(NoKdc):
    name, kind, needs, where, helps = "tickets-blocked-at-site", "host", (), ("Hilltop",), ("site",)
    story = "The firewall of one site lets no request for a ticket through, and never has."
    trouble, wrong = unlike("border/88", "open"), (("site", "@place@"),)

    def prepare(self, c):
        for site in SITES:
            write(c.world.site(site) / "border/88", "closed\n" if site in self.where else "open\n")


class ReadExpired(Plain):
    name, kind, needs, moment = "reads-expire", "passing", ("pool of disk servers",), "end"
    story = "Disk servers rebuild a broken array and answer reads too late for the framework."
    lines = "arguments = job$(Process)_cfg.py\n"
    trouble, end = unlike("xrd/read", "fast"), "exit 85"
    warning = "%MSG-w XrdAdaptorInternal:  file_open 12-Mar-2024 04:11:02 CET pre-events\nData is served from T2_XX"
    error = """----- Begin Fatal Exception 12-Mar-2024 04:14:52 CET-----------------------
An exception of category 'FileReadError' occurred while
   [0] Processing  Event run: 362616 lumi: 91 event: 17724113 stream: 0
   [1] Running path 'nano_step'
   Additional Info:
      [a] XrdCl::File::Read(name='root://disk.t2.example//store/mc/0B.root', offset=48211, n=9216) => error \
'[ERROR] Operation expired' (errno=0, code=206). No additional data servers were found.
----- End Fatal Exception -------------------------------------------------"""
    line, wrong = "'[ERROR] Operation expired' (errno=0, code=206)", (("service", "pool of disk servers"),)


IMAGE = "/cvmfs/unpacked.lab.example/reco:"


class ImageOnItsWay(Plain):
    name, kind, passes, weight = "image-on-its-way", "passing", (70, 450), 0.6
    story = "The image was tagged a moment ago; the copies that the machines see follow one after another."
    there, more, line = "4.1", {"given": "4.2"}, "FATAL:   could not open image"
    lines = f"arguments = exec {IMAGE}@given@ ./reco.sh $(Process)\n"
    warning = "INFO:    underlay of /etc/localtime required more than 50 (78) bind mounts"
    trouble, end = '! grep -qxF "$2" /srv/site/unpacked/@tag@', "exit 255"
    error = f"""FATAL:   could not open image {IMAGE}@given@: failed to retrieve path for {IMAGE}@given@: \
lstat {IMAGE}@given@: no such file or directory"""
    wrong = (("file", f"{IMAGE}@given@"), ("service", "publication of images"))

    def prepare(self, c):
        at_sites(c.world, f"unpacked/{c.tag}", f"{IMAGE}{self.there}\n")

    def heal(self, c):
        at_sites(c.world, f"unpacked/{c.tag}", f"{IMAGE}4.2\n")


class ImageMistagged(ImageOnItsWay):
    name, kind, passes, helps, there = "image-tag-mistyped", "lasting", None, ("other",), "4.2"
    story = "The owner wrote a v before the version, as another image has it."
    more = {"given": "v4.2"}
    wrong = (("file", f"{IMAGE}@given@"), ("attribute", "Args"))

    def correct(self, c, proc):
        return {"Args": f'"exec {IMAGE}4.2 ./reco.sh {proc}"'}


class Stalled(Plain):
    name, kind, needs = "lock-held-elsewhere", "passing", ("index lock",)
    story = "A clean-up keeps the lock of a shared index; whoever comes meanwhile waits without a word."
    lines = ("arguments = lookup $(Process)\n"
             "periodic_hold = JobStatus == 2 && time() - JobCurrentStartDate > 12\n"
             'periodic_hold_reason = "No progress within the time that look-ups take"\nperiodic_hold_subcode = 71\n')
    warning = "blastdb: 14 volumes, 3 of them remote"
    trouble, end, wrong = unlike("lock/index", "free"), "sleep 60", (("service", "index lock"),)


class TooManyRequests(Plain):
    name, kind, needs, moment, seen_by = "catalogue-limits-all", "passing", ("event catalogue",), "input", "url"
    story = "After an earthquake all the world asks the catalogue of events; it turns everybody away for a while."
    lines = f"transfer_input_files = http://{EVENTS}:8080/fdsn/@tag@/ev$(Process).xml\n"
    wrong = (("server", EVENTS), ("service", "event catalogue"),
             ("url", f"http://{EVENTS}:8080/fdsn/@tag@/ev@proc@.xml"))
    warning = "UserWarning: station XX.LKS has no response"


class View(Plain):
    name, kind, needs = "view-being-linked", "passing", ("view of the software",)
    story = "The nightly build of the software puts its view together anew; meanwhile the interpreter is nowhere."
    lines = "arguments = $(Process)\n"
    wrong = (("service", "view of the software"), ("file", "/srv/site/spack/view/bin/bash"))

    def program(self, c, corrected):
        return super().program(c, corrected).replace("#!/bin/bash", "#!/srv/site/spack/view/bin/bash")


# ---------------------------------------------------------------- machines and sites

class Memlock(Plain):
    name, kind, where, helps, weight = "locked-memory-limited", "host", ("h1.hilltop.example",), ("site",), 0.8
    story = "One host was installed without the line that lets programs lock memory for its fast network."
    lines = "arguments = -np 1 ./lbm case$(Process)\n"
    trouble, wrong = unlike("limits/memlock", "unlimited", "host"), (("host", "@place@"),)
    line = "memlock limits are set too low."
    error = """--------------------------------------------------------------------------
The OpenFabrics (openib) BTL failed to initialize while trying to
allocate some locked memory.  This typically can indicate that the
memlock limits are set too low.  For most HPC installations, the
memlock limits should be set to "unlimited".  The failure occured
here:

  OMPI source:   btl_openib.c:828
  Device:        mlx5_0
  Memlock limit: 65536
--------------------------------------------------------------------------"""

    def prepare(self, c):
        for host in sum(c.world.SITES.values(), []):
            write(c.world.host(host) / "limits/memlock", "65536\n" if host in self.where else "unlimited\n")


class Leak(Plain):
    name, kind, needs, helps, weight = "daemon-leaks-on-host", "host", ("leak on host",), ("site",), 0.9
    story = "A daemon of one host has leaked nearly all memory of the machine; what wants a heap at once gets none."
    lines = "arguments = -jar picard.jar SortVcf $(Process)\n"
    trouble, wrong = '[ "$(cat /srv/host/mem/free)" -lt 400 ]', (("host", "@place@"),)
    line = "There is insufficient memory for the Java Runtime Environment to continue."
    error = """OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory(0x00000000c5a00000, 268435456, 0) failed; \
error='Not enough space' (errno=12)
#
# There is insufficient memory for the Java Runtime Environment to continue.
# Native memory allocation (mmap) failed to map 268435456 bytes for committing reserved memory.
# An error report file with more information is saved as:
# hs_err_pid17.log"""


class HeapAtOnce(Leak):
    name, kind, needs, helps, weight = "heap-above-request", "lasting", (), ("memory",), 0.5
    story = "The wrapper takes the whole heap at the beginning; the slot of the size asked for does not allow it."
    lines = "arguments = -Xms256m -jar picard.jar SortVcf $(Process)\nrequest_memory = 72\n"
    trouble = "[ \"$(sed -n 's/^RequestMemory *= *//p' \"$_CONDOR_JOB_AD\")\" -lt 300 ]"
    wrong = (("limit", "memory"), ("attribute", "RequestMemory"))


class Threads(Plain):
    name, kind, where, helps, weight = "thread-for-each-core", "host", ("Hilltop",), ("site", "other"), 0.7
    story = "A library starts a thread for each core of the machine; those of one site have 128, and a limit of 64."
    lines = 'arguments = --tile $(Process)\nenvironment = "TILE_CACHE=off"\n'
    trouble, end = '[ -z "$RAYON_NUM_THREADS" ] && ' + unlike("cpuinfo/cores", 8), "exit 101"
    error = """thread 'main' panicked at /opt/rust/registry/src/rayon-core-1.12.1/src/registry.rs:168:10:
The global thread pool has not been initialized.: ThreadPoolBuildError { kind: IOError(Os { code: 11, kind: \
WouldBlock, message: "Resource temporarily unavailable" }) }
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"""
    line = "The global thread pool has not been initialized.: ThreadPoolBuildError"
    wrong = (("site", "@place@"), ("attribute", "Environment"))

    def prepare(self, c):
        for site in SITES:
            write(c.world.site(site) / "cpuinfo/cores", "128\n" if site in self.where else "8\n")

    def correct(self, c, proc):
        return {"Environment": '"TILE_CACHE=off RAYON_NUM_THREADS=1"'}


class Publisher(Plain):
    name, kind, where, helps, moment = "addresses-not-subscribed", "host", ("Lakeside",), ("site",), "input"
    story = "A publisher gives its tables to the addresses of subscribers; those of one site are not among them."
    lines = f"transfer_input_files = http://{JOURNAL}:8080/si/@tag@/table$(Process).csv\n"
    wrong = (("site", "@place@"), ("server", JOURNAL), ("url", f"http://{JOURNAL}:8080/si/@tag@/table@proc@.csv"))

    def prepare(self, c):
        server(c.world, JOURNAL)
        c.world.answer(JOURNAL, None, 403, at=self.where)


# ---------------------------------------------------------------- luck

class LostAtoms(Plain):
    name, kind, luck, moment, helps = "atoms-lost", "luck", 0.5, "end", ("other",)
    story = "The step is too long for the hottest atoms of a random start; some runs lose a few of them."
    lines = "arguments = -in melt.in -var dt 4.0 -var seed $(Process)\n"
    trouble = '[ "$5" = 4.0 ] && (( RANDOM % 100 >= 50 ))'
    error = "ERROR: Lost atoms: original 32000 current 31997 (src/thermo.cpp:494)\nLast command: run             20000"
    line, wrong = "ERROR: Lost atoms: original 32000", (("attribute", "Args"), ("program", "lmp"))

    def correct(self, c, proc):
        return {"Args": f'"-in melt.in -var dt 1.0 -var seed {proc}"'}


class Locked(Plain):
    name, kind, luck, moment = "table-of-runs-locked", "luck", 0.55, "end"
    story = "Hundreds of jobs write a line into one file of SQLite; whoever meets another for too long gives up."
    lines = "arguments = --note $(Process)\n"
    warning = "DeprecationWarning: The default datetime adapter is deprecated as of Python 3.12"
    trouble = "(( RANDOM % 100 >= 55 ))"
    error = """Traceback (most recent call last):
  File "note_run.py", line 31, in <module>
    db.execute("UPDATE runs SET state = 'done' WHERE id = ?", (run,))
sqlite3.OperationalError: database is locked"""
    line = "sqlite3.OperationalError: database is locked"
    wrong = (("service", "table of runs"), ("file", "runs.sqlite"))


class Uninitialised(Plain):
    name, kind, luck, moment, helps = "pointer-never-set", "luck", 0.5, "end", ("other",)
    story = "The program reads a pointer that was never set; what lies in it differs from run to run."
    lines = "arguments = shower$(Process).card\n"
    warning = "PYTHIA Warning in BeamRemnants::setKinematics: kinematics construction failed"
    trouble, end = "[ @corrected@ = False ] && (( RANDOM % 100 >= 50 ))", "kill -SEGV $$; sleep 5"
    wrong = (("program", "@folder@/run.sh"),)

    def correct(self, c, proc):
        return None                                 # the pointer is set: program(c, True)


class NoWait(Of):
    name, kind, luck, moment, helps = "script-does-not-wait", "luck", 0.5, "end", ("other",)
    story = "The script starts the last step in the background and ends; sometimes the file is there by then."
    weight, wrong = 0.6, (("program", "@folder@/run.sh"), ("file", "merged.lhe"))
    lines = "arguments = $(Process)\ntransfer_output_files = merged.lhe\n"
    script = r'''#!/bin/bash
echo "merging 12 files" >&2
{ (( RANDOM % 100 < 50 )) || sleep $((@seconds@ + 5)); echo "<event>" >merged.lhe; } &
sleep @seconds@
[ @corrected@ = False ] || wait
'''

    def correct(self, c, proc):
        return None                                 # it waits: program(c, True)


# ---------------------------------------------------------------- the owner's

class NoToken(Plain):
    name, kind, helps = "no-token-asked-for", "lasting", ("other",)
    story = "Certificates are no longer taken for frames, and the owner's old submit file does not ask for a token."
    lines = 'arguments = H1 $(Process)\nenvironment = "OMP_NUM_THREADS=1 GWDATAFIND_SERVER=df.ligo.example"\n'
    trouble = '[ -z "$BEARER_TOKEN_FILE" ]'
    error = """Traceback (most recent call last):
  File "fetch_strain.py", line 19, in <module>
    urls = find_urls("H", "H1_HOFT_C00", start, end)
  File "/opt/igwn/lib/python3.11/site-packages/igwn_auth_utils/scitokens.py", line 248, in find_token
    raise IgwnAuthError(error)
igwn_auth_utils.error.IgwnAuthError: could not find a valid SciToken, please verify the audience and scope, or \
generate a new token and try again"""
    line, wrong = "IgwnAuthError: could not find a valid SciToken", (("attribute", "Environment"),)

    def correct(self, c, proc):
        return {"Environment": '"OMP_NUM_THREADS=1 GWDATAFIND_SERVER=df.ligo.example BEARER_TOKEN_FILE=igwn.use"'}


class NotConverged(Plain):
    name, kind, helps, moment, some = "field-does-not-converge", "lasting", ("other",), "end", True
    story = "Some molecules with metals need another way to the solution than the one that the owner chose for all."
    lines = "arguments = scf=diis mol$(Process).gjf $(Process)\n"
    trouble, to = '[ "$1" = scf=diis ] && [[ " @bad@ " = *" $3 "* ]]', ""
    warning = "Note: The following floating-point exceptions are signalling: IEEE_INVALID_FLAG"
    error = """ >>>>>>>>>> Convergence criterion not met.
 SCF Done:  E(UB3LYP) =  -1203.44127781     A.U. after  129 cycles
 Convergence failure -- run terminated.
 Error termination via Lnk1e in /opt/g16/l502.exe at Tue Mar 12 04:11:52 2024.
 Job cpu time:       0 days  0 hours  3 minutes 11.2 seconds."""
    line, wrong = "Convergence failure -- run terminated.", (("attribute", "Args"),)

    def correct(self, c, proc):
        return {"Args": f'"scf=xqc mol{proc}.gjf {proc}"'}


class Presigned(Plain):
    name, kind, helps, moment, seen_by = "signed-address-expired", "lasting", ("other",), "input", "url"
    story = "The addresses that the owner had signed were good for a day; the jobs come a day later."
    path = "/reads/@tag@/s@proc@.cram?Expires=@until@&Signature=9f0c41d"
    lines = f"transfer_input_files = http://{READS}:8080{path}\n".replace("@proc@", "$(Process)")
    more = {"until": 1710115200}
    wrong = (("url", f"http://{READS}:8080{path}"), ("attribute", "TransferInput"))

    def prepare(self, c):
        server(c.world, READS)
        for proc in range(c.procs):
            c.world.answer(READS, text(self.path, c, proc=proc, **self.more), 403)

    def correct(self, c, proc):
        return {"TransferInput": '"http://%s:8080%s"' % (READS, text(self.path, c, proc=proc, until=1810115200))}


class LinkToOldDisk(Plain):
    name, kind, helps, moment, seen_by = "links-to-old-disk", "lasting", ("other",), "input", "local"
    story = "The owner's inputs are links to a disk that was taken away when the group moved."
    lines = "transfer_input_files = @folder@/panel$(Process).bed\n"
    wrong = (("file", "@folder@/panel@proc@.bed"),)

    def prepare(self, c):
        for proc in range(c.procs):
            Path(f"{c.folder}/panel{proc}.bed").symlink_to(f"/data/disk03/{c.owner}/panels/panel{proc}.bed")

    def correct(self, c, proc):
        for one in range(c.procs):
            Path(f"{c.folder}/panel{one}.bed").unlink(missing_ok=True)
            c.put(f"{c.folder}/panel{one}.bed", "chr1\t10177\t10352\n")


class InputAboveLimit(Plain):
    name, kind, helps, moment, seen_by = "input-above-own-limit", "lasting", ("other",), "input", "ad"
    story = "A limit that the owner once set against mistakes is too small for the new table of weights."
    lines = "transfer_input_files = @folder@/weights.bin\nmax_transfer_input_mb = 1\n"
    wrong = (("attribute", "MaxTransferInputMB"), ("file", "@folder@/weights.bin"))

    def prepare(self, c):
        c.put(f"{c.folder}/weights.bin", b"\0" * 3_500_000)

    def correct(self, c, proc):
        return {"MaxTransferInputMB": "64"}


class CampaignFolder(Plain):
    name, kind, needs, seen_by = "folder-locked-for-copy", "passing", ("folder of the campaign",), "local"
    moment = "end"
    story = "While the results of a campaign are copied to the archive nobody may write into their folder."
    lines = 'transfer_output_files = fit.npz\ntransfer_output_remaps = "fit.npz=@where@/@tag@_$(Process).npz"\n'
    warning, done = "zfit: 4 parameters at limits", '$(echo PK >fit.npz)fit.npz written'
    more = {"where": CAMPAIGN}
    wrong = (("file", "@where@/@tag@_@proc@.npz"), ("file", "@where@"), ("service", "folder of the campaign"))


class FolderClosed(CampaignFolder):
    name, kind, needs, helps = "own-folder-closed", "lasting", (), ("other",)
    story = "The owner took the right to write from a folder of last year, and sends new results there."
    more = {"where": "@folder@/final"}
    wrong = (("file", "@folder@/final/@tag@_@proc@.npz"), ("file", "@folder@/final"))

    def submit(self, c):
        return text(self.lines, c, where=f"{c.folder}/final")

    def prepare(self, c):
        c.put(f"{c.folder}/final/README", "as published\n")
        Path(f"{c.folder}/final").chmod(0o555)

    def correct(self, c, proc):
        Path(f"{c.folder}/final").chmod(0o755)


class WrongFolder(Plain):
    name, kind, helps, moment = "result-in-other-folder", "lasting", ("other",), "end"
    story = "The script changes into a folder of its own and writes the result there; it says nothing of it."
    lines = "arguments = $(Process)\ntransfer_output_files = stack.sac\n"
    trouble, end, done = "[ @corrected@ = False ]", 'cd "$(mktemp -d -p .)"', "$(echo 1 >stack.sac)"
    wrong = (("program", "@folder@/run.sh"), ("file", "stack.sac"), ("attribute", "TransferOutput"))

    def correct(self, c, proc):
        return None                                 # it stays: program(c, True)


class UnitOfMemory(Of):
    name, kind, helps, moment, seen_by = "unit-of-memory-forgotten", "lasting", ("memory",), "end", "ad"
    story = "The owner wrote a number of gigabytes where without a unit it is one of megabytes."
    weight, wrong = 0.5, (("limit", "memory"), ("attribute", "RequestMemory"))
    lines = "arguments = --tile $(Process)\nrequest_memory = 4\n"
    script = """#!/usr/bin/python3
import time
tile = b"\\1" * 210_000_000
time.sleep(15)
print("mean", sum(tile[:1000]) / 1000)
"""


class Duration(Plain):
    name, kind, helps, moment, seen_by = "duration-of-old-inputs", "lasting", ("other",), "end", "ad"
    story = "The time that the owner allows is that of last year's shorter inputs."
    lines = "arguments = $(Process)\nallowed_job_duration = 6\n"
    trouble, end, wrong = "true", "sleep 14", (("attribute", "AllowedJobDuration"), ("limit", "time"))

    def correct(self, c, proc):
        return {"AllowedJobDuration": "900"}


class EmptyList(Plain):
    name, kind, helps, seen_by = "list-of-files-empty", "lasting", ("other",), "local"
    story = "A query that found nothing wrote an empty list; a rule of the owner holds runs that end too soon."
    lines = ("arguments = files.txt $(Process)\ntransfer_input_files = @folder@/files.txt\n"
             "on_exit_hold = ExitCode =!= 0 || time() - JobCurrentStartExecutingDate < 4\n"
             'on_exit_hold_reason = "Run ended within seconds, no work was done"\non_exit_hold_subcode = 90\n')
    trouble, end, done = "[ ! -s files.txt ]", "exit 0", "$(sleep 4)8 files, 40112 events"
    error, line = "WARN   no input files in files.txt, 0 events will be processed", "no input files in files.txt"
    wrong = (("file", "@folder@/files.txt"),)

    def prepare(self, c):
        c.put(f"{c.folder}/files.txt", "")

    def correct(self, c, proc):
        c.put(f"{c.folder}/files.txt", "".join(f"/store/data/part{n}.root\n" for n in range(8)))


class NoUpload(Plain):
    name, kind, helps, moment = "server-takes-no-uploads", "lasting", ("other",), "end"
    story = "The owner sends results to the address from which they are read; nothing can be written there."
    lines = ("arguments = $(Process)\ntransfer_output_files = wave.npy\n"
             f'transfer_output_remaps = "wave.npy=http://{UPLOAD}:8080/@tag@/wave$(Process).npy"\n')
    done = "$(echo 1 >wave.npy)stored"
    wrong = (("url", f"http://{UPLOAD}:8080/@tag@/wave@proc@.npy"), ("attribute", "TransferOutputRemaps"))

    def prepare(self, c):
        server(c.world, UPLOAD)

    def correct(self, c, proc):
        return {"TransferOutputRemaps": f'"wave.npy={c.folder}/wave{proc}.npy"'}


CAUSES = [
    TokenServer, TokenServerGone, Snapshots, NoKdc, PortClosed, ReadExpired, ImageOnItsWay, ImageMistagged, Stalled,
    TooManyRequests, View, Memlock, Leak, HeapAtOnce, Threads, Publisher, LostAtoms, Locked, Uninitialised, NoWait,
    NoToken, NotConverged, Presigned, LinkToOldDisk, InputAboveLimit, CampaignFolder, FolderClosed,
    WrongFolder, UnitOfMemory, Duration, EmptyList, NoUpload,
]
