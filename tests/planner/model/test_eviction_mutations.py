"""Each rule on victims broken once in the model or the preparation: the verifier names it every time.

The mutated model is solved over single nodes and its solution written down as it is, without the checks and cuts that
would put it right again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from models.cluster import PodDisruptionBudget
from models.entries import gang_entries
from models.plan import PlanResult
from models.queues import Queue
from models.resources import CPU, Resources
from models.rules import RuleId
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.encode.victims import victims as victims_module
from planner.encode.victims.after_evictions import without
from planner.encode.victims.eviction_groups import EvictionGrouping
from planner.encode.victims.victims import possible_victims
from planner.model.build import build
from planner.problem.limits import Limits
from planner.reduce.choose_victims import choose_victims
from planner.reduce.disaggregate import assign_gangs, pack_groups
from planner.reduce.gang_classes import gang_classes
from planner.reduce.pod_placements import placements
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.presolve.startable import startable_demands
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.tiers import TierSearch
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan
from planner.verify.check import verify

TEAM = {"team": "blue"}


@dataclass(frozen=True)
class Case:
    """A cluster in which a model without the rule's rows evicts what it must not."""

    rule: RuleId
    parts: tuple[Any, ...]
    evict: tuple[str, ...]
    budgets: tuple[PodDisruptionBudget, ...] = ()
    keys: dict[str, Any] = field(default_factory=dict)

    @property
    def snapshot(self) -> Snapshot:
        return replace(snapshot_of(*self.parts), disruption_budgets=self.budgets)


def _labelled(one: Work) -> Work:
    return replace(one, pods=tuple(replace(pod, labels=TEAM) for pod in one.pods))


_GUARANTEED = Queue("lent", deserved=Resources({GPU: 0}), guarantee=Resources({CPU: 2000}))
"""Above what it deserves in GPUs, and guaranteed all its CPUs."""
_FULL = (gpu_node("n1", 2), gpu_queue("q"))
_LENT = tuple(work(f"job{i}", queue="lent", nodes=("n1",)) for i in range(2))
CASES = (
    Case(
        RuleId.VICTIM_CAUSE,
        (
            gpu_node("n1", 2),
            gpu_queue("lent", deserved=0),
            gpu_queue("poor", deserved=0),
            *_LENT,
            work("poor", queue="poor"),
        ),
        ("reclaim",),
    ),
    Case(
        RuleId.VICTIM_ENTITLEMENT,
        (
            gpu_node("n1", 2),
            gpu_queue("lent", deserved=2),
            gpu_queue("own", deserved=2),
            *_LENT,
            work("owner", queue="own"),
        ),
        ("reclaim",),
    ),
    Case(
        RuleId.GUARANTEE_KEPT,
        (
            gpu_node("n1", 2),
            _GUARANTEED,
            gpu_queue("own", deserved=2),
            *_LENT,
            work("owner", queue="own"),
        ),
        ("reclaim",),
    ),
    Case(
        RuleId.DISRUPTION_BUDGET,
        (*_FULL, _labelled(work("held", 2, nodes=("n1",) * 2)), work("urgent", 2, priority=5)),
        ("preempt",),
        (PodDisruptionBudget("ml", "one", LabelSelector(match_labels=(("team", "blue"),)), 1),),
        {"pdb": True},
    ),
)


def _gangs_of_model(case: Case, *, without_rule: bool) -> PlanResult:
    """The model's own solution as a plan, gangs only."""
    snapshot = case.snapshot
    policy = policy_for(snapshot, "capacity", evict=case.evict, **case.keys)
    prepared = prepare(snapshot, policy, exact_least)
    victims = possible_victims(prepared)
    if victims is None:
        return PlanResult(gangs=gang_entries(snapshot, ()))
    problem = prepared.problem
    startable = startable_demands(problem, exact_fit, victims)
    classes = gang_classes(problem, standings(prepared, startable, victims))
    groups = EvictionGrouping(problem, victims).singles()
    left_out = (case.rule,) if without_rule else ()
    built = build(problem, classes, groups, victims=victims, without=left_out)
    limits = SolveLimits(10.0, deterministic=True)
    found = TierSearch(built.model, built.tiers, CpSatBackend(), limits).run(None)
    assert found.values is not None
    placed = built.placed(found.values)
    chosen = choose_victims(problem, victims, groups, built.evicted(found.values), placed)
    after = without(problem, victims, chosen.names)
    packing = pack_groups(after, groups, placed, None)
    pods = built.pods(found.values)
    given = assign_gangs(after, classes, built.started(found.values), pods, packing)
    entries = gang_entries(snapshot, placements(problem, given), evicted=chosen.names)
    return PlanResult(gangs=entries)


def _broken(case: Case, *, without_rule: bool) -> set[str]:
    policy = policy_for(case.snapshot, "capacity", evict=case.evict, **case.keys)
    plan = _gangs_of_model(case, without_rule=without_rule)
    found = {one.rule for one in verify(case.snapshot, policy, plan).violations}
    return found - {RuleId.DOCUMENT}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.rule))
def test_with_all_rows_the_victims_are_legal(case: Case) -> None:
    assert _broken(case, without_rule=False) == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.rule))
def test_without_the_rows_the_verifier_names_the_rule(case: Case) -> None:
    assert case.rule in _broken(case, without_rule=True)


def _plan(snapshot: Snapshot, **keys: Any) -> PlanResult:
    policy = policy_for(snapshot, "capacity", **keys)
    return make_plan(snapshot, policy, Limits(time_limit_s=10), guard=False)


def _named(snapshot: Snapshot, result: PlanResult, **keys: Any) -> Iterator[str]:
    policy = policy_for(snapshot, "capacity", **keys)
    for one in verify(snapshot, policy, PlanResult(gangs=result.gangs)).violations:
        if one.rule != RuleId.DOCUMENT:
            yield one.rule


def test_a_preparation_that_protects_nobody_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    held = work("held", 1, nodes=("n1",))
    marked = replace(
        held,
        pods=tuple(
            replace(pod, annotations={**pod.annotations, "volcano.sh/preemptable": "false"})
            for pod in held.pods
        ),
    )
    snapshot = snapshot_of(gpu_node("n1", 1), gpu_queue("q"), marked, work("urgent", priority=5))
    case = Case(RuleId.VICTIM_PROTECTED, (*snapshot.nodes, *snapshot.queues, marked), ())
    assert _plan(snapshot, evict=("preempt",)).summary.pods_evicted == 0
    monkeypatch.setattr(victims_module, "why_protected", lambda *_: "")
    wrong = replace(case, parts=(*case.parts, work("urgent", priority=5)), evict=("preempt",))
    assert _broken(wrong, without_rule=False) == {RuleId.VICTIM_PROTECTED}


def test_evictions_without_permission_are_noticed() -> None:
    parts = (*_FULL, work("held", 2, nodes=("n1",) * 2), work("urgent", 2, priority=5))
    snapshot = snapshot_of(*parts)
    allowed = _plan(snapshot, evict=("preempt",))
    assert allowed.summary.pods_evicted == 2
    assert set(_named(snapshot, allowed)) == {RuleId.NO_EVICTION}
