"""What one check is: a code, a severity, a sentence, a remedy, and the function that looks for it.

One function per check whose message says what, where and how to fix it: a habit of PyPSA's (``pypsa/consistency.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from models.checks.subject import Subject
from models.checks.wording import NAMES_SHOWN, names_text
from models.findings import Finding, Severity

LISTED = 4
"""Findings of one code that are listed one by one; more are summed up in one finding that says their number."""
LISTED_GROUPS = 12
"""The same for checks whose hits stand for many objects each, such as one hit per resource name."""


class Hit(NamedTuple):
    """One object that a check stumbled over.

    ``amount`` is what :attr:`Check.phrase` may sum as ``{total}``; ``remedy`` replaces the check's own.
    """

    object: str
    message: str
    amount: int = 0
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the registry.

    Attributes
    ----------
    sentence
        When the finding appears and what it means, for the documentation.
    noun, phrase
        How many hits are told in one sentence: "300 {noun} {phrase}"; ``{total}`` is the sum of their amounts.
    see_all
        Where a person finds all objects when only the first are named.
    listed
        Hits up to this number are told one by one.
    find
        Yields the hits in a stable order; None for findings that readers make.
    """

    code: str
    severity: Severity
    sentence: str
    remedy: str
    noun: str = "objects"
    phrase: str = "are concerned"
    see_all: str = "the JSON output"
    listed: int = LISTED
    find: Callable[[Subject], Iterable[Hit]] | None = None

    def findings(self, subject: Subject, *, sum_up: bool = True) -> list[Finding]:
        """Findings of this check; many hits become one finding unless ``sum_up`` is off."""
        hits = list(self.find(subject)) if self.find is not None else []
        if sum_up and len(hits) > self.listed:
            return [self._one_for_all(hits)]
        return [
            Finding(self.code, self.severity, hit.object, hit.message, hit.remedy or self.remedy)
            for hit in hits
        ]

    def gathered(self, found: Sequence[Finding], *, sum_up: bool = True) -> list[Finding]:
        """Findings of this code that somebody else made, summed up in the same way."""
        if not sum_up or len(found) <= self.listed:
            return list(found)
        return [self._one_for_all([Hit(one.object, one.message) for one in found])]

    def _one_for_all(self, hits: Sequence[Hit]) -> Finding:
        total = sum(hit.amount for hit in hits)
        what = f"{len(hits):,} {self.noun}"
        message = (
            f"{what} {self.phrase.format(total=f'{total:,}')}: "
            f"{names_text([hit.object.partition('/')[2] or hit.object for hit in hits])}"
            f"{f' (all of them: {self.see_all})' if len(hits) > NAMES_SHOWN + 1 else ''}. "
            f"The first: {hits[0].message}"
        )
        return Finding(self.code, self.severity, what, message, self.remedy)
