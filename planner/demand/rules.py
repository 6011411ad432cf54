"""What the forecast must keep, from the policy or by hand."""

from __future__ import annotations

from dataclasses import dataclass

from planner.demand.margins import MarginRules


@dataclass(frozen=True, slots=True)
class LendingRules:
    """How careful loans are.

    Attributes
    ----------
    service_level
        Share of the time in which demand is met without taking a loan back; limits all loans.
    surge_level
        Share of the time in which demand is met within the deadline, loans taken back; limits loans to pods that do
        not leave within it.
    deadline_s, overhead_s
        Seconds within which lent GPUs must be back, and what a return costs beside the grace period.
    method
        ``seasonal`` (own quantiles) or ``statsmodels`` (extra ``forecast``).
    """

    service_level: float = 0.95
    surge_level: float = 0.99
    deadline_s: int = 30
    overhead_s: int = 1
    method: str = "seasonal"

    @property
    def maximal_grace_s(self) -> int:
        """Longest grace period of a pod that leaves within the deadline; negative where none can."""
        return self.deadline_s - self.overhead_s

    @property
    def calm(self) -> MarginRules:
        """Margin of all loans."""
        return MarginRules(self.service_level)

    @property
    def surge(self) -> MarginRules:
        """Margin of loans that are not back within the deadline."""
        level = max(self.surge_level, self.service_level)
        # The second line of defence, never below the first: no allowance beyond the level itself.
        return MarginRules(level, spare=1.0, confidence=0.5, exchange=0.0, careful=False)
