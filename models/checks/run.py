"""Run all checks on a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from models.checks.check import Check
from models.checks.registry import REGISTRY
from models.checks.subject import Subject
from models.effective import EffectivePolicy
from models.findings import Finding
from models.snapshot import Snapshot

_ORDER = {"error": 0, "warning": 1, "info": 2}


def check_snapshot(
    snapshot: Snapshot, policy: EffectivePolicy, *, sum_up: bool = True
) -> tuple[Finding, ...]:
    """All findings about the input: those of reading, and those of every check; no solver is needed.

    Parameters
    ----------
    sum_up
        Many findings of one code become one that says how many there are, names the first and tells where to see
        all; False lists every one.

    Returns
    -------
    tuple[Finding, ...]
        Sorted by severity (error, warning, info), code and object. None of them is a failure; whoever plans decides
        what an error means.
    """
    subject = Subject(snapshot, policy)
    found = list(_of_reading(snapshot.findings, sum_up=sum_up))
    for check in REGISTRY.values():
        found += check.findings(subject, sum_up=sum_up)
    return tuple(sorted(dict.fromkeys(found), key=_rank))


def _of_reading(findings: Iterable[Finding], *, sum_up: bool) -> Iterator[Finding]:
    by_code: dict[str, list[Finding]] = {}
    for one in dict.fromkeys(findings):
        by_code.setdefault(one.code, []).append(one)
    for code, found in by_code.items():
        check = REGISTRY.get(code) or Check(code, found[0].severity, "", found[0].remedy)
        yield from check.gathered(found, sum_up=sum_up)


def _rank(finding: Finding) -> tuple[int, str, str, str]:
    return _ORDER[finding.severity], finding.code, finding.object, finding.message
