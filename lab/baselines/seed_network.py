"""The seed's network: a stacked LSTM, the last time step, a linear layer, a sigmoid; binary cross-entropy, Adam.

Written out on arrays: its input is one-hot, so the first layer's product is a sum of few rows (a sparse matrix), tens of
times faster on a CPU than the dense product of a deep-learning library. Initial values and formulas are those of
torch.nn.LSTM, torch.nn.Linear, torch.nn.BCELoss and torch.optim.Adam; tests compare the gradient with finite differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import expit


@dataclass(frozen=True)
class Settings:
    """Sizes and training."""

    layers: int
    hidden: int
    learning_rate: float
    batch: int
    epochs: int


def one_hot(sequence: np.ndarray, states: int) -> csr_matrix:
    """`[n, frames, jobs]` of state numbers as the sparse `[n * frames, jobs * states]`."""
    n, frames, jobs = sequence.shape
    flat = sequence.reshape(n * frames, jobs)
    known = flat >= 0
    columns = (np.arange(jobs, dtype=np.int32) * states + flat)[known]
    starts = np.r_[0, np.cumsum(known.sum(1))]
    return csr_matrix((np.ones(len(columns), np.float32), columns, starts), (n * frames, jobs * states))


class Network:
    """The parameters, by name as in torch, and the passes over them."""

    def __init__(self, inputs: int, settings: Settings, random: np.random.Generator) -> None:
        hidden, bound = settings.hidden, settings.hidden**-0.5
        self.hidden, self.layers = hidden, settings.layers
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in range(settings.layers):
            shapes |= {
                f"weight_ih_l{layer}": (4 * hidden, inputs if layer == 0 else hidden),
                f"weight_hh_l{layer}": (4 * hidden, hidden),
                f"bias_ih_l{layer}": (4 * hidden,),
                f"bias_hh_l{layer}": (4 * hidden,),
            }
        shapes |= {"fc.weight": (1, hidden), "fc.bias": (1,)}
        self.parameters = {
            name: random.uniform(-bound, bound, shape).astype(np.float32) for name, shape in shapes.items()
        }

    def forward(self, x: csr_matrix, frames: int) -> tuple[np.ndarray, list[tuple[np.ndarray, ...]]]:
        """Probabilities, and what the backward pass needs."""
        p, h = self.parameters, self.hidden
        n = x.shape[0] // frames
        kept: list[tuple[np.ndarray, ...]] = []
        below = np.zeros(0)
        for layer in range(self.layers):
            w_ih, w_hh = p[f"weight_ih_l{layer}"], p[f"weight_hh_l{layer}"]
            given = x @ np.ascontiguousarray(w_ih.T) if layer == 0 else below.reshape(n * frames, h) @ w_ih.T
            given = given.reshape(n, frames, 4 * h) + (p[f"bias_ih_l{layer}"] + p[f"bias_hh_l{layer}"])
            gates = np.empty((frames, n, 4 * h), given.dtype)
            cells = np.zeros((frames + 1, n, h), given.dtype)
            outputs = np.zeros((frames + 1, n, h), given.dtype)
            for t in range(frames):
                gate = given[:, t] + outputs[t] @ w_hh.T
                gate[:, : 2 * h] = expit(gate[:, : 2 * h])
                gate[:, 2 * h : 3 * h] = np.tanh(gate[:, 2 * h : 3 * h])
                gate[:, 3 * h :] = expit(gate[:, 3 * h :])
                i, f, g, o = gate[:, :h], gate[:, h : 2 * h], gate[:, 2 * h : 3 * h], gate[:, 3 * h :]
                cells[t + 1] = f * cells[t] + i * g
                outputs[t + 1] = o * np.tanh(cells[t + 1])
                gates[t] = gate
            kept.append((below, gates, cells, outputs))
            below = outputs[1:].transpose(1, 0, 2)
        logit = kept[-1][3][-1] @ p["fc.weight"].T + p["fc.bias"]
        return expit(logit[:, 0]), kept

    def gradient(self, x: csr_matrix, target: np.ndarray, frames: int) -> tuple[float, dict[str, np.ndarray]]:
        """Mean binary cross-entropy and its gradient."""
        p, h = self.parameters, self.hidden
        probability, kept = self.forward(x, frames)
        n = len(target)
        loss = cross_entropy(probability, target)
        of_logit = ((probability - target) / n).astype(probability.dtype)[:, None]
        slope = {"fc.weight": of_logit.T @ kept[-1][3][-1], "fc.bias": of_logit.sum(0)}
        of_output = np.zeros_like(kept[-1][3][1:])
        of_output[-1] = of_logit @ p["fc.weight"]
        for layer in reversed(range(self.layers)):
            below, gates, cells, outputs = kept[layer]
            w_ih, w_hh = p[f"weight_ih_l{layer}"], p[f"weight_hh_l{layer}"]
            of_gates = np.empty_like(gates)
            of_h, of_c = np.zeros_like(cells[0]), np.zeros_like(cells[0])
            for t in reversed(range(frames)):
                gate = gates[t]
                i, f, g, o = gate[:, :h], gate[:, h : 2 * h], gate[:, 2 * h : 3 * h], gate[:, 3 * h :]
                squashed = np.tanh(cells[t + 1])
                of_h = of_h + of_output[t]
                of_c = of_c + of_h * o * (1 - squashed * squashed)
                out = of_gates[t]
                out[:, :h] = of_c * g * i * (1 - i)
                out[:, h : 2 * h] = of_c * cells[t] * f * (1 - f)
                out[:, 2 * h : 3 * h] = of_c * i * (1 - g * g)
                out[:, 3 * h :] = of_h * squashed * o * (1 - o)
                of_c = of_c * f
                of_h = out @ w_hh
            flat = of_gates.reshape(frames * n, 4 * h)
            slope[f"weight_hh_l{layer}"] = flat.T @ outputs[:-1].reshape(frames * n, h)
            slope[f"bias_ih_l{layer}"] = slope[f"bias_hh_l{layer}"] = flat.sum(0)
            by_row = of_gates.transpose(1, 0, 2).reshape(n * frames, 4 * h)
            if layer == 0:
                slope["weight_ih_l0"] = np.ascontiguousarray((x.T @ by_row).T)
            else:
                slope[f"weight_ih_l{layer}"] = by_row.T @ below.reshape(n * frames, h)
                of_output = (flat @ w_ih).reshape(frames, n, h)
        return loss, slope

    def predict(self, sequence: np.ndarray, states: int, batch: int = 256) -> np.ndarray:
        """Probabilities of `[n, frames, jobs]`."""
        frames = sequence.shape[1]
        parts = [
            self.forward(one_hot(sequence[start : start + batch], states), frames)[0]
            for start in range(0, len(sequence), batch)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def cross_entropy(probability: np.ndarray, target: np.ndarray) -> float:
    """Mean binary cross-entropy; a logarithm is never below -100, as in torch."""
    with np.errstate(divide="ignore"):
        success, failure = np.maximum(np.log(probability), -100), np.maximum(np.log1p(-probability), -100)
    return float(-np.mean(target * success + (1 - target) * failure))


class Adam:
    """Adam (Kingma and Ba 2015) with the usual constants."""

    def __init__(self, rate: float) -> None:
        self.rate, self.step_number = rate, 0
        self.first: dict[str, np.ndarray] = {}
        self.second: dict[str, np.ndarray] = {}

    def step(self, parameters: dict[str, np.ndarray], slope: dict[str, np.ndarray]) -> None:
        self.step_number += 1
        near, far = 1 - 0.9**self.step_number, 1 - 0.999**self.step_number
        for name, value in parameters.items():
            one = self.first.setdefault(name, np.zeros_like(value))
            two = self.second.setdefault(name, np.zeros_like(value))
            one += 0.1 * (slope[name] - one)
            two += 0.001 * (slope[name] * slope[name] - two)
            value -= (self.rate / near) * one / (np.sqrt(two / far) + 1e-8)


def metrics_of(
    probability: np.ndarray, target: np.ndarray, mended: frozenset[str], batch: int = 256
) -> dict[str, float]:
    """Accuracy, precision, recall and f-measure as the seed reports them: of the last batch, or of all rows."""
    if "metrics" not in mended and len(target):
        last = (len(target) - 1) // batch * batch
        probability, target = probability[last:], target[last:]
    said, is_success = probability > 0.5, target == 1
    tp, fp = int((said & is_success).sum()), int((said & ~is_success).sum())
    fn, tn = int((~said & is_success).sum()), int((~said & ~is_success).sum())
    precision, recall = tp / (tp + fp + 1e-10), tp / (tp + fn + 1e-10)
    return {
        "rows": len(target),
        "accuracy": (tp + tn) / (len(target) + 1e-10),
        "precision": precision,
        "recall": recall,
        "f-measure": 2 * precision * recall / (precision + recall + 1e-10),
    }


def train(
    sequence: np.ndarray,
    target: np.ndarray,
    validation: tuple[np.ndarray, np.ndarray],
    states: int,
    settings: Settings,
    mended: frozenset[str],
    random: np.random.Generator,
) -> tuple[Network, dict[str, float]]:
    """Trains as the seed does; also its figures on the validation part after the last epoch.

    Each epoch is a job of its own there, so Adam starts anew in each. Losses are sums over batches divided by rows. It
    stops when validation loss less training loss has grown five epochs running.
    """
    frames, jobs = sequence.shape[1:]
    network = Network(jobs * states, settings, random)
    target = target.astype(np.float32)
    gaps: list[float] = []
    figures: dict[str, float] = {}
    for _ in range(settings.epochs):
        adam, training_loss = Adam(settings.learning_rate), 0.0
        order = random.permutation(len(sequence))
        for start in range(0, len(order), settings.batch):
            rows = order[start : start + settings.batch]
            loss, slope = network.gradient(one_hot(sequence[rows], states), target[rows], frames)
            adam.step(network.parameters, slope)
            training_loss += loss
        probability = network.predict(validation[0], states)
        starts = range(0, len(probability), 256)
        losses = [cross_entropy(probability[at : at + 256], validation[1][at : at + 256]) for at in starts]
        gaps.append(sum(losses) / max(len(probability), 1) - training_loss / max(len(order), 1))
        figures = metrics_of(probability, validation[1], mended)
        grown, before = 0, 0.0
        for gap in gaps[-6:]:
            grown, before = (grown + 1 if gap > before else 0), gap
        if grown >= 5:
            break
    return network, figures
