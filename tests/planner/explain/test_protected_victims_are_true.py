"""``protected_victims`` and ``lower_priority`` of plans with evictions, against the enumeration."""

from __future__ import annotations

import other_worlds as worlds
import pytest

from models.plan import GangEntry, PlanResult
from models.resources import Resources
from planner.problem.limits import Limits
from planner.testing.oracle.evictions import Evictions
from planner.testing.oracle.situation import Situation
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import RandomCase
from planner.usecases.planning import make_plan

BATCHES, PER_BATCH = 5, 12
ROOM = {"cluster_capacity", "fragmentation"}


class After:
    """What one plan leaves."""

    def __init__(self, case: RandomCase) -> None:
        self.case = case
        limits = Limits(time_limit_s=20, workers=1, deterministic=True)
        self.result: PlanResult = make_plan(case.snapshot, case.policy, limits, guard=False)
        pods = case.snapshot.pod_by_name
        self.placed: list[tuple[str, str, Resources]] = []
        self.gone = []
        for gang in self.result.gangs:
            for part in gang.pods:
                if part.action == "evict":
                    self.gone += [pods[name] for name in part.names]
                if part.action == "place":
                    self.placed += self._placed(gang, part.node or "", part.role, part)
        self.before = Situation(case.snapshot, case.policy)

    def _placed(self, gang: GangEntry, node: str, role: str, part: object) -> list[object]:
        pods, gangs = self.case.snapshot.pod_by_name, self.case.snapshot.gang_by_name
        names, count = part.names, part.count  # type: ignore[attr-defined]
        requests = [pods[name].spec.request for name in names]
        if count > len(names):
            template = gangs[gang.full_name].template(role)
            assert template is not None
            requests += [template.spec.request] * (count - len(names))
        return [(node, gang.queue, request) for request in requests]

    def emptied(self, name: str, *, limits: bool) -> bool:
        """Whether the gang fits beside the starts with every running pod but its own gone."""
        snapshot = self.case.snapshot
        others = [pod for pod in snapshot.pods if pod.running and pod.gang != name]
        alone = worlds.roomy(snapshot, self.placed)
        snapshot = alone if limits else worlds.without_limits(snapshot)
        situation = Situation(snapshot, self.case.policy, self.placed, others)
        return situation.can_start([name])

    def alone(self, name: str) -> bool:
        """Whether it could start without the plan, by legal evictions (undoing aside)."""
        evictions = Evictions(self.before)
        return evictions.may_start(frozenset({name}))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_protection_is_told_where_it_binds(batch: int) -> None:
    told = 0
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        after = After(evicting_case(seed, "tiny"))
        for gang in after.result.gangs:
            codes = {one.code for one in gang.reasons}
            if gang.decision != "wait" or not codes & (ROOM | {"quota"}):
                continue
            reasons = {one.code: one for one in gang.reasons}
            where = (after.case.name, gang.full_name, codes)
            if codes & ROOM and after.emptied(gang.full_name, limits=False):
                assert "protected_victims" in codes or "node_selection" in codes, where
            if (
                "protected_victims" not in codes
                or "protections" not in reasons["protected_victims"].data
            ):
                continue
            told += 1
            would_do = (codes & ROOM and after.emptied(gang.full_name, limits=False)) or (
                "quota" in codes and after.emptied(gang.full_name, limits=True)
            )
            assert would_do or not after.alone(gang.full_name), where
    assert told > 2


@pytest.mark.parametrize("batch", range(BATCHES))
def test_starts_are_blamed_where_they_bind(batch: int) -> None:
    for seed in range(100 + batch * PER_BATCH, 100 + (batch + 1) * PER_BATCH):
        after = After(evicting_case(seed, "tiny"))
        for gang in after.result.gangs:
            codes = {one.code for one in gang.reasons}
            if gang.decision != "wait" or not codes & (ROOM | {"quota"}) or not gang.startable:
                continue
            where = (after.case.name, gang.full_name, codes)
            if not after.placed:
                assert "lower_priority" not in codes, where
            elif "lower_priority" in codes and "protected_victims" in codes:
                name = gang.full_name
                assert after.alone(name) or not after.emptied(name, limits=False), where
            elif after.alone(gang.full_name):
                assert "lower_priority" in codes, where
