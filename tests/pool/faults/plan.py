"""plan.py SEED MINUTES [--only CAUSE] [--half first|second] [MODULE...] writes the schedule: what breaks when, who submits what, how people act. All
of it comes from one seed, before anything runs. With modules of causes (kit.py) programs speak, and the families of causes.py are
a part of the play only.

Instants are seconds since the beginning of the play.
"""
import argparse
import json
import random

import kit
import speech
from causes import CREDENTIALS, FAMILIES, FOLDERS, HOSTS, OWNERS, SERVICES, SOFTWARE

# The first seconds of a play, in which nothing happens, and the last, in which nothing is submitted, or breaks.
QUIET = 20
NO_SUBMISSION = 130
NO_FAULT = 45


def last_submission(end):
    """Of a short play the greater part is for submissions still."""
    return end - min(NO_SUBMISSION, 0.4 * end)


def faults(dice, end):
    """Troubles of every service, one after another, from tens of seconds to minutes."""
    out = []
    for service in SERVICES:
        rare = service in CREDENTIALS or service in HOSTS or service in SOFTWARE
        at = QUIET + dice.uniform(5, 240 if rare else 90)
        while True:
            longest = 240 if end > 900 else 60
            until = at + min(25 * (longest / 25) ** dice.random(), longest)
            if until > end - NO_FAULT:
                break
            out.append({"service": service.name, "from": round(at, 1), "to": round(until, 1)})
            at = until + (dice.uniform(120, 420) if rare else dice.uniform(50, 260))
    return sorted(out, key=lambda fault: fault["from"])


def habit(dice):
    """How the owner of a cluster looks after it."""
    return {
        # Failed releases before the owner sees through.
        "sees_after": dice.choices([0, 1, 2], [0.2, 0.45, 0.35])[0],
        "pace": dice.choice(["eager", "eager", "steady", "patient"]),
        "style": dice.choices(["bulk", "one-by-one", "two-first"], [0.4, 0.25, 0.35])[0],
        # Probability that a failed release follows an edit that does not help.
        "edits": dice.choice([0.0, 0.0, 0.5]),
        "removes": dice.random() < 0.08,
        "seed": dice.randrange(1 << 30),
    }


def cluster(dice, family, flaw, at, needs):
    passes = (family.made_by and family.made_by.passes) or (25, 200)
    procs = dice.randint(2, 8)
    bad = list(range(procs))
    if flaw is not None and flaw.reach == "job" and flaw.luck == 0.0:
        bad = sorted(dice.sample(bad, max(1, round(procs * dice.uniform(0.3, 0.7)))))
    return {
        "at": round(at, 1),
        "owner": dice.choice(OWNERS),
        "family": family.name,
        "flaw": flaw.cause if flaw else None,
        "needs": needs,
        "procs": procs,
        "bad": bad if flaw else [],
        "seconds": dice.randint(2, 6),
        "exit_code": dice.choice([1, 33]),
        # When a file that another makes is there.
        "made": round(at + dice.uniform(*passes), 1) if flaw and flaw.passes else None,
        "habit": habit(dice),
    }


def needs_of(dice, family, service=None):
    """One service of each kind that the family needs; of sites and hosts all."""
    needs = []
    for services in family.needs:
        if services in (SOFTWARE, HOSTS):
            # Not every program cares for the software of a site.
            if service in services or family.name == "interpreter":
                needs += [one.name for one in services]
        elif service in services:
            needs.append(service.name)
        else:
            needs.append(dice.choice(services).name)
    return needs


def clusters(dice, schedule, end, share=None, without=()):
    """Clusters of the families of causes.py but for some; `share`: of as many as a play of its own has, by family."""
    out = []
    scale = (last_submission(end) - QUIET) / 1_400
    by_service = {}
    for fault in schedule:
        by_service.setdefault(fault["service"], []).append(fault)

    def sometime():
        return dice.uniform(QUIET, last_submission(end))

    for family in FAMILIES.values():
        if family.made_by or family.name in without:
            continue
        count = max(1, round(6.0 * family.weight * scale * (share(family.name) if share else 1.0)))
        chance = [flaw for flaw in family.flaws if flaw.luck > 0]
        lasting = [flaw for flaw in family.flaws if flaw not in chance]
        for number in range(count):
            flaw = lasting[number % len(lasting)]
            out.append(cluster(dice, family, flaw, sometime(), needs_of(dice, family)))
        previous = None
        for number in range(count):
            if chance and (not family.needs or number % 4 == 0):
                flaw = dice.choice(chance)
                out.append(cluster(dice, family, flaw, sometime(), needs_of(dice, family)))
                continue
            services = [one for kind in family.needs for one in kind]
            struck = [
                (one, fault)
                for one in services
                for fault in by_service.get(one.name, [])
                if fault["from"] < last_submission(end)
            ]
            if not struck:
                continue
            if previous is None or dice.random() < 0.5:
                # Of each kind as often, however many of it there are.
                kind = dice.choice([kind for kind in family.needs if any(one in kind for one, _ in struck)])
                previous = dice.choice([(one, fault) for one, fault in struck if one in kind])
            # Else one more cluster that the same trouble strikes.
            service, fault = previous
            lead = 0.3 if service in FOLDERS else dice.uniform(-0.7 * (fault["to"] - fault["from"]), 3)
            at = min(max(fault["from"] - lead, QUIET), last_submission(end))
            made = cluster(dice, family, None, at, needs_of(dice, family, service))
            if service in CREDENTIALS:
                made["owner"] = service.name.rsplit(" ", 1)[-1]
            out.append(made)
        # Ordinary clusters, at any time.
        for _ in range(max(1, round(0.7 * count))):
            if family.needs:
                out.append(cluster(dice, family, None, sometime(), needs_of(dice, family)))
    for made in out:
        # Has a small quota of its own, which the troubles of the large one do not touch.
        if made["flaw"] == "too-large-output":
            made["needs"] = []
        if made["family"] == "status-403":
            made["needs"] = [f"credential of {made['owner']}"]
    return sorted(out, key=lambda made: made["at"])


