"""All fixes of a group of waiting gangs, each tried beside the plan."""

from __future__ import annotations

from collections.abc import Callable

from planner.explain.fixes.bench import Bench, within
from planner.explain.fixes.candidate import Candidate, by_cost
from planner.explain.fixes.gangs import GangFixes
from planner.explain.fixes.limits import LimitStep, LimitSteps
from planner.explain.fixes.nodes import GrownQueues, NodeFixes
from planner.explain.fixes.pods import PodFixes
from planner.explain.fixes.size import smaller
from planner.explain.fixes.topology import wider
from planner.explain.groups import WaitingGroup
from planner.problem.placement import Demand


class Fixes:
    """Finds what would start gangs beside a plan; equal questions are answered once.

    Parameters
    ----------
    deadline
        Says True once no more may be tried; what was found stays.

    Attributes
    ----------
    cut
        Groups for which it was True before the end of their trials.
    """

    def __init__(self, bench: Bench, deadline: Callable[[], bool] = lambda: False) -> None:
        self._bench, self._deadline = bench, deadline
        self.cut = 0
        self._limits = LimitSteps(bench, deadline)
        self._nodes, self._gangs, self._pods = NodeFixes(bench), GangFixes(bench), PodFixes(bench)
        self._known: dict[tuple[object, ...], list[Candidate]] = {}

    def of(self, group: WaitingGroup) -> tuple[Candidate, ...]:
        """Fixes of one group, cheap kinds first; after each of them its gang fits beside the plan.

        None for pods that use shared GPU cards: the trials here count sums, which prove nothing about cards. None once
        the deadline has passed: with thousands of groups even the first trials of each take long.
        """
        if self._deadline():
            self.cut += 1
            return ()
        demand, bench = group.example, self._bench
        cards = bench.problem.cards
        if cards is not None and any(cards.count[item.shape] for item in demand.items):
            return ()
        if not bench.admits(demand):
            return ()  # neither nodes nor limits alone let it in: whole plans confirm what does
        short = self._limits.short(demand, group.own)
        step = self._limits.step(demand, short) if short else None
        in_nodes = bench.fits(demand, limited=False)
        found: list[Candidate] = []
        if short and in_nodes:
            found += [step.candidate] if step and bench.fits(demand, queues=step.queues) else []
            other = None if self._deadline() else self._limits.elsewhere(demand)
            found += [other] if other else []
        elif not in_nodes and (step or not short):
            found += self._on_nodes(group, demand, step)
        if not self._deadline():
            ended = self._ended(demand)
            found += [ended] if ended else []
            less = smaller(bench, demand, bench.queues)
            found += [less] if less else []
        else:
            self.cut += 1
        return by_cost(found)

    def _on_nodes(
        self, group: WaitingGroup, demand: Demand, step: LimitStep | None
    ) -> list[Candidate]:
        """What makes room on nodes, where limits would do after the step."""
        rooms = step.queues if step else self._bench.queues
        key: tuple[object, ...] = (self._bench.key(demand), step.candidate.text if step else "")
        if group.running or not within(demand, rooms):
            key = (*key, group.demands)
        if key not in self._known:
            found = _listed(wider(self._bench, demand, rooms))
            found += self._nodes.opened(demand, rooms)
            found += [] if self._deadline() else self._nodes.asked(demand, rooms)
            found += [] if self._deadline() else _listed(self._pods.few(demand, rooms))
            found = [one.with_step(step.candidate if step else None) for one in found]
            found += [] if self._deadline() else self._more_nodes(demand, step)
            if self._deadline():
                return found
            self._known[key] = found
        return self._known[key]

    def _more_nodes(self, demand: Demand, step: LimitStep | None) -> list[Candidate]:
        """The fewest nodes, with the smallest step that they leave to do: limits grow with the cluster."""
        found = self._added(demand, step)
        if found is None:
            more = self._nodes.dropped_and_more(demand, self._grown(demand, step))
            return [one.with_step(step.candidate if step else None) for one in more]
        for less in step.parts if step else ():
            other = self._added(demand, less)
            if other is not None and other.data["nodes"] <= found.data["nodes"]:
                step, found = less, other
                break
        return [found.with_step(step.candidate if step else None)]

    def _added(self, demand: Demand, step: LimitStep | None) -> Candidate | None:
        return self._nodes.add(demand, self._grown(demand, step))

    def _grown(self, demand: Demand, step: LimitStep | None) -> GrownQueues:
        return lambda like, count: self._limits.with_nodes(demand, step, like, count)

    def _ended(self, demand: Demand) -> Candidate | None:
        """A gang whose end is enough, for limits as well; the same for all that ask for the same there."""
        tight = () if within(demand, self._bench.queues) else demand.queue_chain
        own = self._bench.problem.gang_names[demand.gang]
        mine = own if self._bench.running.owns(own) else ""
        key = ("ended", self._bench.key(demand), tight, mine)
        if key not in self._known:
            self._known[key] = _listed(self._gangs.enough(demand))
        return next(iter(self._known[key]), None)


def _listed(one: Candidate | None) -> list[Candidate]:
    return [] if one is None else [one]
