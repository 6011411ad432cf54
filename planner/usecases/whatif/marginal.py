"""What one more node of each kind and one more GPU of quota per queue is worth.

The linear relaxation gives a first estimate per unit (see :mod:`planner.model.prices`); every number
that is shown as a gain comes from planning anew with the addition.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from models.edits.scenario import Scenario
from planner.encode.prepared import Prepared, prepare
from planner.execute.jobs import Executor, Job
from planner.model.build import BuiltModel
from planner.model.prices import Prices, prices_of
from planner.problem.progress import Progress, ProgressSink
from planner.reduce.gang_classes import gang_classes
from planner.report.whatif.document import MarginalValue, ScenarioOutcome
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.outcome import SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.usecases.whatif.additions import Addition, additions
from planner.usecases.whatif.base import Base, plan_scenario
from planner.usecases.whatif.marginal_words import QUOTA, sentence_of


def begin(base: Base) -> Base:
    """State of a worker, which is a process of its own already."""
    return replace(base, limits=replace(base.limits, workers=1), guard=False)


def plan_variant(base: Base, scenario: Scenario) -> ScenarioOutcome:
    """Plan the base with one addition."""
    return plan_scenario(base, scenario).outcome


def marginal_values(
    base: Base,
    executor: Executor,
    *,
    on_progress: ProgressSink | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[MarginalValue, ...]:
    """One entry per addition, those worth most first; a stop leaves out what was not planned yet.

    Where one more GPU of quota starts nothing although quota binds, as many as the smallest waiting gang needs are
    tried as well.
    """
    began = time.perf_counter()
    candidates = list(additions(base))
    duals = _duals(base, candidates)
    done: dict[str, ScenarioOutcome] = {}

    def run(chosen: Sequence[Addition]) -> None:
        jobs = [Job(one.name, Scenario(one.name, (one.edit,))) for one in chosen]
        for result in executor.run(begin, plan_variant, base, jobs, stopped=stopped):
            done[result.key] = (
                ScenarioOutcome(name=result.key, error=result.error)
                if result.error
                else result.value
            )
            if on_progress is not None:
                told = f"{len(done)} additions planned, last: {result.key}"
                on_progress(Progress("marginal", time.perf_counter() - began, message=told))

    run(candidates)
    bound = {
        gang.queue
        for gang in base.plan.gangs
        if gang.decision == "wait" and any(reason.code in QUOTA for reason in gang.reasons)
    }
    larger = [
        (one, more)
        for one in candidates
        if one.name in done
        and not _gain(done[one.name])
        and one.queue in bound
        and (more := one.larger()) is not None
    ]
    run([more for _, more in larger])
    for one, more in larger:
        duals[more.name] = duals.get(one.name)
    every = [*candidates, *(more for _, more in larger)]
    found = [
        _value(base, one, done[one.name], duals.get(one.name)) for one in every if one.name in done
    ]
    found.sort(key=lambda one: (-(one.gpus or 0), -(one.gangs or 0), one.kind, one.name))
    return tuple(found)


def _gain(outcome: ScenarioOutcome) -> int:
    gpus = outcome.figure("gpus_after")
    return gpus.change if gpus is not None else 0


def _value(
    base: Base, addition: Addition, outcome: ScenarioOutcome, dual: float | None
) -> MarginalValue:
    gpus, gangs = outcome.figure("gpus_after"), outcome.figure("gangs_started")
    return MarginalValue(
        kind=addition.kind,
        name=addition.name,
        edit=addition.edit.document(),
        gpus_each=addition.gpus_each,
        dual=None if dual is None else round(dual, 2),
        gpus=gpus.change if gpus is not None else None,
        gangs=gangs.change if gangs is not None else None,
        decided=gpus is not None and not gpus.undecided,
        sentence=sentence_of(base.plan, addition, outcome),
    )


def _duals(base: Base, candidates: Sequence[Addition]) -> dict[str, float | None]:
    """Addition to GPUs by the relaxation; None where it was not solved, or says nothing of such an addition."""
    prepared = prepare(base.snapshot, base.policy, exact_least)
    classes = gang_classes(prepared.problem, base.warm.standings)
    limits = base.limits
    built = PlacementSearch(prepared.problem, classes, SearchSettings(limits)).model()
    prices = prices_of(built, seconds=limits.time_limit_s, workers=limits.workers)
    if prices is None:
        return {}
    return {one.name: _dual(prepared, built, prices, one) for one in candidates}


def _dual(prepared: Prepared, built: BuiltModel, prices: Prices, one: Addition) -> float | None:
    problem = prepared.problem
    if one.node is not None:
        row = problem.node_names.index(one.node.name)
        free = np.array(
            [one.node.allocatable.amount(name) for name in problem.dimensions], dtype=np.int64
        )
        shapes = [int(shape) for shape in np.flatnonzero(problem.admits[:, row])]
        return prices.node_worth(built, free, shapes)
    if one.field != "capability" or one.queue not in problem.queue_names:
        return None  # what is deserved only orders the queues; a weight moves every limit
    queue = problem.queue_names.index(one.queue)
    gpus = [
        worth
        for (number, dimension), worth in prices.queues.items()
        if number == queue and problem.dimensions[dimension] in prepared.gpu_names
    ]
    return max(gpus, default=0.0)
