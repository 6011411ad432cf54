"""Each rule broken once in the formulation or the preparation: the verifier notices every time.

The mutated model is solved over single nodes and its solution written down as it is, without the packing and filling
that would put it right again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from models.cluster import Node
from models.host_ports import HostPort
from models.plan import PlanResult
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.resources import Resources
from models.rules import RuleId
from models.selectors import LabelSelector, Taint
from models.snapshot import Snapshot
from planner.documents.assemble import assemble
from planner.encode import demands, predicates, prepared, queue_limits
from planner.encode.eligibility import standings
from planner.encode.pod_rules import even, near, ports
from planner.model.build import BuiltModel, build
from planner.model.rows import CONSTRAINTS
from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment, assign_gangs, pack_groups
from planner.reduce.gang_classes import gang_classes
from planner.reduce.node_groups import Grouping
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.outcome import Outcome
from planner.search.stages.presolve.startable import startable_demands
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.tiers import TierSearch
from planner.testing.by_hand import (
    Work,
    gpu_node,
    gpu_queue,
    leaf,
    shares,
    snapshot_of,
    together,
    work,
)
from planner.testing.gangs_by_hand import rings, roles
from planner.testing.problems import policy_of, prepared_of
from planner.testing.random_nodes import GPU
from planner.verify.check import verify


def _plan(snapshot: Snapshot, *without: RuleId, **policy: Any) -> PlanResult:
    """The plan of a model without some rows, as the model has it."""
    made = prepared_of(snapshot, **policy)
    placed_in = standings(made, startable_demands(made.problem, exact_fit))
    classes = gang_classes(made.problem, placed_in)
    built = build(made.problem, classes, Grouping(made.problem).singles(), without=without)
    limits = SolveLimits(10.0, deterministic=True)
    found = TierSearch(built.model, built.tiers, CpSatBackend(), limits).run(None)
    assert found.values is not None
    return assemble(
        made,
        Outcome(_written_down(built, found.values), found.tiers, 0, 0, 1),
        placed_in,
        reasons={},
        findings=(),
        limits=Limits(),
        baseline=None,
        reproducible=True,
        gang_classes=len(classes),
    )


def _broken_rules(snapshot: Snapshot, *without: RuleId, **policy: Any) -> set[str]:
    """Rules that the verifier finds broken, the document itself aside."""
    gangs = PlanResult(gangs=_plan(snapshot, *without, **policy).gangs)
    broken = {one.rule for one in verify(snapshot, policy_of(snapshot, **policy), gangs).violations}
    return broken - {RuleId.DOCUMENT}


def _written_down(built: BuiltModel, values: tuple[int, ...]) -> Assignment:
    """Pods as the solution has them; a class's pods beyond what its gangs have go to its first gang."""
    spots: dict[int, list[int]] = {}
    for group, shapes in built.placed(values).items():
        for shape, count in shapes.items():
            node = built.form.groups[group].nodes[0]
            spots.setdefault(shape, []).extend([node] * count)
    found: dict[int, dict[int, list[tuple[int, int]]]] = {}
    if built.shares(values):  # the columns of domains tell who is where
        groups = built.form.groups
        packing = pack_groups(built.form.problem, groups, built.placed(values), None)
        rows = (built.form.classes, built.started(values), built.pods(values), packing)
        return assign_gangs(built.form.problem, *rows, built.shares(values))
    for one, started, pods in zip(
        built.form.classes, built.started(values), built.pods(values), strict=True
    ):
        gangs = one.demands[: max(started, 1)]
        for i, item in enumerate(one.example.items):
            left = pods[i]
            for place, gang in enumerate(gangs):
                last = place == len(gangs) - 1
                take = left if last else min(left, item.count)
                left -= take
                nodes = [
                    spots[item.shape].pop()
                    for _ in range(min(take, len(spots.get(item.shape, ()))))
                ]
                if nodes:
                    found.setdefault(gang, {})[i] = [(node, 1) for node in nodes]
    return Assignment(found)


def _apart(one: Work, app: str = "x") -> Work:
    term = PodAffinityTerm("kubernetes.io/hostname", LabelSelector((("app", "x"),)))
    spec = replace(one.pods[0].spec, pod_anti_affinity=(term,))
    return replace(
        one, pods=tuple(replace(pod, spec=spec, labels={"app": app}) for pod in one.pods)
    )


def _on_ports(one: Work, *ports: int) -> Work:
    spec = replace(one.pods[0].spec, host_ports=tuple(map(HostPort, ports)))
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


def _labelled(one: Work) -> Work:
    return replace(one, pods=tuple(replace(pod, labels={"app": "x"}) for pod in one.pods))


