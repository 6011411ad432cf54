"""Required rules that are not modelled: the gang waits and the rule is named."""

from __future__ import annotations

import pytest

from models.host_ports import HostPort
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.readiness import Supply
from models.selectors import LabelSelector
from models.workloads import Gang, NetworkTopology, PodSpec, RoleTemplate, SubGroupPolicy
from planner.encode.unsupported import unsupported_rules

TERM = PodAffinityTerm("kubernetes.io/hostname", LabelSelector((("app", "train"),)))
HARD = NetworkTopology("hard", 1)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (PodSpec(pod_affinity=(TERM,)), "podAffinity"),
        (PodSpec(pod_anti_affinity=(TERM,)), "podAntiAffinity"),
        (PodSpec(spread=(SpreadConstraint("zone", 1),)), "topologySpreadConstraints"),
        (PodSpec(host_ports=(HostPort(22),)), "hostPort"),
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
