"""Water filling by hand-counted examples."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.verify.water import Basin, fill

HUGE = 10**6


def _basin(name: str, weight: int, request: int, ceiling: int = HUGE, floor: int = 0) -> Basin:
    return Basin(name, weight, {"g": request}, {"g": min(request, ceiling)}, {"g": floor}, {})


def _shares(total: int, *basins: Basin) -> list[Fraction]:
    found = fill({"g": total}, basins)
    return [found[basin.name]["g"] for basin in basins]


def test_by_weight_when_all_ask_for_more() -> None:
    assert _shares(9, _basin("a", 1, 20), _basin("b", 2, 20)) == [3, 6]


def test_what_one_does_not_ask_for_goes_to_the_others() -> None:
    assert _shares(9, _basin("a", 1, 1), _basin("b", 1, 20), _basin("c", 1, 20)) == [1, 4, 4]


def test_ceiling_is_a_cap_and_its_rest_is_shared() -> None:
    assert _shares(8, _basin("a", 1, 20, ceiling=2), _basin("b", 1, 20)) == [2, 6]


def test_guarantee_lifts_and_may_exceed_the_total() -> None:
    """Volcano tops up to the guarantee after the round, so the sum may be more than there is."""
    assert _shares(4, _basin("a", 1, 20, floor=3), _basin("b", 1, 20)) == [3, 2]


def test_idle_queue_keeps_its_guarantee_only() -> None:
    assert _shares(4, _basin("a", 5, 0, floor=1), _basin("b", 1, 20)) == [1, 3]


def test_queue_met_in_one_resource_stays_for_the_other() -> None:
    """a is capped in GPUs but still asks for cpu: its GPU part comes back in every round and goes to b in the limit."""
    a = Basin("a", 1, {"g": 8, "c": 100}, {"g": 2, "c": 100}, {}, {})
    b = Basin("b", 1, {"g": 8, "c": 100}, {"g": 8, "c": 100}, {}, {})
    found = fill({"g": 8, "c": 1000}, [a, b])
    assert found["a"] == {"g": 2, "c": 100}
    assert abs(found["b"]["g"] - 6) < Fraction(1, 10**6)


def test_no_queue_and_nothing_to_share() -> None:
    assert fill({"g": 8}, []) == {}
    assert _shares(0, _basin("a", 1, 5)) == [0]


@given(
    st.integers(0, 50),
    st.lists(
        st.tuples(st.integers(1, 5), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=5
    ),
)
def test_never_more_than_asked_allowed_or_there(
    total: int, queues: list[tuple[int, int, int]]
) -> None:
    basins = [
        _basin(str(index), weight, request, ceiling)
        for index, (weight, request, ceiling) in enumerate(queues)
    ]
    shares = _shares(total, *basins)
    caps = [min(request, ceiling) for _, request, ceiling in queues]
    assert all(share <= cap for share, cap in zip(shares, caps, strict=True))
    assert sum(shares) == pytest.approx(min(total, sum(caps)), abs=1e-5)
