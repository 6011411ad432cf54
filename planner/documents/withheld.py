"""A plan that failed the independent check: the error that carries the withheld document."""

from __future__ import annotations

from models.findings import VerificationError
from models.plan import PlanResult


class PlanningError(VerificationError):
    """The plan failed verification; ``result`` holds the withheld document."""

    def __init__(self, message: str, result: PlanResult) -> None:
        super().__init__(message)
        self.result = result
