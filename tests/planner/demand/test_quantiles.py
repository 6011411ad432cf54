from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.demand.intervals import clopper_pearson, most_likely_above, wilson
from planner.demand.newsvendor import implied_cost_ratio, service_level_of
from planner.demand.quantiles import LEVELS, weighted_quantiles


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_equal_weights_give_plain_quantiles(values):
    found = weighted_quantiles(np.array(values, float), np.ones(len(values)))
    for level, value in zip(LEVELS, found, strict=True):
        below = sum(one <= value for one in values)
        assert below >= level * len(values) - 1e-9
        assert sum(one < value for one in values) < level * len(values) + 1e-9
    assert found[-1] == max(values)
    assert np.all(np.diff(found) >= 0)


def test_weights_move_quantiles_and_the_last_level_is_the_maximum():
    found = weighted_quantiles(np.array([1.0, 2.0, 9.0]), np.array([1.0, 98.0, 1e-9]))
    assert found[0] == 2.0
    assert found[-1] == 9.0


@pytest.mark.parametrize(
    ("hits", "trials", "wilson_ends", "exact_ends"),
    [
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 20, (0.0089, 0.2361), (0.0013, 0.2487)),
        (10, 100, (0.0552, 0.1744), (0.0490, 0.1762)),
        (20, 20, (0.8389, 1.0), (0.8316, 1.0)),
        (0, 0, (0.0, 1.0), (0.0, 1.0)),
    ],
)
def test_intervals_against_published_values(hits, trials, wilson_ends, exact_ends):
    assert wilson(hits, trials) == pytest.approx(wilson_ends, abs=5e-4)
    assert clopper_pearson(hits, trials) == pytest.approx(exact_ends, abs=5e-4)


def test_the_one_sided_end_covers_with_its_confidence():
    assert most_likely_above(0, 20, 0.95) == pytest.approx(1 - 0.05 ** (1 / 20))
    assert most_likely_above(0, 0, 0.9) == 1.0


def test_costs_and_levels():
    assert service_level_of(19, 1) == 0.95
    assert implied_cost_ratio(0.95) == pytest.approx(19)
    assert service_level_of(1, 0) == 1.0
    for costs in ((0, 1), (1, -1), (float("inf"), 1), (1, float("nan"))):
        with pytest.raises(ValueError, match="cost"):
            service_level_of(*costs)
    with pytest.raises(ValueError, match="between 0 and 1"):
        implied_cost_ratio(1.0)
