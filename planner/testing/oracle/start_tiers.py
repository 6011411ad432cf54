"""Values of the start tiers (shortfall, GPUs, gangs) for a set of started gangs, for the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from fractions import Fraction
from functools import cached_property

from models.gpu import whole_gpu_names
from planner.testing.oracle.ranking import Place, classify
from planner.testing.oracle.shortfall import lack_in_thousandths, penalty
from planner.testing.oracle.situation import Situation

ALL = "all"


class StartTiers:
    """The start tiers of one situation.

    One group of three for every class and rank that a startable gang has; under ``objective: throughput`` the two
    tiers ``all.1.gpus`` and ``all.1.gangs``; none where nothing can start.
    """

    def __init__(self, situation: Situation) -> None:
        self._situation = situation

    @cached_property
    def places(self) -> dict[str, Place]:
        """Class and rank of each startable gang, by full name."""
        return classify(self._situation)

    def values(self, started: Collection[str]) -> dict[str, int]:
        """Tier name to value, highest tier first."""
        startable = self._situation.startable
        gpus = {name: startable[name].gpus for name in started}
        if not startable:
            return {}
        if self._situation.policy.policy.objective == "throughput":
            return {f"{ALL}.1.gpus": sum(gpus.values()), f"{ALL}.1.gangs": len(gpus)}
        found: dict[str, int] = {}
        for place in sorted(set(self.places.values())):
            here = [name for name in started if self.places[name] == place]
            so_far = [name for name in started if self.places[name] <= place]
            found[f"{place.prefix}.shortfall"] = self._shortfall(so_far)
            found[f"{place.prefix}.gpus"] = sum(gpus[name] for name in here)
            found[f"{place.prefix}.gangs"] = len(here)
        return found

    def score(self, started: Collection[str]) -> tuple[int, ...]:
        """The values so that larger is better, for comparing lexicographically."""
        return as_score(self.values(started))

    def best_sets(self) -> list[frozenset[str]]:
        """All sets of started gangs with the best score."""
        scored = [(self.score(one), one) for one in self._situation.startable_sets()]
        best = max(score for score, _ in scored)
        return [one for score, one in scored if score == best]

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
