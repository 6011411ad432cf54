from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from models.cluster import Node
from models.effective import resolve_policy
from models.plan import Reason
from models.policy import Policy
from models.queues import Queue
from models.snapshot import Snapshot
from planner.capacity.fit import Room
from planner.capacity.fits_alone import try_place
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.explain.waiting import waiting_reasons
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import spots_by_item
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.by_hand import Work, snapshot_of

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)  # makes other_worlds importable, whatever way pytest is started

Explained = dict[str, dict[str, Reason]]


def _explain(
    *parts: Node | Queue | Work | Snapshot, start: tuple[str, ...] = (), **keys: object
) -> Explained:
    """Gang name to its reasons by code; the gangs of ``start`` are placed greedily, in that order."""
    whole = parts[0]
    snapshot = whole if isinstance(whole, Snapshot) else snapshot_of(*parts)  # type: ignore[arg-type]
    values = {"queue_model": "capacity", "evict": (), **keys}
    policy = resolve_policy(snapshot, Policy.model_validate(values))
    prepared = prepare(snapshot, policy, exact_least)
    problem = prepared.problem
    startable = startable_demands(problem, exact_fit)
    number = {problem.gang_names[one.gang]: i for i, one in enumerate(problem.demands)}
    assignment, room = Assignment({}), Room(problem)
    for name in start:
        index = number[f"ml/{name}"]
        found = try_place(problem, problem.demands[index], room, keep=True)
        assert found is not None, name
        assignment.pods[index] = spots_by_item(problem, index, found)
    placed_in = standings(prepared, startable)
    reasons = waiting_reasons(prepared, assignment, startable, placed_in, exact=exact_fit)
    return {
        name.removeprefix("ml/"): {one.code: one for one in found}
        for name, found in reasons.items()
    }


@pytest.fixture
def explain() -> Callable[..., Explained]:
    return _explain
