"""What kind of failure an error is."""

from __future__ import annotations

from models.findings import (
    InfeasibleError,
    InputError,
    NoPlanInTimeError,
    PlannerError,
    VerificationError,
)
from models.nightly.run import NightRun, Outcome

CHANGED = 1
CANNOT_RUN = 2
REQUIREMENT_MISSED = 7
INTERRUPTED = 130
_KINDS: tuple[tuple[type[PlannerError], Outcome], ...] = (
    (InputError, "input_error"),
    (InfeasibleError, "infeasible"),
    (NoPlanInTimeError, "no_plan"),
    (VerificationError, "withheld"),
)


def failed(run: NightRun, error: BaseException) -> NightRun:
    """The run as it ended with an error: outcome, exit code and message."""
    if isinstance(error, KeyboardInterrupt):
        told: dict[str, object] = {"outcome": "interrupted", "exit_code": INTERRUPTED}
        message = "interrupted before there was a plan"
    else:
        outcome = next((one for kind, one in _KINDS if isinstance(error, kind)), "failed")
        code = error.exit_code if isinstance(error, PlannerError) else CANNOT_RUN
        told = {"outcome": outcome, "exit_code": code}
        message = str(error) or type(error).__name__
    return run.model_copy(update={**told, "error": message})
