"""Causes of job holds as a facilitator of university, laboratory and grid pools remembers them."""

import os
from pathlib import Path

from kit import Cause, Service

SITES = ("Lakeside", "Hilltop")
HOSTS = ("l1.lakeside.example", "l2.lakeside.example", "h1.hilltop.example", "h2.hilltop.example")


# ---------------------------------------------------------------- helpers

def write(path, text):
    """Writes a file readable by all, making its folders; leaves it alone if it is right already."""
    path = Path(path)
    missing = [p for p in path.parents if not p.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        folder.chmod(0o755)
    if path.is_file() and path.read_text() == text:
        return
    new = path.with_name("." + path.name + ".new")
    new.write_text(text)
    new.chmod(0o644)
    os.replace(new, path)


def at_sites(w, name, text):
    for site in SITES:
        write(w.site(site) / name, text)


def at_hosts(w, name, text):
    for host in HOSTS:
        write(w.host(host) / name, text)


_made = set()


def server(w, name, ap=None):
    """Makes a server once; ap: what it always answers to the access point."""
    if (id(w), name) not in _made:
        _made.add((id(w), name))
        w.server(name)
        if ap is not None:
            w.answer(name, None, ap, at=("AP",))


def fill(path):
    """Fills the small file system of `path` to the last block."""
    try:
        v = os.statvfs(os.path.dirname(path))
    except OSError:
        return
    if v.f_blocks * v.f_frsize > 64 << 20:      # not one of ours
        return
    with open(path, "ab", buffering=0) as f:
        for size in (65536, 4096, 512):
            try:
                while True:
                    f.write(b"\0" * size)
            except OSError:
                pass


def text(template, c, **more):
    values = dict(seconds=c.seconds, owner=c.owner, tag=c.tag, folder=c.folder, home=c.home, **more)
    for key, value in values.items():
        template = template.replace(f"@{key}@", str(value))
    return template


# ---------------------------------------------------------------- services

def state(name, good, bad):
    """A service of which every site has a file: (begin, end, prepare)."""
    return (lambda w, place: at_sites(w, name, bad),
            lambda w, place: at_sites(w, name, good),
            lambda w: at_sites(w, name, good))


def host_state(name, good, bad):
    return (lambda w, host: write(w.host(host) / name, bad),
            lambda w, host: write(w.host(host) / name, good),
            lambda w: at_hosts(w, name, good))


def site_state(name, good, bad):
    return (lambda w, site: write(w.site(site) / name, bad),
            lambda w, site: write(w.site(site) / name, good),
            lambda w: at_sites(w, name, good))


def service(name, reach, three):
    begin, end, prepare = three
    return Service(name, reach, begin, end, prepare=prepare)


def sw_make(w):
    for site in SITES:
        folder = w.site(site) / "sw" / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        folder.parent.chmod(0o755)
        if not (folder / "bash").is_symlink():
            (folder / "bash").symlink_to("/bin/bash")


def sw_gone(w, site):
    os.rename(w.site(site) / "sw", w.site(site) / "sw-5.8")


def sw_back(w, site):
    os.rename(w.site(site) / "sw-5.8", w.site(site) / "sw")


PORTAL = "opendap.climate.example"
MIRROR = "mirror.genomes.example"
STORE = "store.hpc.example"
LSS = "/data/lss"

SERVICES = [
    service("campus licence seats", "service", state("flexnet/lic1/Statistics_Toolbox", "31 50\n", "50 50\n")),
    service("ldap directory", "service", state("ldap/ldap1/slapd", "ready\n", "down\n")),
    service("calibration payloads", "service", state("calib/data_v12", "1.013\n", "")),
    service("eutils rate limit", "service", state("outbound/eutils", "200\n", "429\n")),
    Service("climate portal", "service",
            lambda w, place: w.answer(PORTAL, None, 503),
            lambda w, place: w.answer(PORTAL, None, 200),
            prepare=lambda w: server(w, PORTAL)),
    Service("object store", "service",
            lambda w, place: w.answer(STORE, None, "refused", at=SITES),
            lambda w, place: w.answer(STORE, None, 200, at=SITES),
            prepare=lambda w: server(w, STORE, ap="refused")),
    Service("survey volume", "service",
            lambda w, place: fill(LSS + "/.stage"),
            lambda w, place: Path(LSS + "/.stage").unlink(missing_ok=True),
            prepare=lambda w: w.disk(LSS, "16M")),
    service("cvmfs client", "host", host_state("cvmfs/sft", "mounted\n", "dead\n")),
    service("gpu driver", "host", host_state("nvidia/module", "535.183.01\n", "535.161.08\n")),
    Service("genome mirror path", "site",
            lambda w, site: w.answer(MIRROR, None, "refused", at=(site,)),
            lambda w, site: w.answer(MIRROR, None, 200, at=(site,)),
            prepare=lambda w: server(w, MIRROR)),
    service("lustre servers", "site", site_state("lustre/OST0007", "ACTIVE\n", "INACTIVE\n")),
    Service("software tree", "site", sw_gone, sw_back, prepare=sw_make),
]


# ---------------------------------------------------------------- licences: one error, two causes

MATLAB = r"""#!/bin/bash
# compiled analysis, batch mode
export MLM_LICENSE_FILE=27000@@daemon@.math.example
feature=Statistics_Toolbox
echo "                            < M A T L A B (R) >"
echo "                  Copyright 1984-2023 The MathWorks, Inc."
echo "libGL error: No matching fbConfigs or visuals found" >&2
echo "MATLAB is selecting SOFTWARE OPENGL rendering." >&2
read -r used total < "/srv/site/flexnet/@state@"
if [ "$used" -ge "$total" ]; then
cat >&2 <<END
License checkout failed.
License Manager Error -4
Maximum number of users for $feature reached.
Try again later.
To see a list of current users use the lmstat utility or contact your License Administrator.

Troubleshoot this issue by visiting:
https://www.mathworks.com/support/lme/4

Diagnostic Information:
Feature: $feature
License path: $MLM_LICENSE_FILE
Licensing error: -4,132.
END
exit 1
fi
sleep @seconds@
echo "fitglme: converged, case $1"
"""


class LicenceSeats(Cause):
    name, kind, seen_by = "licence-seats-taken", "passing", "nothing"
    story = "A course uses up all floating seats of a MATLAB toolbox; when it is over the jobs get theirs."
    needs, moment, helps = ("campus licence seats",), "start", ()

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(MATLAB, c, daemon="lic1", state="lic1/Statistics_Toolbox")

    def faulty(self, c, proc, place):
        return [("service", "campus licence seats"), ("server", "lic1.math.example")]

    def says(self, c, proc):
        return "Maximum number of users for Statistics_Toolbox reached."


class LicenceBorrowed(LicenceSeats):
    name, kind = "licence-borrowed-by-laptop", "lasting"
    story = "The owner's laptops have borrowed all seats of the group's own licence for a month; until returned, no job gets one."
    needs, helps = (), ("other",)

    def prepare(self, c):
        at_sites(c.world, f"flexnet/lic2/{c.tag}", "4 4\n")

    def program(self, c, corrected):
        return text(MATLAB, c, daemon="lic2", state=f"lic2/{c.tag}")

    def correct(self, c, proc):
        at_sites(c.world, f"flexnet/lic2/{c.tag}", "1 4\n")

    def faulty(self, c, proc, place):
        return [("service", "licence of the group"), ("server", "lic2.math.example")]


# ---------------------------------------------------------------- database: one error, two causes

CONDDB = r'''#!/usr/bin/python3
import sys, time
print("conditions client 4.2.1, tag data_2023")
sys.stderr.write("/opt/cond/lib/python3.9/site-packages/cond/client.py:31: SADeprecationWarning: "
                 "The Session.autocommit mode is deprecated (Background on this error at: https://sqlalche.me/e/14/6fbe)\n")
password = open("pgpass").read().strip().split(":")[-1]
ready = open("/srv/site/ldap/@ldap@/slapd").read().strip() == "ready"
known = open("/srv/site/ldap/people/@tag@").read().strip()
if not ready or password != known:
    sys.stderr.write("""Traceback (most recent call last):
  File "/opt/cond/lib/python3.9/site-packages/sqlalchemy/engine/base.py", line 3361, in _wrap_pool_connect
    return fn()
  File "/opt/cond/lib/python3.9/site-packages/sqlalchemy/pool/base.py", line 327, in connect
    return _ConnectionFairy._checkout(self)
  File "/opt/cond/lib/python3.9/site-packages/psycopg2/__init__.py", line 122, in connect
    conn = _connect(dsn, connection_factory=connection_factory, **kwasync)
psycopg2.OperationalError: connection to server at "conddb.lab.example" (10.4.0.17), port 5432 failed: FATAL:  LDAP authentication failed for user "@owner@"


The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "./skim.py", line 88, in <module>
    iov = session.query(IOV).filter_by(run=run).one()
sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at "conddb.lab.example" (10.4.0.17), port 5432 failed
(Background on this error at: https://sqlalche.me/e/14/e3q8)
""")
    sys.exit(1)
time.sleep(@seconds@)
print("IOVs loaded: 118")
'''


class Directory(Cause):
    name, kind, seen_by = "ldap-behind-database", "passing", "nothing"
    story = "The database asks LDAP for passwords; while LDAP is down it refuses everybody as if their password were wrong."
    needs, moment, helps = ("ldap directory",), "start", ()
    ldap, held = "ldap1", "tulip-92"

    def prepare(self, c):
        at_sites(c.world, f"ldap/people/{c.tag}", "tulip-92\n")
        at_sites(c.world, "ldap/ldap2/slapd", "ready\n")
        c.put(f"{c.folder}/pgpass", f"conddb.lab.example:5432:cond:{c.owner}:{self.held}\n", 0o600)

    def submit(self, c):
        return f"transfer_input_files = {c.folder}/pgpass\narguments = --run $(Process)\n"

    def program(self, c, corrected):
        return text(CONDDB, c, ldap=self.ldap)

    def faulty(self, c, proc, place):
        return [("service", "ldap directory"), ("server", "conddb.lab.example")]

    def says(self, c, proc):
        return "LDAP authentication failed for user"


class Password(Directory):
    name, kind = "password-changed", "lasting"
    story = "The owner had to change the password at the portal; the password file of the jobs still has the old one."
    needs, helps = (), ("other",)
    ldap, held = "ldap2", "daisy-77"
    prepare = Directory.prepare

    def correct(self, c, proc):
        c.put(f"{c.folder}/pgpass", f"conddb.lab.example:5432:cond:{c.owner}:tulip-92\n", 0o600)

    def faulty(self, c, proc, place):
        return [("file", f"{c.folder}/pgpass")]


# ---------------------------------------------------------------- 404: one reason, two causes

GRANULE = r'''#!/usr/bin/python3
import glob, sys, time
sys.stderr.write("Warning 1: HDF4_EOS:EOS_GRID: no georeferencing found, using bounds of tile\n")
found = glob.glob("*.hdf")
time.sleep(@seconds@)
print("tiles mosaicked:", len(found))
'''


class NotYetPublished(Cause):
    name, kind, seen_by = "granule-not-yet-published", "passing", "url"
    story = "Some tiles of the latest satellite pass are not on the archive yet; it publishes them a little later."
    moment, some, passes, helps = "input", True, (40, 170), ()
    host = "ladsweb.earthobs.example"

    def path(self, c, proc):
        return f"/allData/MOD09GA/{c.tag}/h18v{proc:02d}.hdf"

    def prepare(self, c):
        server(c.world, self.host)
        for proc in c.bad:
            c.world.answer(self.host, self.path(c, proc), 404)

    def submit(self, c):
        url = self.path(c, 0).replace("v00.hdf", "v0$(Process).hdf")
        return f"transfer_input_files = http://{self.host}:8080{url}\n"

    def program(self, c, corrected):
        return text(GRANULE, c)

    def heal(self, c):
        for proc in c.bad:
            c.world.answer(self.host, self.path(c, proc), 200)

    def faulty(self, c, proc, place):
        return [("url", f"http://{self.host}:8080{self.path(c, proc)}")]

    def says(self, c, proc):
        return None


class CollectionRetired(NotYetPublished):
    name, kind = "collection-retired", "lasting"
    story = "The archive has retired collection 6 of some tiles in favour of 6.1; their old URLs will never answer again."
    passes, helps = None, ("other",)
    host = "e4ftl01.earthobs.example"
    prepare = NotYetPublished.prepare

    def path(self, c, proc):
        return f"/MOLT/MOD13Q1.006/{c.tag}/h18v{proc:02d}.hdf"

    def heal(self, c):
        pass

    def correct(self, c, proc):
        url = f"http://{self.host}:8080{self.path(c, proc)}".replace("MOD13Q1.006", "MOD13Q1.061")
        return {"TransferInput": f'"{url}"'}


# ---------------------------------------------------------------- more of servers

class Portal(Cause):
    name, kind, seen_by = "portal-overloaded", "passing", "url"
    story = "The climate portal is overloaded now and then and answers 503 to all the world."
    needs, moment, helps = ("climate portal",), "input", ()

    def submit(self, c):
        return f"transfer_input_files = http://{PORTAL}:8080/cmip6/{c.tag}/tas_day_r$(Process)i1p1f1.nc\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import os, sys, time
sys.stderr.write("SerializationWarning: variable 'tas' has multiple fill values, decoding all values to NaN.\n")
time.sleep(@seconds@)
print("netcdf files:", [n for n in os.listdir(".") if n.endswith(".nc")])
''', c)

    def faulty(self, c, proc, place):
        return [("server", PORTAL), ("service", "climate portal"),
                ("url", f"http://{PORTAL}:8080/cmip6/{c.tag}/tas_day_r{proc}i1p1f1.nc")]

    def says(self, c, proc):
        return None


class Store(Cause):
    name, kind, seen_by = "object-store-restarts", "passing", "nothing"
    story = "The object store on the machine network restarts; the access point has never been let through to it, so it looks the same there at all times."
    needs, moment, helps = ("object store",), "input", ()

    def submit(self, c):
        return f"transfer_input_files = http://{STORE}:8080/bucket/{c.tag}/shard-$(Process).tfrecord\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR" >&2
sleep @seconds@
ls -l ./*.tfrecord && echo "epoch 1/1 done"
''', c)

    def faulty(self, c, proc, place):
        return [("server", STORE), ("service", "object store"),
                ("url", f"http://{STORE}:8080/bucket/{c.tag}/shard-{proc}.tfrecord")]

    def says(self, c, proc):
        return None


