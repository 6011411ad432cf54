"""A victim is needed: what else of this plan could run if it stayed, over all plans that evict less, for the oracle."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from models.workloads import Pod
from planner.testing.oracle.ranking import Place, classify
from planner.testing.oracle.situation import Delivery, Situation
from planner.testing.oracle.victim_causes import Exchange
from planner.testing.oracle.victims import Loss, may_be_left

if TYPE_CHECKING:
    from collections.abc import Iterable

Pods = frozenset[str]


class NeededVictims:
    """The rule for every plan of one situation.

    A plan is here a set of started gangs and what others lose. Where pods are placed does not matter: plans that evict
    less may place them anew. They count pods up to the minimum of a gang.
    """

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._without: dict[Pods, Situation] = {}
        self._correct: dict[tuple[frozenset[str], Pods], bool] = {}
        self._places: Mapping[str, Place] | None = None

    def all_needed(self, delivery: Delivery, losses: Sequence[Loss]) -> bool:
        """Whether everything that a plan evicts is needed."""
        exchange = Exchange(
            self._situation, delivery, tuple(pod for loss in losses for pod in loss.pods)
        )
        started = frozenset(name for name in delivery if not self._situation.views[name].ready)
        return all(self._needed(loss, started, losses, exchange) for loss in losses)

    def _needed(
        self,
        loss: Loss,
        started: frozenset[str],
        losses: Sequence[Loss],
        exchange: Exchange,
    ) -> bool:
        """For some g that may take it and some X, it runs with X, but not with X and g."""
        beside = set(self._beside(loss, started, losses))
        for taker in started:
            if not any(exchange.may_take(taker, pod, loss.pods) for pod in loss.pods):
                continue
            for runs in beside:
                no_later = {name for name in runs if self._order(name) <= self._order(taker)}
                if not any(no_later | {taker} <= others for others in beside):
                    return True
        return False

    def _beside(
        self, loss: Loss, started: frozenset[str], losses: Sequence[Loss]
    ) -> Iterator[frozenset[str]]:
        """Gangs that correct plans start in which this loss is smaller and no other is larger."""
        others = [one for one in losses if one is not loss]
        choices = [
            list(self._parts(loss, whole=False)),
            *(list(self._parts(one, whole=True)) for one in others),
        ]
        for size in range(len(started) + 1):
            for chosen in itertools.combinations(sorted(started), size):
                if any(
                    self._is_correct(frozenset(chosen), tuple(filter(None, parts)))
                    for parts in itertools.product(*choices)
                ):
                    yield frozenset(chosen)

    def _is_correct(self, started: frozenset[str], losses: Sequence[Loss]) -> bool:
        gone = [pod for loss in losses for pod in loss.pods]
        key = started, frozenset(pod.full_name for pod in gone)
        if key not in self._correct:
            self._correct[key] = self._judged(started, losses, gone)
        return self._correct[key]

    def _judged(
        self, started: frozenset[str], losses: Sequence[Loss], gone: Collection[Pod]
    ) -> bool:
        after = self._after(gone)
        if not after.can_start(started):
            return False
        if not losses:
            return True
        views = self._situation.views
        names = sorted(started)
        for chosen in itertools.product(*(views[name].minimal for name in names)):
            delivery = dict(zip(names, chosen, strict=True))
            exchange = Exchange(self._situation, delivery, tuple(gone))
            if (
                exchange.is_legal()
                and after.packs(delivery)
                and all(self._needed(loss, started, losses, exchange) for loss in losses)
            ):
                return True
        return False

    def _parts(self, loss: Loss, *, whole: bool) -> Iterator[Loss | None]:
        """Legal smaller losses of the gang, none first, and with ``whole`` the loss itself."""
        yield None
        pods = self._situation.snapshot.pods_of(loss.gang)
        running = [pod for pod in pods if pod.running]
        done = [pod for pod in pods if pod.phase == "Succeeded"]
        for size in range(1, len(loss.pods)):
            for gone in itertools.combinations(loss.pods, size):
                rest = [pod for pod in running if pod not in gone]
                if may_be_left(loss.gang, running, rest, done):
                    yield Loss(loss.gang, gone, whole=False)
        if whole:
            yield loss

    def _order(self, name: str) -> Place:
        """Class and rank; under ``throughput`` all gangs go at once."""
        if self._situation.policy.policy.objective == "throughput":
            return Place((0, 0), "all", 1)
        if self._places is None:
            self._places = classify(self._situation)
        return self._places[name]

    def _after(self, gone: Iterable[Pod]) -> Situation:
        pods = {pod.full_name: pod for pod in gone}
        key = frozenset(pods)
        if key not in self._without:
            self._without[key] = self._situation.without(pods.values())
        return self._without[key]