def facilitator(dice, schedule):
    """Bulk releases of all that is held with the code of a service, some of them too early."""
    out = []
    for fault in schedule:
        draw = dice.random()
        if draw < 0.25:
            at = fault["to"] + dice.uniform(4, 30)
        elif draw < 0.4:
            at = dice.uniform(fault["from"] + 10, fault["to"])
        else:
            continue
        out.append({"at": round(at, 1), "service": fault["service"]})
    return sorted(out, key=lambda release: release["at"])


# Of a play with modules of causes.
LEFT_OUT = ("status-503", "status-403", "interpreter", "disk")
OF_CAUSE = 3.6
# The module whose causes are halved: what is chosen by a play with the one half is tried on the other.
HALVED = "causes_of_others"


def share(family):
    """What nobody at the access point can see is more often in such a play."""
    return 0.8 if family in ("output-missing", "exit-code") else 0.25


def left_out(modules, half):
    """The causes of the other half: every second one of each kind."""
    if half is None:
        return set()
    causes = [cause for module in modules if module.__name__ == HALVED for cause in module.CAUSES]
    causes.sort(key=lambda cause: (cause.kind, str(cause.seen_by), cause.name))
    return {cause.name for cause in causes[("second", "first").index(half) :: 2]}


def faults_of_modules(dice, modules, end, without):
    """As `faults`; of what is in trouble at one place at a time it is drawn which."""
    out = []
    longest = 240 if end > 900 else 60
    causes = [cause for module in modules for cause in module.CAUSES if cause.name not in without]
    needed = {name for cause in causes for name in cause.needs}
    services = [service for module in modules for service in module.SERVICES]
    for service in [service for service in services if service.name in needed]:
        at = QUIET + dice.uniform(5, 90)
        while True:
            until = at + min(25 * (longest / 25) ** dice.random(), longest)
            if until > end - NO_FAULT:
                break
            name = dice.choice(service.each()).name
            out.append({"service": name, "from": round(at, 1), "to": round(until, 1)})
            at = until + dice.uniform(40, 180)
    return out


def clusters_of_modules(dice, schedule, end, only, without):
    out = []
    for family in FAMILIES.values():
        if not family.made_by or family.name in without or only not in (None, family.name):
            continue
        scale = 1.0 if only else (last_submission(end) - QUIET) / 1_400
        count = max(1, round(OF_CAUSE * family.weight * scale))
        names = [service.name for services in family.needs for service in services]
        struck = [
            fault for fault in schedule if fault["service"] in names and fault["from"] < last_submission(end)
        ]
        for _ in range(count):
            at = dice.uniform(QUIET, last_submission(end))
            if family.flaws:
                out.append(cluster(dice, family, family.flaws[0], at, []))
            elif struck:
                # Two of each: what strikes one strikes another.
                fault = dice.choice(struck)
                for _ in range(2):
                    lead = dice.uniform(-0.7 * (fault["to"] - fault["from"]), 3)
                    when = min(max(fault["from"] - lead, QUIET), last_submission(end))
                    out.append(cluster(dice, family, None, when, names))
        if not family.flaws:
            out.append(cluster(dice, family, None, dice.uniform(QUIET, last_submission(end)), names))
    return out


def give_voices(dice, made, half):
    """Programs speak: with which words, every second ones for a half, and into which files."""
    for one in made:
        causes = one["needs"] + [one["flaw"]] if one["flaw"] else one["needs"]
        one["voice"] = speech.draw(dice, causes, half)
        kit = FAMILIES[one["family"]].made_by
        one["output"] = "own" if kit else dice.choices(["own", "shared", "none"], [0.8, 0.13, 0.07])[0]


def make(seed, minutes, modules=(), only=None, half=None):
    dice = random.Random(seed)
    end = minutes * 60
    loaded = [kit.load(path) for path in modules]
    schedule = [] if only else faults(dice, end)
    made = [] if only else clusters(dice, schedule, end, *((share, LEFT_OUT) if modules else ()))
    if modules:
        without = set() if only else left_out(loaded, half)
        more = faults_of_modules(dice, loaded, end, without)
        made += clusters_of_modules(dice, more, end, only, without)
        made.sort(key=lambda one: one["at"])
        give_voices(dice, made, half)
        schedule = sorted(schedule + more, key=lambda fault: fault["from"])
    return {
        "seed": seed,
        "seconds": end,
        **({"modules": [path.rsplit("/", 1)[-1] for path in modules]} if modules else {}),
        "faults": schedule,
        "clusters": [{"number": number, **one} for number, one in enumerate(made, 1)],
        "facilitator": facilitator(dice, schedule),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--only")
    parser.add_argument("--half", choices=["first", "second"])
    parser.add_argument("modules", nargs="*")
    words = parser.parse_intermixed_args()
    print(json.dumps(make(words.seed, words.minutes, words.modules, words.only, words.half), indent=1))


if __name__ == "__main__":
    main()
