"""How long and how precisely to search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one search.

    Attributes
    ----------
    time_limit_s
        Wall seconds for the search; with ``deterministic`` the same number of deterministic work units.
    gap
        Relative gap at which a tier counts as good enough; 0 asks for proof.
    seed, workers
        Passed to the solvers.
    deterministic
        Same input and seed give the same plan: one worker (or interleaved search), limits in work, not in seconds.
    guard_grace_s
        Seconds after the limit at which a solver that does not stop is ended from outside; one without any plan
        has twice the limit where that is more.
    """

    time_limit_s: float = 60.0
    gap: float = 0.0
    seed: int = 0
    workers: int = 2
    deterministic: bool = False
    guard_grace_s: float = 5.0
