"""Write hold_lstm.pt: the network as a TorchScript module with parameters of size one.

Its forward takes every size from its parameters and inputs, so `holdadvise-train` can load it, give
it parameters of any shape, train it and save it: the saved archive loads in Python and in Rust at
any batch size.

usage: python train/template/make_template.py train/template/hold_lstm.pt
"""

import os
import sys
import tempfile
from typing import Optional

import torch


class HoldLstm(torch.nn.Module):
    def __init__(self):
        super().__init__()

        def trained(*shape):
            return torch.nn.Parameter(torch.zeros(shape))

        def fixed(*shape):
            return torch.nn.Parameter(torch.ones(shape), requires_grad=False)

        # e states, j slots, k statics; the other sizes are free.
        self.embedding = trained(1, 1)  # [j * e, width]
        self.lstm_input_weight = trained(4, 1)  # [4 * hidden, width]
        self.lstm_stacked_weight = trained(0, 4, 1)  # [layers - 1, 4 * hidden, hidden]
        self.lstm_recurrent_weight = trained(1, 4, 1)  # [layers, 4 * hidden, hidden]
        self.lstm_input_bias = trained(1, 4)  # [layers, 4 * hidden]
        self.lstm_recurrent_bias = trained(1, 4)  # [layers, 4 * hidden]
        self.statics_mean = fixed(1)  # [k]
        self.statics_scale = fixed(1)  # [k]
        self.statics_weight = trained(1, 1)  # [units, k]
        self.statics_bias = trained(1)  # [units]
        # p pieces of the ranges of columns, each from low to low + width.
        self.statics_piece_column = fixed(0)  # [p], whole numbers
        self.statics_piece_low = fixed(0)  # [p]
        self.statics_piece_width = fixed(0)  # [p]
        self.statics_piece_weight = trained(1, 0)  # [units, p]
        self.hidden_weight = trained(1, 2)  # [joint, hidden + units]
        self.hidden_bias = trained(1)  # [joint]
        self.output_weight = trained(1, 1)  # [1, joint]
        self.output_bias = trained(1)  # [1]
        # Decision trees over the statics: t trees, n nodes of all of them; a leaf leads to itself.
        self.tree_root = fixed(0)  # [t], whole numbers: a node each
        self.tree_column = fixed(0)  # [n], whole numbers, 0 at a leaf
        self.tree_threshold = fixed(0)  # [n]
        self.tree_below = fixed(0)  # [n], whole numbers: where a value <= threshold leads
        self.tree_above = fixed(0)  # [n], whole numbers: where any other value leads
        self.tree_value = fixed(0)  # [n], what a leaf adds to the logit
        self.tree_steps = torch.nn.Parameter(torch.zeros(1), requires_grad=False)  # [1], depth

    def forward(
        self, states: torch.Tensor, statics: torch.Tensor, keep: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        return self.of_frames(self.sums(states), statics, keep)

    def sums(self, states: torch.Tensor) -> torch.Tensor:
        """A one-hot row times a matrix is a row of it: look the rows up and add them over the slots, [B, m, width]."""
        batch, frames, slots = states.size(0), states.size(1), states.size(2)
        first_row = torch.arange(slots, device=states.device) * (self.embedding.size(0) // slots)
        rows = (states + first_row).reshape(-1)
        bags = torch.arange(0, batch * frames * slots, slots, device=states.device)
        summed = torch.embedding_bag(self.embedding, rows, bags)[0]
        return summed.reshape(batch, frames, self.embedding.size(1))

    def of_frames(
        self, frame: torch.Tensor, statics: torch.Tensor, keep: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        """`frame`: the sums of the embedding rows, [B, m, width], of the kind of numbers that the LSTM is to compute with.

        `keep` is for training: what each unit of each row is multiplied with, 0 where it is dropped, first those between
        the LSTM layers (the same in every frame: Gal and Ghahramani 2016), then those of LSTM and statics, then those where
        both meet: [B, layers * hidden + units + joint]. The caller draws it, so that rows may be shared out among threads."""
        layers, width = self.lstm_recurrent_weight.size(0), self.lstm_recurrent_weight.size(2)
        start = torch.zeros([1, frame.size(0), width], dtype=frame.dtype, device=frame.device)
        # cuDNN keeps what the gradient needs only where it is asked to.
        keeps = self.training and frame.is_cuda
        output = frame
        for layer in range(layers):
            if layer == 0:
                weight = self.lstm_input_weight
            else:
                weight = self.lstm_stacked_weight[layer - 1]
            parameters = [
                weight.to(frame.dtype),
                self.lstm_recurrent_weight[layer].to(frame.dtype),
                self.lstm_input_bias[layer].to(frame.dtype),
                self.lstm_recurrent_bias[layer].to(frame.dtype),
            ]
            output = torch.lstm(
                output, [start, start], parameters, True, 1, 0.0, keeps, False, True
            )[0]
            if keep is not None and layer < layers - 1:
                between = keep[:, layer * width : (layer + 1) * width].unsqueeze(1)
                output = output * between.to(frame.dtype)

        # What lies far outside of what was seen counts as the edge of it.
        standard = torch.clamp((statics - self.statics_mean) / self.statics_scale, -10.0, 10.0)
        linear = torch.addmm(self.statics_bias, standard, self.statics_weight.t())
        # Piecewise linear encoding: how far into each piece of its range a value lies.
        values = statics.index_select(1, self.statics_piece_column.to(torch.long))
        into = (values - self.statics_piece_low) / self.statics_piece_width
        pieces = torch.clamp(into, 0.0, 1.0) - 0.5
        side = torch.relu(torch.addmm(linear, pieces, self.statics_piece_weight.t()))
        joint = torch.cat([output[:, -1].to(side.dtype), side], dim=1)
        if keep is not None:
            first = (layers - 1) * width
            joint = joint * keep[:, first : first + joint.size(1)]
        hidden = torch.relu(torch.addmm(self.hidden_bias, joint, self.hidden_weight.t()))
        if keep is not None:
            hidden = hidden * keep[:, keep.size(1) - hidden.size(1) :]
        logit = torch.addmm(self.output_bias, hidden, self.output_weight.t()).squeeze(1)
        return logit + self.of_trees(statics)

    def of_trees(self, statics: torch.Tensor) -> torch.Tensor:
        trees = self.tree_root.size(0)
        if trees == 0:
            return torch.zeros([1], dtype=statics.dtype, device=statics.device)
        rows = statics.size(0)
        values = statics.reshape(-1)
        first = torch.arange(rows, device=statics.device) * statics.size(1)
        first = first.unsqueeze(1).expand(rows, trees).reshape(-1)
        column = self.tree_column.to(torch.long)
        # Where a node leads: below, above, side by side.
        leads = torch.stack([self.tree_below, self.tree_above], dim=1).to(torch.long).reshape(-1)
        node = self.tree_root.to(torch.long).unsqueeze(0).expand(rows, trees).reshape(-1)
        # All trees of all rows go down at once; who is at a leaf stays there.
        for _ in range(int(self.tree_steps.item())):
            value = values.index_select(0, first + column.index_select(0, node))
            above = torch.logical_not(value <= self.tree_threshold.index_select(0, node))
            node = leads.index_select(0, 2 * node + above)
        leaves = self.tree_value.index_select(0, node).reshape(rows, trees)
        return leaves.sum(1, dtype=torch.float64).to(statics.dtype)


def without_debug_records(saved: str, path: str) -> None:
    """Copy an archive without the debug records, which name the folder of this file: the same bytes wherever it lies."""
    reader = torch._C.PyTorchFileReader(saved)
    writer = torch._C.PyTorchFileWriter(path)
    # Operators mean what they mean in the version they were written in.
    writer.set_min_version(int(reader.get_record("version")))
    # The writer adds these itself.
    own = ("version", ".data/serialization_id")
    for name in reader.get_all_records():
        if name not in own and not name.endswith(".debug_pkl"):
            record = reader.get_record(name)
            writer.write_record(name, record, len(record))
    writer.write_end_of_file()


if __name__ == "__main__":
    path = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        # The file's name becomes the archive's top folder.
        saved = os.path.join(folder, os.path.basename(path))
        torch.jit.script(HoldLstm()).save(saved)
        without_debug_records(saved, path)
