"""Sets of started gangs with their elastic pods in the order of the tiers, for the oracle.

Elastic are the pods of a started gang beyond the least number that makes it ready, and all new pods of a gang that was
ready before. They count with the rank of their gang.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from planner.testing.oracle.gang_options import Option
from planner.testing.oracle.situation import Delivery, Situation
from planner.testing.oracle.start_tiers import StartTiers, as_score

NOTHING = Option(())


@dataclass(frozen=True)
class Candidate:
    """Gangs that start, and the elastic pods of each rank as (rank, pods)."""

    score: tuple[int, ...]
    started: frozenset[str]
    beyond: tuple[tuple[int, int], ...]


class ElasticTiers:
    """What gangs may receive beyond their minimum, and what that is worth."""

    def __init__(self, situation: Situation, tiers: StartTiers) -> None:
        self.situation, self.tiers = situation, tiers

    def in_order(self, sets: Iterable[frozenset[str]]) -> Iterator[list[Candidate]]:
        """Every set of gangs with every number of elastic pods per rank, equally good ones together, best first.

        Nothing is asked about room: most of them are not possible.
        """
        found = [
            Candidate(as_score(self.tiers.values(started, dict(beyond))), started, beyond)
            for started in sets
            for beyond in self._amounts(started)
        ]
        found.sort(key=lambda one: one.score, reverse=True)
        for _, tied in itertools.groupby(found, key=lambda one: one.score):
            yield list(tied)

    def values(self, one: Candidate) -> dict[str, int]:
        """Tier name to value, highest tier first."""
        return self.tiers.values(one.started, dict(one.beyond))

    def deliveries(self, one: Candidate, losing: Collection[str] = ()) -> Iterator[Delivery]:
        """Every choice of what gangs receive with these elastic pods; gangs that lose pods receive none."""
        choices = {n: c for n, c in self._choices(one.started).items() if n not in losing}
        names = list(choices)

        def extend(
            place: int, left: dict[int, int], chosen: dict[str, Option]
        ) -> Iterator[Delivery]:
            if place == len(names):
                if not any(left.values()):
                    yield dict(chosen)
                return
            name = names[place]
            rank = self.tiers.ranks[name]
            for extra, option in choices[name]:
                if extra <= left.get(rank, 0):
                    more = {**chosen, name: option} if option.counts else chosen
                    yield from extend(place + 1, {**left, rank: left.get(rank, 0) - extra}, more)

        yield from extend(0, dict(one.beyond), {})

    def _choices(self, started: frozenset[str]) -> dict[str, list[tuple[int, Option]]]:
        """Per gang what it may receive, with the number of pods beyond its minimum."""
        found: dict[str, list[tuple[int, Option]]] = {}
        for name in sorted(started):
            view = self.situation.startable[name]
            found[name] = [(option.pods - view.least_pods, option) for option in view.options]
        for name, view in self.situation.growing.items():
            found[name] = [(0, NOTHING), *((option.pods, option) for option in view.options)]
        return found

    def _amounts(self, started: frozenset[str]) -> Iterator[tuple[tuple[int, int], ...]]:
        sums: dict[int, set[int]] = {}
        for name, options in self._choices(started).items():
            rank = self.tiers.ranks[name]
            extra = {more for more, _ in options}
            sums[rank] = {a + b for a in sums.get(rank, {0}) for b in extra}
        for chosen in itertools.product(*(sorted(one) for one in sums.values())):
            yield tuple(zip(sums, chosen, strict=True))
