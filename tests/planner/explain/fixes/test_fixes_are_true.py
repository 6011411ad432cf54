"""Every fix that a plan shows is applied to the snapshot; then the gang must fit beside the plan's own pods."""

from __future__ import annotations

from collections import Counter

import pytest

from models.edits.apply import apply_edits
from models.edits.catalogue import edit_from
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.testing.oracle.situation import Situation
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import RandomCase, random_case
from planner.usecases.planning import make_plan

BATCHES, PER_BATCH = 8, 10
LIMITS = Limits(time_limit_s=20, workers=1, deterministic=True)


def beside(case: RandomCase, result: PlanResult) -> tuple[list[object], set[str]]:
    """What the plan places as (node, queue, request), and the pods that it evicts."""
    pods, placed, gone = case.snapshot.pod_by_name, [], set()
    for gang in result.gangs:
        for part in gang.pods:
            if part.action == "evict":
                gone.update(part.names)
            if part.action == "place":
                requests = [pods[name].spec.request for name in part.names]
                template = case.snapshot.gang_by_name[gang.full_name].template(part.role)
                promised = part.count - len(requests)
                requests += [template.spec.request] * promised if template else []
                placed += [(part.node, gang.queue, request) for request in requests]
    return placed, gone


def check(case: RandomCase, told: Counter[str]) -> None:
    result = make_plan(case.snapshot, case.policy, LIMITS, guard=False)
    placed, gone = beside(case, result)
    for group in result.waiting:
        for fix in group.fixes:
            assert fix.basis == "beside this plan"
            edits = [edit_from(dict(one)) for one in fix.edits]
            edited = apply_edits(case.snapshot, case.policy, edits)
            left = [pod for pod in edited.snapshot.pods if pod.full_name in gone]
            situation = Situation(edited.snapshot, edited.policy, placed, left)
            name = group.gangs[0]
            assert situation.can_start([name]), (case.name, name, fix.kind, fix.text)
            told[fix.kind] += 1


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_gang_fits_after_the_fix(batch: int) -> None:
    told: Counter[str] = Counter()
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        check(random_case(seed, "crowded") if seed % 2 else random_case(seed), told)
    assert sum(told.values()) > 5


@pytest.mark.parametrize("batch", range(4))
def test_the_gang_fits_after_the_fix_beside_evictions(batch: int) -> None:
    told: Counter[str] = Counter()
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        check(evicting_case(seed, "tiny"), told)
    assert sum(told.values()) > 2
