"""Weighted quantiles, and the grid of levels that margins are chosen from."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVELS: Final[Floats] = 1.0 - np.append(np.geomspace(0.5, 0.002, 28), 0.0)
"""Quantile levels from the median to the maximum, denser towards the top."""
BEYOND: Final = (0.05, 0.1, 0.25)
"""Margins beyond the highest value that a model says, as parts of it, at least one GPU more each."""
_EPSILON: Final = 1e-12


def weighted_quantiles(values: Floats, weights: Floats, levels: Floats = LEVELS) -> Floats:
    """Smallest values below or at which at least so much of the weight lies; level 1 is the maximum."""
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, levels * reached[-1] * (1 - _EPSILON))
    found: Floats = sorted_values[np.minimum(places, len(values) - 1)]
    found[levels >= 1] = sorted_values[-1]
    return found


def with_beyond(levels: Floats) -> Floats:
    """Levels (steps × levels) with columns for :data:`BEYOND`; few days have not seen all there is."""
    top = levels[:, -1:]
    more = [
        np.maximum(top + place, np.ceil(top * (1 + part) - 1e-9))
        for place, part in enumerate(BEYOND, 1)
    ]
    return np.hstack([levels, *more])