def _let_in(one: Work, gpus: int) -> Work:
    """A PodGroup that waits for admission with so many GPUs in minResources; 16 of the cluster admit 19."""
    least = Resources({GPU: gpus})
    return replace(one, gang=replace(one.gang, phase="Pending", min_resources=least))


@dataclass(frozen=True)
class Case:
    """A snapshot on which a model without the rule's rows goes wrong, and the rule that the verifier then names."""

    rule: RuleId
    parts: tuple[Any, ...]
    gpus: int = 8
    cpu_milli: int = 64000
    policy: Mapping[str, Any] = field(default_factory=dict)

    @property
    def snapshot(self) -> Snapshot:
        return snapshot_of(gpu_node("n1", self.gpus, cpu_milli=self.cpu_milli), *self.parts, _AWAY)


_OPEN = gpu_queue("q")
_EITHER = roles("x", 4, a=(3, 1, 1), b=(3, 1, 1))
"""Ready with any four pods that hold one of each role."""
_AWAY = replace(gpu_node("n9", 8), unschedulable=True)
"""Counts for limits, takes no pod."""
ROWS = (
    Case(RuleId.NODE_CAPACITY, (_OPEN, work("x", 2, 0), work("y", 1, 1)), cpu_milli=2000),
    Case(RuleId.CARD_PACKING, (_OPEN, shares("x", 2, 600), shares("y", 1, 500)), 2),
    Case(RuleId.GANG_READY, (_OPEN, _EITHER, work("y", 2, 1, priority=1)), 5),
    Case(
        RuleId.POD_SUPPLY,
        (_OPEN, *(roles(name, 4, a=(3, 2, 1), b=(2, 1, 1)) for name in ("x", "y"))),
        7,
    ),
    Case(
        RuleId.ROLE_MINIMUM,
        (_OPEN, *(roles(name, 4, head=(2, 1, 4), worker=(4, 2, 1)) for name in ("x", "y"))),
        10,
    ),
    Case(RuleId.SUBGROUP_COMPLETE, (_OPEN, rings("x", sizes=(2, 2), size=2, least=1)), 3),
    Case(
        RuleId.QUEUE_LIMIT,
        (gpu_queue("q", capability=4), work("x", 1, 3), work("y", 1, 2, priority=1)),
    ),
    Case(
        RuleId.ADMISSION,
        (_OPEN, _let_in(work("x", 2, 1), 11), _let_in(work("y", 2, 1), 10)),
        policy={"admission": "live"},
    ),
    Case(RuleId.POD_ANTI_AFFINITY, (_OPEN, _apart(work("x", 1, 2)), _apart(work("y", 1, 1), "z"))),
    Case(
        RuleId.HARD_TOPOLOGY,
        (
            _OPEN,
            *(gpu_node(f"m{i}") for i in range(5)),
            leaf("a", "n1", "m0", "m1"),
            leaf("b", "m2", "m3", "m4"),
            *(together(work(name, 2, 8)) for name in "xyz"),
        ),
    ),
)


@pytest.mark.parametrize("case", ROWS, ids=lambda case: str(case.rule))
def test_with_all_rows_the_plan_is_right(case: Case) -> None:
    assert _broken_rules(case.snapshot, **case.policy) == set()


@pytest.mark.parametrize("case", ROWS, ids=lambda case: str(case.rule))
def test_without_the_rows_the_verifier_names_the_rule(case: Case) -> None:
    assert case.rule in _broken_rules(case.snapshot, case.rule, **case.policy)


def test_without_the_balance_pods_are_started_that_no_node_holds() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 3), _AWAY, _OPEN, work("x", 3, 1), work("y", 3, 1, priority=1)
    )
    assert _broken_rules(snapshot) == set()
    assert _claims(snapshot) == set()
    # Both are started, and no pod is anywhere.
    assert _claims(snapshot, RuleId.POD_PLACEABLE) >= {"tier/rest.1.gangs", "tier/rest.2.gangs"}


def _claims(snapshot: Snapshot, *without: RuleId) -> set[str]:
    """Tiers whose value the verifier recomputes to another one."""
    violations = verify(snapshot, policy_of(snapshot), _plan(snapshot, *without)).violations
    return {one.object for one in violations if "recomputed" in one.message}


def _near(one: Work) -> Work:
    term = PodAffinityTerm("kubernetes.io/hostname", LabelSelector((("app", "x"),)))
    spec = replace(one.pods[0].spec, pod_affinity=(term,))
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


def _in_zone(name: str, gpus: int) -> Node:
    return replace(gpu_node(name, gpus), labels={"zone": name})


