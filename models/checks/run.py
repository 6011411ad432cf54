"""Run all checks on a snapshot."""

from __future__ import annotations

from models.checks.check import LISTED
from models.checks.registry import REGISTRY
from models.checks.subject import Subject
from models.effective import EffectivePolicy
from models.findings import Finding
from models.snapshot import Snapshot

_ORDER = {"error": 0, "warning": 1, "info": 2}


def check_snapshot(
    snapshot: Snapshot, policy: EffectivePolicy, *, listed: int | None = LISTED
) -> tuple[Finding, ...]:
    """All findings about the input: those of reading, and those of every check; no solver is needed.

    Parameters
    ----------
    listed
        Findings of one code that are listed one by one; where there are more, one finding says how many there are,
        names the first and tells where to see all. None lists every one.

    Returns
    -------
    tuple[Finding, ...]
        Sorted by severity (error, warning, info), code and object. None of them is a failure; whoever plans decides
        what an error means.
    """
    subject = Subject(snapshot, policy)
    found = dict.fromkeys(snapshot.findings)
    for check in REGISTRY.values():
        found.update(dict.fromkeys(check.findings(subject, listed=listed)))
    return tuple(sorted(found, key=lambda one: (_ORDER[one.severity], one.code, one.object)))