class Mirror(Cause):
    name, kind, seen_by = "mirror-unreachable-from-site", "host", "nothing"
    story = "The border router of one site drops its route to the genome mirror for a while; from everywhere else the mirror is fine."
    needs, moment, helps = ("genome mirror path",), "input", ("site",)

    def submit(self, c):
        return f"transfer_input_files = http://{MIRROR}:8080/ensembl/release-110/{c.tag}.chr$(Process).fa.gz\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "[bwa_index] Pack FASTA... 0.31 sec" >&2
sleep @seconds@
echo "[main] Real time: @seconds@.112 sec; CPU: 1.933 sec" >&2
''', c)

    def faulty(self, c, proc, place):
        return [("site", place)]

    def says(self, c, proc):
        return None


class Embargo(Cause):
    name, kind, seen_by = "access-not-granted", "lasting", "url"
    story = "The data set is under embargo and the owner never asked the archive for access; the archive answers 403 until it is granted."
    moment, helps = "input", ("other",)
    host = "archive.cohort.example"

    def prepare(self, c):
        server(c.world, self.host)
        for proc in range(c.procs):
            c.world.answer(self.host, f"/ega/{c.tag}/subject{proc}.cram", 403)

    def submit(self, c):
        return f"transfer_input_files = http://{self.host}:8080/ega/{c.tag}/subject$(Process).cram\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "[W::cram_get_ref] Reference file not cached" >&2
sleep @seconds@
echo "coverage computed"
''', c)

    def correct(self, c, proc):
        for p in range(c.procs):
            c.world.answer(self.host, f"/ega/{c.tag}/subject{p}.cram", 200)

    def faulty(self, c, proc, place):
        return [("url", f"http://{self.host}:8080/ega/{c.tag}/subject{proc}.cram")]

    def says(self, c, proc):
        return None


