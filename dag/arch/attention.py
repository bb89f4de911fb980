"""An architecture of one's own, in place of the LSTM: attention over the frames, asked by the statics.

usage: python dag/arch/attention.py --dataset holds.safetensors -o attention.pt
       python dag/arch/attention.py --metadata sizes.json -o attention.pt
       python dag/arch/attention.py --states E --slots J --frames M --statics K -o attention.pt

Writes a TorchScript module with fresh parameters for `architecture:` of a sweep file. README.md beside this file says what such a
module has to keep to. Needs torch; the file it writes is trained with libtorch 2.11, so torch 2.11 or earlier is safe.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """Every frame looks at all frames; then the held job's statics ask all frames what matters to them."""

    def __init__(self, states: int, slots: int, frames: int, statics: int, width: int = 32, heads: int = 4, hidden: int = 64):
        super().__init__()

        def fixed(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.ones(shape), requires_grad=False)

        # The trainer fills these three in: mean and standard deviation of the statics of its rows, share of units dropped.
        self.statics_mean = fixed(statics)
        self.statics_scale = fixed(statics)
        self.dropout = fixed(1)
        with torch.no_grad():
            self.statics_mean.zero_()
            self.dropout.zero_()

        # A row for each state of each slot; the rows of a frame are added up. The sum starts with variance 1.
        self.embedding = nn.Parameter(torch.randn(slots * states, width) / slots**0.5)
        self.position = nn.Parameter(0.02 * torch.randn(frames, width))
        self.before = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.after = nn.LayerNorm(width)
        self.statics = nn.Linear(statics, hidden)
        self.question = nn.Linear(hidden, width)
        self.joint = nn.Linear(width + hidden, hidden)
        self.output = nn.Linear(hidden, 1)
        self.heads = heads
        if width % heads:
            raise ValueError(f"width is {width}, it must be a multiple of the {heads} heads")

    def forward(self, states: Tensor, statics: Tensor) -> Tensor:
        """Logits [B] of states int64 [B, m, j], each 0 to e - 1, oldest frame first, and statics float32 [B, k]."""
        batch, frames, slots = states.size(0), states.size(1), states.size(2)
        dropped = float(self.dropout.item())

        first_row = torch.arange(slots, device=states.device) * (self.embedding.size(0) // slots)
        frame = self.embedding[states + first_row].sum(2) + self.position[:frames]

        heard = self.before(frame)
        frame = frame + self.attend(self.query(heard), self.key(heard), self.value(heard))
        frame = self.after(torch.dropout(frame, dropped, self.training))

        # What lies far outside of what was seen counts as the edge of it.
        standard = torch.clamp((statics - self.statics_mean) / self.statics_scale, -10.0, 10.0)
        side = torch.relu(self.statics(standard))
        found = self.attend(self.question(side).unsqueeze(1), frame, frame).reshape(batch, -1)
        joint = torch.dropout(torch.cat([found, side], 1), dropped, self.training)
        return self.output(torch.relu(self.joint(joint))).squeeze(1)

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Scaled dot-product attention of several heads (Vaswani et al. 2017): [B, queries, width]."""
        batch, width = query.size(0), query.size(2)
        share = width // self.heads
        query = query.reshape(batch, -1, self.heads, share).transpose(1, 2)
        key = key.reshape(batch, -1, self.heads, share).transpose(1, 2)
        value = value.reshape(batch, -1, self.heads, share).transpose(1, 2)
        weight = torch.softmax(torch.matmul(query, key.transpose(2, 3)) / float(share) ** 0.5, -1)
        return torch.matmul(weight, value).transpose(1, 2).reshape(batch, -1, width)


def sizes_of(about: Any) -> dict[str, int]:
    """Sizes from a model's metadata, a dataset's, or an object of e, m, j and k."""
    if "dimensions" in about:
        about = about["dimensions"]
    if "schema" in about:
        schema = about["schema"]
        about = {
            "e": len(schema["states"]),
            "m": len(schema["frame_edges"]) - 1,
            "j": schema["slots"],
            "k": len(schema["statics"]),
        }
    return {"states": about["e"], "frames": about["m"], "slots": about["j"], "statics": about["k"]}


def metadata_of(dataset: Path) -> Any:
    """What a dataset file (safetensors) says of itself."""
    with open(dataset, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(min(length, 100_000_000)))
    return json.loads(header["__metadata__"]["holdadvise"])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--dataset", type=Path, help="take the sizes of a file of `holdadvise-train tensors`")
    parser.add_argument("--metadata", type=Path, help="take the sizes of a JSON file: e, m, j, k, or a model's metadata")
    parser.add_argument("--states", type=int, metavar="E", help="states of a job slot")
    parser.add_argument("--slots", type=int, metavar="J", help="job slots")
    parser.add_argument("--frames", type=int, metavar="M", help="frames")
    parser.add_argument("--statics", type=int, metavar="K", help="statics")
    parser.add_argument("--width", type=int, default=32, help="width of a frame (default: 32)")
    parser.add_argument("--heads", type=int, default=4, help="heads of attention (default: 4)")
    parser.add_argument("--hidden", type=int, default=64, help="units over the statics and at the end (default: 64)")
    parser.add_argument("--seed", type=int, default=1, help="of the initial parameters (default: 1)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="module to write")
    options = parser.parse_args()
    try:
        sizes: dict[str, int] = {}
        if options.dataset:
            sizes = sizes_of(metadata_of(options.dataset))
        elif options.metadata:
            sizes = sizes_of(json.loads(options.metadata.read_text()))
        for name in ("states", "slots", "frames", "statics"):
            given = getattr(options, name)
            sizes[name] = sizes.get(name, 0) if given is None else given
            if sizes[name] < 1:
                sys.exit(f"Error: --{name} is missing: give it, --dataset or --metadata")
        torch.manual_seed(options.seed)
        module = Attention(**sizes, width=options.width, heads=options.heads, hidden=options.hidden)
        torch.jit.script(module).save(str(options.output))
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        sys.exit(f"Error: {type(error).__name__}: {error}")
    print(f"{options.output}: {sum(p.numel() for p in module.parameters())} parameters, {sizes}")


if __name__ == "__main__":
    main()
