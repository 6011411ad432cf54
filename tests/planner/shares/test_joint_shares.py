from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.shares.closed_form import tree_shares
from planner.shares.joint import joint_shares
from planner.shares.tree import ShareClaim, share_tree

GPU = "nvidia.com/gpu"


def queue(name, demand, **changes):
    return ShareClaim(name, demand=demand, **changes)


def shares(total, *claims):
    tree = share_tree(total, claims)
    found = joint_shares(tree).shares
    return {
        name: dict(zip(tree.resources, row, strict=True))
        for name, row in zip(tree.names, found.tolist(), strict=True)
    }


def test_the_example_of_dominant_resource_fairness():
    """9 CPUs and 18 GB; tasks of (1 CPU, 4 GB) and (3 CPUs, 1 GB): three of the first run beside two of the second."""
    found = shares(
        {"cpu": 9000, "memory": 18_000},
        queue("a", {"cpu": 9000, "memory": 36_000}),
        queue("b", {"cpu": 27_000, "memory": 9000}),
    )
    assert found == {
        "a": {"cpu": 3000, "memory": 12_000},
        "b": {"cpu": 6000, "memory": 2000},
    }


def test_a_queue_that_is_bound_by_cpus_leaves_gpus_to_others():
    hungry = queue("hungry", {GPU: 16, "cpu": 160})
    slim = queue("slim", {GPU: 16, "cpu": 16})
    even = shares({GPU: 16, "cpu": 160}, hungry, slim)
    assert even == {"hungry": {GPU: 8, "cpu": 80}, "slim": {GPU: 8, "cpu": 8}}
    tight = shares({GPU: 16, "cpu": 40}, hungry, slim)
    assert tight == {"hungry": {GPU: 3, "cpu": 29}, "slim": {GPU: 11, "cpu": 11}}


def test_what_nobody_can_have_does_not_scale_the_rest_down():
    missing = shares({GPU: 8, "cpu": 100}, queue("a", {GPU: 4, "cpu": 40, "rdma/x": 5}))
    assert missing["a"] == {GPU: 4, "cpu": 40}
    none = shares({GPU: 8, "cpu": 100, "x": 0}, queue("a", {GPU: 4, "cpu": 40, "x": 1}))
    assert none["a"] == {GPU: 4, "cpu": 40, "x": 0}
    forbidden = shares(
        {GPU: 8, "cpu": 100},
        ShareClaim("lab", limit={GPU: 0}),
        queue("a", {GPU: 8, "cpu": 40}, parent="lab"),
    )
    assert forbidden["a"] == {GPU: 0, "cpu": 40}


def test_a_limit_scales_the_whole_mix():
    found = shares({GPU: 8, "cpu": 100}, queue("a", {GPU: 8, "cpu": 40}, limit={GPU: 2}))
    assert found["a"] == {GPU: 2, "cpu": 10}


def test_guarantees_hold_whatever_the_mix():
    found = shares(
        {GPU: 10, "cpu": 10},
        queue("a", {GPU: 10, "cpu": 10}, guarantee={GPU: 6}),
        queue("b", {GPU: 10, "cpu": 10}, weight=9),
    )
    assert found["a"][GPU] >= 6
    assert found["a"][GPU] + found["b"][GPU] <= 10


def test_nothing_asked_for_and_no_queue():
    assert shares({GPU: 4}, queue("a", {})) == {"a": {GPU: 0}}
    assert shares({GPU: 4}) == {}
    assert shares({}, queue("a", {GPU: 1})) == {"a": {}}


@st.composite
def trees(draw, *, names):
    total = {name: draw(st.sampled_from([60, 1000, 10**6])) for name in names}
    claims: list[ShareClaim] = []
    for index in range(draw(st.integers(1, 7))):
        amounts = {name: st.integers(0, amount) for name, amount in total.items()}
        claims.append(
            ShareClaim(
                f"q{index}",
                draw(st.sampled_from(["", *(one.name for one in claims)])),
                draw(st.integers(1, 5)),
                {name: draw(amounts[name]) // 8 for name in names},
                {name: draw(amounts[name]) for name in names if draw(st.booleans())},
                {name: draw(amounts[name]) for name in names},
            )
        )
    return share_tree(total, claims)


@settings(max_examples=60, deadline=None)
@given(trees(names=(GPU,)))
def test_the_programs_equal_the_closed_form_for_one_resource(tree):
    assert np.abs(joint_shares(tree).shares - tree_shares(tree)).max() <= 1


@settings(max_examples=60, deadline=None)
@given(trees(names=(GPU, "cpu")))
def test_sums_limits_and_totals_hold(tree):
    found = joint_shares(tree).shares
    assert (found >= 0).all()
    assert (found <= np.minimum(tree.limit, tree.total) + 1).all()
    assert (found[tree.parent < 0].sum(axis=0) <= tree.total).all()
    for node in np.flatnonzero(tree.inner):
        assert (found[tree.parent == node].sum(axis=0) == found[node]).all()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(1, 10), st.integers(0, 10)),
        min_size=1,
        max_size=3,
    ),
    st.integers(3, 12),
)
def test_no_division_on_a_grid_is_fairer(queues, cpus):
    """Every queue at k/12 of its demand, all combinations: none beats the sorted levels of the programs."""
    scale = 10**6
    total = {GPU: 10 * scale, "cpu": cpus * scale}
    claims = [
        queue(f"q{i}", {GPU: min(g, 10) * scale, "cpu": min(c, cpus) * scale}, weight=w)
        for i, (w, g, c) in enumerate(queues)
    ]
    found = shares(total, *claims)
    dominant = [max(one.demand[r] / total[r] for r in total) for one in claims]
    ours = sorted(max(found[one.name][r] / total[r] for r in total) / one.weight for one in claims)
    for grid in itertools.product(range(13), repeat=len(claims)):
        use = {
            r: sum(k * one.demand[r] for k, one in zip(grid, claims, strict=True)) for r in total
        }
        if all(use[r] <= 12 * total[r] for r in total):
            theirs = sorted(
                k / 12 * share / one.weight
                for k, share, one in zip(grid, dominant, claims, strict=True)
            )
            first = next((a - b for a, b in zip(theirs, ours, strict=True) if abs(a - b) > 1e-5), 0)
            assert first <= 0, (grid, theirs, ours)
