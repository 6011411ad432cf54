"""All passes of a plan with evictions share one limit, and what was found before the last one is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import planner.usecases.planning as planning
from models.cluster import Node
from models.effective import resolve_policy
from models.findings import NoPlanInTimeError
from models.policy import parse_policy
from models.queues import Queue
from models.resources import CPU, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.problem.limits import Limits
from planner.search.find_plan import FIRST_SHARE
from planner.search.guarded_search import GuardedSearch
from planner.search.outcome import Outcome
from planner.testing.by_hand import Work, snapshot_of, work
from planner.testing.random_nodes import GPU

LIMIT = 20.0


def _each_could_reclaim_from_the_other() -> Snapshot:
    """Deserved (4, 4) each: a gang of (5, 3) runs, one of (4, 5) waits."""
    queues = tuple(Queue(name, deserved=Resources({GPU: 4, CPU: 4000})) for name in ("a", "b"))
    amounts = Resources({GPU: 8, CPU: 8000, PODS: 110})
    one = _asking(work("one", queue="a", nodes=("n1",)), gpus=5, cpus=3)
    two = _asking(work("two", queue="b"), gpus=4, cpus=5)
    return snapshot_of(Node("n1", amounts, amounts), *queues, one, two)


def _asking(one: Work, *, gpus: int, cpus: int) -> Work:
    spec = PodSpec(request=Resources({GPU: gpus, CPU: 1000 * cpus}), scheduler_name="volcano")
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


class Searches:
    """The limits of all searches of a plan; the second one ends without a plan where that is wanted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, fails: bool = False) -> None:
        self.limits: list[float] = []

        class Told(GuardedSearch):
            def run(told, *, guard: bool) -> tuple[Outcome, bool]:
                self.limits.append(told.settings.limits.time_limit_s)
                if fails and len(self.limits) > 1:
                    raise NoPlanInTimeError("no plan in time")
                return super().run(guard=guard)

        monkeypatch.setattr(planning, "GuardedSearch", Told)

    def plan(self, **limits: Any) -> dict[str, str]:
        """Gang to what the plan does with it."""
        snapshot = _each_could_reclaim_from_the_other()
        policy = resolve_policy(snapshot, parse_policy({"evict": ["reclaim"]}, source="test"))
        chosen = Limits(time_limit_s=LIMIT, **limits)
        made = planning.make_plan(snapshot, policy, chosen, guard=False, fixes=False)
        assert not made.verification.violations
        return {entry.name: entry.decision for entry in made.gangs}


@pytest.mark.parametrize("deterministic", [False, True])
def test_a_search_after_a_cut_has_time_of_its_own_within_the_limit(
    monkeypatch: pytest.MonkeyPatch, deterministic: bool
) -> None:
    searches = Searches(monkeypatch)
    assert searches.plan(deterministic=deterministic) == {"one": "keep", "two": "wait"}
    first, *others = searches.limits
    assert 0.5 * FIRST_SHARE * LIMIT < first <= FIRST_SHARE * LIMIT
    assert others
    assert LIMIT >= others[0] > (1 - FIRST_SHARE) * first
    assert others == sorted(others, reverse=True)


def test_a_further_search_without_a_plan_leaves_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches = Searches(monkeypatch, fails=True)
    assert searches.plan() == {"one": "keep", "two": "wait"}
    assert len(searches.limits) == 2
