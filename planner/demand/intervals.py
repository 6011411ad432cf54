"""How sure a rate is that was counted on few buckets."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Lower and upper end of a confidence interval of a share, 0 to 1."""

    low: float
    high: float


def wilson(hits: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval (1927): close to its nominal coverage even for rare events; (0, 1) without trials."""
    from scipy.stats import norm

    if trials <= 0:
        return Interval(0.0, 1.0)
    z = float(norm.ppf(0.5 + confidence / 2))
    rate = hits / trials
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    half = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    return Interval(low, 1.0 if hits == trials else min(1.0, centre + half))


def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """Exact interval (1934): never covers less than its nominal confidence; (0, 1) without trials."""
    from scipy.stats import beta

    if trials <= 0:
        return Interval(0.0, 1.0)
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, trials - hits + 1))
    high = 1.0 if hits == trials else float(beta.ppf(1 - tail, hits + 1, trials - hits))
    return Interval(low, high)


def most_likely_above(hits: int, trials: int, confidence: float) -> float:
    """The share that the true rate stays below with this (one-sided) confidence; 1 without trials."""
    return clopper_pearson(hits, trials, 2 * confidence - 1).high
