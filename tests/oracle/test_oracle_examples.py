"""The oracle on worked examples of what a needed victim is, with the exact answer beside each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.effective import resolve_policy
from models.policy import Policy
from models.readers import read_snapshot
from planner.testing.oracle.evictions import Evictions
from planner.testing.oracle.shortfall import penalty
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.start_tiers import StartTiers

_TIER = re.compile(r"(covered|rest), rank (\d+): (shortfall|GPUs|gangs|elastic)$")
_HARM = {"gangs given up": "gangs_given_up", "pods evicted": "pods_evicted"}
NAMES = ("v1", "v2", "o1", "o2", "o3", "e1", "e2", "e3", "e4")


def _read(folder: Path, name: str) -> tuple[Situation, dict[str, Any]]:
    case = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    answer = yaml.safe_load((folder / f"{name}.answer.yaml").read_text(encoding="utf-8"))
    snapshot = read_snapshot([folder / case["snapshot"]])
    return Situation(
        snapshot, resolve_policy(snapshot, Policy.model_validate(case["policy"]))
    ), answer


def _key(name: str) -> str | None:
    found = _TIER.match(name)
    if found is None:
        return _HARM.get(name)
    return f"{found[1]}.{found[2]}.{found[3].lower()}"


def _outcome(
    starts: Iterable[str], victims: Iterable[str]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Pods of one gang are alike in these examples, so their numbers do not count."""
    return frozenset(starts), tuple(sorted(name.rpartition("-")[0] for name in victims))


def _idle_queues(situation: Situation) -> int:
    """Shortfall of queues without gangs: the answers count it, and no plan changes it."""
    full = penalty(1000)
    with_gangs = {gang.queue for gang in situation.snapshot.gangs}
    with_gangs |= {queue.parent for queue in situation.snapshot.queues if queue.parent}
    return full * sum(
        queue.name not in with_gangs and queue.deserved.amount("nvidia.com/gpu") > 0
        for queue in situation.snapshot.queues
    )


@pytest.mark.parametrize("name", NAMES)
def test_value_of_every_tier_and_all_best_plans(name: str, shared: Path) -> None:
    folder = shared / "cases" / "examples"
    if not (folder / f"{name}.answer.yaml").is_file():
        pytest.skip("the worked examples beside the checkout are absent")
    situation, answer = _read(folder, name)
    found, choices = Evictions(situation).best_choices(StartTiers(situation))
    idle = _idle_queues(situation)
    for one, value in answer["tiers"].items():
        if key := _key(one):
            constant = idle if key.endswith("shortfall") else 0
            assert found.get(key, 0) + constant == abs(value), key
    best = {
        _outcome(one["starts"], one["victims"])
        for one in answer["optimal plans (all, up to placements)"]
    }
    outcomes = {_outcome(one.started, (pod.full_name for pod in one.gone)) for one, _ in choices}
    assert outcomes == best
    beyond = {
        tuple(one["elastic pods"].items())
        for one in answer["optimal plans (all, up to placements)"]
    }
    views = situation.views
    assert beyond == {
        tuple(
            (name, more)
            for name, option in sorted(delivery.items())
            if (more := option.pods - views[name].least_pods)
        )
        for _, delivery in choices
    }
