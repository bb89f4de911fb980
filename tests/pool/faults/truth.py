#!/usr/bin/python3
"""truth.py DIR joins the play (played.json) with what HTCondor wrote (EventLog): truth.jsonl, schedule.json, a summary."""
import json
import sys
from collections import Counter
from pathlib import Path

from causes import FAMILIES, SERVICE
from eventlog import SITE, Log, hold_of, succeeded
from oracle import Oracle

# A hold is for a service that was in trouble so many seconds before it at most; its event tells whole seconds.
RECENT = 6
# Events that say that a run has begun: execution, hold, transfer of input.
BEGUN = (1, 12)


def read_holds(log):
    """All holds with their releases and outcomes, and the delays from release to the begin of a run."""
    holds, last, site, delays = [], {}, {}, []
    for event in log.read():
        job = event.job
        hold = last.get(job)
        released = hold and hold["released"]
        transfer = event.number == 40 and "Started transferring input" in event.title
        if released and hold["begun"] is None and (event.number in BEGUN or transfer):
            hold["begun"] = event.time
            delays.append((released, event.time - released))
        match event.number:
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


def cause_of(hold, cluster, oracle, state):
    """Name, transience and reach of the cause of a hold."""
    family = FAMILIES[cluster["family"]]
    flaw = oracle.unmended(family, cluster, hold["proc"], state, hold["time"])
    # A flaw of the kind `refused` cannot be seen while its server answers otherwise, and so on: it strikes first.
    if flaw and not (flaw.reach == "site" and hold["site"] == "Lakeside"):
        made = flaw.cause == "not-yet-produced" and cluster["produced"] and cluster["produced"] <= hold["time"] - RECENT
        if not made and flaw.luck == 0.0:
            return flaw.cause.removesuffix("-one"), flaw.transient or flaw.reach == "site", flaw.reach
    for name in cluster["needs"]:
        service = SERVICE[name]
        place = service.reach == "service" or name.endswith(hold["site"] or "") or service.reach == "host"
        if place and any(oracle.is_down(name, hold["time"] - ago) for ago in range(-1, RECENT + 1)):
            return service.cause, True, service.reach
    if flaw:
        return flaw.cause.removesuffix("-one"), flaw.transient or flaw.reach == "site", flaw.reach
    return "unplanned", True, "service"


def main():
    folder = Path(sys.argv[1])
    played = json.loads((folder / "played.json").read_text())
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
    untouched = {"mended": False, "memory": False, "disk": False, "excluded": None, "site": None}
    lines, scores = [], []
    for hold in holds:
        cluster = clusters[hold["cluster"]]
        entry = journal.get((hold["cluster"], hold["proc"], hold["num_holds"]))
        state = entry["before"] if entry else untouched
        cause, transient, reach = cause_of(hold, cluster, oracle, state)
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
    write(folder, lines, played, faults, clusters)
    summarise(lines, scores, delays)


def by_file(entry, cluster):
    return entry["action"] == "other" and cluster["mended"] and not entry["before"]["mended"]


def write(folder, lines, played, faults, clusters):
    with open(folder / "truth.jsonl", "w") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    keys = ["cluster", "owner", "submitted", "procs", "family", "flaw", "bad", "needs", "produced", "mended"]
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
