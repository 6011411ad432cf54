"""Random cases with evictions are reproducible, valid and varied enough to be worth planning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.resources import PODS, total_of
from planner.testing.random_evictions import MARK, evicting_case
from planner.testing.random_snapshots import QUEUE_MODELS, RandomCase

CASES = [evicting_case(seed) for seed in range(150)]


@pytest.mark.parametrize("model", QUEUE_MODELS)
def test_a_seed_always_gives_the_same_case(model: str) -> None:
    first, again = (evicting_case(7, queue_model=model) for _ in range(2))
    assert first.snapshot == again.snapshot
    assert first.policy == again.policy
    assert first.snapshot != evicting_case(8, queue_model=model).snapshot


def test_no_node_holds_more_than_it_has() -> None:
    for case in CASES:
        for name, pods in case.snapshot.pods_by_node.items():
            held = total_of(pod.spec.request for pod in pods).plus({PODS: len(pods)})
            room = case.snapshot.node_by_name[name].allocatable
            assert all(amount <= room.amount(one) for one, amount in held.items())


_WANTED: dict[str, Callable[[RandomCase], bool]] = {
    "preempt alone": lambda case: case.policy.evict == ("preempt",),
    "reclaim alone": lambda case: case.policy.evict == ("reclaim",),
    "both": lambda case: len(case.policy.evict) == 2,
    "pdb": lambda case: case.policy.pdb,
    "ancestor_reclaim_level": lambda case: case.policy.policy.ancestor_reclaim_level > 0,
    "checkpoints": lambda case: bool(case.policy.policy.checkpoint),
    "another order of harm": lambda case: case.policy.policy.harm[0] != "gangs",
    "a pod marked unpreemptable": lambda case: any(
        not pod.preemptable and pod.running for pod in case.snapshot.pods
    ),
    "a mark that says true": lambda case: any(
        {**pod.labels, **pod.annotations}.get(MARK) == "true" for pod in case.snapshot.pods
    ),
    "a gang that never preempts": lambda case: any(
        pod.pending and pod.spec.preemption_policy == "Never" for pod in case.snapshot.pods
    ),
    "a running job that restarts as a whole": lambda case: any(
        gang.restarts_on_eviction and sum(pod.running for pod in case.snapshot.pods_of(gang)) > 1
        for gang in case.snapshot.gangs
    ),
    "a queue that is not reclaimable": lambda case: any(
        not queue.reclaimable for queue in case.snapshot.queues
    ),
    "an unknown start": lambda case: any(
        pod.running and pod.gang and not pod.started for pod in case.snapshot.pods
    ),
    "an exhausted budget": lambda case: any(
        one.disruptions_allowed == 0 for one in case.snapshot.disruption_budgets
    ),
}


@pytest.mark.parametrize("feature", _WANTED)
def test_every_feature_appears(feature: str) -> None:
    assert any(_WANTED[feature](case) for case in CASES)
