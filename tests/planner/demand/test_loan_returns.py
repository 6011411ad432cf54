from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.horizon import Horizon
from models.lending import DemandCurve, LendingLimits, PoolLending
from planner.demand.curve import ServiceCurve
from planner.demand.grace import grace_advice, grace_gains, lendable_table
from planner.demand.lending import drain_from, lending_limits, percent_text
from planner.demand.occupants import Occupant, cheapest_leavers
from planner.demand.returns import return_proof, surge_demand, worst_return
from planner.demand.rules import LendingRules

EDGES = (0, 300, 600, 900, 4500)
RULES = LendingRules()


def _curve(name, owned, held, surge):
    return ServiceCurve(name, "history", owned, held, held, surge)


def _limits(**changes):
    plain = LendingLimits(
        edges=EDGES,
        pools=(
            PoolLending(
                pool="a100",
                owned_gpus=20,
                lendable_gpus=(10, 14, 14, 4),
                slow_gpus=(6, 8, 8, 2),
                leave_by=(None, None, 899, None),
            ),
        ),
        demand=(
            DemandCurve(
                service="s",
                pool="a100",
                forecast=(8, 4, 4, 14),
                held=(10, 6, 6, 16),
                upper=(14, 12, 12, 18),
            ),
        ),
    )
    return plain.model_copy(update=changes)


def test_limits_add_services_and_split_them_over_pools():
    found = lending_limits(
        [
            _curve("s", 10, (4, 2, 2, 9), (6, 5, 5, 10)),
            _curve("t", 7, (1, 1, 1, 7), (2, 2, 2, 7)),
        ],
        {"s": {"a100": 6, "h100": 3}, "t": {"a100": 0}},
        Horizon(EDGES),
        RULES,
    )
    a100, h100 = found.pools
    assert (a100.owned_gpus, h100.owned_gpus) == (7 + 7, 3)
    assert sum(found.pools[i].lendable_gpus[1] for i in (0, 1)) == 17 - 3
    for pool in found.pools:
        curves = [one for one in found.demand if one.pool == pool.pool]
        for bucket in range(4):
            held = sum(one.held[bucket] for one in curves)
            assert pool.lendable_gpus[bucket] == pool.owned_gpus - held
            assert 0 <= pool.slow_gpus[bucket] <= pool.lendable_gpus[bucket]
        assert (
            pool.leave_by[2] == 899
        )  # before the peak of the last bucket, a second of overhead earlier
        assert pool.leave_by[3] is None
    assert found.service_level == "95%"
    assert (found.deadline_s, found.overhead_s, found.maximal_grace_s) == (30, 1, 29)


def test_draining_starts_a_grace_period_before():
    assert drain_from(899, 30) == 869
    assert percent_text(0.995) == "99.5%"


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 9), st.booleans()), max_size=7),
    st.integers(0, 20),
)
@settings(deadline=None, max_examples=150)
def test_the_cheapest_leavers_are_the_cheapest(gangs, wanted):
    inside = [
        Occupant(f"ns/g{place}", gpus, 10 if quick else 40, lost)
        for place, (gpus, lost, quick) in enumerate(gangs)
    ]
    found = cheapest_leavers(inside, wanted, maximal_grace_s=29)
    able = [one for one in inside if one.grace_s <= 29]
    assert set(found) <= set(able)
    assert len(set(found)) == len(found)
    if sum(one.gpus for one in able) <= wanted:
        assert set(found) == (set(able) if wanted else set())
        return
    assert sum(one.gpus for one in found) >= wanted
    best = min(
        (sum(one.lost_gpu_seconds for one in some), sum(one.gpus for one in some))
        for size in range(len(able) + 1)
        for some in combinations(able, size)
        if sum(one.gpus for one in some) >= wanted
    )
    cost = sum(one.lost_gpu_seconds for one in found), sum(one.gpus for one in found)
    assert cost == best


