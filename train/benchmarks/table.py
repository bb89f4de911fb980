"""The table of scripts/benchmark-training, from what each side wrote.

usage: python table.py epoch FOLDER
       python table.py table FOLDER --hidden N --layers N --batch N [--peak TFLOPS] [--bandwidth GB/S]

`epoch` prints the median of all epochs of our training but the first, as the other sides say it; `table` prints the medians of all rounds.
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


def parameters(e, j, k, hidden, layers):
    """Numbers of its parameters."""
    lstm = sum(4 * hidden * ((EMBEDDING if layer == 0 else hidden) + hidden + 2) for layer in range(layers))
    return j * e * EMBEDDING + lstm + (k + 1) * UNITS + (hidden + UNITS + 1) * JOINT + JOINT + 1


def traffic(e, m, j, k, hidden, layers, batch):
    """Bytes that a step moves if nothing stays in a cache: each activation of a frame (the embedding's sum; of a unit four gates and the
    cell) is written once and read once on the way back, states and statics are read, and of each parameter value, gradient and the
    optimiser's two means are read and written."""
    row = m * j + 4 * k + 2 * 4 * m * (EMBEDDING + 5 * hidden * layers)
    return batch * row + 2 * 4 * 4 * parameters(e, j, k, hidden, layers)


def shape(path):
    """e, m, j and k of a dataset, from the head of the file."""
    with open(path, "rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    e = len(json.loads(head["__metadata__"]["holdadvise"])["schema"]["states"])
    return e, *head["states"]["shape"][1:], head["statics"]["shape"][1]


def lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def epoch(folder):
    speeds = [line["sequences_per_second"] for line in lines(folder, "epochs.jsonl") if "sequences_per_second" in line]
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        memory = json.load(file)["peak_memory_mb"]
    print(json.dumps({"what": "ours", "sequences_per_second": statistics.median(speeds[1:]), "peak_memory_mb": memory}))


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
    e, m, j, k = shape(os.path.join(arguments.folder, "data.safetensors"))
    batch, sizes = arguments.batch, (arguments.hidden, arguments.layers)
    # What a step takes at the least: all operations at the peak, or all bytes at the bandwidth.
    limits = []
    if arguments.peak:
        limits.append(batch * operations(m, k, *sizes) / (arguments.peak * 1e12))
    if arguments.bandwidth:
        limits.append(traffic(e, m, j, k, *sizes, batch) / (arguments.bandwidth * 1e9))
    head = ("sequences/s", "least .. most", "us a step", "of seed", "of best", "peak MB", "busy", "of the limit")
    widths = (12, 24, 11, 9, 9, 9, 7, 14)
    print(f"{'':<16}" + "".join(f"{word:>{width}}" for word, width in zip(head, widths)))
    first = {}
    for name in ("seed-float32", "best-float32", "ours-float32", "best-bfloat16", "ours-bfloat16"):
        if not os.path.exists(os.path.join(arguments.folder, name + ".jsonl")):
            continue
        rounds = lines(arguments.folder, name + ".jsonl")
        speeds = [one["sequences_per_second"] for one in rounds]
        speed = statistics.median(speeds)
        who, kind = name.split("-")
        first.setdefault("seed", speed)
        first[name] = speed
        row = (
            f"{speed:,.0f}",
            f"{min(speeds):,.0f} .. {max(speeds):,.0f}",
            f"{batch / speed * 1e6:,.0f}",
            f"{speed / first['seed']:.1f}",
            f"{speed / first['best-' + kind]:.2f}" if who == "ours" else "-",
            f"{max(one['peak_memory_mb'] for one in rounds)}",
            busy(arguments.folder, name),
            f"{100 * max(limits) * speed / batch:.1f} %" if limits else "-",
        )
        print(f"{name.replace('-', ' '):<16}" + "".join(f"{word:>{width}}" for word, width in zip(row, widths)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["epoch", "table"])
    parser.add_argument("folder")
    parser.add_argument("--hidden", type=int)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--peak", type=float, default=0.0)
    parser.add_argument("--bandwidth", type=float, default=0.0)
    arguments = parser.parse_args()
    if arguments.what == "epoch":
        epoch(arguments.folder)
    else:
        table(arguments)


if __name__ == "__main__":
    main()