class RateLimit(Cause):
    name, kind, seen_by = "eutils-rate-limit", "passing", "nothing"
    story = "All jobs of the university leave through one address; NCBI limits its rate for some minutes."
    needs, moment, helps = ("eutils rate limit",), "start", ()

    def submit(self, c):
        return "arguments = NC_0459$(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
sys.stderr.write("/usr/lib/python3/dist-packages/Bio/Entrez/__init__.py:734: UserWarning: \n"
                 "            Email address is not specified.\n\n"
                 "            To make use of NCBI's E-utilities, NCBI requires you to specify your\n"
                 "            email address with each request.\n")
status = open("/srv/site/outbound/eutils").read().strip()
if status != "200":
    sys.stderr.write("""Traceback (most recent call last):
  File "./fetch_and_align.py", line 41, in <module>
    handle = Entrez.efetch(db="nuccore", id=acc, rettype="gb", retmode="text")
  File "/usr/lib/python3/dist-packages/Bio/Entrez/__init__.py", line 211, in efetch
    return _open(cgi, variables, post=post)
  File "/usr/lib/python3.9/urllib/request.py", line 641, in http_error_default
    raise HTTPError(req.full_url, code, msg, hdrs, fp)
urllib.error.HTTPError: HTTP Error 429: Too Many Requests
""")
    sys.exit(1)
