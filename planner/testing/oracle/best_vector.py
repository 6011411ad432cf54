"""The lexicographically best tier vector of the default objective, by enumeration."""

from __future__ import annotations

from collections.abc import Iterable

from models.effective import EffectivePolicy
from models.resources import Resources
from models.snapshot import Snapshot
from planner.testing.oracle.elastic_tiers import ElasticTiers
from planner.testing.oracle.evictions import Evictions
from planner.testing.oracle.situation import Delivery, Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.oracle.tail_tiers import tail_values, tail_with_evictions


def best_vector(snapshot: Snapshot, policy: EffectivePolicy) -> dict[str, int]:
    """Tier name to value of the best plan, highest tier first.

    Start tiers are listed for every class and rank that a startable gang has, elastic pods for every rank, ``packing``
    (GPUs) always. With evictions the harm tiers come between, in the policy's order; ``lost_work`` in GPU-seconds.
    """
    situation = Situation(snapshot, policy)
    tiers = StartTiers(situation)
    if policy.evict:
        evictions = Evictions(situation)
        values, choices = evictions.best_choices(tiers)
        return {**values, **tail_with_evictions(evictions, choices)}
    values, deliveries = best_deliveries(situation, tiers)
    return {**values, **tail_values(situation, deliveries)}


def best_deliveries(
    situation: Situation, tiers: StartTiers
) -> tuple[dict[str, int], list[Delivery]]:
    """Values of the tiers of classes and ranks without evictions, and every delivery that has them."""
    elastic = ElasticTiers(situation, tiers)
    for tied in elastic.in_order(situation.startable_sets()):
        found = [
            delivery
            for one in tied
            for delivery in elastic.deliveries(one)
            if situation.packs(delivery)
        ]
        if found:
            return elastic.values(tied[0]), found
    message = "nothing at all is not a plan"
    raise AssertionError(message)


def best_sets(situation: Situation) -> list[frozenset[str]]:
    """Every set of gangs that starts in a best plan without evictions."""
    _, deliveries = best_deliveries(situation, StartTiers(situation))
    return sorted(
        {frozenset(one.keys() & situation.startable.keys()) for one in deliveries}, key=sorted
    )


def feasible(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    started: Iterable[str],
    *,
    keep_fixed: Iterable[tuple[str, str, Resources]] = (),
) -> bool:
    """Whether some correct plan starts all these waiting gangs beside everything that runs.

    Parameters
    ----------
    keep_fixed
        Placements that stay as they are: (node, queue, request of the pod).
    """
    return Situation(snapshot, policy, keep_fixed).can_start(list(started))
