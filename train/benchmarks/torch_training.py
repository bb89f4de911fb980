"""Epochs in PyTorch on the training part of a dataset: `seed`, the code of the repository this project started from, or `best`, what PyTorch does best.

usage: python torch_training.py seed|best DATASET PARTS --hidden N --layers N --batch N [--epochs N] [--threads N] [--precision KIND]
       [--seed-repository DIR]

`seed` runs `train` of the repository's own train.py and `LSTMNet` of its model_init.py, read from DIR, on the samples as
it makes them: one-hot float rows, fed by its DataLoader. What they import for tracking, HTCondor and HDF5 stands in by name only: neither
function uses it. `best` keeps the states as bytes on the device, draws batches there, adds embedding rows, and uses a fused optimiser
and, if asked to, autocast to bfloat16; on a GPU a whole step is one CUDA graph. Prints one JSON line: sequences a second, the median of
all epochs but the first, and peak memory.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import time
import types

import numpy
import torch
from safetensors import safe_open


def samples(dataset, parts):
    """States u8 [n, m, j], statics f32 [n, k] and labels of the training part, and e."""
    with safe_open(parts, "numpy") as file:
        rows = numpy.flatnonzero(file.get_tensor("part") == 0)
    with safe_open(dataset, "numpy") as file:
        states, statics, label = (file.get_tensor(name)[rows] for name in ("states", "statics", "label"))
        e = len(json.loads(file.metadata()["holdadvise"])["schema"]["states"])
    return states, statics, label, e


def of_seed(repository, path, wanted):
    """The function or class of that name in a file of the repository, and the globals it looks things up in."""
    for name in ("wandb", "h5py", "htcondor", "yaml"):
        sys.modules.setdefault(name, types.ModuleType(name))
    within = {"__name__": "seed"}
    path = os.path.join(repository, path)
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), within)  # the repository is one's own clone
    return within[wanted], within


def seed_epochs(arguments, states, label, e):
    n, m, j = states.shape
    network, _ = of_seed(arguments.seed_repository, "distributed/run/model_init.py", "LSTMNet")
    train, within = of_seed(arguments.seed_repository, "distributed/run/ml/train.py", "train")
    one_hot = numpy.zeros((n, m, j * e), dtype=numpy.float32)
    place = states.astype(numpy.int64) + numpy.arange(j) * e
    numpy.put_along_axis(one_hot, place, 1.0, axis=2)
    within["x_train"] = torch.as_tensor(one_hot)
    within["y_train"] = torch.as_tensor(label.astype(numpy.int8))
    model = torch.jit.script(network(j * e, arguments.hidden, arguments.layers, 1))
    config = {"batch_size": arguments.batch, "learning_rate": 0.001}
    for _ in range(arguments.epochs):
        start = time.perf_counter()
        model, _ = train(config, model)
        yield time.perf_counter() - start


class Best(torch.nn.Module):
    """The shipped architecture without its trees, in PyTorch's own layers."""

    def __init__(self, e, j, k, hidden, layers):
        super().__init__()
        self.rows = torch.nn.EmbeddingBag(j * e, 32, mode="sum")
        self.register_buffer("first", torch.arange(j) * e)
        self.lstm = torch.nn.LSTM(32, hidden, layers, batch_first=True)
        self.side = torch.nn.Linear(k, 32)
        self.joint = torch.nn.Linear(hidden + 32, 64)
        self.out = torch.nn.Linear(64, 1)

    def forward(self, states, statics):
        batch, m, j = states.shape
        frame = self.rows((states.long() + self.first).reshape(batch * m, j)).reshape(batch, m, -1)
        newest = self.lstm(frame)[0][:, -1]
        joint = torch.cat([newest, torch.relu(self.side(statics))], 1)
        return self.out(torch.relu(self.joint(joint))).squeeze(1)


class Graph:
    """A step of full batches, captured once and replayed: PyTorch's own way to launch all kernels of it at once."""

    def __init__(self, step, index):
        self.index = index.clone()
        # What is set up at the first steps cannot be captured.
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(4):
                step(self.index)
        torch.cuda.current_stream().wait_stream(aside)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            step(self.index)

    def __call__(self, index):
        self.index.copy_(index)
        self.graph.replay()


def best_epochs(arguments, states, statics, label, e):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cuda = device.type == "cuda"
    states = torch.as_tensor(states).to(device)
    statics = torch.as_tensor(statics).to(device)
    statics = ((statics - statics.mean(0)) / statics.std(0).clamp_min(1e-3)).clamp(-10, 10)
    target = torch.as_tensor(label).to(device).float()
    model = Best(e, states.shape[2], statics.shape[1], arguments.hidden, arguments.layers).to(device)
    rate = torch.tensor(1e-3, device=device) if cuda else 1e-3
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, fused=True, capturable=cuda)

    def step(index):
        with torch.autocast(device.type, torch.bfloat16, enabled=arguments.precision == "bfloat16"):
            logits = model(states[index], statics[index])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), target[index])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    graph = None
    for _ in range(arguments.epochs):
        start = time.perf_counter()
        order = torch.randperm(len(target), device=device)
        for index in order.split(arguments.batch):
            if cuda and len(index) == arguments.batch:
                graph = graph or Graph(step, index)
                graph(index)
            else:
                step(index)
        if cuda:
            torch.cuda.synchronize()
        yield time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["seed", "best"])
    parser.add_argument("dataset")
    parser.add_argument("parts")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--seed-repository")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    states, statics, label, e = samples(arguments.dataset, arguments.parts)
    if arguments.what == "seed":
        epochs = seed_epochs(arguments, states, label, e)
    else:
        epochs = best_epochs(arguments, states, statics, label, e)
    # The first epoch warms caches and allocators.
    seconds = statistics.median(list(epochs)[1:])
    print(
        json.dumps(
            {
                "what": arguments.what,
                "sequences_per_second": len(label) / seconds,
                "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "device": "cuda" if torch.cuda.is_available() else "cpu",
            }
        )
    )


if __name__ == "__main__":
    main()
