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


@pytest.mark.parametrize(
    ("topology", "binds"),
    [
        (HARD, True),
        (NetworkTopology("hard", None, "rack"), True),
        (NetworkTopology("soft", 1), False),
        (NetworkTopology("hard"), False),
    ],
)
def test_only_a_hard_topology_with_a_tier_binds(topology: NetworkTopology, binds: bool) -> None:
    own = Gang("ml", "x", topology=topology)
    below = Gang("ml", "x", subgroups=(SubGroupPolicy(topology=topology),))
    for gang in (own, below):
        assert unsupported_rules(gang, []) == (("networkTopology (hard)",) if binds else ())


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
