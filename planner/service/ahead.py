"""What a plan needs that the search does not: found while a child searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.findings import Finding
from models.plan import Baseline
from planner.prepare.prepared import Prepared
from planner.simulate.baseline import baseline_of
from planner.verify.beforehand import Beforehand


@dataclass(frozen=True, slots=True)
class Ahead:
    """Findings of the input, the part of the check that needs no plan, and what a greedy scheduler does."""

    findings: Sequence[Finding]
    beforehand: Beforehand
    baseline: Baseline | None


def look_ahead(
    prepared: Prepared,
    findings: Sequence[Finding] | Callable[[], Sequence[Finding]],
    *,
    baseline: bool,
) -> Ahead:
    """All of it for one snapshot under one policy."""
    snapshot, policy = prepared.snapshot, prepared.policy
    return Ahead(
        findings=findings() if callable(findings) else findings,
        beforehand=Beforehand(snapshot, policy),
        baseline=baseline_of(snapshot, policy, prepared.ruled) if baseline else None,
    )
