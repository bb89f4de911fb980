"""Causes that a person sees at a glance, or that look so: what the families of causes.py have not."""
import base64
import datetime
import os
import random
import time

from kit import Cause, Service

INTERNAL = "vault.hilltop.example"
MAPS = "maps.lakeside.example"
INDEX = "index.pool.example"
SHARED = "/data/tables"


def refuse(w, site):
    w.answer(MAPS, None, "refused", at=(site,))


def let_in(w, site):
    w.answer(MAPS, None, 200, at=(site,))


def drop(w, _):
    w.answer(INDEX, None, "refused")


def lift(w, _):
    w.answer(INDEX, None, 200)


def hide(w, _):
    os.rename(f"{SHARED}/current", f"{SHARED}/.current.new")


def show(w, _):
    os.rename(f"{SHARED}/.current.new", f"{SHARED}/current")


def tables(w):
    os.makedirs(f"{SHARED}/current")
    for number in range(8):
        with open(f"{SHARED}/current/t{number}.csv", "w") as file:
            file.write("1,2,3\n")


def lose(name):
    def begin(w, host):
        (w.host(host) / name).unlink()

    return begin


def give(name):
    def end(w, host):
        (w.host(host) / name).touch()

    return end


def everywhere(name):
    def prepare(w):
        for host in sum(w.SITES.values(), []):
            (w.host(host) / name).touch()

    return prepare


def close_runs(w, _):
    os.unlink("/srv/services/runs")


def open_runs(w, _):
    open("/srv/services/runs", "w").close()


SERVICES = [
    Service("way to the maps", "site", refuse, let_in, prepare=lambda w: w.server(MAPS)),
    Service("index server", "service", drop, lift, prepare=lambda w: w.server(INDEX)),
    Service("catalogue of runs", "service", close_runs, open_runs, prepare=lambda w: open_runs(w, None)),
    Service("nightly tables", "service", hide, show, prepare=tables),
    Service("accelerator", "host", lose("accelerator"), give("accelerator"), prepare=everywhere("accelerator")),
]


class CarriageReturns(Cause):
    name, kind, seen_by = "carriage-returns", "lasting", "local"
    story = "The script was edited on Windows: its lines end with carriage returns."
    moment, helps = "start", ("other",)

    def program(self, c, corrected):
        text = f"#!/bin/sh\nsleep {c.seconds}\nexit 0\n"
        return text if corrected else text.replace("\n", "\r\n")

    def faulty(self, c, proc, place):
        return [("file", f"{c.folder}/run.sh"), ("program", f"{c.folder}/run.sh")]


def proxy(until):
    """The frame of a proxy certificate that ends at an instant (Unix seconds); nobody verifies its signature."""

    def der(tag, *parts):
        body = b"".join(parts)
        size = len(body)
        length = bytes([size]) if size < 128 else bytes([0x82, size >> 8, size & 255])
        return bytes([tag]) + length + body

    def instant(seconds):
        moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        return der(0x17, moment.strftime("%y%m%d%H%M%SZ").encode())

    name = der(0x30, der(0x31, der(0x30, der(0x06, b"\x55\x04\x03"), der(0x0C, b"user"))))
    algorithm = der(0x30, der(0x06, bytes.fromhex("2a864886f70d01010b")), der(0x05))
    key = der(0x30, der(0x30, der(0x06, bytes.fromhex("2a864886f70d010101")), der(0x05)),
              der(0x03, b"\0", der(0x30, der(0x02, b"\0" + b"\xc3" * 128), der(0x02, b"\x01\x00\x01"))))  # fmt: skip
    number = der(0x02, random.Random(until).randbytes(8).replace(b"\0", b"\1"))
    body = der(0x30, number, algorithm, name, der(0x30, instant(until - 43_200), instant(until)), name, key)
    whole = der(0x30, body, algorithm, der(0x03, b"\0" + b"\x5a" * 128))
    text = base64.encodebytes(whole).decode().replace("\n", "")
    lines = "\n".join(text[at : at + 64] for at in range(0, len(text), 64))
    return f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"


class ExpiredProxy(Cause):
    name, kind, seen_by = "proxy-expired", "passing", "local"
    story = "The proxy ran out; somebody renews it after a while."
    moment, helps, passes = "end", ("other",), (40, 240)

    @staticmethod
    def path(c):
        return f"{c.folder}/x509up"

    def prepare(self, c):
        c.put(self.path(c), proxy(int(time.time()) - 60), 0o600)

    def submit(self, c):
        return f'+x509userproxy = "{self.path(c)}"\n'

    def program(self, c, corrected):
        return f"""#!/usr/bin/python3
import base64, datetime, re, sys, time
time.sleep({c.seconds})
text = open("x509up").read().split("-----")[2]
until = re.findall(rb"\\x17\\x0d(\\d{{12}})Z", base64.b64decode(text))[1].decode()
now = datetime.datetime.now(datetime.timezone.utc).strftime("%y%m%d%H%M%S")
print("Uploading 3 files to davs://se.pool.example/store/user", file=sys.stderr)
if until < now:
    print("gfal-copy error: 13 (Permission denied) - DESTINATION CHECKSUM: Failure (Neon):"
          " SSL handshake failed: SSL alert received: certificate expired", file=sys.stderr)
    print("Copy failed after 1 attempt", file=sys.stderr)
    sys.exit(1)
"""

    def heal(self, c):
        c.put(self.path(c), proxy(int(time.time()) + 43_200), 0o600)

    def correct(self, c, proc):
        self.heal(c)

    def faulty(self, c, proc, place):
        return [("file", self.path(c)), ("attribute", "x509userproxy")]

    def says(self, c, proc):
        return "certificate expired"


