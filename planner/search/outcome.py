"""What a search is told, and what it finds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.model.eviction_rows import EvictionCut
from planner.problem.limits import Limits
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.solve.backend import Backend
from planner.solve.known import KnownTier
from planner.solve.tiers import TierResult


@dataclass(frozen=True)
class Outcome:
    """The best plan and what is proved about it.

    Attributes
    ----------
    tiers
        Value of the plan and bound per tier, in order; a bound holds for the values above it.
    groups
        Node groups of the last model.
    maximal
        The last pass has been over this very plan: no waiting gang fits beside it (P3).
    stages
        Seconds per stage.
    approximations
        What the last model simplified, in words.
    work
        Units of deterministic work that the search took, where its limit was one.
    changes_only
        Only what a change leaves open was put into an earlier plan; the usual search has not been on.
    """

    assignment: Assignment
    tiers: tuple[TierResult, ...]
    groups: int
    variables: int
    rounds: int
    stages: dict[str, float] = field(default_factory=dict)
    maximal: bool = False
    approximations: tuple[str, ...] = ()
    changes_only: bool = False
    work: float = 0.0

    @property
    def proved(self) -> bool:
        """Every tier's bound equals its value."""
        return all(tier.closed for tier in self.tiers)


@dataclass(frozen=True)
class SearchSettings:
    """What the policy and the caller say about the search.

    Attributes
    ----------
    victims, cuts
        Where evictions are allowed.
    start
        A legal plan to begin with, of a situation that was planned before.
    known
        Tiers of that plan whose bounds hold here too (tier name to value and bound), see ``warm_start``.
    effort_s
        With ``start``: seconds (or deterministic work) of integer search after the relaxations.
    stays
        Gangs of ``start`` keep their nodes where that costs nothing.
    changes_only
        With ``stays``: large models are not searched beyond what has changed, though seconds of effort be left.
    """

    limits: Limits
    cluster_scope: bool = False
    fair: bool = False
    tier_names: tuple[str, ...] | None = None
    backend: Backend | None = None
    aggregate: bool = True
    victims: Victims | None = None
    cuts: tuple[EvictionCut, ...] = ()
    start: Assignment | None = None
    known: Mapping[str, KnownTier] = field(default_factory=dict)
    effort_s: float = math.inf
    stays: bool = False
    changes_only: bool = False
