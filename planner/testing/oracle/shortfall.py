"""The convex penalty for what a queue lacks of its deserved GPUs, for the oracle."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

EIGHTH = 125
SLOPES = (1, 2, 4, 8, 16, 32, 64, 128)


def penalty(lack: int) -> int:
    """Piecewise linear value of a lack in thousandths (0..1000), slopes 1, 2, 4 … 128 on the eighths."""
    return sum(
        slope * min(max(lack - place * EIGHTH, 0), EIGHTH) for place, slope in enumerate(SLOPES)
    )


def lack_in_thousandths(deserved: Fraction, gpus: int) -> int:
    """Missing share of the deserved GPUs, rounded up to thousandths, at least 0.

    A deserved amount that is no whole number (proportion) counts in milli-GPU, rounded down with the tolerance of
    the water filling.
    """
    milli = floor(1000 * deserved + Fraction(1, 1000))
    if milli <= 0:
        return 0
    return max(0, ceil(Fraction(1000 * (milli - 1000 * gpus), milli)))