def test_proof_of_a_met_and_an_unmet_surge():
    quick, slow = Occupant("ml/quick", 6, 20, 100), Occupant("ml/slow", 4, 30, 1)
    fixed = Occupant("ml/fixed", 1, 0, 0, evictable=False)
    proof = return_proof(_limits(), "a100", [[quick, slow], [quick, slow], [], [slow, fixed]])
    met = proof[0]
    assert (met.lent_gpus, met.returnable_gpus, met.surge_gpus) == (10, 6, 4)
    assert (met.back_after_s, met.slack_s, met.short_gpus) == (21, 9, 0)
    assert met.leavers == (("ml/quick", 6),)
    assert met.lost_gpu_seconds == 100
    assert proof[1].surge_gpus == 2
    assert (proof[2].lent_gpus, proof[2].surge_gpus, proof[2].slack_s) == (0, 0, 30)
    unmet = proof[3]
    assert (unmet.lent_gpus, unmet.returnable_gpus, unmet.surge_gpus) == (5, 0, 3)
    assert (unmet.back_after_s, unmet.slack_s, unmet.short_gpus) == (None, None, 3)
    assert worst_return(proof) is unmet
    assert worst_return(proof[:3]) is met
    assert worst_return(proof[2:3]) is None


def test_the_planned_return_is_in_the_proof():
    quick = Occupant("ml/quick", 12, 20)
    proof = return_proof(_limits(), "a100", [[], [], [quick], []])
    assert (proof[2].drain_by, proof[2].drain_gpus) == (899, 8)
    assert proof[0].drain_by is None


def test_proof_refuses_what_does_not_match():
    with pytest.raises(ValueError, match="no limits"):
        return_proof(_limits(), "h100", [[]] * 4)
    with pytest.raises(ValueError, match="3 buckets"):
        return_proof(_limits(), "a100", [[]] * 3)


def test_loans_within_the_limits_are_always_returnable():
    """Quick pods fill all that is lendable and slow ones their limit: the surge is met in every bucket."""
    limits = _limits()
    (pool,) = limits.pools
    inside = [
        [Occupant("ml/slow", slow, 300), *(Occupant(f"ml/q{n}", 1, 29) for n in range(all_ - slow))]
        for all_, slow in zip(pool.lendable_gpus, pool.slow_gpus, strict=True)
    ]
    proof = return_proof(limits, "a100", inside)
    assert all(
        one.short_gpus == 0 and one.slack_s is not None and one.slack_s >= 0 for one in proof
    )
    assert surge_demand(limits, "a100") == (14, 12, 12, 18)


def test_the_table_of_deadlines_and_graces():
    table = {(one.deadline_s, one.grace_s): one for one in lendable_table(_limits())}
    assert len(table) == 9
    assert not table[30, 30].in_time
    assert table[30, 15].in_time
    assert table[60, 30].in_time
    assert (table[30, 30].least, table[30, 30].most) == (2, 8)
    assert (table[30, 15].least, table[30, 15].most) == (4, 14)
    assert table[30, 15].gpu_seconds == 300 * (10 + 14 + 14) + 3600 * 4


def test_whose_shorter_grace_buys_most():
    big, small = Occupant("ml/big", 8, 60), Occupant("ml/small", 2, 60)
    quick, fixed = Occupant("ml/quick", 1, 5), Occupant("ml/fixed", 8, 60, evictable=False)
    gains = grace_gains(_limits(), "a100", [[small], [small], [], []], [big, quick, fixed])
    assert [one.gang for one in gains] == ["ml/big", "ml/small"]
    # Only pods that leave in time may use lendable less slow: 4, 6, 6 and 2 GPUs.
    assert gains[0].gpu_seconds == 300 * (4 + 6 + 6) + 3600 * 2
    assert gains[1].gpu_seconds == 300 * (2 + 2 + 2) + 3600 * 2
    assert gains[0].wanted_grace_s == 29
    assert grace_gains(_limits(), "h100", []) == ()


def test_the_default_grace_is_too_long_for_the_default_deadline():
    advice = grace_advice(_limits())
    assert "none of them is returnable in time" in advice
    assert "terminationGracePeriodSeconds of batch pods to 29 or less" in advice
    assert grace_advice(_limits(deadline_s=31, maximal_grace_s=30)) == ""
    assert "at least 5" in grace_advice(_limits(deadline_s=3, overhead_s=5, maximal_grace_s=-2))
