"""Best plans with evictions, by trying every set of gangs with every legal set of victims, for the oracle."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from models.gpu import gpus_in, whole_gpu_names
from models.workloads import Pod
from planner.testing.oracle.domain_tiers import keeps_topology
from planner.testing.oracle.elastic_tiers import Candidate, ElasticTiers
from planner.testing.oracle.needed_victims import NeededVictims
from planner.testing.oracle.next_round import Round
from planner.testing.oracle.placements import Arrival, placements
from planner.testing.oracle.situation import Delivery, Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.oracle.takable import takable_pods
from planner.testing.oracle.victim_causes import Exchange
from planner.testing.oracle.victims import Loss, breaks_budget, harm_of, losses_of


@dataclass(frozen=True)
class Choice:
    """Gangs that start and what other gangs lose for them."""

    started: frozenset[str]
    losses: tuple[Loss, ...]

    @property
    def gone(self) -> tuple[Pod, ...]:
        """All victims."""
        return tuple(pod for loss in self.losses for pod in loss.pods)


class Evictions:
    """Every choice of gangs and victims of one situation."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self._needed = NeededVictims(situation)
        self._without: dict[frozenset[str], Situation] = {}

    def best_choices(
        self, tiers: StartTiers
    ) -> tuple[dict[str, int], list[tuple[Choice, Delivery]]]:
        """Values of all tiers down to harm, and every choice with every delivery that has them."""
        elastic = ElasticTiers(self.situation, tiers)
        names = sorted(self.situation.startable)
        sets = [
            started
            for size in range(len(names) + 1)
            for chosen in itertools.combinations(names, size)
            if self._possible(started := frozenset(chosen))
        ]
        for tied in elastic.in_order(sets):
            possible = [one for one in tied if self._may_be_delivered(elastic, one)]
            for harm, losses in self._losses_by_harm if possible else ():
                found = [
                    (Choice(one.started, loss), delivery)
                    for loss in losses
                    for one in possible
                    for delivery in self._delivered(elastic, one, loss)
                ]
                if found:
                    return {**elastic.values(tied[0]), **dict(harm)}, found
        message = "nothing at all is not a plan"
        raise AssertionError(message)

    def may_start(self, started: frozenset[str]) -> bool:
        """Whether these gangs can start together at the expense of some legal victims, or of none."""
        views = [self.situation.views[name] for name in sorted(started)]
        every = [
            dict(zip(sorted(started), chosen, strict=True))
            for chosen in itertools.product(*(view.options for view in views))
        ]
        return any(
            self.can_deliver(Choice(started, losses), delivery)
            for _, group in self._losses_by_harm
            for losses in group
            if not any(loss.gang.full_name in started for loss in losses)
            for delivery in every
        )

    def _delivered(
        self, elastic: ElasticTiers, one: Candidate, losses: tuple[Loss, ...]
    ) -> Iterator[Delivery]:
        choice = Choice(one.started, losses)
        losing = {loss.gang.full_name for loss in losses}
        if losing & one.started or not self._after(choice.gone).can_start(one.started):
            return
        for delivery in elastic.deliveries(one, losing):
            if self.can_deliver(choice, delivery):
                yield delivery

    def _possible(self, started: frozenset[str]) -> bool:
        """These gangs would fit together with every pod gone that may be taken."""
        return self._emptied(started).can_start(started)

    def _may_be_delivered(self, elastic: ElasticTiers, one: Candidate) -> bool:
        """The same with some delivery that has its elastic pods."""
        after = self._emptied(one.started)
        return any(after.packs(delivery) for delivery in elastic.deliveries(one))

    def _emptied(self, started: frozenset[str]) -> Situation:
        return self._after(pod for pod in takable_pods(self.situation) if pod.gang not in started)

    @cached_property
    def _losses_by_harm(self) -> list[tuple[tuple[tuple[str, int], ...], list[tuple[Loss, ...]]]]:
        situation = self.situation
        by_gang: dict[str, list[Pod]] = {}
        for pod in takable_pods(situation):
            by_gang.setdefault(pod.gang, []).append(pod)
        choices = [
            [None, *losses_of(situation.snapshot, situation.snapshot.gang_by_name[name], pods)]
            for name, pods in sorted(by_gang.items())
        ]
        groups: dict[tuple[tuple[str, int], ...], list[tuple[Loss, ...]]] = {}
        for chosen in itertools.product(*choices):
            losses = tuple(one for one in chosen if one is not None)
            pods = [pod for loss in losses for pod in loss.pods]
            if not breaks_budget(situation.snapshot, situation.policy, pods):
                harm = harm_of(
                    situation.snapshot, situation.policy, losses, situation.forest.closest
                )
                groups.setdefault(tuple(harm.items()), []).append(losses)
        return sorted(groups.items(), key=lambda one: [value for _, value in one[0]])

    def can_deliver(
        self, choice: Choice, delivery: Delivery, without_gpus: Iterable[str] = ()
    ) -> bool:
        """Whether some placement of this delivery obeys all rules with these victims."""
        after = self._after(choice.gone)
        closed = frozenset(without_gpus)
        if not after.packs(delivery, closed):
            return False
        if not choice.losses:
            return True
        exchange = Exchange(self.situation, delivery, choice.gone)
        if not (exchange.is_legal() and self._needed.all_needed(delivery, choice.losses)):
            return False
        return any(
            Round(exchange, choice.losses, one).nothing_is_undone()
            for one in self._arrivals(after, delivery, closed)
        )

    def right_placements(self, choice: Choice, delivery: Delivery) -> Iterator[tuple[Arrival, ...]]:
        """All placements of this delivery that obey all rules with these victims."""
        after = self._after(choice.gone)
        if not after.packs(delivery):
            return
        exchange = Exchange(self.situation, delivery, choice.gone)
        if choice.losses and not (
            exchange.is_legal() and self._needed.all_needed(delivery, choice.losses)
        ):
            return
        for arrivals in self._arrivals(after, delivery, frozenset()):
            if Round(exchange, choice.losses, arrivals).nothing_is_undone():
                yield arrivals

    @staticmethod
    def _arrivals(
        after: Situation, delivery: Delivery, closed: frozenset[str]
    ) -> Iterator[tuple[Arrival, ...]]:
        return (
            one for one in placements(after.room, delivery, closed) if keeps_topology(after, one)
        )

    def empty_node_sets(self, choice: Choice) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Sets of nodes that hold no GPU pod once the victims are gone, with their GPUs."""
        situation = self.situation
        gpu_names = whole_gpu_names(situation.policy.policy.gpu_models)
        gone = {pod.full_name for pod in choice.gone}
        holding = {
            pod.node
            for pod in situation.snapshot.pods
            if pod.holds_node and pod.full_name not in gone and gpus_in(pod.spec.request, gpu_names)
        }
        gpus = {
            node.name: gpus_in(node.allocatable, gpu_names)
            for node in situation.snapshot.nodes
            if node.name not in holding
        }
        names = sorted(name for name, amount in gpus.items() if amount)
        for size in range(len(names) + 1):
            for chosen in itertools.combinations(names, size):
                yield sum(gpus[name] for name in chosen), chosen

    def _after(self, gone: Iterable[Pod]) -> Situation:
        pods = {pod.full_name: pod for pod in gone}
        key = frozenset(pods)
        if key not in self._without:
            self._without[key] = self.situation.without(pods.values())
        return self._without[key]
