"""Why pods of a running gang wait beyond its minimum, which the plan leaves waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from models.checks.wording import counted
from models.plan import Reason
from models.workloads import Pod
from planner.capacity.fit import Room
from planner.capacity.fits_alone import quick_fit
from planner.encode.demands import GangCase
from planner.encode.prepared import Prepared
from planner.explain.binding import Binding, Bindings
from planner.explain.ground import Search
from planner.explain.groups import NOT_STARTABLE, WaitingGroup
from planner.explain.parts import question_key
from planner.problem.placement import Demand
from planner.reduce.disaggregate import Assignment


def elastic_reasons(
    prepared: Prepared, assignment: Assignment, search: Search
) -> dict[str, tuple[Reason, ...]]:
    """Reasons by full name of the running gangs of which pods wait after the plan.

    The question is what one more pod of the smallest kind lacks beside the plan.
    """
    finder = _Finder(prepared, assignment, search)
    found = {}
    for index, case in enumerate(prepared.cases):
        waits = [pod for pod in case.pods if pod.pending]
        if case.ready and waits and not case.gang.asks_nothing:
            reasons = (
                *case.blocked,
                *_withheld(waits, prepared.policy.policy.scheduler_names),
                *(() if case.blocked else finder.of(index, case)),
            )
            if reasons:
                found[case.gang.full_name] = reasons
    return found


def _withheld(waits: Sequence[Pod], schedulers: Sequence[str]) -> list[Reason]:
    """Pods behind a gate, and pods of schedulers that are not planned for."""
    found = []
    gated = [pod for pod in waits if pod.spec.scheduling_gates]
    if gated:
        gates = sorted({gate for pod in gated for gate in pod.spec.scheduling_gates})
        have = "has" if len(gated) == 1 else "have"
        message = f"{counted(len(gated), 'pod')} {have} scheduling gates: {', '.join(gates)}"
        data = {"gatedPods": len(gated), "gates": gates}
        found.append(Reason(code="admission_gate", message=message, data=data))
    others = [
        pod for pod in waits if pod not in gated and pod.spec.scheduler_name not in schedulers
    ]
    if others:
        names = sorted({pod.spec.scheduler_name or "(none)" for pod in others})
        ask = "asks" if len(others) == 1 else "ask"
        message = f"{counted(len(others), 'pod')} {ask} for another scheduler ({', '.join(names)})"
        data = {"podsOfOtherSchedulers": len(others)}
        found.append(Reason(code="not_enough_pods", message=message, data=data))
    return found


class _Finder:
    """Judges one more pod of each gang; gangs that ask the same share the answer."""

    def __init__(self, prepared: Prepared, assignment: Assignment, search: Search) -> None:
        self._prepared, self._assignment, self._search = prepared, assignment, search
        self._at = {one.gang: index for index, one in enumerate(prepared.problem.demands)}
        self._known: dict[tuple[object, ...], tuple[Reason, ...]] = {}
        self._bindings: Bindings | None = None

    def of(self, gang: int, case: GangCase) -> tuple[Reason, ...]:
        """Reasons of one gang, () where all its pods get a place."""
        index = self._at.get(gang)
        if index is None:
            return ()
        demand = self._prepared.problem.demands[index]
        example = self._one_more(index, demand)
        if example is None:
            return ()
        running = tuple(pod for pod in case.pods if pod.running)
        held = tuple((pod.node, pod.spec.request) for pod in running)
        key = (demand.queue, question_key(example), held)
        if key not in self._known:
            self._known[key] = self._reasons(index, example, running, case.gang.priority)
        return self._known[key]

    def _one_more(self, index: int, demand: Demand) -> Demand | None:
        """A demand for one of the pods that are left, the one with the fewest GPUs."""
        placed = self._assignment.pods.get(index, {})
        left = [
            item
            for number, item in enumerate(demand.items)
            if len(item.names) > sum(count for _, count in placed.get(number, ()))
        ]
        if not left:
            return None
        problem = self._prepared.problem
        item = min(left, key=lambda one: (int(problem.shape_gpus[one.shape]), one.shape))
        choices = demand.choices
        for number in item.subgroup:
            if number >= 0 and demand.subgroups[number].choices is not None:
                choices = demand.subgroups[number].choices
        return replace(
            demand,
            choices=choices,
            ready=False,
            need=1,
            role_need=(),
            items=(replace(item, count=1, names=item.names[-1:], step=1, subgroup=()),),
            subgroups=(),
            min_subgroups=(),
            minimum=tuple(int(amount) for amount in problem.requests[item.shape]),
            gpus=int(problem.shape_gpus[item.shape]),
            gathered=(),
        )

    def _reasons(
        self, index: int, example: Demand, running: tuple[Pod, ...], priority: int
    ) -> tuple[Reason, ...]:
        if self._bindings is None:
            self._bindings = Bindings(self._prepared, self._search, self._assignment)
        problem = self._prepared.problem
        alone = quick_fit(problem, example, Room(problem))
        position = NOT_STARTABLE if alone is False else 0
        group = WaitingGroup((index,), example, running, position, "", priority)
        binding = self._bindings.of(group)
        return _untried() if binding.untried else _told(binding)


def _told(binding: Binding) -> tuple[Reason, ...]:
    return (*binding.lasting, *binding.quota, *binding.short, *binding.elsewhere)


def _untried() -> tuple[Reason, ...]:
    message = "the search ended before it found a place for another pod of it beside the plan"
    return (Reason(code="fragmentation", message=message),)
