#!/usr/bin/python3
"""truth.py DIR [MODULE...] joins the play (played.json) with what HTCondor wrote (EventLog): truth.jsonl, schedule.json, a summary.

Where the play was looked at (looks.jsonl) also: looks-truth.jsonl, what each action would bring at each look and later.
"""
import json
import sys
from collections import Counter
from pathlib import Path

import kit
from causes import FAMILIES, SERVICE, seen_by
from eventlog import SITE, SLOT, Log, hold_of, succeeded
from oracle import ACTIONS, Oracle

# A hold is for a service that was in trouble so many seconds before it at most; its event tells whole seconds.
RECENT = 6
# Seconds after a look for which its truth says what an action would bring; the end of the play besides.
OFFSETS = [0, 60, 180, 600]
UNTOUCHED = {"mended": False, "memory": False, "disk": False, "excluded": None, "site": None}
# Events that say that a run has begun: execution, hold, transfer of input.
BEGUN = (1, 12)


def read_holds(log):
    """All holds with their releases and outcomes, and the delays from release to the begin of a run."""
    holds, last, site, host, delays = [], {}, {}, {}, []
    for event in log.read():
        job = event.job
        hold = last.get(job)
        released = hold and hold["released"]
        transfer = event.number == 40 and "Started transferring input" in event.title
        if released and hold["begun"] is None and (event.number in BEGUN or transfer):
            hold["begun"] = event.time
            delays.append((released, event.time - released))
        match event.number:
            case 1 if found := SLOT.search(event.body):
                host[job] = found[1]
            case 28 if found := SITE.search(event.body):
                site[job] = found[1]
                if hold and hold["site"] is None:
                    hold["site"] = found[1]
            case 12:
                if released and hold["outcome"] is None:
                    hold["outcome"] = "failure"
                code, subcode, reason = hold_of(event)
                count = hold["num_holds"] + 1 if hold else 1
                last[job] = {
                    "cluster": job[0], "proc": job[1], "num_holds": count, "time": event.time, "code": code,
                    "subcode": subcode, "reason": reason, "site": None, "released": None, "begun": None, "outcome": None,
                    "host": host.pop(job, None),
                }  # fmt: skip
                holds.append(last[job])
            case 13 if hold and not released:
                hold["released"] = event.time
            case 5 if released and hold["outcome"] is None:
                hold["outcome"] = "success" if succeeded(event) else "failure"
            case 9 if released and hold["outcome"] is None:
                hold["outcome"] = "censored"
    for hold in holds:
        if hold["released"] and hold["outcome"] is None:
            hold["outcome"] = "censored"
    return holds, delays


def strikes_there(places, hold):
    """Whether a trouble of these sites and hosts may be that of a run that ended where this one did."""
    if not places:
        return True
    known = {hold["site"], hold["host"]} - {None}
    return bool(known & set(places)) or (hold["host"] is None and any("." in place for place in places))


def cause_of(hold, cluster, oracle, state):
    """Name, transience and reach of the cause of a hold, and which service or flaw it is."""
    family = FAMILIES[cluster["family"]]
    flaw = oracle.unmended(family, cluster, hold["proc"], state, hold["time"])
    of_flaw = flaw and (flaw.cause.removesuffix("-one"), flaw.transient or bool(flaw.where), flaw.reach, flaw.cause)
    # A flaw of the kind `refused` cannot be seen while its server answers otherwise, and so on: it strikes first.
    if flaw and strikes_there(flaw.where, hold):
        made = flaw.passes and cluster["produced"] and cluster["produced"] <= hold["time"] - RECENT
        if not made and flaw.luck == 0.0:
            return of_flaw
    for name in cluster["needs"]:
        service = SERVICE[name]
        there = strikes_there([service.place] if service.place else [], hold)
        if there and any(oracle.is_down(name, hold["time"] - ago) for ago in range(-1, RECENT + 1)):
            return family.name if family.made_by else service.cause, True, service.reach, name
    return of_flaw or ("unplanned", True, "service", None)


