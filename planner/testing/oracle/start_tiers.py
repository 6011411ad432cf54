"""Values of the tiers of classes and ranks (shortfall, GPUs, gangs, elastic pods), for the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cached_property

from models.gpu import whole_gpu_names
from planner.testing.oracle.ranking import COVERED, REST, Place, classify, place_at, ranks_of
from planner.testing.oracle.shortfall import lack_in_thousandths, penalty
from planner.testing.oracle.situation import Situation

ALL = "all"


class StartTiers:
    """The tiers of classes and ranks of one situation.

    One group of three for every class and rank that a startable gang has, and elastic pods for every rank of a
    startable or growing gang; under ``objective: throughput`` all in one class and rank, without shortfall; under
    ``fair`` one shortfall for class covered, before all else.
    """

    def __init__(self, situation: Situation) -> None:
        self._situation = situation

    @cached_property
    def places(self) -> dict[str, Place]:
        """Class and rank of each startable gang, by full name."""
        return classify(self._situation)

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Rank in which the elastic pods of each gang count."""
        found = ranks_of(self._situation)
        return dict.fromkeys(found, 1) if self._throughput else found

    @property
    def _throughput(self) -> bool:
        return self._situation.policy.policy.objective == "throughput"

    def values(
        self, started: Collection[str], beyond: Mapping[int, int] | None = None
    ) -> dict[str, int]:
        """Tier name to value, highest tier first; ``beyond`` are the elastic pods by rank."""
        startable, more = self._situation.startable, beyond or {}
        gpus = {name: startable[name].gpus for name in started}
        if self._throughput:
            found = {f"{ALL}.1.gpus": sum(gpus.values()), f"{ALL}.1.gangs": len(gpus)}
            return {**(found if startable else {}), f"{ALL}.1.elastic": more.get(1, 0)}
        fair = self._situation.policy.policy.objective == "fair"
        found = {}
        entitled = [name for name in started if self.places[name].tier_class == COVERED]
        if fair and any(place.tier_class == COVERED for place in self.places.values()):
            found["covered.shortfall"] = self._shortfall(entitled)
        last = COVERED if self._situation.policy.queue_model == "proportion" else REST
        starting = set(self.places.values())
        growing = {place_at(self._situation, last, rank) for rank in self.ranks.values()}
        for place in sorted(starting | growing):
            if place in starting:
                here = [name for name in started if self.places[name] == place]
                so_far = [name for name in started if self.places[name] <= place]
                if fair:
                    so_far = [*{*so_far, *entitled}]
                if not (fair and place.tier_class == COVERED):
                    found[f"{place.prefix}.shortfall"] = self._shortfall(so_far)
                found[f"{place.prefix}.gpus"] = sum(gpus[name] for name in here)
                found[f"{place.prefix}.gangs"] = len(here)
            if place in growing:
                found[f"{place.prefix}.elastic"] = more.get(place.rank, 0)
        return found

    def _shortfall(self, started: list[str]) -> int:
        situation = self._situation
        gained: Counter[str] = Counter()
        for name in started:
            gained[situation.startable[name].queue] += situation.startable[name].gpus
        return sum(
            penalty(
                lack_in_thousandths(
                    self._deserved_gpus(queue), situation.gpus_running(queue) + gained[queue]
                )
            )
            for queue in {gang.queue for gang in situation.snapshot.gangs}
        )

    def _deserved_gpus(self, queue: str) -> Fraction:
        names = whole_gpu_names(self._situation.policy.policy.gpu_models)
        return sum((self._situation.shares.deserved(queue, name) for name in names), Fraction(0))


def as_score(values: dict[str, int]) -> tuple[int, ...]:
    """A tier vector turned so that larger is better in every place."""
    return tuple(-value if name.endswith("shortfall") else value for name, value in values.items())