class TablesReplaced(Cause):
    name, kind, seen_by = "tables-being-replaced", "passing", "local"
    story = "A shared table is replaced: for some minutes it is not there."
    needs, moment = ("nightly tables",), "input"

    def submit(self, c):
        return f"transfer_input_files = {SHARED}/current/t$(Process).csv\n"

    def program(self, c, corrected):
        return f"#!/bin/sh\nsleep {c.seconds}\nwc -l t*.csv\n"

    def faulty(self, c, proc, place):
        return [("file", f"{SHARED}/current/t{proc}.csv")]


class SiteFirewall(Cause):
    name, kind, seen_by = "way-to-server-closed", "host", "nothing"
    story = "A site's firewall lets nobody through to a file server; from everywhere else it answers."
    needs, moment, helps, weight = ("way to the maps",), "input", ("site",), 1.5

    def submit(self, c):
        return f"transfer_input_files = http://{MAPS}:8080/{c.tag}/map$(Process).tif\n"

    def program(self, c, corrected):
        return f"#!/bin/sh\nsleep {c.seconds}\n"

    def faulty(self, c, proc, place):
        return [("site", place), ("server", MAPS), ("url", f"http://{MAPS}:8080/{c.tag}/map{proc}.tif")]


class InternalServer(Cause):
    name, kind, seen_by = "wrong-path-on-internal-server", "lasting", "nothing"
    story = "The path on a file server is wrong; the access point cannot reach that server at all, sites can."
    moment, helps, some = "input", ("other",), True

    def prepare(self, c):
        c.world.answer(INTERNAL, None, "refused", at=("AP",))
        for proc in c.bad:
            c.world.answer(INTERNAL, f"/{c.tag}/scan{proc}.h5", 404)

    def submit(self, c):
        return f"transfer_input_files = http://{INTERNAL}:8080/{c.tag}/scan$(Process).h5\n"

    def program(self, c, corrected):
        return f"#!/bin/sh\nsleep {c.seconds}\n"

    def correct(self, c, proc):
        return {"TransferInput": f'"http://{INTERNAL}:8080/{c.tag}/scan-{proc}.h5"'}

    def faulty(self, c, proc, place):
        return [("url", f"http://{INTERNAL}:8080/{c.tag}/scan{proc}.h5"), ("attribute", "TransferInput")]


class TwoStages(Cause):
    name, kind = "two-stages", "passing"
    seen_by = {"index server": "url", "catalogue of runs": "nothing"}
    story = "Jobs need a file server first and a catalogue afterwards; either is away now and then."
    needs, moment = ("index server", "catalogue of runs"), "end"

    def submit(self, c):
        return f"transfer_input_files = http://{INDEX}:8080/{c.tag}/index$(Process).json\n"

    def program(self, c, corrected):
        return f"""#!/bin/sh
echo "WARNING: cache is cold, first look-ups are slow" >&2
sleep {c.seconds}
test -e /srv/services/runs || {{
    echo "ERROR: catalogue: HTTP 502 from upstream, retry 5 of 5" >&2
    echo "runs.client.CatalogueUnavailable: no answer from runs.pool.example in 30 s" >&2
    exit 1
}}
"""

    def faulty(self, c, proc, place):
        if c.service == "catalogue of runs":
            return [("service", c.service)]
        return [("server", INDEX), ("url", f"http://{INDEX}:8080/{c.tag}/index{proc}.json")]

    def says(self, c, proc):
        return "CatalogueUnavailable"


class Seats(Cause):
    name, kind, seen_by = "licence-seats", "luck", "nothing"
    story = "A licence has fewer seats than people want; a run gets one or does not."
    moment, luck, helps, weight = "start", 0.45, (), 1.3

    def program(self, c, corrected):
        return f"""#!/usr/bin/python3
import random, sys, time
if random.random() >= {self.luck}:
    sys.stderr.write("Solver 2023 R2, build 41\\nLicensed number of users already reached. (-4,132)\\n"
                     "Feature: solver_parallel\\nSolver: exiting\\n")
    sys.exit(16)
time.sleep({c.seconds})
"""

    def faulty(self, c, proc, place):
        return [("service", "licence")]

    def says(self, c, proc):
        return "Licensed number of users already reached"


class Accelerator(Cause):
    name, kind, seen_by = "accelerator-of-host", "host", "nothing"
    story = "One host's GPU has fallen off the bus."
    needs, moment, helps, weight = ("accelerator",), "start", ("site",), 2.0

    def program(self, c, corrected):
        return f"""#!/bin/sh
echo "I cuda_dnn.cc:368] Loaded runtime 8.4" >&2
test -e /srv/host/accelerator || {{
    cat >&2 <<'END'
NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.
Traceback (most recent call last):
  File "train.py", line 42, in <module>
    model.cuda()
RuntimeError: CUDA error: unknown error
CUDA kernel errors might be asynchronously reported at some other API call.
END
    exit 1
}}
sleep {c.seconds}
"""

    def faulty(self, c, proc, place):
        return [("host", place)]

    def says(self, c, proc):
        return "RuntimeError: CUDA error: unknown error"


CAUSES = [
    CarriageReturns, ExpiredProxy, TablesReplaced, SiteFirewall, InternalServer, TwoStages, Seats, Accelerator,
]  # fmt: skip
