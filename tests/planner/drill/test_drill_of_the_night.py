"""The drill of the sample, in the numbers of ``data/README.md``."""

from __future__ import annotations

import pytest

from models.drill import DrillResult, Need
from models.effective import EffectivePolicy, resolve_policy
from models.snapshot import Snapshot
from planner.drill.use_case import drill_question, make_drill
from planner.problem.limits import Limits
from planner.samples import sample_path
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20, deterministic=True, workers=1)


@pytest.fixture(scope="module")
def night() -> Snapshot:
    return read_inputs([sample_path("night")])


@pytest.fixture(scope="module")
def policy(night: Snapshot) -> EffectivePolicy:
    return resolve_policy(night)


@pytest.fixture(scope="module")
def drill(night: Snapshot, policy: EffectivePolicy) -> DrillResult:
    asked = [Need(service="online", gpus=24)]
    question = drill_question(asked, deadline_seconds=30, policy=policy)
    return make_drill(night, policy, question, LIMITS)


def test_sixteen_are_back_in_time_and_all_after_two_minutes(drill: DrillResult) -> None:
    points = [(one.second, one.gpus_planned, one.gpus_most) for one in drill.curve]
    assert points == [(0, 2, 2), (6, 6, 6), (12, 8, 8), (16, 16, 16), (30, 16, 16), (121, 24, 24)]
    assert drill.summary.sentence.startswith(
        "Not in time: 16 of 24 GPUs can be back for online within 30 s; all of them after 121 s. "
        "It costs 8 pods (2 gangs given up, 1 gang shrunk) and 13.9 GPU-h of work. Proved"
    )


def test_the_causes_are_named(drill: DrillResult) -> None:
    assert [(one.code, one.object, one.gpus) for one in drill.holders] == [
        ("grace", "pretrain/night-run", 16),
        ("mark", "research/notebooks", 4),
        ("budget", "eval/nightly-mmlu", 4),
        ("own", "serving/chat", 8),
    ]


def test_what_would_help_is_confirmed(drill: DrillResult) -> None:
    assert [(one.code, one.gain, one.in_time) for one in drill.changes] == [
        ("shorter_grace", 8, True),
        ("lend_less", 8, True),
        ("more_time", 8, True),
    ]


def test_the_plan_reclaims_only_surplus(night: Snapshot, policy: EffectivePolicy) -> None:
    result = make_plan(night, policy, LIMITS, guard=False)
    decisions = {one.full_name: one.decision for one in result.gangs}
    assert decisions["serving/chat-scale-up"] == "start"
    assert decisions["eval/nightly-mmlu"] == "shrink"
    assert (result.summary.pods_evicted, result.summary.gangs_evicted) == (4, 0)
