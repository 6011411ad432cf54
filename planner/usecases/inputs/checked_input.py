"""Snapshot, policy and findings together: what every use case starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.checks import check_snapshot
from models.effective import EffectivePolicy, resolve_policy
from models.findings import Finding, InputError
from models.snapshot import Snapshot
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.inputs.measured import with_use
from planner.usecases.inputs.policies import policy_keys, read_policy

INCOMPLETE = ("export_incomplete", "cluster_hidden")
"""Findings that refuse a plan: without some pods or nodes it would be of another cluster."""


@dataclass(frozen=True)
class CheckedInput:
    """What was read, under which policy, and what is noticeable about it."""

    snapshot: Snapshot
    policy: EffectivePolicy
    findings: tuple[Finding, ...]

    def refuse_incomplete(self) -> None:
        """Stop here if the export lacks objects that other objects report.

        Raises
        ------
        InputError
            With the findings that tell what is missing.
        """
        missing = tuple(one for one in self.findings if one.code in INCOMPLETE)
        if missing:
            raise InputError(
                "the export is incomplete; --allow-incomplete goes on with what is there", missing
            )


def read_checked(
    paths: Sequence[str | Path],
    *,
    policy_file: Path | None = None,
    assignments: Sequence[str] = (),
) -> CheckedInput:
    """Read a snapshot and check it under the policy of the command line.

    Raises
    ------
    InputError
        Snapshot or policy file cannot be read.
    UsageError
        A policy key of the command line is wrong.
    """
    flags = policy_keys(assignments)
    file = read_policy(policy_file) if policy_file is not None else None
    snapshot = read_inputs(paths)  # after the policy: a typing error there shows before a long read
    policy = resolve_policy(snapshot, file, flags)
    return checked(with_use(snapshot, policy.policy), policy)


def checked(snapshot: Snapshot, policy: EffectivePolicy) -> CheckedInput:
    """Check a snapshot under an effective policy."""
    return CheckedInput(snapshot, policy, check_snapshot(snapshot, policy))