def states_of(journal):
    """What had been done to a job before each of its holds: of a job the number of holds and the state, in order."""
    states = {}
    for entry in sorted(journal, key=lambda entry: entry["asked"]):
        job = (entry["cluster"], entry["proc"])
        after = dict(entry["before"], site=None)
        match entry["action"]:
            case "memory" | "disk":
                after[entry["action"]] = True
            case "site":
                after["excluded"] = entry["before"]["site"]
            case "other" if not entry.get("by_file"):
                after["mended"] = True
        states.setdefault(job, []).append((entry["num_holds"], after))
    return states


def state_before(states, hold):
    """The state of a job while it was on hold, before whatever released it."""
    earlier = [after for number, after in states.get((hold["cluster"], hold["proc"]), []) if number < hold["num_holds"]]
    return dict(earlier[-1] if earlier else UNTOUCHED, site=hold["site"])


def main():
    folder = Path(sys.argv[1])
    played = json.loads((folder / "played.json").read_text())
    for path in sys.argv[2:]:
        kit.load(path)
    clusters = {made["cluster"]: made for made in played["clusters"] if "cluster" in made}
    for made in clusters.values():
        made.setdefault("produced", None)
    faults = [
        {"service": fault["service"], "cause": SERVICE[fault["service"]].cause,
         "reach": SERVICE[fault["service"]].reach, "from": fault["began"], "to": fault["ended"]}
        for fault in played["faults"] if "ended" in fault
    ]  # fmt: skip
    holds, delays = read_holds(Log(folder / "EventLog"))
    oracle = Oracle(faults, delays)
    journal = {(entry["cluster"], entry["proc"], entry["num_holds"]): entry for entry in played["journal"]}
    states = states_of(played["journal"])
    lines, scores = [], []
    for hold in holds:
        cluster = clusters[hold["cluster"]]
        entry = journal.get((hold["cluster"], hold["proc"], hold["num_holds"]))
        state = entry["before"] if entry else state_before(states, hold)
        cause, transient, reach, which = cause_of(hold, cluster, oracle, state)
        released = hold["released"]
        answers = []
        if released:
            # What was mended by file for this very release is part of its action.
            before = {**cluster, "mended": None} if by_file(entry, cluster) else cluster
            answer = oracle.answer(before, hold["proc"], state, released)
            answers.append({"time": released, **answer})
            if hold["outcome"] in ("success", "failure"):
                scores.append((answer[entry["action"]], hold["outcome"] == "success", cause, entry["action"], hold))
        lines.append({
            "cluster": hold["cluster"], "proc": hold["proc"], "num_holds": hold["num_holds"], "time": hold["time"],
            "code": hold["code"], "subcode": hold["subcode"], "cause": cause, "transient": transient, "reach": reach,
            "owner": cluster["owner"], "site": hold["site"], "released": released,
            "released_by": entry["by"] if released else None, "action": entry["action"] if released else None,
            "outcome": hold["outcome"], "success": answers[0][entry["action"]] if released else None, "oracle": answers,
        })  # fmt: skip
        if (folder / "looks.jsonl").exists():
            lines[-1].update(what_is_wrong(hold, cluster, cause, which))
    write(folder, lines, played, faults, clusters)
    if (folder / "looks.jsonl").exists():
        write_truth_of_looks(folder, played, holds, clusters, oracle, states)
        summarise_by(lines, "seen_by")
        summarise_by(lines, "module")
    summarise(lines, scores, delays)


def what_is_wrong(hold, cluster, cause, which):
    """Who could see the cause, what is faulty, and the line of the program that says it."""
    family = FAMILIES[cluster["family"]]
    truths = cluster["truths"].get(which) if which else None
    truth = truths[hold["proc"]] if truths else {"faulty": [], "says": None}
    # Only a program that ran says something.
    ran = hold["code"] in (3, 12)
    return {
        "family": family.name,
        "module": type(family.made_by).__module__ if family.made_by else None,
        # Which service or flaw: what holds of one trouble have in common.
        "which": which,
        "seen_by": seen_by(cause, family.name, which), "host": hold["host"],
        "faulty": truth["faulty"], "says": truth["says"] if ran else None,
    }  # fmt: skip


