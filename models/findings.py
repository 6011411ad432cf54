"""Findings about the input, and the errors that stop a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the input that a reader should know.

    Attributes
    ----------
    code
        Stable snake_case name, one per check.
    object
        What it concerns, e.g. ``queue/eval`` or ``pod/ml/train-0``; may be a file name.
    message
        What is the matter, with numbers and units.
    remedy
        What a person can do about it.
    """

    code: str
    severity: Severity
    object: str
    message: str
    remedy: str = ""


class PlannerError(Exception):
    """Base of all errors that end a run with a message and an exit code."""

    exit_code = 2


class UsageError(PlannerError):
    """Options that contradict each other or name something unknown."""

    exit_code = 2


class InputError(PlannerError):
    """Input that cannot be read, or not trusted as a whole; carries findings with file, object and remedy."""

    exit_code = 3

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class InfeasibleError(PlannerError):
    """Proved: no plan satisfies the rules."""

    exit_code = 4


class NoPlanInTimeError(PlannerError):
    """The limit ended the search before any plan was found."""

    exit_code = 5


class VerificationError(PlannerError):
    """The plan failed the independent check and is withheld."""

    exit_code = 6


class BackendError(PlannerError):
    """A solver failed or is not installed."""

    exit_code = 2
