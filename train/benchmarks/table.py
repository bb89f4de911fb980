"""The table of scripts/benchmark-training, from what each side wrote.

usage: python table.py FOLDER --hidden N --layers N [--peak TFLOPS]
"""

import argparse
import json
import os

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder")
    parser.add_argument("--hidden", type=int)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--peak", type=float, default=0.0)
    arguments = parser.parse_args()

    def read(name):
        with open(os.path.join(arguments.folder, name), encoding="utf-8") as file:
            return file.read()

    ours = json.loads(read("ours.json"))
    # The second epoch, as on the other side.
    epochs = [json.loads(line) for line in read("ours.jsonl").splitlines()]
    speed = [line["sequences_per_second"] for line in epochs if "sequences_per_second" in line][-1]
    rows = [json.loads(read(name)) for name in ("seed.json", "best.json")]
    rows = [(row["what"], row["sequences_per_second"], row["peak_memory_mb"]) for row in rows]
    rows.append(("ours", speed, ours["peak_memory_mb"]))
    m, k = shape(os.path.join(arguments.folder, "data.safetensors"))
    flops = operations(m, k, arguments.hidden, arguments.layers)
    print(f"{'':<8}{'sequences/s':>14}{'of seed':>10}{'peak MB':>10}{'busy':>8}{'of the peak':>14}")
    for name, value, memory in rows:
        busy = os.path.join(arguments.folder, name + ".busy")
        share = "-"
        if os.path.exists(busy):
            # What a GPU did while libraries were loaded says nothing.
            seen = sorted(int(line) for line in read(name + ".busy").split() if int(line) > 0)
            share = f"{seen[len(seen) // 2]} %" if seen else "0 %"
        limit = f"{100 * value * flops / (arguments.peak * 1e12):.2f} %" if arguments.peak else "-"
        print(f"{name:<8}{value:>14,.0f}{value / rows[0][1]:>10.1f}{memory:>10}{share:>8}{limit:>14}")


if __name__ == "__main__":
    main()
