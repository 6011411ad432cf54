"""Fixes with many queues: a trial looks at the gang's own queues, and none begins after the deadline."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.queues import Queue
from models.resources import Resources
from planner.documents.waiting_reasons import WaitingTold, waiting_told
from planner.encode.queue_limits import QueueLimits
from planner.explain.fixes.limits import LimitSteps
from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.by_hand import gpu_node, snapshot_of, work
from planner.testing.problems import prepared_of
from planner.testing.random_nodes import GPU

LEAVES = 40
LIMITS = Limits(time_limit_s=20, deterministic=True, workers=1)


def _told(stopped: Callable[[], bool] = lambda: False) -> WaitingTold:
    """A gang of 2 GPUs waits in each of many queues, which may use 1; one queue has room for it."""
    parents = [Queue(f"p{i}", parent="root") for i in range(4)]
    one, many = Resources({GPU: 1}), Resources({GPU: 8})
    leaves = [Queue(f"q{i:02}", parent=f"p{i % 4}", capability=one) for i in range(LEAVES)]
    others = [Queue("wide", parent="p0", capability=many), Queue("default", capability=one)]
    gangs = [work(f"g{i:02}", 2, 1, queue=f"q{i:02}") for i in range(LEAVES)]
    nodes = [gpu_node(f"n{i}") for i in range(3)]
    snapshot = snapshot_of(*parents, *leaves, *others, *nodes, *gangs)
    prepared = prepared_of(snapshot, hierarchy=True)
    startable = startable_demands(prepared.problem, exact_fit)
    return waiting_told(prepared, Assignment({}), startable, (), None, stopped)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Rooms that were computed, steps that were asked for, questions why a queue is closed."""
    found = {"rooms": 0, "steps": 0, "closed": 0}
    room, step, closed = LimitSteps._room, LimitSteps.step, QueueLimits.closed_because

    def noted_room(self: LimitSteps, *given: object) -> object:
        found["rooms"] += 1
        return room(self, *given)  # type: ignore[arg-type]

    def noted_step(self: LimitSteps, *given: object) -> object:
        found["steps"] += 1
        return step(self, *given)  # type: ignore[arg-type]

    def noted_closed(self: QueueLimits, name: str) -> str:
        found["closed"] += 1
        return closed(self, name)

    monkeypatch.setattr(LimitSteps, "_room", noted_room)
    monkeypatch.setattr(LimitSteps, "step", noted_step)
    monkeypatch.setattr(QueueLimits, "closed_because", noted_closed)
    return found


def test_a_trial_looks_at_the_queues_of_its_gang(calls: dict[str, int]) -> None:
    told = _told()
    assert len(told.classes) == LEAVES
    for one in told.classes:
        texts = {fix.kind: fix.text for fix in one.fixes}
        assert texts["other_queue"] == "submit it to queue wide"
        assert texts["raise_capability"] == f"raise the capability of queue {one.queue} by 1 GPU"
    assert told.findings == ()
    chain, queues = 2, LEAVES + 7
    assert calls["steps"] == LEAVES
    assert calls["rooms"] <= chain * LEAVES + queues  # every queue in every trial: 1,700
    assert calls["closed"] <= 4 * queues  # asked once, not for every gang


def test_no_trial_begins_after_the_deadline(calls: dict[str, int]) -> None:
    told = _told(lambda: True)
    assert len(told.classes) == LEAVES
    assert not any(one.fixes for one in told.classes)
    assert calls["steps"] == calls["rooms"] == 0
    (finding,) = told.findings
    assert finding.code == "fixes_not_tried"
    assert f"for {LEAVES} of {LEAVES} classes" in finding.message
