"""The relaxation of goal after goal, and what it proves of plans that reach a little less."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import highspy
import numpy as np
import numpy.typing as npt

from planner.problem.linear import LinearModel, TierGoal
from planner.solve.backend import Pin
from planner.solve.highs import LpBounds, rounded_bound


@dataclass(frozen=True, slots=True)
class Relaxed:
    """One goal's optimum beside the pins of the goals before it.

    Attributes
    ----------
    pin
        The value that later goals leave it: whole, and no better than the optimum, which may lie a hair beside its
        rounded bound.
    prices
        What one unit more of a goal before changes in the optimum; goals without any are left out.
    """

    goal: TierGoal
    bound: int
    pin: int
    optimum: float
    prices: Mapping[str, float]


class RelaxedChain:
    """Optima of the relaxation, in the order of the goals; begins with none."""

    def __init__(
        self,
        model: LinearModel,
        tiers: Sequence[TierGoal],
        *,
        workers: int,
        relaxation: LpBounds | None = None,
    ) -> None:
        self.relaxation = relaxation or LpBounds(model, workers=workers)
        self.relaxation.expect(tiers)
        self.steps: list[Relaxed] = []
        self._bases: dict[str, highspy.HighsBasis] = {}
        self._values: npt.NDArray[np.float64] | None = None

    def extend(self, goal: TierGoal, *, seconds: float) -> bool:
        """Relax one more goal; whether it was solved in time."""
        bound = self.relaxation.bound(goal, seconds=seconds)
        if bound is None:
            return False
        self._bases[goal.name] = self.relaxation.basis()
        self._values = np.array(self.relaxation.values())
        optimum = self.relaxation.optimum
        outward = math.floor(optimum) if goal.sense == "max" else math.ceil(optimum)
        pin = outward if goal.is_worse(outward, bound) else bound
        self.steps.append(Relaxed(goal, bound, pin, optimum, self.relaxation.prices()))
        self.relaxation.pin(Pin(goal, pin))
        return True

    def extend_all(
        self, goals: Sequence[TierGoal], *, seconds: float, stopped: Callable[[], bool]
    ) -> bool:
        """Relax the goals that have no optimum yet, in order; whether all were solved in time."""
        until = time.perf_counter() + seconds
        known = {step.goal.name for step in self.steps}
        for goal in goals:
            if goal.name in known:
                continue
            left = until - time.perf_counter()
            if left <= 0 or stopped() or not self.extend(goal, seconds=left):
                return False
        return True

    def go_on_with(self, relaxation: LpBounds, tiers: Sequence[TierGoal]) -> None:
        """Another relaxation of the model for the goals to come, beside the same pins: what was proved stays.

        It must allow all that the relaxation so far allows.
        """
        relaxation.expect(tiers)
        for step in self.steps:
            relaxation.pin(Pin(step.goal, step.pin))
        self.relaxation = relaxation
        self._bases.clear()

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """Fractional solution of the last goal that was solved."""
        return np.array(self.relaxation.values()) if self._values is None else self._values

    def beside(self, goal: TierGoal, reached: Mapping[str, int]) -> tuple[int | None, bool]:
        """Bound of a goal where the goals before it reach these values, and whether a relaxation would prove no more.

        Prices stay feasible for the dual where only the sides of pins move (weak duality), so a bound costs no
        search. Values better than a pin leave less room: there a relaxation may prove more.
        """
        for place, step in enumerate(self.steps):
            if step.goal.name != goal.name:
                continue
            bound, looser = step.optimum, True
            for before in self.steps[:place]:
                value = reached.get(before.goal.name)
                if value is None:
                    return None, False
                bound += step.prices.get(before.goal.name, 0.0) * (value - before.pin)
                looser = looser and not before.goal.is_worse(before.pin, value)
            whole = rounded_bound(bound, goal)
            return whole, looser and whole == step.bound
        return None, False

    def again(self, goal: TierGoal, pins: Sequence[Pin], *, seconds: float) -> int | None:
        """Bound of a goal under other pins than the chain's.

        The first begins where the chain solved that goal, the others where the one before ended: that is nearest.
        """
        self.relaxation.release()
        for pin in pins:
            self.relaxation.pin(pin)
        if goal.name in self._bases:
            self.relaxation.begin_at(self._bases[goal.name])
        self._bases.clear()
        return self.relaxation.bound(goal, seconds=seconds)


def relaxed_in_order(
    model: LinearModel,
    tiers: Sequence[TierGoal],
    *,
    seconds: float,
    workers: int,
    stopped: Callable[[], bool] = lambda: False,
    bounding: Sequence[str] = (),
    relaxation: LpBounds | None = None,
) -> RelaxedChain | None:
    """A fractional solution that is best in goal after goal; None where time was short.

    See :func:`to_relax` for ``bounding``. A ``relaxation`` may know more about the model than its rows say.
    """
    chain = RelaxedChain(model, tiers, workers=workers, relaxation=relaxation)
    goals = to_relax(tiers, bounding)
    return chain if chain.extend_all(goals, seconds=seconds, stopped=stopped) else None


def to_relax(tiers: Sequence[TierGoal], bounding: Sequence[str] = ()) -> list[TierGoal]:
    """Goals of a chain: those that the model only bounds are left out, except those named in ``bounding``."""
    return [goal for goal in tiers if not goal.relaxed or goal.name in bounding]
