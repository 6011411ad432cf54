"""Bounds that are found while gangs are brought into fewer domains, which leaves the tiers before those as they are.

Relaxing those tiers again is the work of a solver, gathering that of this process: on two cores they take as long as
the longer of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.model.build import BuiltModel
from planner.runtime.concurrent import Meanwhile
from planner.search.plan_values import worse
from planner.search.stages.bound.tier_bounds import certified
from planner.search.stages.relax.compact_bounds import PlainBounds
from planner.solve.relaxed_chain import RelaxedChain
from planner.solve.tiers import TierResult


class CertifiedAhead:
    """Bounds of the tiers up to the first of domains, in a thread where there is a core for it."""

    def __init__(self, relaxed: Callable[[], tuple[TierResult, ...]]) -> None:
        self._work = Meanwhile(relaxed)
        self._work.begin()

    @classmethod
    def begun(
        cls,
        built: BuiltModel,
        vector: Sequence[int],
        chain: RelaxedChain,
        seconds: float,
        *,
        beyond: Sequence[int] | None = None,
        plain: PlainBounds | None = None,
    ) -> CertifiedAhead | None:
        """Started for a plan with these values that is to be gathered.

        None where no tier says how many domains are used, or where the plan is not better than the values ``beyond``
        before such a tier. Nobody else may relax anything of the chain until it has ended.
        """
        domains = [goal.name.startswith("domains.") for goal in built.tiers]
        before = domains.index(True) if any(domains) else 0
        above = built.tiers[:before]
        if not above or (beyond is not None and not worse(above, beyond[:before], vector[:before])):
            return None
        known = vector[: before + 1]

        def relaxed() -> tuple[TierResult, ...]:
            other = None if plain is None else plain.chain()
            return certified(built, (), known, workers=1, seconds=seconds, chain=chain, plain=other)

        return cls(relaxed)

    def finish(self) -> None:
        """Wait for what has begun."""
        self._work.finish()

    def holding(self, vector: Sequence[int]) -> tuple[TierResult, ...]:
        """What was found of tiers whose values above are those of this vector, too."""
        found: list[TierResult] = []
        for tier, value in zip(self._work.result(), vector, strict=False):
            found.append(tier)
            if tier.value != value:
                break
        return tuple(found)
