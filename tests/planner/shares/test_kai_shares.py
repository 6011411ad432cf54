from __future__ import annotations

from fractions import Fraction

import pytest

from planner.shares.kai import UNLIMITED, KaiClaim, kai_shares


def queue(name, quota, request, weight=1, **changes):
    return KaiClaim(name, quota=quota, request=request, weight=weight, **changes)


@pytest.mark.parametrize(
    ("total", "claims", "factor", "expected"),
    [
        (100, [queue("a", 10, 100, 3), queue("b", 10, 100, 1)], 0, [70, 30]),
        (16, [queue("a", 4, 16), queue("b", 4, 16), queue("c", 4, 2)], 0, [7, 7, 2]),
        (
            10,
            [
                queue(name, 0, 10, created=created)
                for name, created in zip("abc", "123", strict=True)
            ],
            0,
            [4, 3, 3],
        ),
        (20, [queue("hi", 4, 12, priority=200), queue("lo", 4, 20, 5)], 0, [12, 8]),
        (8, [queue("a", 6, 6), queue("b", 6, 6)], 0, [6, 6]),
        (16, [queue("a", 0, 16, usage=Fraction(1, 2)), queue("b", 0, 16)], 1, [5, 11]),
    ],
)
def test_known_divisions(total, claims, factor, expected):
    found = kai_shares(total, claims, usage_factor=factor)
    assert [found[claim.name] for claim in claims] == expected


def test_the_oldest_takes_the_odd_unit_then_the_uid_decides():
    claims = [queue("a", 0, 9, created="2"), queue("b", 0, 9, created="1")]
    assert kai_shares(3, claims) == {"a": 1, "b": 2}
    twins = [queue("a", 0, 9, uid="y"), queue("b", 0, 9, uid="x")]
    assert kai_shares(3, twins) == {"a": 1, "b": 2}


def test_a_lower_priority_gets_nothing_while_a_higher_one_is_unmet():
    claims = [
        queue("high-a", 0, 9, priority=200),
        queue("high-b", 0, 9, priority=200),
        queue("low", 0, 9),
    ]
    assert kai_shares(3, claims) == {"high-a": 2, "high-b": 1, "low": 0}


def test_unlimited_quota_limit_and_missing_weight():
    assert kai_shares(8, [queue("all", UNLIMITED, 20), queue("none", 0, 5, 0)]) == {
        "all": 8,
        "none": 0,
    }
    assert kai_shares(8, [queue("closed", 4, 5, limit=0), queue("b", 0, 9)]) == {
        "closed": 0,
        "b": 8,
    }


def test_fractions_of_a_device_are_kept():
    half = Fraction(1, 2)
    assert kai_shares(1, [queue("a", 0, half), queue("b", 0, 3)]) == {"a": half, "b": half}


def test_children_divide_their_parents_share():
    claims = [
        queue("lab", 4, 20),
        queue("solo", 4, 20),
        queue("x", 2, 10, 3, parent="lab"),
        queue("y", 0, 10, 1, parent="lab"),
    ]
    found = kai_shares(16, claims)
    assert found == {"lab": 8, "solo": 8, "x": 7, "y": 1}


def test_queues_below_no_top_are_refused():
    with pytest.raises(ValueError, match="below no top"):
        kai_shares(4, [queue("a", 0, 1, parent="b"), queue("b", 0, 1, parent="a")])
