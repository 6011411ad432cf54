"""Required rules that are not modelled: the gang waits and the rule is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.readiness import Supply
from models.resources import Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import (
    Gang,
    NetworkTopology,
    Pod,
    PodAffinityTerm,
    PodSpec,
    RoleTemplate,
    SpreadConstraint,
    SubGroupPolicy,
)
from planner.prepare.unsupported import Repulsion, unsupported_rules
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import prepared_of

TERM = PodAffinityTerm("kubernetes.io/hostname", LabelSelector((("app", "train"),)))
HARD = NetworkTopology("hard", 1)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (PodSpec(pod_affinity=(TERM,)), "podAffinity"),
        (PodSpec(pod_anti_affinity=(TERM,)), "podAntiAffinity"),
        (PodSpec(spread=(SpreadConstraint("zone", 1),)), "topologySpreadConstraints"),
        (PodSpec(special_rules=("resourceClaims",)), "resourceClaims"),
    ],
)
def test_a_rule_of_the_pods_is_named(spec: PodSpec, name: str) -> None:
    supply = Supply("", spec, revocable=False)
    assert unsupported_rules(Gang("ml", "x"), [supply]) == (name,)


def test_a_hard_topology_is_modelled() -> None:
    own = Gang("ml", "x", topology=HARD)
    below = Gang("ml", "x", subgroups=(SubGroupPolicy(topology=HARD),))
    assert unsupported_rules(own, []) == unsupported_rules(below, []) == ()


@pytest.mark.parametrize(
    ("keys", "promised", "named"), [((), 2, True), ((), 0, False), (("part",), 2, False)]
)
def test_one_subgroup_of_pods_to_come_is_named(
    keys: tuple[str, ...], promised: int, named: bool
) -> None:
    policy = SubGroupPolicy(match_label_keys=keys, topology=HARD)
    template = RoleTemplate("worker", PodSpec(), 2)
    gang = Gang("ml", "x", subgroups=(policy,), templates=(template,))
    supply = Supply("worker", PodSpec(), revocable=False, promised=promised)
    assert bool(unsupported_rules(gang, [supply])) == named


def _running(term: PodAffinityTerm, **changes: object) -> Snapshot:
    spec = PodSpec(Resources({"cpu": 100}), pod_anti_affinity=(term,))
    pod = Pod("web", "w-0", spec, node="n1", phase="Running")
    return Snapshot(nodes=(gpu_node("n1"),), pods=(replace(pod, **changes),))  # type: ignore[arg-type]


def test_without_terms_nothing_is_repelled() -> None:
    assert not Repulsion(snapshot_of(gpu_node("n1"), work("x", 1)))


@pytest.mark.parametrize("gone", [{"phase": "Succeeded"}, {"node": None, "phase": "Pending"}])
def test_only_pods_that_hold_a_node_repel(gone: dict[str, object]) -> None:
    assert Repulsion(_running(TERM))
    assert not Repulsion(_running(TERM, **gone))
    assert Repulsion(_running(TERM, terminating=True))


def test_a_term_selects_labels_in_its_namespaces() -> None:
    marks = {"app": "train"}.items()
    own = Repulsion(_running(TERM))
    assert own.selects("web", marks)
    assert not own.selects("ml", marks)
    assert not own.selects("web", {"app": "eval"}.items())
    listed = Repulsion(_running(replace(TERM, namespaces=("ml",))))
    assert listed.selects("ml", marks)
    assert not listed.selects("web", marks)


def test_namespaces_chosen_by_label_may_be_any() -> None:
    open_term = replace(TERM, namespace_selector=LabelSelector((("team", "a"),)))
    assert Repulsion(_running(open_term)).selects("anywhere", {"app": "train"}.items())


def test_a_term_without_selector_selects_nothing() -> None:
    nobody = PodAffinityTerm("kubernetes.io/hostname")
    assert not Repulsion(_running(nobody)).selects("web", {"app": "train"}.items())


def test_a_repelled_gang_waits_as_unsupported_and_its_neighbour_does_not() -> None:
    one, two = work("x", 1), work("y", 1)
    marked = replace(one, pods=tuple(replace(pod, labels={"app": "train"}) for pod in one.pods))
    base = snapshot_of(gpu_node("n1"), gpu_queue("q"), marked, two)
    repelling = _running(replace(TERM, namespaces=("ml",))).pods
    prepared = prepared_of(replace(base, pods=(*base.pods, *repelling)))
    blocked = {case.gang.name: [one.code for one in case.blocked] for case in prepared.cases}
    assert blocked == {"x": ["unsupported"], "y": []}