def _spread(one: Work, counted: LabelSelector = LabelSelector((("app", "x"),))) -> Work:
    rule = SpreadConstraint("zone", 1, counted)
    spec = replace(one.pods[0].spec, spread=(rule,))
    return replace(
        one, pods=tuple(replace(pod, spec=spec, labels={"app": "x"}) for pod in one.pods)
    )


def _asking(one: Work) -> Work:
    marks = {"gangplan.io/domain-request": "disk=4"}
    return replace(one, pods=tuple(replace(pod, annotations=marks) for pod in one.pods))


def _gated(one: Work) -> Work:
    pods = tuple(
        replace(pod, spec=replace(pod.spec, scheduling_gates=("wait.example/quota",)))
        for pod in one.pods
    )
    return replace(one, pods=pods)


def _ungated(original: Callable[..., Any]) -> Callable[..., Any]:
    def supply(gang: Any, pods: Any, names: Any) -> Any:
        free = [replace(pod, spec=replace(pod.spec, scheduling_gates=())) for pod in pods]
        return original(gang, free, names)

    return supply


def _tied(one: Work) -> Work:
    spec = replace(one.pods[0].spec, special_rules=("resourceClaims",))
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


@dataclass(frozen=True)
class Careless:
    """A preparation that overlooks a rule, and a snapshot on which that matters."""

    rule: RuleId
    parts: tuple[Any, ...]
    owner: Any
    name: str
    value: Any
    policy: Mapping[str, Any] = field(default_factory=dict)


PREPARATIONS = (
    Careless(
        RuleId.NODE_PREDICATES,
        (replace(gpu_node("n1"), taints=(Taint("team", "NoSchedule"),)), _OPEN, work("x", 1)),
        predicates.Predicates,
        "why_closed",
        lambda self, profile, node: "",
    ),
    Careless(
        RuleId.QUEUE_OPEN,
        (gpu_node("n1"), replace(_OPEN, state="Closed"), work("x", 1)),
        queue_limits.QueueLimits,
        "closed_because",
        lambda self, name: "",
    ),
    Careless(
        RuleId.UNSUPPORTED_WAITS,
        (gpu_node("n1"), _OPEN, _tied(work("x", 1))),
        demands,
        "unsupported_rules",
        lambda gang, supplies: (),
    ),
    Careless(
        RuleId.POD_AFFINITY,
        (gpu_node("n1"), _OPEN, _near(work("x", 1))),
        near.Near,
        "_set",
        lambda self, index: None,
    ),
    Careless(
        RuleId.TOPOLOGY_SPREAD,
        (*(_in_zone(f"n{i}", 8 - 7 * i) for i in range(2)), _OPEN, _spread(work("x", 4))),
        even.Evenly,
        "_set",
        lambda self, rule, owners, evicts: None,
    ),
    Careless(
        RuleId.TOPOLOGY_SPREAD,
        (
            *(_in_zone(f"n{i}", 8 - 7 * i) for i in range(2)),
            _OPEN,
            _spread(work("x", 2), LabelSelector()),
            work("y", 4),
        ),
        even.Evenly,
        "_count",
        lambda self, *rule: None,
    ),
    Careless(
        RuleId.POD_ANTI_AFFINITY,
        (gpu_node("n1"), _OPEN, _apart(work("x", 1), app="z"), _labelled(work("y", 1))),
        even.Evenly,
        "keep_apart",
        lambda self, *rule: None,
    ),
    Careless(
        RuleId.HOST_PORTS,
        (gpu_node("n1"), _OPEN, _on_ports(work("x", 1), 22), _on_ports(work("y", 1), 22)),
        ports.Ports,
        "_meet",
        lambda self, users: False,
    ),
    Careless(
        RuleId.DOMAIN_RESOURCES,
        (gpu_node("n1"), _OPEN, _asking(work("x", 1))),
        prepared,
        "domain_rooms",
        lambda ruled, shared, specs: (),
        {"domain_resources": {"disk": {"per": "cluster", "capacity": 3}}},
    ),
    Careless(
        RuleId.POD_PLACEABLE,
        (gpu_node("n1"), _OPEN, _gated(work("x", 1))),
        demands,
        "pod_supply",
        _ungated(demands.pod_supply),
    ),
)


@pytest.mark.parametrize("case", PREPARATIONS, ids=lambda case: str(case.rule))
def test_a_careless_preparation_is_caught(case: Careless, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(*case.parts)
    assert _broken_rules(snapshot, **case.policy) == set()
    monkeypatch.setattr(case.owner, case.name, case.value)
    assert case.rule in _broken_rules(snapshot, **case.policy)


def test_every_rule_of_the_model_is_broken_once() -> None:
    assert {case.rule for case in (*ROWS, *PREPARATIONS)} == set(CONSTRAINTS)
