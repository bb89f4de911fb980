"""The example of an architecture of one's own. Needs a Python with torch: HOLDADVISE_PYTHON, or the one that runs the tests."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent / "arch" / "attention.py"
OWN = Path(__file__).parent.parent.parent / "train" / "tests" / "data" / "own_architecture.pt"

# What the trainer does with a module, in few words. argv: module, e, m, j, k.
TRAIN = """
import sys, torch
torch.manual_seed(5)
torch.set_num_threads(1)
module = torch.jit.load(sys.argv[1])
e, m, j, k = map(int, sys.argv[2:])
n = 256
states, statics = torch.randint(0, e, (n, m, j)), 5 + 3 * torch.randn(n, k)
label = ((states[:, -1, 0] % 2 == 0) ^ (statics[:, 0] > 5)).float() * 0.9 + 0.05
parameters = dict(module.named_parameters())
parameters["statics_mean"].data = statics.mean(0)
parameters["statics_scale"].data = statics.std(0)

module.eval()
with torch.no_grad():
    together, alone = module(states, statics), torch.cat([module(states[i:i+1], statics[i:i+1]) for i in range(20)])
assert together.shape == (n,) and together.dtype == torch.float32, (together.shape, together.dtype)
assert torch.allclose(together[:20], alone, atol=1e-5), (together[:20] - alone).abs().max()

parameters["dropout"].data = torch.tensor([0.1])
assert torch.equal(module(states, statics), module(states, statics)), "dropout in evaluation"
module.train()
assert not torch.equal(module(states, statics), module(states, statics)), "no dropout in training"

trained = {name: of for name, of in parameters.items() if of.requires_grad}
assert not {"statics_mean", "statics_scale", "dropout"} & set(trained)
adam = torch.optim.AdamW(trained.values(), 1e-2)
losses = []
for step in range(60):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(module(states, statics), label)
    adam.zero_grad(); loss.backward(); adam.step()
    losses.append(loss.item())
unused = [name for name, of in trained.items() if of.grad is None or not of.grad.abs().any()]
assert not unused, f"no gradient reaches {unused}"
module.eval()
module.save(sys.argv[1] + ".trained")
again = torch.jit.load(sys.argv[1] + ".trained")
assert torch.equal(again(states, statics), module(states, statics))
print(losses[0], losses[-1])
"""


def python_with_torch() -> str | None:
    for python in filter(None, (os.environ.get("HOLDADVISE_PYTHON"), sys.executable)):
        if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    return None


class Architecture(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.python = python_with_torch()
        if cls.python is None:
            print("skipped: HOLDADVISE_PYTHON names no Python that can import torch")
            raise unittest.SkipTest("no torch")

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_python(self, *arguments: object) -> subprocess.CompletedProcess:
        return subprocess.run([self.python, *map(str, arguments)], capture_output=True, text=True)

    def write(self, *arguments: object) -> Path:
        """The module that the example writes."""
        path = self.folder / "attention.pt"
        done = self.run_python(EXAMPLE, *arguments, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def train(self, path: Path, *sizes: int) -> None:
        done = self.run_python("-c", TRAIN, path, *sizes)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, last = map(float, done.stdout.split())
        self.assertLess(last, 0.8 * first)

    def test_the_example_trains_at_any_size_it_is_written_for(self) -> None:
        self.train(self.write("--states", 7, "--frames", 4, "--slots", 3, "--statics", 5), 7, 4, 3, 5)
        self.train(self.write("--states", 2, "--frames", 2, "--slots", 1, "--statics", 1, "--width", 8, "--heads", 2), 2, 2, 1, 1)

    def test_the_module_of_the_tests_trains_on_anything(self) -> None:
        for sizes in ((7, 4, 3, 5), (2, 1, 1, 1), (60, 5, 6, 150)):
            copy = self.folder / "own.pt"
            copy.write_bytes(OWN.read_bytes())
            self.train(copy, *sizes)

    def test_the_same_seed_gives_the_same_parameters(self) -> None:
        compare = "import sys, torch; a, b = (torch.jit.load(p).state_dict() for p in sys.argv[1:]); print(all(torch.equal(a[n], b[n]) for n in a))"
        sizes = ("--states", 3, "--frames", 2, "--slots", 2, "--statics", 4)
        first = self.write(*sizes).rename(self.folder / "first.pt")
        self.assertEqual(self.run_python("-c", compare, first, self.write(*sizes)).stdout, "True\n")
        self.assertEqual(self.run_python("-c", compare, first, self.write(*sizes, "--seed", 2)).stdout, "False\n")

    def test_sizes_come_from_a_dataset_or_from_metadata(self) -> None:
        schema = {"states": ["a", "b", "c"], "statics": ["s"] * 5, "frame_edges": [0, 1, 2, 3, 9], "slots": 2}
        header = json.dumps({"__metadata__": {"holdadvise": json.dumps({"format": 2, "schema": schema})}}).encode()
        dataset, metadata = self.folder / "holds.safetensors", self.folder / "sizes.json"
        dataset.write_bytes(struct.pack("<Q", len(header)) + header)
        self.train(self.write("--dataset", dataset), 3, 4, 2, 5)
        for of in ({"e": 3, "m": 4, "j": 2, "k": 6}, {"dimensions": {"e": 3, "m": 4, "j": 2, "k": 6}, "schema": None}):
            metadata.write_text(json.dumps(of))
            self.train(self.write("--metadata", metadata), 3, 4, 2, 6)
        self.train(self.write("--metadata", metadata, "--statics", 8), 3, 4, 2, 8)

    def test_what_is_missing_is_said(self) -> None:
        def error(*arguments: object) -> str:
            done = self.run_python(EXAMPLE, *arguments, "-o", self.folder / "x.pt")
            self.assertEqual(done.returncode, 1)
            return done.stderr

        self.assertIn("--slots is missing", error("--states", 3, "--frames", 2, "--statics", 4))
        self.assertIn("No such file", error("--dataset", self.folder / "none"))
        sizes = ("--states", 3, "--frames", 2, "--slots", 2, "--statics", 4)
        self.assertIn("width is 30, it must be a multiple of the 4 heads", error(*sizes, "--width", 30))


if __name__ == "__main__":
    unittest.main()
