"""The table of scripts/benchmark-training, from what each side wrote.

usage: python table.py epoch FOLDER
       python table.py table FOLDER --hidden N --layers N [--peak TFLOPS]

`epoch` prints what our training said of its second epoch, as the other sides say it; `table` prints the medians of all rounds.
"""

import argparse
import json
import os
import statistics

# Sizes that are the same on both of our sides: width of the embedding, units over the statics, joint units.
EMBEDDING, UNITS, JOINT = 32, 32, 64


def operations(m, k, hidden, layers):
    """Floating-point operations of one sequence, forward and backward (twice the forward), of the shipped architecture without pieces."""
    lstm = sum(4 * hidden * ((EMBEDDING if layer == 0 else hidden) + hidden) for layer in range(layers))
    return 3 * 2 * (m * lstm + k * UNITS + (hidden + UNITS) * JOINT + JOINT)


def shape(path):
    """m and k of a dataset: the sides of its tensors, from the head of the file."""
    with open(path, "rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return head["states"]["shape"][1], head["statics"]["shape"][1]


def lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def epoch(folder):
    speeds = [line["sequences_per_second"] for line in lines(folder, "epochs.jsonl") if "sequences_per_second" in line]
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        memory = json.load(file)["peak_memory_mb"]
    print(json.dumps({"what": "ours", "sequences_per_second": speeds[-1], "peak_memory_mb": memory}))


def busy(folder, name):
    """Median of the share of time in which the GPU was busy, where it was looked at."""
    path = os.path.join(folder, name + ".busy")
    if not os.path.exists(path):
        return "-"
    with open(path, encoding="utf-8") as file:
        # What a GPU did while libraries were loaded says nothing.
        seen = [int(line) for line in file if int(line) > 0]
    return f"{statistics.median(seen):.0f} %" if seen else "0 %"


def table(arguments):
    m, k = shape(os.path.join(arguments.folder, "data.safetensors"))
    flops = operations(m, k, arguments.hidden, arguments.layers)
    print(f"{'':<16}{'sequences/s':>12}{'least .. most':>20}{'of seed':>9}{'peak MB':>9}{'busy':>7}{'of the peak':>13}")
    first = None
    for name in ("seed-float32", "best-float32", "best-bfloat16", "ours-float32", "ours-bfloat16"):
        rounds = lines(arguments.folder, name + ".jsonl")
        speeds = [one["sequences_per_second"] for one in rounds]
        speed = statistics.median(speeds)
        first = first or speed
        memory = max(one["peak_memory_mb"] for one in rounds)
        limit = f"{100 * speed * flops / (arguments.peak * 1e12):.2f} %" if arguments.peak else "-"
        spread = f"{min(speeds):,.0f} .. {max(speeds):,.0f}"
        print(
            f"{name.replace('-', ' '):<16}{speed:>12,.0f}{spread:>20}{speed / first:>9.1f}{memory:>9}"
            f"{busy(arguments.folder, name):>7}{limit:>13}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["epoch", "table"])
    parser.add_argument("folder")
    parser.add_argument("--hidden", type=int)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--peak", type=float, default=0.0)
    arguments = parser.parse_args()
    if arguments.what == "epoch":
        epoch(arguments.folder)
    else:
        table(arguments)


if __name__ == "__main__":
    main()
