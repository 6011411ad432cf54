"""What one more of everything is worth: duals first, plans decide."""

from __future__ import annotations

import pytest

from models.edits.apply import apply_edits
from models.edits.catalogue import edit_from
from models.effective import resolve_policy
from planner.encode.prepared import prepare
from planner.execute.jobs import Executor
from planner.model.prices import most_gpus, prices_of
from planner.problem.limits import Limits
from planner.reduce.gang_classes import gang_classes
from planner.report.whatif.document import MarginalValue
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.outcome import SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.here import Here
from planner.testing.random_snapshots import random_case
from planner.usecases.inputs.checked_input import checked
from planner.usecases.planning import make_plan
from planner.usecases.whatif.additions import additions
from planner.usecases.whatif.base import Base
from planner.usecases.whatif.marginal import marginal_values


def _values(base: Base) -> dict[str, MarginalValue]:
    executor: Executor = Here()
    return {one.name: one for one in marginal_values(base, executor)}


def test_room_and_quota_are_priced_and_confirmed(base: Base) -> None:
    found = _values(base)
    node = next(one for name, one in found.items() if name.startswith("node of"))
    assert (node.gpus, node.gangs, node.decided, node.dual) == (8, 1, True, 8.0)
    assert node.sentence == "Brings 8 GPUs into use, 1 more gang in all."
    one = found["GPU of capability, queue train"]
    assert (one.gpus, one.gangs) == (0, 0)
    assert "needs 8 GPUs" in one.sentence
    more = found["8 GPUs of capability, queue train"]
    assert more.gpus == 0
    assert more.sentence.startswith("Quota alone does not help")


def test_a_sentence_says_when_hardware_does_not_help() -> None:
    snapshot = snapshot_of(
        gpu_node("n-0"),
        gpu_node("n-1"),
        gpu_queue("q", deserved=8, capability=8),
        work("a", 1, 8),
        work("b", 1, 8, created=1),
    )
    base = Base.of(
        checked(snapshot, resolve_policy(snapshot)),
        Limits(time_limit_s=20, workers=1, deterministic=True),
        guard=False,
    )
    found = _values(base)
    node = next(one for name, one in found.items() if name.startswith("node of"))
    assert (node.gpus, node.dual) == (0, 0.0)
    assert node.sentence == "More nodes do not help: 1 gang: a queue limit leaves too little now."
    quota = found["8 GPUs of capability, queue q"]
    assert (quota.gpus, quota.gangs) == (8, 1)
    assert found["GPU of capability, queue q"].dual == 1.0
    assert next(iter(found)) == "8 GPUs of capability, queue q", "what is worth most comes first"


def test_duals_are_those_of_the_relaxation(base: Base) -> None:
    prepared = prepare(base.snapshot, base.policy, exact_least)
    classes = gang_classes(prepared.problem, base.warm.standings)
    built = PlacementSearch(prepared.problem, classes, SearchSettings(base.limits)).model()
    prices = prices_of(built, seconds=10)
    assert prices is not None
    assert prices.gpus == 24
    assert most_gpus(built).ideal == 40
    assert max(prices.shapes.values()) <= 8


def test_candidates_are_kinds_of_nodes_and_queues_in_which_gangs_wait(base: Base) -> None:
    names = [one.name for one in additions(base)]
    assert len([name for name in names if name.startswith("node of")]) == 1
    assert names[1:] == ["GPU of deserved, queue eval", "GPU of capability, queue train"]


def test_gpus_that_were_left_over_are_not_told_as_the_worth_of_a_node() -> None:
    """A gang of 12 GPUs needs the new node and half of one that stands idle."""
    snapshot = snapshot_of(gpu_node("n-0"), gpu_queue("q", deserved=16), work("a", 3, 4))
    base = Base.of(
        checked(snapshot, resolve_policy(snapshot)),
        Limits(time_limit_s=20, workers=1, deterministic=True),
        guard=False,
    )
    (node,) = (one for name, one in _values(base).items() if name.startswith("node of"))
    assert (node.gpus, node.gangs) == (12, 1)
    assert "4 of these GPUs are there already and left over" in node.sentence


@pytest.mark.parametrize("seed", range(10))
def test_every_value_is_the_difference_of_plans_made_anew(seed: int) -> None:
    case = random_case(seed)
    limits = Limits(time_limit_s=20, workers=1, deterministic=True)
    base = Base.of(checked(case.snapshot, case.policy), limits, guard=False)
    for value in marginal_values(base, Here()):
        edited = apply_edits(case.snapshot, case.policy, [edit_from(value.edit)])
        cold = make_plan(edited.snapshot, edited.policy, limits, guard=False, baseline=False)
        if cold.certificate.status != "OPTIMAL" or base.plan.certificate.status != "OPTIMAL":
            continue
        assert value.gpus == cold.summary.gpus_after - base.plan.summary.gpus_after, value.name
        assert value.gangs == cold.summary.gangs_started - base.plan.summary.gangs_started
