from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.encode.water_filling import Claim, water_filling
from planner.shares.bounds import cut_in_proportion
from planner.shares.closed_form import tree_shares
from planner.shares.tree import LARGEST_SUM, ShareClaim, share_tree
from planner.shares.water_level import exact_shares

GPU = "nvidia.com/gpu"


def claim(name, demand, *, weight=1, parent="", guarantee=0, limit=None):
    return ShareClaim(
        name,
        parent,
        weight,
        guarantee={GPU: guarantee},
        limit={} if limit is None else {GPU: limit},
        demand={GPU: demand},
    )


def shares(total, *claims):
    found = tree_shares(share_tree({GPU: total}, claims))[:, 0]
    return dict(zip((one.name for one in claims), found.tolist(), strict=True))


def test_without_contention_everyone_has_what_it_asks_for():
    assert shares(10, claim("a", 3), claim("b", 4, weight=9)) == {"a": 3, "b": 4}


def test_weights_divide_what_is_contended():
    assert shares(12, claim("a", 20), claim("b", 20, weight=2)) == {"a": 4, "b": 8}


def test_what_one_leaves_goes_to_the_others():
    assert shares(12, claim("a", 1), claim("b", 20), claim("c", 20)) == {"a": 1, "b": 6, "c": 5}


def test_a_guarantee_is_a_floor_and_a_limit_a_ceiling():
    assert shares(12, claim("a", 20, guarantee=8), claim("b", 20), claim("c", 20, limit=1)) == {
        "a": 8,
        "b": 3,
        "c": 1,
    }


def test_an_unused_guarantee_is_not_held_back():
    assert shares(12, claim("a", 2, guarantee=8), claim("b", 20)) == {"a": 2, "b": 10}


def test_guarantees_that_do_not_fit_are_cut_in_proportion():
    assert shares(9, claim("a", 20, guarantee=8), claim("b", 20, guarantee=4)) == {"a": 6, "b": 3}
    assert cut_in_proportion(10, [6, 6, 6]) == [4, 3, 3]


def test_whole_units_go_to_the_largest_remainders_then_by_order():
    assert shares(10, claim("a", 9), claim("b", 9), claim("c", 9)) == {"a": 4, "b": 3, "c": 3}
    assert shares(4, claim("a", 9), claim("b", 9, weight=2)) == {"a": 1, "b": 3}


def test_a_subtree_divides_its_own_share():
    found = shares(
        12,
        claim("lab", 0),
        claim("solo", 20),
        claim("lab-a", 20, parent="lab", weight=2),
        claim("lab-b", 20, parent="lab"),
    )
    assert found == {"lab": 6, "solo": 6, "lab-a": 4, "lab-b": 2}


def test_a_guarantee_below_lifts_the_queue_above():
    found = shares(
        12, claim("lab", 0), claim("solo", 20), claim("deep", 20, parent="lab", guarantee=9)
    )
    assert found == {"lab": 9, "solo": 3, "deep": 9}


def test_nothing_to_divide_and_nobody_to_divide_among():
    assert shares(0, claim("a", 3, guarantee=2)) == {"a": 0}
    assert tree_shares(share_tree({GPU: 8}, ())).shape == (0, 1)
    assert tree_shares(share_tree({}, (claim("a", 3),))).shape == (1, 0)


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ((claim("a", 1), claim("a", 1)), "same name"),
        ((claim("a", 1, parent="b"),), "no claim of the parent"),
        ((claim("a", 1, parent="b"), claim("b", 1, parent="a")), "own ancestor"),
        ((claim("a", 1, weight=0),), "weights"),
        ((claim("a", -1),), "amounts"),
        ((claim("a", LARGEST_SUM + 1),), "amounts"),
    ],
)
def test_claims_that_make_no_sense_are_refused(claims, told):
    with pytest.raises(ValueError, match=told):
        share_tree({GPU: 8}, claims)


