"""Facts read from the conformance snapshots are those of the independent checker."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from models.readers import read_snapshot

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared"
CASES = sorted((SHARED / "cases" / "volcano").glob("*.snapshot.yaml"))
TOOLS = SHARED / "tools"


def checker_snapshot(path: Path) -> Any:
    if str(TOOLS) not in sys.path:
        sys.path.append(str(TOOLS))
    loading, model = (importlib.import_module(f"casecheck.{name}") for name in ("loading", "model"))
    return model.Snapshot(loading.read_objects(path))


@pytest.mark.skipif(
    not CASES or not TOOLS.exists(), reason="conformance cases are not beside the repository"
)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_same_facts_as_the_checker(path: Path) -> None:
    mine, theirs = read_snapshot([path]), checker_snapshot(path)
    assert {node.name: node.allocatable.as_dict() for node in mine.nodes} == {
        node.name: node.allocatable for node in theirs.nodes.values()
    }
    assert {pod.full_name: pod_facts(pod) for pod in mine.pods} == {
        pod.name: their_pod_facts(pod) for pod in theirs.pods.values()
    }
    assert {frozenset(gang.aliases): gang_facts(gang) for gang in mine.gangs} == {
        frozenset(gang.names): their_gang_facts(gang) for gang in theirs.gangs
    }
    assert {queue.name: queue_facts(queue) for queue in mine.queues} == {
        queue.name: their_queue_facts(queue) for queue in theirs.queues.values()
    }
    assert not mine.findings


def state_of(pod: Any) -> Any:
    flags = (pod.terminating, pod.running, pod.pending, pod.preemptable)
    return pod.node, pod.phase, pod.role, flags


def pod_facts(pod: Any) -> Any:
    spec = pod.spec
    state = state_of(pod)
    wants = (
        spec.request.as_dict(),
        dict(spec.node_selector),
        len(spec.node_affinity or ()),
        spec.scheduler_name,
    )
    return state, wants, spec.priority, pod.gang


def their_pod_facts(pod: Any) -> Any:
    spec = pod.spec
    state = state_of(pod)
    wants = (spec.request, spec.node_selector, len(spec.node_terms or ()), spec.scheduler)
    return state, wants, spec.priority, pod.gang.name if pod.gang else ""


def gang_facts(gang: Any) -> Any:
    topology = gang.topology
    return (
        gang.full_name,
        gang.queue,
        gang.min_member,
        dict(gang.role_minimum),
        [(one.size, one.min_subgroups, list(one.match_label_keys)) for one in gang.subgroups],
        gang.priority,
        gang.created,
        topology.highest_tier_allowed if topology and topology.binds else None,
        {one.role: (one.replicas, one.spec.request.as_dict()) for one in gang.templates},
    )


def their_gang_facts(gang: Any) -> Any:
    topology = gang.topologies.get("")
    return (
        gang.name,
        gang.queue,
        gang.minimum,
        gang.role_minimum,
        [(one.size, one.minimum, one.keys) for one in gang.subgroups],
        gang.priority,
        gang.created,
        topology.tier if topology else None,
        {role: (one.count, one.spec.request) for role, one in gang.templates.items()},
    )


def queue_facts(queue: Any) -> Any:
    amounts = (queue.capability.as_dict(), queue.deserved.as_dict(), queue.guarantee.as_dict())
    return (
        queue.parent_name,
        queue.weight,
        amounts,
        queue.reclaimable,
        queue.state,
        queue.node_groups is not None,
    )


def their_queue_facts(queue: Any) -> Any:
    amounts = (queue.capability, queue.deserved, queue.guarantee)
    return (
        queue.parent,
        queue.weight,
        amounts,
        queue.reclaimable,
        queue.state,
        queue.node_groups is not None,
    )
