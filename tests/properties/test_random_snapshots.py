"""Random snapshots are reproducible, valid and varied enough to be worth planning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from models.resources import PODS, total_of
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.testing.random_nodes import ZONE_LABEL
from planner.testing.random_snapshots import QUEUE_MODELS, random_case, random_snapshot

SNAPSHOTS = [random_snapshot(seed, "tiny", model) for seed in range(100) for model in QUEUE_MODELS]


@pytest.mark.parametrize("size", ["tiny", "small"])
@pytest.mark.parametrize("model", QUEUE_MODELS)
def test_a_seed_always_gives_the_same_snapshot(size: str, model: str) -> None:
    assert random_snapshot(5, size, model) == random_snapshot(5, size, model)
    assert random_snapshot(5, size, model) != random_snapshot(6, size, model)


def test_the_sizes_are_kept() -> None:
    for snapshot in SNAPSHOTS:
        assert 1 <= len(snapshot.nodes) <= 4
    for seed in range(5):
        small = random_snapshot(seed, "small")
        assert 10 <= len(small.nodes) <= 30
        assert 20 <= len(small.gangs) <= 61


def test_no_node_holds_more_than_it_has() -> None:
    for snapshot in [*SNAPSHOTS, *(random_snapshot(seed, "small") for seed in range(5))]:
        for name, pods in snapshot.pods_by_node.items():
            held = total_of(pod.spec.request for pod in pods).plus({PODS: len(pods)})
            room = snapshot.node_by_name[name].allocatable
            assert all(amount <= room.amount(one) for one, amount in held.items())


def test_objects_refer_to_each_other_and_are_sorted() -> None:
    for snapshot in SNAPSHOTS:
        names = [gang.full_name for gang in snapshot.gangs]
        assert names == sorted(names)
        assert len(set(names)) == len(names)
        assert all(gang.queue in snapshot.queue_by_name for gang in snapshot.gangs)
        assert all(not pod.gang or pod.gang in names for pod in snapshot.pods)
        for gang in snapshot.gangs:
            created = Counter(pod.role for pod in snapshot.pods_of(gang))
            assert all(created[one.role] <= one.replicas for one in gang.templates)


_WANTED: dict[str, Callable[[Snapshot, Gang], bool]] = {
    "roles that bind": lambda _, gang: bool(gang.role_minimum) and gang.roles_bind,
    "roles that do not bind": lambda _, gang: bool(gang.role_minimum) and not gang.roles_bind,
    "subgroups": lambda _, gang: bool(gang.subgroups),
    "minimum of zero": lambda _, gang: gang.min_member == 0,
    "a job without pods": lambda snapshot, gang: gang.kind == "Job" and not snapshot.pods_of(gang),
    "a job with some pods": lambda snapshot, gang: (
        0 < len(snapshot.pods_of(gang)) < sum(one.replicas for one in gang.templates)
    ),
    "a lump": lambda _, gang: gang.min_resources is not None,
    "part of a gang runs": lambda snapshot, gang: (
        0 < sum(pod.running for pod in snapshot.pods_of(gang)) < gang.min_member
    ),
    "elastic pods wait": lambda snapshot, gang: (
        sum(pod.running for pod in snapshot.pods_of(gang)) >= max(gang.min_member, 1)
        and any(pod.pending for pod in snapshot.pods_of(gang))
    ),
    "succeeded pods": lambda snapshot, gang: any(
        pod.phase == "Succeeded" for pod in snapshot.pods_of(gang)
    ),
    "gated pods": lambda snapshot, gang: any(
        pod.spec.scheduling_gates for pod in snapshot.pods_of(gang)
    ),
    "terminating pods": lambda snapshot, gang: any(
        pod.terminating for pod in snapshot.pods_of(gang)
    ),
    "an implicit gang": lambda _, gang: gang.kind == "implicit",
    "a waiting time": lambda _, gang: bool(gang.annotations),
    "a hard topology": lambda _, gang: gang.topology is not None and gang.topology.binds,
    "a pod for lent nodes": lambda snapshot, gang: any(
        ZONE_LABEL in pod.annotations for pod in snapshot.pods_of(gang)
    ),
    "a closed queue": lambda snapshot, gang: snapshot.queue_by_name[gang.queue].state == "Closed",
}


@pytest.mark.parametrize("feature", _WANTED)
def test_every_feature_appears(feature: str) -> None:
    wanted = _WANTED[feature]
    assert any(wanted(snapshot, gang) for snapshot in SNAPSHOTS for gang in snapshot.gangs)


def test_every_policy_appears() -> None:
    policies = [random_case(seed).policy for seed in range(60)]
    assert {policy.queue_model for policy in policies} == {"capacity", "proportion"}
    assert any(policy.hierarchy for policy in policies)
    assert any(policy.sla for policy in policies)
    assert any(policy.nodegroup for policy in policies)
    assert any(policy.policy.revocable_zones for policy in policies)
    assert any(policy.policy.priority_scope == "cluster" for policy in policies)
    assert any(policy.policy.objective == "throughput" for policy in policies)
