"""The verifier accepts a schedule as it was made, and rejects it with any single fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from models.moments import local_text
from models.plan import PlanResult
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from models.rules import RuleId
from models.schedule_rules import SENTENCES, ScheduleRule
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import GPU, cluster, hours, lending, node, running, waiting
from planner.verify.check import verify
from planner.verify.timed.check import SCHEDULE_CHECKS

SAVED = {"gangplan.io/checkpoint-interval": "30m", "gangplan.io/restart-cost": "5m"}
Document = dict[str, Any]


def _world():
    queues = (
        Queue("q", deserved=Resources({GPU: 8}), capability=Resources({GPU: 16})),
        Queue("r", capability=Resources({GPU: 8})),
    )
    gangs = (
        waiting("now", 4, "1h"),
        waiting("split", 8, "3h", queue="r", marks=SAVED),
        waiting("due", 4, "1h", marks={"gangplan.io/deadline": "2026-09-16T00:00:00Z"}),
        waiting("later", 4, "2h", marks={"gangplan.io/earliest-start": "2026-09-15T22:00:00Z"}),
        waiting("never", 64, "1h"),
    )
    runs = (running("run", 4, "2h", "n0"),)
    return cluster((node("n0"), node("l0", pool="l")), gangs, runs, queues)


@pytest.fixture(scope="module")
def made() -> tuple[Any, Any, Document]:
    snapshot, policy = _world()
    limits = lending(hours(6), "l", 8, (8, 8, 0, 0, 8, 8))
    options = ScheduleOptions(
        horizon_s=6 * 3600,
        bucket_s=3600,
        exact_buckets=1,
        limits=Limits(time_limit_s=20, workers=1, deterministic=True),
    )
    result = make_schedule(snapshot, policy, limits, options, guard=False)
    document = json.loads(result.model_dump_json(by_alias=True))
    document["verification"] = None
    return snapshot, policy, document


def _gang(document: Document, name: str) -> Document:
    return next(g for g in document["schedule"]["gangs"] if g["name"] == name)


def _pool(document: Document, name: str) -> Document:
    return next(p for p in document["schedule"]["pools"] if p["name"] == name)


def _shift(document: Document, name: str, by: int) -> None:
    for run in _gang(document, name)["runs"]:
        run["startBucket"] += by
        run["endBucket"] += by


def _set(name: str, key: str, value: Any) -> Callable[[Document], None]:
    return lambda document: _gang(document, name).update({key: value})


def _tier(document: Document, name: str, by: int) -> None:
    tier = next(t for t in document["certificate"]["tiers"] if t["name"].endswith(name))
    tier["value"] += by
    tier["bound"] = tier["value"]
    tier["gap"] = 0.0


def _line(pool: str, key: str, bucket: int, by: int) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        _pool(document, pool)[key][bucket] += by

    return change


MUTATIONS: dict[str, Callable[[Document], Any]] = {
    "starts before its earliest start": lambda d: _shift(d, "later", -1),
    "starts later than it says": lambda d: _shift(d, "due", 1),
    "ends too early": lambda d: _gang(d, "now")["runs"][0].update(endBucket=0),
    "holds longer than its work": lambda d: _gang(d, "now")["runs"][-1].update(endBucket=6),
    "running gang leaves without a need": lambda d: _gang(d, "run")["runs"][0].update(endBucket=3),
    "fewer GPUs in a run": lambda d: _gang(d, "now")["runs"][0].update(gpus=2),
    "fewer GPUs": _set("now", "gpus", 2),
    "smaller requests": _set("now", "requests", {GPU: 1}),
    "more work": _set("now", "workGpuSeconds", 10**6),
    "less lost": _set("split", "lostGpuSeconds", 0),
    "no delay": _set("later", "delayS", 77),
    "other rank": _set("now", "rank", 9),
    "shorter grace": _set("now", "graceS", 1),
    "unknown pool": lambda d: _gang(d, "now")["runs"][0].update(pool="moon"),
    "waits with a run": _set("now", "status", "waits"),
    "missing gang": lambda d: d["schedule"]["gangs"].remove(_gang(d, "run")),
    "gang twice": lambda d: d["schedule"]["gangs"].append(_gang(d, "now")),
    "gang of nowhere": _set("never", "name", "nobody"),
    "other now": lambda d: d["schedule"]["edges"].__setitem__(0, d["schedule"]["edges"][0] + 60),
    "edges that do not ascend": lambda d: d["schedule"]["edges"].reverse(),
    "more capacity": _line("p", "capacity", 3, 8),
    "less used": _line("p", "used", 0, -1),
    "less lent": _line("l", "lent", 0, -1),
    "own GPUs that are lent": _line("l", "own", 0, 8),
    "no loan": lambda d: d["schedule"].update(loans=[]),
    "smaller loan": lambda d: d["schedule"]["loans"][0].update(gpus=1),
    "loan back too late": lambda d: d["schedule"]["loans"][0].update(
        returnedBy="2027-01-01T00:00:00Z"
    ),
    "lends more than it has": lambda d: d["schedule"]["lending"]["pools"][0].update(
        lendableGpus=[9, 9, 9, 9, 9, 9]
    ),
    "lends nothing": lambda d: d["schedule"]["lending"]["pools"][0].update(
        lendableGpus=[0] * 6, slowGpus=[0] * 6
    ),
    "no place for a service": lambda d: d["schedule"].update(servicePlaces=[]),
    "two services in one place": lambda d: d["schedule"]["servicePlaces"].extend(
        d["schedule"]["servicePlaces"]
    ),
    "limits of other buckets": lambda d: d["schedule"]["lending"]["edges"].append(9),
    "better work tier": lambda d: _tier(d, "gpu_hours", 60),
    "better delay tier": lambda d: _tier(d, "delay", -60),
    "no start kept": _set("later", "previousStartBucket", 1),
    "unknown tier": lambda d: d["certificate"]["tiers"][0].update(name="glory"),
    "bound on the wrong side": lambda d: d["certificate"]["tiers"][1].update(bound=0, gap=0.5),
    "now in the schedule only": lambda d: next(
        g for g in d["gangs"] if g["decision"] == "start"
    ).update(decision="wait", pods=[], podsAfter=0),
}


_OF = {
    ScheduleRule.RUNS: (
        "starts before its earliest start",
        "starts later than it says",
        "ends too early",
        "holds longer than its work",
        "running gang leaves without a need",
        "fewer GPUs in a run",
        "fewer GPUs",
        "more work",
        "less lost",
        "shorter grace",
        "unknown pool",
        "waits with a run",
    ),
    ScheduleRule.READY: ("smaller requests",),
    ScheduleRule.DELAY: ("no delay",),
    ScheduleRule.RANK: ("other rank",),
    ScheduleRule.GANGS: ("missing gang", "gang twice", "gang of nowhere"),
    ScheduleRule.GRID: ("other now", "edges that do not ascend"),
    ScheduleRule.ROOM: (
        "more capacity",
        "less used",
        "less lent",
        "own GPUs that are lent",
        "lends nothing",
    ),
    ScheduleRule.SERVICES: ("no place for a service",),
    ScheduleRule.NODES: ("two services in one place",),
    ScheduleRule.LOANS: ("no loan", "smaller loan", "loan back too late"),
    ScheduleRule.LENDING: ("lends more than it has", "limits of other buckets"),
    ScheduleRule.TIERS: ("better work tier", "better delay tier", "unknown tier", "no start kept"),
    ScheduleRule.FIRST_BUCKET: ("now in the schedule only",),
    RuleId.DOCUMENT: ("bound on the wrong side",),
}
RULES = {name: rule.value for rule, names in _OF.items() for name in names}
ALONGSIDE: dict[str, tuple[str, ...]] = {
    "schedule_delay": ("schedule_tiers",),
    "schedule_room": ("schedule_services",),
    "schedule_rank": ("schedule_tiers",),
    "schedule_grid": ("schedule_lending", "schedule_runs"),
    "schedule_first_bucket": ("document",),
}
"""What the same fault breaks too."""


def _violations(made: tuple[Any, Any, Document], document: Document) -> list[str]:
    snapshot, policy, _ = made
    found = verify(snapshot, policy, PlanResult.model_validate(document))
    return [f"{one.rule} {one.object}: {one.message}" for one in found.violations]


def test_the_schedule_as_it_was_made_is_accepted(made) -> None:
    document = json.loads(json.dumps(made[2]))
    assert _violations(made, document) == []
    assert {g["name"] for g in document["schedule"]["gangs"] if g["status"] == "starts"} == {
        "now",
        "split",
        "due",
        "later",
    }
    assert len(_gang(document, "split")["runs"]) == 2


@pytest.mark.parametrize("name", list(MUTATIONS))
def test_a_single_fault_is_rejected(made, name: str) -> None:
    document = json.loads(json.dumps(made[2]))
    MUTATIONS[name](document)
    rules = {told.split()[0] for told in _violations(made, document)}
    assert RULES[name] in rules
    assert rules <= {RULES[name], *ALONGSIDE.get(RULES[name], ())}


def test_every_rule_of_a_schedule_is_broken_by_some_fault() -> None:
    assert set(RULES) == set(MUTATIONS)
    by_world = {ScheduleRule.QUEUE_LIMIT, ScheduleRule.RESOURCES, ScheduleRule.RESERVATIONS}
    assert {*_OF, *by_world} == {*ScheduleRule, RuleId.DOCUMENT}
    assert set(SENTENCES) == set(ScheduleRule) == set(SCHEDULE_CHECKS)


def test_a_schedule_beyond_a_queue_limit_is_rejected(made) -> None:
    snapshot, policy, document = made
    less = replace(snapshot.queues[1], capability=Resources({GPU: 7}))
    changed = replace(snapshot, queues=(snapshot.queues[0], less))
    assert "schedule_queue_limit" in _rules((changed, policy, document))


def test_a_schedule_beyond_the_memory_of_a_pool_is_rejected(made) -> None:
    snapshot, policy, document = made
    document = json.loads(json.dumps(document))
    requests = _gang(document, "later")["requests"]
    requests["memory"] = 10**18
    assert "schedule_resources" in _rules((snapshot, policy, document))


def test_a_schedule_in_a_reservation_of_another_queue_is_rejected(made) -> None:
    snapshot, policy, document = made
    first, *_, last = document["schedule"]["edges"]
    start, end = (local_text(second, "UTC") for second in (first, last))
    kept = Policy.model_validate(
        {"reservations": [{"pool": "p", "gpus": 8, "queue": "r", "from": start, "to": end}]}
    )
    changed = replace(
        policy, policy=policy.policy.model_copy(update={"reservations": kept.reservations})
    )
    assert "schedule_reservations" in _rules((snapshot, changed, document))


def _rules(world: tuple[Any, Any, Document]) -> set[str]:
    return {told.split()[0] for told in _violations(world, json.loads(json.dumps(world[2])))}
