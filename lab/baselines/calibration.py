"""From a model's score to a probability, fitted on the validation part.

Three ways: as it is, Platt's (a logistic curve over the logit; Platt 1999), isotonic regression (Zadrozny and Elkan
2002). Which one is decided by the log loss of a cross-fit over two halves of the clusters: on the rows it was fitted to
isotonic regression would always win.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from measures import EPSILON, log_loss

WAYS = ("none", "platt", "isotonic")
# Below so many rows a curve is fitted to noise.
FEWEST = 50


def logit(probability: np.ndarray) -> np.ndarray:
    p = np.clip(probability.astype(np.float64), EPSILON, 1 - EPSILON)
    return np.log(p / (1 - p))


@dataclass
class Calibration:
    """A fitted curve."""

    way: str
    curve: Any = None
    # Cross-fitted log loss: what the choice was made by.
    loss: float = float("nan")

    def apply(self, probability: np.ndarray) -> np.ndarray:
        if self.way == "platt":
            return self.curve.predict_proba(logit(probability)[:, None])[:, 1]
        if self.way == "isotonic":
            return np.clip(self.curve.predict(probability.astype(np.float64)), 0.001, 0.999)
        return probability


def doubled(target: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A row with target p as a success that weighs p and a failure that weighs 1 - p: places in order, labels, weights."""
    place = np.arange(len(target))
    label = np.r_[np.ones(len(target)), np.zeros(len(target))]
    weight = np.r_[weight * target, weight * (1 - target)]
    place = np.r_[place, place]
    kept = np.argsort(place, kind="stable")
    kept = kept[weight[kept] > 0]
    return place[kept], label[kept], weight[kept]


def fit_way(way: str, probability: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Calibration:
    place, label, doubled_weight = doubled(target, weight)
    if way == "none" or len(np.unique(label)) < 2:
        return Calibration("none")
    if way == "platt":
        curve = LogisticRegression(C=1e6).fit(logit(probability)[place][:, None], label, doubled_weight)
        # A curve that falls would turn the ranking round: the score says nothing here.
        return Calibration("platt", curve) if curve.coef_[0, 0] > 0 else Calibration("none")
    curve = IsotonicRegression(out_of_bounds="clip").fit(probability.astype(np.float64), target, weight)
    return Calibration("isotonic", curve)


def fit(probability: np.ndarray, target: np.ndarray, weight: np.ndarray, cluster: np.ndarray, seed: int) -> Calibration:
    """The way with the smallest cross-fitted log loss, fitted to all rows."""
    clusters, of_row = np.unique(cluster, return_inverse=True)
    if len(target) < FEWEST or len(clusters) < 4:
        return Calibration("none", loss=log_loss(target, probability, weight))
    half = np.random.default_rng(seed).permutation(len(clusters))[of_row] % 2
    losses = {}
    for way in WAYS:
        fitted = np.empty(len(target))
        for fold in (0, 1):
            known, asked = half != fold, half == fold
            curve = fit_way(way, probability[known], target[known], weight[known])
            fitted[asked] = curve.apply(probability[asked])
        losses[way] = log_loss(target, fitted, weight)
    best = min(WAYS, key=lambda way: losses[way])
    return replace(fit_way(best, probability, target, weight), loss=losses[best])