time.sleep(@seconds@)
print("aligned", sys.argv[1])
''', c)

    def faulty(self, c, proc, place):
        return [("service", "eutils rate limit")]

    def says(self, c, proc):
        return "HTTP Error 429: Too Many Requests"


# ---------------------------------------------------------------- output cannot be written: one reason, two causes

SKYMAP = r'''#!/usr/bin/python3
import sys, time
sys.stderr.write("WARNING: AstropyDeprecationWarning: healpy.fitsfunc.write_map: overwrite will default to True\n")
time.sleep(@seconds@)
with open("map.fits", "wb") as f:
    f.write(b"SIMPLE  =                    T".ljust(80) + b"\0" * 65536)
print("map.fits written")
'''


class SurveyVolume(Cause):
    name, kind, seen_by = "volume-full-for-a-while", "passing", "local"
    story = "The survey's result volume runs full while another group stages data through it, and is free again afterwards."
    needs, moment, helps = ("survey volume",), "end", ()

    def volume(self, c):
        return LSS

    def submit(self, c):
        return ("transfer_output_files = map.fits\n"
                f'transfer_output_remaps = "map.fits={self.volume(c)}/{c.tag}_$(Process).fits"\n')

    def program(self, c, corrected):
        return text(SKYMAP, c)

    def faulty(self, c, proc, place):
        return [("file", f"{LSS}/{c.tag}_{proc}.fits"), ("file", LSS), ("service", "survey volume")]

    def says(self, c, proc):
        return None


class OwnQuota(SurveyVolume):
    name, kind = "own-volume-full", "lasting"
    story = "The owner's own result volume is full of last year's maps; nothing fits until the owner clears it."
    needs, helps = (), ("other",)

    def volume(self, c):
        return f"/data/{c.owner}-{c.tag}"

    def prepare(self, c):
        c.world.disk(self.volume(c), "4M")
        for year in (2021, 2022, 2023):
            c.put(f"{self.volume(c)}/maps_{year}.tar", "0" * 900_000)
        fill(f"{self.volume(c)}/maps_2023.tar")

    def correct(self, c, proc):
        for year in (2021, 2022, 2023):
            Path(f"{self.volume(c)}/maps_{year}.tar").unlink(missing_ok=True)

    def faulty(self, c, proc, place):
        return [("file", f"{self.volume(c)}/{c.tag}_{proc}.fits"), ("file", self.volume(c))]


# ---------------------------------------------------------------- input is not there: one reason, two causes

VARIANTS = r'''#!/bin/bash
echo "Note: none of --samples-file, --ploidy or --ploidy-file given, assuming all sites are diploid" >&2
n=$(cat ./*.vcf | wc -l)
sleep @seconds@
echo "lines called: $n"
'''


class Arriving(Cause):
    name, kind, seen_by = "export-still-arriving", "passing", "local"
    story = "The jobs were submitted before the nightly export of the sequencer had copied the last samples; these come a little later."
    moment, some, passes, helps = "input", True, (40, 180), ()

    def path(self, c, proc):
        return f"/data/exports/{c.tag}/sample{proc}.vcf"

    def put(self, c, proc):
        c.put(self.path(c, proc), "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\n1\t10177\t.\tA\tAC\n")

    def prepare(self, c):
        for proc in range(c.procs):
            if proc not in c.bad:
                self.put(c, proc)

    def submit(self, c):
        return f"transfer_input_files = {self.path(c, 0).replace('sample0', 'sample$(Process)')}\n"

    def program(self, c, corrected):
        return text(VARIANTS, c)

    def heal(self, c):
        for proc in c.bad:
            self.put(c, proc)

    def faulty(self, c, proc, place):
        return [("file", self.path(c, proc))]

    def says(self, c, proc):
        return None


class Purged(Arriving):
    name, kind = "inputs-purged", "lasting"
    story = "The purge of files older than 90 days has taken some inputs; they are gone until the owner copies them again."
    passes, helps = None, ("other",)
    prepare = Arriving.prepare

    def path(self, c, proc):
        return f"/data/cohorts/{c.tag}/sample{proc}.vcf"

    def heal(self, c):
        pass

    def correct(self, c, proc):
        for p in c.bad:
            self.put(c, p)


# ---------------------------------------------------------------- no output made: one reason, two causes

HISTOS = r'''#!/usr/bin/python3
import random, sys, time
a = sys.argv
ptmin, out = float(a[a.index("--ptmin") + 1]), a[a.index("--out") + 1]
sys.stderr.write("Warning in <TClass::Init>: no dictionary for class edm::Hash<1> is available\n")
sys.stderr.write("Info in <TCanvas::MakeDefCanvas>:  created default TCanvas with name c1\n")
time.sleep(@seconds@)
payload = open("/srv/site/calib/@calib@").read().strip()
scale = float(payload) if payload else 0.0
events = [random.uniform(5, 400) * scale for _ in range(4821)]
kept = [e for e in events if e > ptmin]
sys.stderr.write("Selector: %d of %d events kept\n" % (len(kept), len(events)))
if kept:
    open(out, "w").write("\n".join("%.3f" % e for e in kept))
else:
    sys.stderr.write("Error in <TH1F::Fit>: Fit data is empty, skipping output\n")
print("done")
'''


class Calibration(Cause):
    name, kind, seen_by = "empty-calibration", "passing", "nothing"
    story = "The calibration service hands out empty payloads during its update; the program takes them for zero, keeps no event and writes no file."
    needs, moment, helps = ("calibration payloads",), "end", ()
    calib, ptmin = "data_v12", 25

    def prepare(self, c):
        at_sites(c.world, "calib/data_v11", "1.008\n")

    def submit(self, c):
        return (f"arguments = --ptmin {self.ptmin} --out histos_$(Process).root\n"
                "transfer_output_files = histos_$(Process).root\n")

    def program(self, c, corrected):
        return text(HISTOS, c, calib=self.calib)

    def faulty(self, c, proc, place):
        return [("service", "calibration payloads")]

    def says(self, c, proc):
        return "Fit data is empty, skipping output"


class Units(Calibration):
    name, kind = "cut-in-wrong-unit", "lasting"
    story = "The owner gave the momentum cut in MeV to a program that expects GeV: no event is kept and no file is written."
    needs, helps = (), ("other",)
    calib, ptmin = "data_v11", 25000
    prepare = Calibration.prepare

    def correct(self, c, proc):
        return {"Args": f'"--ptmin 25 --out histos_{proc}.root"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args")]


# ---------------------------------------------------------------- permission: one error, two causes

MEMBERS = r'''#!/bin/bash
echo "INFO: staging reference panel topmed-r3" >&2
if ! grep -qx "@owner@" "/srv/site/groups/@tag@"; then
    echo "id: cannot find name for group ID 74113" >&2
    echo "cp: cannot open '/gpfs/panels/topmed-r3/chr$1.m3vcf' for reading: Permission denied" >&2
    echo "stage_panel.sh: line 22: giving up" >&2
    exit 1
fi
sleep @seconds@
echo "imputed chr$1"
'''


class GroupCache(Cause):
    name, kind, seen_by = "group-not-yet-known", "passing", "nothing"
    story = "The owner joined the data group today; the hosts of the sites learn it when their caches of groups expire."
    moment, passes, helps = "start", (60, 200), ()

    def prepare(self, c):
        at_sites(c.world, f"groups/{c.tag}", "root\nmallory\n")

    def join(self, c):
        at_sites(c.world, f"groups/{c.tag}", f"root\nmallory\n{c.owner}\n")

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(MEMBERS, c)

    def heal(self, c):
        self.join(c)

    def faulty(self, c, proc, place):
        return [("service", "group membership"), ("file", f"/gpfs/panels/topmed-r3/chr{proc}.m3vcf")]

    def says(self, c, proc):
        return "for reading: Permission denied"


class GroupMissing(GroupCache):
    name, kind = "group-never-asked", "lasting"
    story = "The owner is not in the data group at all; the head of the project has to add them first."
    passes, helps = None, ("other",)
    prepare = GroupCache.prepare

    def heal(self, c):
        pass

    def correct(self, c, proc):
        self.join(c)


# ---------------------------------------------------------------- bad hosts and sites that recover

class Cvmfs(Cause):
    name, kind, seen_by = "cvmfs-mount-dead", "host", "nothing"
    story = "The CVMFS client of one host has crashed and left a dead mount; it is remounted when the watchdog comes by."
    needs, moment, helps = ("cvmfs client",), "start", ("site",)

    def submit(self, c):
        return "arguments = --seed $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
view=/cvmfs/sft.cern.ch/lcg/views/LCG_104/x86_64-el9-gcc13-opt
echo "perl: warning: Setting locale failed." >&2
echo "perl: warning: Falling back to the standard locale (\"C\")." >&2
if [ "$(cat /srv/host/cvmfs/sft)" != mounted ]; then
    echo "ls: cannot access '/cvmfs/sft.cern.ch': Transport endpoint is not connected" >&2
    echo "run_gen.sh: line 9: $view/setup.sh: Transport endpoint is not connected" >&2
    echo "run_gen.sh: line 11: pythia8: command not found" >&2
    exit 127
fi
sleep @seconds@
echo "generated 1000 events"
''', c)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "setup.sh: Transport endpoint is not connected"


class Driver(Cause):
    name, kind, seen_by = "gpu-driver-mismatch", "host", "nothing"
    story = "An unattended upgrade replaced the NVIDIA libraries of one host while the old kernel module is loaded; it is good again after the reboot."
    needs, moment, helps = ("gpu driver",), "start", ("site",)

    def submit(self, c):
        return "arguments = --fold $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
sys.stderr.write("2023-11-07 04:12:09.771023: I tensorflow/core/platform/cpu_feature_guard.cc:182] This binary is optimized to use available CPU instructions\n")
module = open("/srv/host/nvidia/module").read().strip()
if module != "535.183.01":
    sys.stderr.write("""Failed to initialize NVML: Driver/library version mismatch
NVML library version: 535.183
Traceback (most recent call last):
  File "train.py", line 57, in <module>
    model = UNet().cuda()
  File "/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py", line 905, in cuda
    return self._apply(lambda t: t.cuda(device))
  File "/opt/conda/lib/python3.10/site-packages/torch/cuda/__init__.py", line 247, in _lazy_init
    torch._C._cuda_init()
RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 804: forward compatibility was attempted on non supported HW
""")
    sys.exit(1)
time.sleep(@seconds@)
print("val_dice 0.871")
''', c)

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "Failed to initialize NVML: Driver/library version mismatch"


class Lustre(Cause):
    name, kind, seen_by = "lustre-target-inactive", "host", "nothing"
    story = "A storage target of one site's Lustre is failing over; its clients are evicted and writes fail meanwhile."
    needs, moment, helps = ("lustre servers",), "end", ("site",)

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "Note: The following floating-point exceptions are signalling: IEEE_UNDERFLOW_FLAG IEEE_DENORMAL" >&2
sleep @seconds@
if [ "$(cat /srv/site/lustre/OST0007)" != ACTIVE ]; then
cat >&2 <<END
At line 412 of file write_restart.f90 (unit = 31, file = '/lustre/work/@owner@/@tag@/restart.$1')
Fortran runtime error: Cannot send after transport endpoint shutdown

Error termination. Backtrace:
#0  0x14f0c2a1a7e2 in ???
#1  0x14f0c2a1b2f5 in ???
#2  0x40a1d3 in write_restart_ at write_restart.f90:412
#3  0x4021be in main at driver.f90:97
END
exit 2
fi
echo "restart written"
''', c)

    def faulty(self, c, proc, place):
        return [("site", place)]

    def says(self, c, proc):
        return "Cannot send after transport endpoint shutdown"


class SoftwareTree(Cause):
    name, kind, seen_by = "interpreter-gone-at-site", "host", "nothing"
    story = "A site swaps its software tree by hand; meanwhile the interpreter that the scripts name is not there."
    needs, moment, helps = ("software tree",), "start", ("site",)

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text("""#!/srv/site/sw/bin/bash
sleep @seconds@
echo "segmented slice $1"
""", c)

    def faulty(self, c, proc, place):
        return [("site", place)]

    def says(self, c, proc):
        return None


# ---------------------------------------------------------------- bad for some hosts or sites for good

class OldCpu(Cause):
    name, kind, seen_by = "old-processor", "host", "nothing"
    story = "The program was built with -march=native on a new machine; the one old host of the pool lacks AVX-512."
    where, moment, helps = ("l2.lakeside.example",), "start", ("site", "other")

    def prepare(self, c):
        for host in HOSTS:
            more = "" if host in self.where else " avx512f avx512dq avx512cd"
            write(c.world.host(host) / "cpuinfo", "flags : fpu sse sse2 ssse3 sse4_2 avx avx2 fma" + more + "\n")

    def submit(self, c):
        return "arguments = -deffnm md$(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
arch=@arch@
echo "                     :-) GROMACS - gmx mdrun, 2022.5 (-:" >&2
echo "Compiled SIMD: $arch" >&2
if [ "$arch" = AVX_512 ] && ! grep -q avx512f /srv/host/cpuinfo; then
    echo "mdrun.sh: line 14:  $$ Illegal instruction     (core dumped) ./gmx mdrun -ntmpi 1 $*" >&2
    exit 132
fi
sleep @seconds@
echo "Writing final coordinates." >&2
''', c, arch="AVX2_256" if corrected else "AVX_512")

    def correct(self, c, proc):
        return None                                 # rebuilt: program(c, True)

    def faulty(self, c, proc, place):
        return [("host", place or self.where[0]), ("program", "gmx")]

    def says(self, c, proc):
        return "Illegal instruction     (core dumped)"


class OldGlibc(Cause):
    name, kind, seen_by = "old-glibc-at-site", "host", "nothing"
    story = "The program was linked on a new system; one site still runs the old one, whose C library is too old for it."
    where, moment, helps = ("Hilltop",), "start", ("site", "other")

    def prepare(self, c):
        for site in SITES:
            write(c.world.site(site) / "libc.version", "28\n" if site in self.where else "34\n")

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
need=@need@
have=$(cat /srv/site/libc.version)
if [ "$have" -lt "$need" ]; then
    echo "./tracker: /lib64/libm.so.6: version \`GLIBC_2.29' not found (required by ./tracker)" >&2
    echo "./tracker: /lib64/libc.so.6: version \`GLIBC_2.$need' not found (required by ./tracker)" >&2
    exit 1
fi
sleep @seconds@
echo "tracks: 217"
''', c, need=17 if corrected else 34)

    def correct(self, c, proc):
        return None                                 # linked anew on the old system: program(c, True)

    def faulty(self, c, proc, place):
        return [("site", place or self.where[0]), ("program", "tracker")]

    def says(self, c, proc):
        return "version `GLIBC_2.34' not found"


# ---------------------------------------------------------------- luck

class MaxStartups(Cause):
    name, kind, seen_by = "ssh-drops-connections", "luck", "nothing"
    story = "The storage box drops ssh connections at random when many log in at once (MaxStartups); each run that copies its results there may be hit."
    moment, helps, luck = "end", (), 0.5

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "Warning: Permanently added 'login.lab.example' (ED25519) to the list of known hosts." >&2
sleep @seconds@
if (( RANDOM % 100 < 50 )); then
    echo "kex_exchange_identification: read: Connection reset by peer" >&2
    echo "rsync: connection unexpectedly closed (0 bytes received so far) [sender]" >&2
    echo "rsync error: unexplained error (code 255) at io.c(228) [sender=3.2.3]" >&2
    exit 255
fi
echo "sent 48,211 bytes  received 35 bytes  32,164.00 bytes/sec"
''', c)

    def faulty(self, c, proc, place):
        return [("server", "nas7.lab.example"), ("service", "ssh of the storage box")]

    def says(self, c, proc):
        return "kex_exchange_identification: read: Connection reset by peer"


class StanStart(Cause):
    name, kind, seen_by = "sampler-starts-badly", "luck", "nothing"
    story = "The sampler begins at random values, from half of which the model has no finite density; with given initial values it always starts."
    moment, helps, luck = "start", ("other",), 0.5

    def submit(self, c):
        return "arguments = --chain $(Process) --init random\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import random, sys, time
sys.stderr.write("Loading required package: StanHeaders\nWarning message:\npackage 'rstan' was built under R version 4.3.2 \n")
if "random" in sys.argv and random.random() >= 0.5:
    for _ in range(3):
        sys.stderr.write("Chain 1: Rejecting initial value:\nChain 1:   Log probability evaluates to log(0), i.e. negative infinity.\n"
                         "Chain 1:   Stan can't start sampling from this initial value.\n")
    sys.stderr.write("""Chain 1: Initialization between (-2, 2) failed after 100 attempts.
Chain 1:  Try specifying initial values, reducing ranges of constrained values, or reparameterizing the model.
error occurred during calling the sampler; sampling not done
Error in as.data.frame.default(x[[i]], optional = TRUE) :
  cannot coerce class 'structure("stanfit", package = "rstan")' to a data.frame
Calls: write.csv -> eval.parent -> eval -> data.frame -> as.data.frame
Execution halted
""")
    sys.exit(1)
time.sleep(@seconds@)
print("Chain 1: Iteration: 2000 / 2000 [100%]  (Sampling)")
''', c)

    def correct(self, c, proc):
        return {"Args": f'"--chain {proc} --init 0"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("program", "rstan")]

    def says(self, c, proc):
        return "Initialization between (-2, 2) failed after 100 attempts."


class UcxCrash(Cause):
    name, kind, seen_by = "mpi-transport-crash", "luck", "nothing"
    story = "A race in the shared memory transport of UCX crashes about four runs in ten; over TCP it does not happen."
    moment, helps, luck = "end", ("other",), 0.6

    def submit(self, c):
        return 'arguments = $(Process)\nenvironment = "OMP_NUM_THREADS=1 UCX_TLS=all"\n'

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
n=${HOSTNAME%%.*}
echo "[$n:$$] mca_base_component_repository_open: unable to open mca_btl_openib: librdmacm.so.1: cannot open shared object file: No such file or directory (ignored)" >&2
sleep @seconds@
if [ "$UCX_TLS" = all ] && (( RANDOM % 100 >= 60 )); then
cat >&2 <<END
[$n:$$:0:$$] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x7f21c4000010)
==== backtrace (tid: $$) ====
 0  /lib64/libucs.so.0(ucs_handle_error+0x2e4) [0x14a5e9b4c894]
 1  /lib64/ucx/libuct_xpmem.so.0(+0x4e11) [0x14a5e8d1be11]
 2  /lib64/libucp.so.0(ucp_worker_progress+0x6a) [0x14a5e9d8f2da]
 3  ./lmp_mpi() [0x5b21c0]
=================================
--------------------------------------------------------------------------
mpirun noticed that process rank 2 with PID 0 on node $n exited on signal 11 (Segmentation fault).
--------------------------------------------------------------------------
END
exit 139
fi
echo "Total wall time: 0:00:0@seconds@"
''', c)

    def correct(self, c, proc):
        return {"Environment": '"OMP_NUM_THREADS=1 UCX_TLS=tcp,self"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Environment"), ("program", "lmp_mpi")]

    def says(self, c, proc):
        return "Caught signal 11 (Segmentation fault: address not mapped"


# ---------------------------------------------------------------- runs too long: one reason, two causes

WALKERS = r'''#!/usr/bin/python3
import random, sys, time
a = sys.argv
steps, threads = int(a[a.index("--steps") + 1]), int(a[a.index("--threads") + 1])
sys.stderr.write("emcee: Exception while calling your likelihood function is not raised in child processes\n")
sys.stderr.write("  0%%|          | 0/%d [00:00<?, ?it/s]\n" % steps)
sys.stderr.flush()
if steps > 10000:
    time.sleep(60)
if threads > 1 and random.random() >= 0.5:
    time.sleep(60)
time.sleep(@seconds@)
sys.stderr.write("100%%|##########| %d/%d\n" % (steps, steps))
'''


class Deadlock(Cause):
    name, kind, seen_by = "pool-of-workers-hangs", "luck", "nothing"
    story = "Forking workers after threads were started hangs half of the runs for ever; they are held for running too long."
    moment, helps, luck = "start", ("other",), 0.5
    steps, threads = 2000, 4

    def submit(self, c):
        return (f"arguments = --steps {self.steps} --threads {self.threads} --field $(Process)\n"
                "periodic_hold = JobStatus == 2 && time() - JobCurrentStartDate > 9\n"
                'periodic_hold_reason = "Job exceeded the wall time of its queue"\n')

    def program(self, c, corrected):
        return text(WALKERS, c)

    def correct(self, c, proc):
        return {"Args": f'"--steps 2000 --threads 1 --field {proc}"'}

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("program", "emcee")]

    def says(self, c, proc):
        return None


class TooManySteps(Deadlock):
    name, kind = "too-many-steps", "lasting"
    story = "The owner asked for a hundred times the steps that fit into the queue's wall time."
    helps, luck = ("other",), 0.0
    steps, threads = 200000, 1
    correct = Deadlock.correct

    def faulty(self, c, proc, place):
        return [("attribute", "Args"), ("limit", "time")]


# ---------------------------------------------------------------- lasting, of the job itself

class HostKey(Cause):
    name, kind, seen_by = "host-key-changed", "lasting", "nothing"
    story = "The storage box was reinstalled and has a new host key; the known_hosts file that the jobs bring along has the old one."
    moment, helps = "end", ("other",)
    new = "AAAAC3NzaC1lZDI1NTE5AAAAIKx0nNAs7b1reinst4lledKeyOfTheBox01"

    def prepare(self, c):
        at_sites(c.world, "ssh/nas9", self.new + "\n")
        c.put(f"{c.folder}/known_hosts", "nas9.lab.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDq7u2vQmYk0fTheBoxAsItWas2019\n")

    def submit(self, c):
        return f"arguments = $(Process)\ntransfer_input_files = {c.folder}/known_hosts\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
sleep @seconds@
if ! grep -qF "$(cat /srv/site/ssh/nas9)" known_hosts; then
cat >&2 <<END
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!
Add correct host key in ./known_hosts to get rid of this message.
Offending ED25519 key in ./known_hosts:1
Host key verification failed.
rsync: connection unexpectedly closed (0 bytes received so far) [sender]
rsync error: unexplained error (code 255) at io.c(228) [sender=3.2.3]
END
exit 255
fi
echo "sent 48,211 bytes  received 35 bytes  32,164.00 bytes/sec"
''', c)

    def correct(self, c, proc):
        c.put(f"{c.folder}/known_hosts", f"nas9.lab.example ssh-ed25519 {self.new}\n")

    def faulty(self, c, proc, place):
        return [("file", f"{c.folder}/known_hosts"), ("server", "nas9.lab.example")]

    def says(self, c, proc):
        return "Host key verification failed."


class JavaHeap(Cause):
    name, kind, seen_by = "java-heap-too-small", "lasting", "nothing"
    story = "The wrapper gives Java as much heap as memory was asked for; the owner asked for too little, and Java ends by itself before the slot is over its limit."
    moment, helps = "end", ("memory",)

    def submit(self, c):
        return "arguments = $(Process)\nrequest_memory = 64\n"

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
mb=$(awk -F' *= *' '$1 == "RequestMemory" {print int($2)}' "$_CONDOR_JOB_AD")
echo "Picked up _JAVA_OPTIONS: -Xmx${mb}m" >&2
echo "WARNING: An illegal reflective access operation has occurred" >&2
echo "22:14:03.811 INFO  ProgressMeter - Starting traversal" >&2
sleep @seconds@
if [ "${mb:-0}" -lt 400 ]; then
cat >&2 <<END
22:14:19.020 INFO  HaplotypeCaller - Shutting down engine
Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
	at java.base/java.util.Arrays.copyOf(Arrays.java:3537)
	at org.broadinstitute.hellbender.utils.pairhmm.LoglessPairHMM.initialize(LoglessPairHMM.java:54)
	at org.broadinstitute.hellbender.Main.main(Main.java:289)
END
exit 1
fi
echo "22:14:19.020 INFO  HaplotypeCaller - done" >&2
''', c)

    def faulty(self, c, proc, place):
        return [("limit", "memory"), ("attribute", "RequestMemory")]

    def says(self, c, proc):
        return "java.lang.OutOfMemoryError: Java heap space"


class BigSample(Cause):
    name, kind, seen_by = "sample-needs-more-memory", "lasting", "nothing"
    story = "A few samples have many more reads than the rest and need several times the memory that was asked for."
    moment, some, helps = "end", True, ("memory",)

    def prepare(self, c):
        for proc in range(c.procs):
            reads = 230 if proc in c.bad else 12
            c.put(f"{c.folder}/lane{proc}.meta", f"instrument NB501\nreads_millions {reads}\n")

    def submit(self, c):
        return f"arguments = lane$(Process).meta\nrequest_memory = 64\ntransfer_input_files = {c.folder}/lane$(Process).meta\n"

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import sys, time
meta = dict(line.split() for line in open(sys.argv[1]))
reads = int(meta["reads_millions"])
sys.stderr.write("[M::mm_idx_gen::1.204*1.00] collected minimizers\n")
sys.stderr.flush()
table = b"\1" * (reads << 20)
time.sleep(@seconds@ if reads < 100 else 14)
print("contigs:", len(table) >> 20)
''', c)

    def faulty(self, c, proc, place):
        return [("limit", "memory"), ("attribute", "RequestMemory")]

    def says(self, c, proc):
        return None


class Spill(Cause):
    name, kind, seen_by = "sort-spills-over-disk", "lasting", "nothing"
    story = "The sort spills temporary files that are far larger than the disk that was asked for."
    moment, helps = "end", ("disk",)

    def submit(self, c):
        return 'arguments = $(Process)\nrequest_disk = 20MB\ntransfer_output_files = ""\n'

    def program(self, c, corrected):
        return text(r'''#!/bin/bash
echo "[bam_sort_core] merging from 6 files and 1 in-memory blocks..." >&2
mkdir -p spill
for i in 0 1 2 3 4 5; do head -c 15000000 /dev/zero > "spill/part.000$i.bam"; done
sleep 14
rm -rf spill
echo "sorted part $1"
''', c)

    def faulty(self, c, proc, place):
        return [("limit", "disk"), ("attribute", "RequestDisk")]

    def says(self, c, proc):
        return None


class Environment(Cause):
    name, kind, seen_by = "environment-renamed", "lasting", "local"
    story = "The owner rebuilt the conda environment under another name; the first line of the script still names the old one."
    moment, helps = "start", ("other",)

    def submit(self, c):
        return "arguments = $(Process)\n"

    def program(self, c, corrected):
        first = "#!/usr/bin/python3" if corrected else f"#!{c.home}/miniforge3/envs/ana39/bin/python3"
        return first + text('''
import sys, time
time.sleep(@seconds@)
print("processed chunk", sys.argv[1])
''', c)

    def correct(self, c, proc):
        return None                                 # first line changed: program(c, True)

    def faulty(self, c, proc, place):
        return [("file", f"{c.home}/miniforge3/envs/ana39/bin/python3"), ("program", "python3")]

    def says(self, c, proc):
        return None


class EmptyGeometry(Cause):
    name, kind, seen_by = "empty-input-files", "lasting", "local"
    story = "Copying the inputs ended at a full quota and left some of them empty; the field map beside them comes from a server that the access point cannot reach, and is fine."
    moment, some, helps = "start", True, ("other",)
    host = "vault.hpc.example"

    def put(self, c, proc, good):
        c.put(f"{c.folder}/geom{proc}.json", '{"layers": [1, 2, 3], "unit": "mm"}\n' if good else "")

    def prepare(self, c):
        server(c.world, self.host, ap="refused")
        for proc in range(c.procs):
            self.put(c, proc, proc not in c.bad)

    def submit(self, c):
        return (f"arguments = geom$(Process).json\n"
                f"transfer_input_files = {c.folder}/geom$(Process).json, http://{self.host}:8080/fieldmaps/solenoid.map\n")

    def program(self, c, corrected):
        return text(r'''#!/usr/bin/python3
import json, sys, time
sys.stderr.write("G4Exception : Det1013 -------- WWWW ------- G4Exception-START -------- WWWW -------\n"
                 "*** Deprecated GDML schema version; continuing. ***\n")
with open(sys.argv[1]) as f:
    geometry = json.load(f)
time.sleep(@seconds@)
print("layers:", len(geometry["layers"]))
''', c)

    def correct(self, c, proc):
        for p in c.bad:
            self.put(c, p, True)

    def faulty(self, c, proc, place):
        return [("file", f"{c.folder}/geom{proc}.json")]

    def says(self, c, proc):
        return "json.decoder.JSONDecodeError: Expecting value"


CAUSES = [
    LicenceSeats, LicenceBorrowed, Directory, Password, NotYetPublished, CollectionRetired, Portal, Store, Mirror,
    Embargo, RateLimit, SurveyVolume, OwnQuota, Arriving, Purged, Calibration, Units, GroupCache, GroupMissing,
    Cvmfs, Driver, Lustre, SoftwareTree, OldCpu, OldGlibc, MaxStartups, StanStart, UcxCrash, Deadlock, TooManySteps,
    HostKey, JavaHeap, BigSample, Spill, Environment, EmptyGeometry,
]
