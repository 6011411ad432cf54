"""The lexicographically best tier vector of the default objective, by enumeration."""

from __future__ import annotations

from collections.abc import Iterable

from models.effective import EffectivePolicy
from models.resources import Resources
from models.snapshot import Snapshot
from planner.testing.oracle.evictions import Evictions
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.oracle.tail_tiers import tail_values, tail_with_evictions


def best_vector(snapshot: Snapshot, policy: EffectivePolicy) -> dict[str, int]:
    """Tier name to value of the best plan, highest tier first.

    Start tiers are listed for every class and rank that a startable gang has; ``elastic`` (pods) and ``packing``
    (GPUs) always. With evictions the harm tiers come between, in the policy's order; ``lost_work`` in GPU-seconds.
    """
    situation = Situation(snapshot, policy)
    tiers = StartTiers(situation)
    if policy.evict:
        evictions = Evictions(situation)
        harm, choices = evictions.best_choices(tiers)
        tail = tail_with_evictions(evictions, choices)
        return {**tiers.values(choices[0].started), **harm, **tail}
    tied = tiers.best_sets()
    return {**tiers.values(tied[0]), **tail_values(situation, tied)}


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