@st.composite
def sibling_claims(draw, *, largest=60):
    total = draw(st.sampled_from([largest, 7, 2**53 + 1]))
    count = draw(st.integers(1, 6))
    amounts = st.integers(0, 2 * total)
    return total, [
        claim(
            f"q{index}",
            draw(amounts),
            weight=draw(st.sampled_from([1, 1, 2, 3, 7, 65_535])),
            guarantee=draw(st.integers(0, total // count)),
            limit=draw(st.one_of(st.none(), amounts)),
        )
        for index in range(count)
    ]


@settings(max_examples=150, deadline=None)
@given(sibling_claims())
def test_one_level_is_the_exact_water_level_in_whole_units(case):
    total, claims = case
    found = list(shares(total, *claims).values())
    most = [min(c.demand[GPU], c.limit.get(GPU, total), total) for c in claims]
    floors = [min(c.guarantee[GPU], top) for c, top in zip(claims, most, strict=True)]
    exact = exact_shares(total, [c.weight for c in claims], floors, most)
    assert sum(found) == min(total, sum(most)) == sum(exact)
    for have, want, floor, top in zip(found, exact, floors, most, strict=True):
        assert floor <= have <= top
        assert abs(have - want) < 1


@settings(max_examples=100, deadline=None)
@given(sibling_claims())
def test_agrees_with_the_filling_of_volcano_under_small_guarantees(case):
    """With every guarantee at most min(T * w / sum w, request), which is when Volcano's own filling is max-min."""
    total, claims = case
    weights = sum(one.weight for one in claims)
    tame = []
    for one in claims:
        limit = one.limit.get(GPU, total)
        floor = min(one.guarantee[GPU], total * one.weight // weights, one.demand[GPU], limit)
        tame.append(
            claim(one.name, one.demand[GPU], weight=one.weight, guarantee=floor, limit=limit)
        )
    volcano = water_filling(
        {GPU: total},
        [Claim(one.name, one.weight, one.demand, one.limit, one.guarantee) for one in tame],
    )
    for name, have in shares(total, *tame).items():
        assert abs(have - volcano[name][GPU]) < 1 + Fraction(total, 10**9)


@settings(max_examples=60, deadline=None)
@given(sibling_claims(largest=12), st.integers(1, 3))
def test_equals_the_best_of_all_ways_to_hold_queues_at_their_bounds(case, count):
    """Enumerates who is at its floor, at its ceiling or at the common level, and takes the fairest division."""
    total, claims = case[0], case[1][:count]
    most = [min(c.demand[GPU], c.limit.get(GPU, total), total) for c in claims]
    floors = [min(c.guarantee[GPU], top) for c, top in zip(claims, most, strict=True)]
    weights = [c.weight for c in claims]
    best: list[Fraction] = []
    division: list[Fraction] = []
    for sides in itertools.product(["floor", "top", "level"], repeat=len(claims)):
        fixed = sum(
            {"floor": low, "top": top, "level": 0}[side]
            for side, low, top in zip(sides, floors, most, strict=True)
        )
        shared = sum(w for w, side in zip(weights, sides, strict=True) if side == "level")
        level = Fraction(total - fixed, shared) if shared else Fraction(0)
        tried = [
            {"floor": Fraction(low), "top": Fraction(top), "level": w * level}[side]
            for side, low, top, w in zip(sides, floors, most, weights, strict=True)
        ]
        legal = all(a <= x <= b for a, x, b in zip(floors, tried, most, strict=True))
        if legal and sum(tried) <= total:
            levels = sorted(x / w for x, w in zip(tried, weights, strict=True))
            if not best or levels > best:
                best, division = levels, tried
    found = list(shares(total, *claims).values())
    assert all(abs(have - want) < 1 for have, want in zip(found, division, strict=True))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_trees_keep_their_sums_floors_and_ceilings(data):
    total = data.draw(st.integers(0, 100))
    claims = []
    for index in range(data.draw(st.integers(1, 9))):
        parent = data.draw(st.sampled_from(["", *(one.name for one in claims)]))
        claims.append(
            claim(
                f"q{index}",
                data.draw(st.integers(0, 60)),
                parent=parent,
                weight=data.draw(st.integers(1, 5)),
                guarantee=data.draw(st.integers(0, 8)),
                limit=data.draw(st.one_of(st.none(), st.integers(0, 80))),
            )
        )
    found = shares(total, *claims)
    for parent in ("", *(one.name for one in claims)):
        below = [one for one in claims if one.parent == parent]
        if below:
            have = total if parent == "" else found[parent]
            assert sum(found[one.name] for one in below) <= have
            if parent:
                assert sum(found[one.name] for one in below) == have
    for one in claims:
        assert 0 <= found[one.name] <= min(one.limit.get(GPU, total), total)


def test_every_resource_is_divided_on_its_own():
    claims = [
        ShareClaim("a", demand={GPU: 8, "cpu": 10}),
        ShareClaim("b", demand={GPU: 8, "cpu": 100}),
    ]
    tree = share_tree({GPU: 8, "cpu": 50}, claims)
    assert tree.resources == ("cpu", GPU)
    assert np.array_equal(tree_shares(tree), [[10, 4], [40, 4]])
