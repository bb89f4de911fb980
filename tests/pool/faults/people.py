"""People: when they look after their held jobs, what they do before they release, whom they follow."""
import random
from dataclasses import dataclass, field

PACE = {"eager": (4, 20), "steady": (15, 80), "patient": (50, 200)}
# Failed releases of one job after which everybody sees through.
PATIENCE = 5


@dataclass
class Job:
    """A job as the event log shows it, and what was done to its ad."""

    cluster: object
    proc: int
    status: str = "idle"
    holds: int = 0
    code: tuple = ()
    reason: str = ""
    site: str = None
    # What was edited.
    mended: bool = False
    memory: bool = False
    disk: bool = False
    excluded: str = None

    @property
    def id(self):
        return f"{self.cluster.id}.{self.proc}"


@dataclass
class Deed:
    """What somebody does about a held job: an action before its release, or its removal."""

    job: Job
    action: str
    after: float = 0.0
    by: str = "owner"
    # The correction was one of files, for the whole cluster.
    by_file: bool = False


@dataclass
class Person:
    """The owner of one cluster."""

    cluster: object
    jobs: list
    tries: int = 0
    look_at: float = None
    probes: list = field(default_factory=list)
    probe_action: str = None

    def __post_init__(self):
        self.habit = self.cluster.plan["habit"]
        self.dice = random.Random(self.habit["seed"])

    def pace(self):
        return self.dice.uniform(*PACE[self.habit["pace"]])

    def sees_a_hold(self, now):
        if self.look_at is None:
            self.look_at = now + self.pace()

    def look(self, now, world):
        """What to do now; says in `look_at` when to look again."""
        self.look_at = None
        held = [job for job in self.jobs if job.status == "held"]
        if self.probes:
            return self.look_at_probes(now, held)
        if not held:
            return []
        if self.tries < self.habit["sees_after"] and max(job.holds for job in held) < PATIENCE:
            return self.try_blindly(now, held)
        deeds = [deed for job in held if (deed := self.see_through(job, now, world))]
        if len(deeds) < len(held):
            self.look_at = now + self.dice.uniform(4, 20)
        return self.spread(deeds)

    def look_at_probes(self, now, held):
        if any(job.status in ("idle", "running", "releasing") for job in self.probes):
            self.look_at = now + 3
            return []
        worked = any(job.status == "done" for job in self.probes)
        self.probes = []
        if worked:
            return self.spread([Deed(job, self.probe_action) for job in held])
        self.tries += 1
        if held:
            self.look_at = now + self.pace()
        return []

    def try_blindly(self, now, held):
        """Releases without knowing why the jobs are held; some edit what does not matter first."""
        edit = self.dice.random() < self.habit["edits"]
        action = self.dice.choice(["memory", "disk", "site"]) if edit else "as-is"
        if self.habit["style"] == "two-first" and len(held) > 2:
            self.probes, self.probe_action = held[:2], action
            self.look_at = now + 8
            return [Deed(job, action) for job in self.probes]
        self.tries += 1
        return self.spread([Deed(job, action) for job in held])

    def spread(self, deeds):
        if self.habit["style"] == "one-by-one":
            for deed in deeds:
                deed.after = self.dice.uniform(0, 30)
        return deeds

    def see_through(self, job, now, world):
        """What helps, or nothing while only waiting helps."""
        cluster, chance = job.cluster, self.dice.random()
        flaw = cluster.flaw if cluster.is_bad(job.proc) and not job.mended and not cluster.mended_at else None
        if flaw is None or flaw.passes:
            return self.after_recovery(job, now, world, flaw, chance)
        if self.habit["removes"]:
            return Deed(job, "remove")
        match flaw.remedy:
            case "memory" | "disk":
                # Whoever has seen the use vary may well try again.
                varies = flaw.luck > 0
                return Deed(job, "as-is" if varies and chance < 0.6 else flaw.remedy)
            case "site":
                return Deed(job, "site" if chance < 0.5 else "as-is")
            case "wait":
                # Nothing that the owner could correct.
                return Deed(job, "as-is" if flaw.luck > 0 or chance < 0.4 else "remove")
        if flaw.luck > 0:
            return Deed(job, "as-is" if chance < 0.7 else "other")
        return Deed(job, "other")

    def after_recovery(self, job, now, world, flaw, chance):
        cluster = job.cluster
        if flaw and now < cluster.plan["made"]:
            return Deed(job, "other") if flaw.helped_by("other") and chance < 0.3 else None
        down = [name for name in cluster.plan["needs"] if name in world.down]
        if not down:
            return Deed(job, "as-is", self.dice.uniform(0, 15))
        if chance >= 0.3:
            return None
        if "other" in cluster.family.detours:
            return Deed(job, "other")
        of_site = cluster.of_kind("software") or "site" in cluster.family.detours
        return Deed(job, "site") if of_site and len(down) == 1 and job.site else None
