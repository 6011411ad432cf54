"""What a plan needs that the search does not: found while a child searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.findings import Finding
from models.plan import Baseline
from planner.encode.prepared import Prepared
from planner.simulate.baseline import GreedyRun, baseline_of, verified_run
from planner.verify.beforehand import Beforehand


@dataclass(frozen=True, slots=True)
class Ahead:
    """Findings of the input, the part of the check that needs no plan, and what a greedy scheduler does."""

    findings: Sequence[Finding]
    beforehand: Beforehand
    greedy: GreedyRun | None
    baseline: Baseline | None


def look_ahead(
    prepared: Prepared,
    findings: Sequence[Finding] | Callable[[], Sequence[Finding]],
    *,
    baseline: bool,
) -> Ahead:
    """All of it for one snapshot under one policy."""
    snapshot, policy = prepared.snapshot, prepared.policy
    told = findings() if callable(findings) else findings
    beforehand = Beforehand(snapshot, policy)
    greedy = verified_run(snapshot, policy, prepared.ruled, beforehand) if baseline else None
    figures = baseline_of(snapshot, policy, prepared.ruled, greedy) if greedy else None
    return Ahead(told, beforehand, greedy, figures)
