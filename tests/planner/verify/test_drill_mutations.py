"""A drill that is right passes; with a single fault it names the rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from models.cluster import PodDisruptionBudget
from models.drill import DrillResult, Need
from models.drill_rules import SENTENCES, DrillRule
from models.effective import EffectivePolicy, resolve_policy
from models.plan import Part
from models.policy import Policy
from models.resources import Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from planner.drill.use_case import drill_question, make_drill
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GPU
from planner.verify.drill import DRILL_CHECKS, verify_drill

Change = Callable[[DrillResult], DrillResult]
Edit = Callable[[Snapshot], Snapshot]
NOW = "2026-11-01T12:00:00Z"


def graced(one: Work, seconds: int) -> Work:
    pods = tuple(
        replace(p, spec=replace(p.spec, grace_seconds=seconds), started="2026-11-01T11:00:00Z")
        for p in one.pods
    )
    return Work(one.gang, pods)


def world() -> Snapshot:
    """n1: an elastic gang of 8; n2: a gang of two pods of 4; n3: 4 free, 4 of a slow gang, n4: chat itself."""
    return snapshot_of(
        *(gpu_node(f"n{n}") for n in (1, 2, 3, 4)),
        gpu_queue("chat", deserved=40, capability=40),
        gpu_queue("batch", deserved=2),
        graced(work("elastic", 8, 1, minimum=4, queue="batch", nodes=("n1",) * 8), 5),
        graced(work("pair", 2, 4, queue="batch", nodes=("n2",) * 2), 9),
        graced(work("slow", 1, 4, queue="batch", nodes=("n3",)), 60),
        work("chat", 2, 2, queue="chat", nodes=("n4",) * 2),
    )


@pytest.fixture(scope="module")
def policy() -> EffectivePolicy:
    return resolve_policy(world(), Policy(now=NOW))


@pytest.fixture(scope="module")
def good(policy: EffectivePolicy) -> DrillResult:
    asked = drill_question([Need(service="chat", gpus=20)], deadline_seconds=30, policy=policy)
    limits = Limits(deterministic=True, workers=1)
    return make_drill(world(), policy, asked, limits, changes=False)


def broken(snapshot: Snapshot, policy: EffectivePolicy, result: DrillResult) -> set[str]:
    return {one.rule for one in verify_drill(snapshot, policy, result).violations}


def test_every_rule_has_a_check_and_a_sentence() -> None:
    assert set(DRILL_CHECKS) == set(DrillRule) == set(SENTENCES)


def test_the_drill_is_right(policy: EffectivePolicy, good: DrillResult) -> None:
    assert broken(world(), policy, good) == set()
    assert {(one.gang, one.decision) for one in good.gangs} == {
        ("ml/elastic", "shrink"),
        ("ml/pair", "evict"),
    }
    assert good.summary.in_time


def part(field: str, place: int, **fields: object) -> Change:
    """One entry of a list with other fields."""

    def change(result: DrillResult) -> DrillResult:
        entries: list[Part] = list(getattr(result, field))
        entries[place] = entries[place].model_copy(update=fields)
        return result.model_copy(update={field: tuple(entries)})

    return change


def without(field: str, place: int) -> Change:
    def change(result: DrillResult) -> DrillResult:
        entries = list(getattr(result, field))
        del entries[place]
        return result.model_copy(update={field: tuple(entries)})

    return change


def summary(**fields: object) -> Change:
    return lambda result: result.model_copy(
        update={"summary": result.summary.model_copy(update=fields)}
    )


def leaver_of(gang: str, result: DrillResult) -> int:
    return next(n for n, one in enumerate(result.leaving) if one.gang == gang)


def half_a_pair(result: DrillResult) -> DrillResult:
    return without("leaving", leaver_of("ml/pair", result))(result)


def swapped(result: DrillResult) -> DrillResult:
    entries = list(reversed(result.leaving))
    return result.model_copy(update={"leaving": tuple(entries)})


def twice(result: DrillResult) -> DrillResult:
    return result.model_copy(update={"leaving": (*result.leaving, result.leaving[0])})


def tier(result: DrillResult) -> DrillResult:
    tiers = list(result.certificate.tiers)
    tiers[0] = tiers[0].model_copy(update={"value": tiers[0].value + 2})
    certificate = result.certificate.model_copy(update={"tiers": tuple(tiers)})
    return result.model_copy(update={"certificate": certificate})


FAULTS: dict[str, tuple[DrillRule, Change]] = {
    "another need": (DrillRule.NEED, part("needs", 0, service="batch")),
    "another number of GPUs": (DrillRule.NEED, part("needs", 0, gpus=18)),
    "pods too many": (DrillRule.NEED, part("needs", 0, pods=11)),
    "a lighter pod": (DrillRule.NEED, part("needs", 0, request=Resources({GPU: 2}))),
    "a pattern of somebody else": (DrillRule.NEED, part("needs", 0, pattern="ml/pair-0")),
    "outside the queues": (DrillRule.NEED, part("needs", 0, queue="")),
    "a pod that is not there": (DrillRule.LEAVER, part("leaving", 0, pod="ml/ghost")),
    "twice": (DrillRule.LEAVER, twice),
    "the wrong node": (DrillRule.LEAVER, part("leaving", 0, node="n4")),
    "the wrong GPUs": (DrillRule.LEAVER, part("leaving", 0, gpus=2)),
    "a pod of its own": (DrillRule.PROTECTED, part("leaving", 0, pod="ml/chat-0")),
    "half a gang": (DrillRule.GANG, half_a_pair),
    "too early": (DrillRule.TIME, part("leaving", 0, second=5)),
    "a shorter grace": (DrillRule.TIME, part("leaving", 0, grace_seconds=4)),
    "late called in time": (DrillRule.TIME, part("leaving", 0, in_time=False)),
    "out of order": (DrillRule.TIME, swapped),
    "a node that is not there": (DrillRule.NODE, part("places", 0, node="n9")),
    "no such need": (DrillRule.NODE, part("places", 0, need=1)),
    "a pod more than fits": (DrillRule.ROOM, part("places", 0, pods=5)),
    "room before it is free": (DrillRule.ROOM, part("places", -1, second=0)),
    "one leaver too many": (DrillRule.NEEDED, without("places", -1)),
    "GPUs in time": (DrillRule.FIGURES, summary(gpus_in_time=22)),
    "last second": (DrillRule.FIGURES, summary(last_second=1)),
    "a bound below what is reached": (DrillRule.FIGURES, summary(gpus_most_in_time=18)),
    "lost work": (DrillRule.FIGURES, summary(lost_gpu_seconds=0)),
    "a leaver's lost work": (DrillRule.FIGURES, part("leaving", 0, lost_gpu_seconds=1)),
    "a gang's decision": (DrillRule.FIGURES, part("gangs", 0, decision="shrink", pods_left=1)),
    "a gang left out": (DrillRule.FIGURES, without("gangs", 0)),
    "a need's GPUs": (DrillRule.FIGURES, part("needs", 0, gpus_back=18)),
    "the curve": (DrillRule.FIGURES, part("curve", -1, gpus_planned=0)),
    "a holder's GPUs": (DrillRule.FIGURES, part("holders", 0, gpus=3)),
    "a holder left out": (DrillRule.FIGURES, without("holders", 0)),
    "a holder on no node": (DrillRule.FIGURES, part("holders", 0, nodes=("n9",))),
    "a cause's GPUs": (DrillRule.FIGURES, part("causes", 0, gpus=3)),
    "a tier": (DrillRule.FIGURES, tier),
    "budgets do not count": (
        DrillRule.FIGURES,
        lambda result: result.model_copy(update={"budgets": False}),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_single_fault_is_named(name: str, policy: EffectivePolicy, good: DrillResult) -> None:
    rule, change = FAULTS[name]
    assert rule in broken(world(), policy, change(good))


def queue(name: str, **fields: object) -> Edit:
    def edit(snapshot: Snapshot) -> Snapshot:
        queues = tuple(
            replace(one, **fields) if one.name == name else one  # type: ignore[arg-type]
            for one in snapshot.queues
        )
        return replace(snapshot, queues=queues)

    return edit


def pods(gang: str, **fields: object) -> Edit:
    def edit(snapshot: Snapshot) -> Snapshot:
        changed = tuple(
            replace(pod, **fields) if pod.gang == gang else pod  # type: ignore[arg-type]
            for pod in snapshot.pods
        )
        return replace(snapshot, pods=changed)

    return edit


def critical(snapshot: Snapshot) -> Snapshot:
    changed = tuple(
        replace(pod, spec=replace(pod.spec, priority_class_name="system-node-critical"))
        if pod.gang == "ml/pair"
        else pod
        for pod in snapshot.pods
    )
    return replace(snapshot, pods=changed)


def budget(snapshot: Snapshot) -> Snapshot:
    everything = PodDisruptionBudget("ml", "all", LabelSelector(), 2)
    return replace(snapshot, disruption_budgets=(everything,))


def closed(snapshot: Snapshot) -> Snapshot:
    nodes = tuple(replace(n, unschedulable=n.name == "n2") for n in snapshot.nodes)
    return replace(snapshot, nodes=nodes)


WORLDS: dict[str, tuple[DrillRule, Edit]] = {
    "marked": (
        DrillRule.PROTECTED,
        pods("ml/pair", annotations={"volcano.sh/preemptable": "false"}),
    ),
    "system class": (DrillRule.PROTECTED, critical),
    "not reclaimable": (DrillRule.PROTECTED, queue("batch", reclaimable=False)),
    "terminating already": (DrillRule.LEAVER, pods("ml/pair", terminating=True)),
    "a budget": (DrillRule.BUDGET, budget),
    "deserved": (DrillRule.SHARE, queue("batch", deserved=Resources({GPU: 19}))),
    "guarantee": (DrillRule.SHARE, queue("batch", guarantee=Resources({GPU: 16}))),
    "capability": (DrillRule.QUEUE_LIMIT, queue("chat", capability=Resources({GPU: 23}))),
    "a cordon": (DrillRule.NODE, closed),
    "a closed queue": (DrillRule.NODE, queue("chat", state="Closed")),
}


@pytest.mark.parametrize("name", WORLDS)
def test_the_same_drill_in_a_stricter_world_is_wrong(
    name: str, policy: EffectivePolicy, good: DrillResult
) -> None:
    rule, edit = WORLDS[name]
    assert rule in broken(edit(world()), policy, good)


@pytest.mark.parametrize(
    "edit",
    [
        queue("batch", deserved=Resources({GPU: 7})),
        queue("batch", guarantee=Resources({GPU: 8})),
        queue("chat", capability=Resources({GPU: 24})),
    ],
)
def test_the_nearest_legal_world_is_fine(
    edit: Edit, policy: EffectivePolicy, good: DrillResult
) -> None:
    assert broken(edit(world()), policy, good) == set()
