"""Write tree_lstm.pt: an LSTM over the syntax tree of a script, as a TorchScript module with
parameters of size one.

`holdadvise-train profiles fit --sequence` loads it, gives it parameters of the sizes asked for,
trains and saves it: the saved archive loads in Python and in Rust at any batch size and length.

usage: PYTHONHASHSEED=0 python train/template/make_tree_lstm.py train/template/tree_lstm.pt
"""

import math
import os
import sys
import tempfile
from typing import Optional

import torch
from make_template import without_debug_records


class TreeLstm(torch.nn.Module):
    def __init__(self):
        super().__init__()

        def trained(*shape):
            return torch.nn.Parameter(torch.zeros(shape))

        def fixed(*shape):
            return torch.nn.Parameter(torch.ones(shape), requires_grad=False)

        # s members, whose mean is said; d directions: 1, or 2 with the sequence backwards; c
        # classes; k statics.
        self.embedding = trained(1, 1, 1)  # [s, rows, width]
        self.size_weight = trained(1, 1)  # [s, width]
        self.lstm_input_weight = trained(1, 1, 4, 1)  # [s, d, 4 * hidden, width]
        self.lstm_recurrent_weight = trained(1, 1, 4, 1)  # [s, d, 4 * hidden, hidden]
        self.lstm_input_bias = trained(1, 1, 4)  # [s, d, 4 * hidden]
        self.lstm_recurrent_bias = trained(1, 1, 4)  # [s, d, 4 * hidden]
        self.statics_mean = fixed(1, 1)  # [s, k]
        self.statics_scale = fixed(1, 1)  # [s, k]
        self.output_weight = trained(1, 1, 3)  # [s, c, 2 * d * hidden + k]
        self.output_bias = trained(1, 1)  # [s, c]

    def forward(
        self,
        tokens: torch.Tensor,
        sizes: torch.Tensor,
        statics: torch.Tensor,
        keep: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """Logarithms of likelihoods [B, c] of tokens int64 [B, T, 3], each three rows of the
        embedding, the first 0 behind the end of a sequence; of their sizes [B, T]; and of statics
        [B, k].

        `keep` is for training: what each unit of each row is multiplied with, 0 where it is
        dropped, first those of the embedding (the same at every token: Gal and Ghahramani 2016),
        then those that the last layer is given: [B, width + 2 * d * hidden + k]. The caller draws
        it."""
        members, directions = self.lstm_recurrent_weight.size(0), self.lstm_recurrent_weight.size(1)
        hidden = self.lstm_recurrent_weight.size(3)
        is_token = tokens[:, :, 0] != 0
        lengths = is_token.sum(1, keepdim=True)
        behind = torch.logical_not(is_token).unsqueeze(2)
        counts = torch.clamp(lengths, min=1).to(sizes.dtype)
        # Where each place of the sequence backwards lies in it.
        places = torch.arange(tokens.size(1), device=tokens.device).unsqueeze(0)
        backwards = torch.clamp(lengths - 1 - places, min=0).unsqueeze(2)
        start = torch.zeros([1, tokens.size(0), hidden], dtype=sizes.dtype, device=sizes.device)
        said = torch.jit.annotate(list[torch.Tensor], [])
        for member in range(members):
            frames = torch.embedding(self.embedding[member], tokens).sum(2)
            frames = frames + sizes.unsqueeze(2) * self.size_weight[member]
            width = frames.size(2)
            if keep is not None:
                frames = frames * keep[:, :width].unsqueeze(1)
            joint = torch.jit.annotate(list[torch.Tensor], [])
            for direction in range(directions):
                if direction == 0:
                    ordered = frames
                else:
                    ordered = frames.gather(1, backwards.expand_as(frames))
                parameters = [
                    self.lstm_input_weight[member, direction],
                    self.lstm_recurrent_weight[member, direction],
                    self.lstm_input_bias[member, direction],
                    self.lstm_recurrent_bias[member, direction],
                ]
                output = torch.lstm(
                    ordered, [start, start], parameters, True, 1, 0.0, False, False, True
                )[0]
                # Outputs lie above -1.
                joint.append(output.masked_fill(behind, -1.0).amax(1))
                joint.append(output.masked_fill(behind, 0.0).sum(1) / counts)
            standard = (statics - self.statics_mean[member]) / self.statics_scale[member]
            joint.append(torch.clamp(standard, -5.0, 5.0))
            units = torch.cat(joint, 1)
            if keep is not None:
                units = units * keep[:, width:]
            logits = torch.addmm(self.output_bias[member], units, self.output_weight[member].t())
            said.append(torch.log_softmax(logits, 1))
        return torch.logsumexp(torch.stack(said), 0) - math.log(members)


if __name__ == "__main__":
    path = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, os.path.basename(path))
        torch.jit.script(TreeLstm()).save(saved)
        without_debug_records(saved, path)
