from __future__ import annotations

from fractions import Fraction

import pytest

from planner.testing.oracle.shortfall import lack_in_thousandths, penalty


@pytest.mark.parametrize(
    ("lack", "value"),
    [(0, 0), (1, 1), (125, 125), (126, 127), (250, 375), (375, 875), (1000, 125 * 255)],
)
def test_slope_doubles_on_every_eighth(lack: int, value: int) -> None:
    assert penalty(lack) == value


@pytest.mark.parametrize(
    ("deserved", "gpus", "lack"),
    [
        (Fraction(8), 8, 0),
        (Fraction(8), 9, 0),
        (Fraction(8), 5, 375),
        (Fraction(3), 2, 334),
        (Fraction(8), 0, 1000),
        (Fraction(0), 0, 0),
        (Fraction(16, 3), 2, 625),
        (Fraction(8) - Fraction(1, 10**9), 8, 0),
    ],
)
def test_lack_is_rounded_up_to_thousandths(deserved: Fraction, gpus: int, lack: int) -> None:
    assert lack_in_thousandths(deserved, gpus) == lack
