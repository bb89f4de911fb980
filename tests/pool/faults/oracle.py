"""The probability that a release succeeds, given the schedule: what no observer can know.

A release leads to the critical moment of its run (input fetched, program started, or end of the program) after a delay that
nobody controls. It is drawn from those of the releases nearest in time, since it depends on how busy the pool is; apart from it
everything is decided by the schedule, but for two things that are drawn anew in each run: the execution point, each of the four as
likely, and the luck of jobs whose use or bugs vary, with the probability that the program draws with.
"""
from bisect import bisect_right

from causes import FAMILIES, SERVICE, SITES

ACTIONS = ["as-is", "memory", "disk", "site", "other"]
# From the event that tells of a transfer or an execution to what it is about, s.
START = 0.5
# Releases whose delays are drawn from, as many before as after.
DELAYS = 40
HOSTS = [(host, site) for site, hosts in SITES.items() for host in hosts]


class Oracle:
    def __init__(self, faults, delays):
        """`delays`: instant and delay of each release."""
        self.down = {}
        for fault in faults:
            self.down.setdefault(fault["service"], []).append((fault["from"], fault["to"]))
        self.delays = sorted(delays)

    def is_down(self, service, instant):
        spans = self.down.get(service, [])
        at = bisect_right(spans, (instant, float("inf"))) - 1
        return at >= 0 and instant < spans[at][1]

    def answer(self, cluster, proc, state, released):
        """The probability of each action at `released`, for a job whose ad and files are in `state`."""
        at = bisect_right(self.delays, (released, 0))
        first = max(0, min(at - DELAYS // 2, len(self.delays) - DELAYS))
        near = self.delays[first : first + DELAYS]
        plays = [self.plays(cluster, proc, state, released + delay) for _, delay in near]
        return {action: round(sum(play[action] for play in plays) / len(plays), 3) for action in ACTIONS}

    def plays(self, cluster, proc, state, started):
        family = FAMILIES[cluster["family"]]
        critical = started + START + (cluster["seconds"] if family.when == "run" else 0)
        shared = [name for name in cluster["needs"] if SERVICE[name].reach == "service"]
        works = not any(self.is_down(name, critical) for name in shared)
        return {
            action: works * self.flaw(family, cluster, proc, state, critical, action)
            * self.place(cluster, proc, state, critical, action)
            for action in ACTIONS
        }  # fmt: skip

    @staticmethod
    def unmended(family, cluster, proc, state, critical):
        """The flaw of this job at an instant, if it has one still."""
        if proc not in cluster["bad"] or state["mended"]:
            return None
        if cluster["mended"] and cluster["mended"] <= critical:
            return None
        return next(flaw for flaw in family.flaws if flaw.cause == cluster["flaw"])

    def flaw(self, family, cluster, proc, state, critical, action):
        flaw = self.unmended(family, cluster, proc, state, critical)
        if flaw is None or flaw.reach == "site":
            return 1.0
        if flaw.cause == "not-yet-produced":
            return float(bool(cluster["produced"]) and cluster["produced"] <= critical)
        helped = action == flaw.remedy or (flaw.remedy in ("memory", "disk") and state[flaw.remedy])
        return 1.0 if helped else flaw.success

    def place(self, cluster, proc, state, critical, action):
        """The share of execution points where it works."""
        family = FAMILIES[cluster["family"]]
        excluded = state["site"] if action == "site" and state["site"] else state["excluded"]
        hosts = [(host, site) for host, site in HOSTS if site != excluded]
        flaw = self.unmended(family, cluster, proc, state, critical)
        lacks = flaw is not None and flaw.reach == "site" and not (flaw.mend == "edit" and action == "other")
        # What one site alone offers is no part of the software that fails.
        needs = [] if flaw is not None and flaw.cause == "site-lacks-software" else cluster["needs"]
        works = [
            not (lacks and site == "Hilltop")
            and not (f"software of {site}" in needs and self.is_down(f"software of {site}", critical))
            and not (host in needs and self.is_down(host, critical))
            for host, site in hosts
        ]
        return sum(works) / len(works)
