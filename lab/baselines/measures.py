"""Figures of merit. Targets may be probabilities: a row with target p counts as p of a success and 1 - p of a failure."""

from __future__ import annotations

import numpy as np

EPSILON = 1e-6


def auroc(target: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Probability that a success scores above a failure, ties counting half; NaN where only one of them is there."""
    order = np.argsort(score, kind="stable")
    target, score = target[order].astype(np.float64), score[order]
    weight = np.ones(len(order)) if weight is None else weight[order].astype(np.float64)
    successes, failures = weight * target, weight * (1.0 - target)
    first = np.flatnonzero(np.r_[True, score[1:] != score[:-1]]) if len(score) else np.zeros(0, int)
    won, lost = (np.add.reduceat(of, first) if len(first) else np.zeros(0) for of in (successes, failures))
    below = np.cumsum(lost) - lost
    total = won.sum() * lost.sum()
    return float(np.sum(won * (below + lost / 2)) / total) if total > 0 else float("nan")


def log_loss(target: np.ndarray, probability: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean cross-entropy, natural logarithm."""
    p = np.clip(probability.astype(np.float64), EPSILON, 1 - EPSILON)
    return float(np.average(-(target * np.log(p) + (1 - target) * np.log1p(-p)), weights=weight))


def brier(target: np.ndarray, probability: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean of target (1 - p)^2 + (1 - target) p^2."""
    p = probability.astype(np.float64)
    return float(np.average(target * (1 - p) ** 2 + (1 - target) * p**2, weights=weight))


def calibration_error(target: np.ndarray, probability: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error over bins of equal count."""
    if not len(target):
        return float("nan")
    order = np.argsort(probability, kind="stable")
    gaps = [
        abs(target[part].mean() - probability[part].mean()) * len(part)
        for part in np.array_split(order, bins)
        if len(part)
    ]
    return float(sum(gaps) / len(target))
