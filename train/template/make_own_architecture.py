"""Write own_architecture.pt: a module that is not the built-in network and trains on any dataset, for the tests.

Its parameters fit any number of states, frames, slots and statics: rows of its tables are shared where there are more.
`statics_mean`, `statics_scale` and `dropout` are there to be filled in.

usage: PYTHONHASHSEED=0 python train/template/make_own_architecture.py train/tests/data/own_architecture.pt
"""

import os
import sys
import tempfile

import torch
from make_template import without_debug_records


class OwnArchitecture(torch.nn.Module):
    def __init__(self):
        super().__init__()

        def fixed(value):
            return torch.nn.Parameter(torch.tensor([value]), requires_grad=False)

        self.statics_mean = fixed(0.0)  # [k]
        self.statics_scale = fixed(1.0)  # [k]
        self.dropout = fixed(0.0)  # [1]
        self.states = torch.nn.Embedding(256, 8)
        self.statics_weight = torch.nn.Parameter(torch.randn(64, 8))
        self.hidden = torch.nn.Linear(24, 16)
        self.output = torch.nn.Linear(16, 1)

    def forward(self, states: torch.Tensor, statics: torch.Tensor) -> torch.Tensor:
        slot = torch.arange(states.size(2), device=states.device)
        rows = self.states((states + 97 * slot).remainder(self.states.weight.size(0)))  # [B, m, j, 8]
        standard = torch.clamp((statics - self.statics_mean) / self.statics_scale, -10.0, 10.0)
        column = torch.arange(statics.size(1), device=statics.device).remainder(self.statics_weight.size(0))
        side = torch.matmul(standard, self.statics_weight[column]) / float(statics.size(1)) ** 0.5
        joint = torch.cat([rows.mean(dim=[1, 2]), rows[:, -1].mean(1), side], 1)
        joint = torch.dropout(joint, float(self.dropout.item()), self.training)
        return self.output(torch.tanh(self.hidden(joint))).squeeze(1)


if __name__ == "__main__":
    path = sys.argv[1]
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, os.path.basename(path))
        torch.jit.script(OwnArchitecture()).save(saved)
        without_debug_records(saved, path)
