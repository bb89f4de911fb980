"""Load a model with torch.jit.load and compare its logits with those of engine builtin.

usage: torch_load.py MODEL.pt INPUT.json

INPUT.json holds states, statics, n, dimensions and the logits expected. Exit status 0 when all agree
to 1e-5, at the batch size given and one by one.
"""

import json
import sys

import torch

with open(sys.argv[2]) as file:
    given = json.load(file)
size, n = given["dimensions"], given["n"]
extra = {"holdadvise.json": ""}
module = torch.jit.load(sys.argv[1], _extra_files=extra)
assert not module.training, "the module was saved in training mode"
metadata = json.loads(extra["holdadvise.json"])
assert metadata["dimensions"] == size, "metadata of another model"

states = torch.tensor(given["states"], dtype=torch.int64).reshape(n, size["m"], size["j"])
statics = torch.tensor(given["statics"], dtype=torch.float32).reshape(n, size["k"])
expected = torch.tensor(given["logits"], dtype=torch.float32)
with torch.no_grad():
    together = module(states, statics)
    alone = torch.cat([module(states[i : i + 1], statics[i : i + 1]) for i in range(n)])
assert together.shape == (n,), together.shape
worst = max(float((found - expected).abs().max()) for found in (together, alone))
print(f"{size}: largest difference {worst:.1e} on {n} samples")
sys.exit(0 if worst < 1e-5 else 1)
