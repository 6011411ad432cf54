"""How good held GPUs were, judged on demand that came later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.demand.history import Bools, Ints
from planner.demand.intervals import Interval, clopper_pearson, wilson
from planner.demand.quantiles import Floats


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over judged steps.

    Attributes
    ----------
    steps
        Steps of which demand is known.
    short
        Steps in which demand exceeded the GPUs held, before anything is taken back.
    lent_gpu_steps, idle_gpu_steps
        GPU-steps lent and not needed; GPU-steps not needed, which is what perfect knowledge lends.
    worst_short_gpus
        Most GPUs that had to be taken back at once.
    """

    steps: int
    short: int
    lent_gpu_steps: int
    idle_gpu_steps: int
    worst_short_gpus: int

    @property
    def short_rate(self) -> float:
        """Share of the steps that were short; 0 without steps."""
        return self.short / self.steps if self.steps else 0.0

    @property
    def lent_share(self) -> float:
        """Lent part of what perfect knowledge lends; 1 where nothing was idle."""
        return self.lent_gpu_steps / self.idle_gpu_steps if self.idle_gpu_steps else 1.0

    @property
    def wilson(self) -> Interval:
        """95 % interval of the short rate; steps that follow each other are not independent, so it is a guide."""
        return wilson(self.short, self.steps)

    @property
    def clopper_pearson(self) -> Interval:
        """The exact 95 % interval."""
        return clopper_pearson(self.short, self.steps)


def score(held: Ints, demand: Ints, known: Bools, owned: int) -> Score:
    """Judge GPUs held per step against demand, of ``owned`` GPUs in all."""
    held, demand = np.minimum(held[known], owned), np.minimum(demand[known], owned)
    short = np.maximum(demand - held, 0)
    return Score(
        steps=len(demand),
        short=int((short > 0).sum()),
        lent_gpu_steps=int(np.minimum(owned - held, owned - demand).sum()),
        idle_gpu_steps=int((owned - demand).sum()),
        worst_short_gpus=int(short.max(initial=0)),
    )


def scores_by_level(levels: Floats, demand: Ints, known: Bools, owned: int) -> tuple[Ints, Floats]:
    """Short steps and lent share for each level of ``levels`` (steps × levels), over known steps."""
    held = np.minimum(levels[known], owned)
    needed = np.minimum(demand[known], owned)[:, None]
    short: Ints = (held < needed).sum(axis=0)
    lent = np.minimum(owned - held, owned - needed).sum(axis=0)
    return short, lent / max(1.0, float((owned - needed).sum()))
