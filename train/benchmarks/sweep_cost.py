"""The table of scripts/sweep-cost, from the metrics of its sweeps.

usage: python sweep_cost.py FOLDER SEEDS

The cost of a sweep is the time its trainings took, added up in the order in which the rungs ran. The score to reach is the smallest
validation loss of any epoch of the full search.
"""

import glob
import json
import os
import sys


def epochs(folder):
    """(rung, trial, epoch, validation loss, seconds) of every epoch, in the order of rungs and trials."""
    lines = []
    for path in glob.glob(os.path.join(folder, "trials", "*", "rung*", "metrics.jsonl")):
        with open(path, encoding="utf-8") as file:
            for line in map(json.loads, file):
                if line.get("validation_loss") is not None and "train_loss" in line:
                    lines.append((line["rung"], line["trial"], line["epoch"], line["validation_loss"], line["seconds"]))
    return sorted(lines)


def reached(folder, score):
    """Hours until a loss of that score, hours in all, and the smallest loss."""
    spent, at, best = 0.0, None, float("inf")
    for _, _, _, loss, seconds in epochs(folder):
        spent += seconds
        best = min(best, loss)
        if at is None and loss <= score:
            at = spent
    return at, spent, best


def main():
    folder, seeds = sys.argv[1], int(sys.argv[2])
    print("node-hours of training; share: of the full search's, until its best score was reached")
    print(f"{'seed':<6}{'full':>8}{'score':>9}{'random':>10}{'reached':>9}{'share':>8}{'score':>9}")
    shares = []
    for seed in range(1, seeds + 1):
        of = lambda kind: os.path.join(folder, f"{kind}-{seed}")
        _, full, score = reached(of("full"), 0.0)
        at, spent, best = reached(of("random"), score)
        told = ("never", "-")
        if at is not None:
            shares.append(at / full)
            told = (f"{at / 3600:.3f}", f"{at / full:.2f}")
        row = f"{seed:<6}{full / 3600:>8.3f}{score:>9.4f}"
        print(f"{row}{spent / 3600:>10.3f}{told[0]:>9}{told[1]:>8}{best:>9.4f}")
    mean = f"{sum(shares) / len(shares):.2f}" if shares else "-"
    print(f"random: reached in {len(shares)} of {seeds}, mean share {mean}")


if __name__ == "__main__":
    main()
