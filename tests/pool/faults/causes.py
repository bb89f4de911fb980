"""Families of holds that look alike, and the hidden causes behind each.

A family is a cell to an observer: one code, subcode and reason text. Its transient causes are troubles of something that
many jobs share (`SERVICES`); its flaws are mistakes of a cluster or a job, or chance of a run.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Service:
    """Something jobs share, that is in trouble now and then."""

    name: str
    kind: str  # how `world.py` breaks it
    cause: str  # name of the cause in truth.jsonl
    reach: str  # service, site or host
    place: str = None  # the site or host that is in trouble
    # Of a module of causes (kit.py): break and heal it.
    begin: object = None
    end: object = None


@dataclass(frozen=True)
class Flaw:
    """A cause that is no fault of the schedule."""

    cause: str
    reach: str  # job, cluster or site
    remedy: str  # the action after which a release succeeds
    mend: str  # `edit`: condor_qedit, of one job; `file`: a file, for the whole cluster; `none`: nothing to mend
    transient: bool = False
    # Probability with which the program draws a good run, anew in each; 0 where nothing is drawn.
    luck: float = 0.0
    # Probability that a release as is succeeds: the design probability of the oracle.
    success: float = 0.0
    # Sites and hosts at which it strikes; empty: everywhere.
    where: tuple = ()
    # Further actions after which a release succeeds.
    also: tuple = ()
    # It ends when somebody makes what is missing (`made`, `produced`).
    passes: bool = False

    def helped_by(self, action):
        return action == self.remedy or action in self.also


def servers(kind, *names):
    return [Service(name, kind, "service-outage", "service") for name in names]


OWNERS = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"]
SITES = {
    "Lakeside": ["l1.lakeside.example", "l2.lakeside.example"],
    "Hilltop": ["h1.hilltop.example", "h2.hilltop.example"],
}

# Names of file servers; world.py gives each an address of the loopback.
REFUSED = servers("refused", "cache.lakeside.example", "origin.hilltop.example")
MISSING = servers("status-404", "store.lakeside.example", "depot.hilltop.example")
BUSY = servers("status-503", "mirror.lakeside.example", "archive.hilltop.example")
PORTAL = "portal.pool.example"
CREDENTIALS = [
    Service(f"credential of {owner}", "credential", "credential-expired", "service") for owner in OWNERS
]
MOUNTS = [Service(f"/data/{name}", "mount", "filesystem-outage", "service") for name in ("atlas", "basin")]
SHARES = [Service(f"/data/{name}", "access", "filesystem-outage", "service") for name in ("delta", "ember")]
FOLDERS = [Service(f"/data/{name}", "mount", "filesystem-outage", "service") for name in ("fjord", "grove")]
QUOTAS = [Service(f"/scratch/{name}", "quota", "quota-full", "service") for name in ("optics", "plasma")]
RUNTIME = [
    Service(name, "flag", "runtime-service", "service")
    for name in ("licence server", "database")
]
SOFTWARE = [Service(f"software of {site}", "software", "site-software-outage", "site", site) for site in SITES]
HOSTS = [Service(host, "host", "bad-host", "host", host) for hosts in SITES.values() for host in hosts]

SERVICES = [
    *REFUSED, *MISSING, *BUSY, *CREDENTIALS, *MOUNTS, *SHARES, *FOLDERS, *QUOTAS, *RUNTIME, *SOFTWARE, *HOSTS,
]  # fmt: skip
SERVICE = {service.name: service for service in SERVICES}


@dataclass(frozen=True)
class Family:
    """Clusters whose holds look alike."""

    name: str
    # Lists of services: a cluster needs one of each list's services (of sites and hosts: all).
    needs: tuple
    flaws: tuple
    # When in a run it is decided: `input`, `start`, or `run`.
    when: str
    # A cluster without a flaw can be held only while one of its services is in trouble.
    weight: float = 1.0
    # Actions that get round a trouble of its services.
    detours: tuple = ()
    # The class of a module of causes that makes its clusters (kit.py).
    made_by: object = None


def cluster(cause, mend, remedy="other"):
    return Flaw(cause, "cluster", remedy, mend)


NOT_YET = Flaw("not-yet-produced", "cluster", "wait", "none", transient=True, passes=True)


def use_varies(cause, remedy):
    """Use of memory or disk: a release as is fails, since the ad keeps the peak of all runs (`RemoteResource::updateFromStarter`
    in src/condor_shadow.V6.1/remoteresource.cpp) and the policies look at that."""
    return Flaw(cause, "job", remedy, "edit", luck=0.5)


FAMILIES = {
    family.name: family
    for family in [
        Family("refused", (REFUSED,), (cluster("wrong-server", "edit"),), "input", 1.2),
        Family(
            "status-404",
            (MISSING,),
            (cluster("wrong-url", "edit"), NOT_YET, Flaw("wrong-url-one", "job", "other", "edit")),
            "input",
            1.2,
        ),
        Family("status-503", (BUSY,), (cluster("broken-url", "edit"),), "input"),
        Family("status-403", (CREDENTIALS,), (cluster("forbidden-url", "file"),), "input"),
        Family(
            "input-missing",
            (MOUNTS,),
            (
                cluster("deleted-input", "file"),
                cluster("wrong-path", "edit"),
                NOT_YET,
                Flaw("wrong-path-one", "job", "other", "edit"),
            ),
            "input",
            1.2,
        ),
        Family("input-unreadable", (SHARES,), (cluster("unreadable-input", "file"),), "input"),
        Family("folder-missing", (FOLDERS,), (cluster("missing-folder", "file"),), "start", 0.8),
        Family(
            "interpreter",
            (SOFTWARE,),
            (cluster("bad-interpreter", "file"), Flaw("site-lacks-software", "site", "site", "none", where=("Hilltop",))),
            "start",
        ),
        Family(
            "output-missing",
            (RUNTIME, SOFTWARE, HOSTS),
            (cluster("wrong-output", "edit"), Flaw("bug", "job", "other", "file")),
            "run",
            1.2,
        ),
        Family(
            "exit-code",
            (RUNTIME, SOFTWARE, HOSTS),
            (
                cluster("bad-argument", "edit"),
                Flaw("bug", "job", "other", "file"),
                Flaw("flaky", "job", "other", "file", transient=True, luck=0.5, success=0.5),
            ),
            "run",
            1.5,
        ),
        Family("quota", (QUOTAS,), (cluster("too-large-output", "file"),), "run"),
        Family(
            "memory",
            (),
            (cluster("memory-too-small", "edit", "memory"), use_varies("memory-varies", "memory")),
            "run",
            1.2,
        ),
        Family(
            "disk",
            (),
            (cluster("disk-too-small", "edit", "disk"), use_varies("disk-varies", "disk")),
            "run",
            0.8,
        ),
        Family(
            "time",
            (),
            (
                cluster("too-long", "edit"),
                Flaw("time-varies", "job", "other", "edit", transient=True, luck=0.5, success=0.5),
                Flaw("slow-site", "site", "site", "edit", transient=True, where=("Hilltop",), also=("other",)),
            ),
            "run",
        ),
    ]
}

# Who on the access point could see a cause that is there: whoever looks at the files that the job names (`local`), fetches its
# URL (`url`), compares what it used with its requests (`ad`); others nobody.
SEEN_BY = {
    **dict.fromkeys(["filesystem-outage", "quota-full", "deleted-input", "wrong-path", "unreadable-input", "missing-folder"], "local"),
    **dict.fromkeys(["service-outage", "credential-expired", "wrong-server", "wrong-url", "broken-url", "forbidden-url"], "url"),
    **dict.fromkeys(["memory-too-small", "memory-varies", "disk-too-small", "disk-varies", "too-long"], "ad"),
}


def seen_by(cause, family, which):
    """Who could see the cause of a hold; `which` is the service or flaw."""
    if cause == "not-yet-produced":
        return "local" if family.startswith("input") else "url"
    return SEEN_BY.get(cause) or SEEN_BY.get((cause, which), "nothing")
