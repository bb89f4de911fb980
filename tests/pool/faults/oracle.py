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
        shared = [name for name in cluster["needs"] if SERVICE[name].place is None]
        works = not any(self.is_down(name, critical) for name in shared)
        return {
            action: (works or self.gets_round(family, cluster, state, critical, action))
            * self.flaw(family, cluster, proc, state, critical, action)
            * self.place(family, cluster, proc, state, critical, action)
            for action in ACTIONS
        }  # fmt: skip

    @staticmethod
    def is_mended(cluster, state, critical):
        return state["mended"] or bool(cluster["mended"] and cluster["mended"] <= critical)

    def gets_round(self, family, cluster, state, critical, action):
        """The services of the family do not matter (any more)."""
        done = "other" in family.detours and self.is_mended(cluster, state, critical)
        return done or (action in family.detours and action != "site")

    def unmended(self, family, cluster, proc, state, critical):
        """The flaw of this job at an instant, if it has one still."""
        if proc not in cluster["bad"] or self.is_mended(cluster, state, critical):
            return None
        return next(flaw for flaw in family.flaws if flaw.cause == cluster["flaw"])

    def flaw(self, family, cluster, proc, state, critical, action):
        flaw = self.unmended(family, cluster, proc, state, critical)
        if flaw is None or flaw.where or self.has_passed(flaw, cluster, critical):
            return 1.0
        helped = flaw.helped_by(action) or any(
            flaw.helped_by(edit) and state[edit] for edit in ("memory", "disk")
        )
        return 1.0 if helped else flaw.success

    @staticmethod
    def has_passed(flaw, cluster, critical):
        return flaw.passes and bool(cluster["produced"]) and cluster["produced"] <= critical

    def place(self, family, cluster, proc, state, critical, action):
        """The probability that it works where it runs: each execution point is as likely."""
        excluded = state["site"] if action == "site" and state["site"] else state["excluded"]
        places = [(host, site) for host, site in HOSTS if site != excluded]
        flaw = self.unmended(family, cluster, proc, state, critical)
        if flaw is not None and (
            not flaw.where
            or self.has_passed(flaw, cluster, critical)
            or (action != "site" and flaw.helped_by(action))
        ):
            flaw = None
        # What one site alone offers is no part of the software that fails.
        needs = [] if flaw is not None and flaw.cause == "site-lacks-software" else cluster["needs"]
        down = {SERVICE[name].place for name in needs if self.is_down(name, critical)}
        if self.gets_round(family, cluster, state, critical, action):
            down = set()
        return sum(
            0.0 if down & set(place) else flaw.success if flaw and set(flaw.where) & set(place) else 1.0
            for place in places
        ) / len(places)