def write_truth_of_looks(folder, played, holds, clusters, oracle, states):
    """For each job held at a look: the probability of success of each action then and later, if nobody corrects anything
    meanwhile."""
    of_job = {}
    for hold in holds:
        of_job.setdefault((hold["cluster"], hold["proc"]), []).append(hold)
    end = played["start"] + played["seconds"]
    with open(folder / "looks-truth.jsonl", "w") as file:
        for look in map(json.loads, open(folder / "looks.jsonl")):
            at = look["AdsAt"]
            for job in look["Held"]:
                key = tuple(int(part) for part in job.split("."))
                held = [hold for hold in of_job.get(key, []) if hold["time"] <= at]
                # Released and held again while the queue was asked: its log and its ad do not agree. The log has whole seconds.
                if not held or (held[-1]["released"] or at) < int(look["Begun"]):
                    continue
                hold, cluster = held[-1], clusters[key[0]]
                mended = cluster["mended"] if cluster["mended"] and cluster["mended"] <= at else None
                now = {**cluster, "mended": mended}
                state = state_before(states, hold)
                later = sorted({offset for offset in OFFSETS if at + offset <= end} | {max(0, round(end - at))})
                over = [
                    [offset, *(answer[action] for action in ACTIONS)]
                    for offset in later
                    for answer in [oracle.answer(now, key[1], state, at + offset)]
                ]
                row = {"time": at, "cluster": key[0], "proc": key[1], "num_holds": hold["num_holds"], "over": over}
                file.write(json.dumps(row, separators=(",", ":")) + "\n")


def summarise_by(lines, key):
    counts = Counter(str(line[key]) for line in lines)
    print(key, {name: f"{count} ({count / len(lines):.0%})" for name, count in sorted(counts.items())})


def by_file(entry, cluster):
    return entry["action"] == "other" and cluster["mended"] and not entry["before"]["mended"]


def write(folder, lines, played, faults, clusters):
    with open(folder / "truth.jsonl", "w") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    keys = ["cluster", "owner", "submitted", "procs", "family", "flaw", "bad", "needs", "produced", "mended"]
    if "modules" in played:
        keys.append("output")
    schedule = {
        "seed": played["seed"],
        "start": played["start"],
        "faults": faults,
        "clusters": [{key: made[key] for key in keys} for made in clusters.values()],
    }
    rows = ",\n".join(json.dumps(row) for row in schedule["faults"])
    clusters = ",\n".join(json.dumps(row) for row in schedule["clusters"])
    (folder / "schedule.json").write_text(
        f'{{"seed": {schedule["seed"]}, "start": {schedule["start"]},\n"faults": [\n{rows}\n],\n"clusters": [\n{clusters}\n]}}\n'
    )


def summarise(lines, scores, delays):
    decided = [line for line in lines if line["outcome"] in ("success", "failure")]
    print(f"{len(lines)} holds, {len(decided)} with an outcome; delays {sorted(Counter(delay for _, delay in delays).items())}")
    cells = {}
    for line in decided:
        cells.setdefault((line["code"], line["subcode"]), Counter())[line["outcome"]] += 1
    for cell, count in sorted(cells.items()):
        print(cell, dict(count), round(count["success"] / count.total(), 2))
    rows = Counter((line["cause"], line["action"], line["outcome"]) for line in decided)
    for row, count in sorted(rows.items()):
        print(row, count)
    for score, success, cause, action, hold in scores:
        if abs(score - success) > 0.9:
            job = f"{hold['cluster']}.{hold['proc']}"
            print(f"the oracle errs: {score} for {job}, hold {hold['num_holds']}, {cause}, {action}: {hold['reason']}")
    pairs = sorted((score, success) for score, success, *_ in scores)
    won = ties = 0.0
    good = [score for score, success in pairs if success]
    bad = [score for score, success in pairs if not success]
    for one in good:
        won += sum(one > other for other in bad)
        ties += sum(one == other for other in bad)
    if good and bad:
        print(f"AUROC of the oracle {(won + ties / 2) / len(good) / len(bad):.3f}")


if __name__ == "__main__":
    main()
