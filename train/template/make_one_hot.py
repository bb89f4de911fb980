"""Write one_hot.pt: a module that takes one-hot rows and returns a probability, for the tests.

usage: python train/template/make_one_hot.py train/tests/data/one_hot.pt
"""

import sys

import torch


class OneHot(torch.nn.Module):
    def __init__(self):
        super().__init__()
        # 3 slots of 2 states.
        self.weight = torch.nn.Parameter(torch.tensor([0.5, -1.0, 0.25, 2.0, -0.75, 1.5]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        newest, oldest = x[:, -1], x[:, 0]
        logit = torch.matmul(newest, self.weight) - 0.5 * torch.matmul(oldest, self.weight)
        return torch.sigmoid(logit).unsqueeze(1)


if __name__ == "__main__":
    torch.jit.script(OneHot()).save(sys.argv[1])
