"""Thresholds on the summary of a plan (``--require gpusAfter>=400``)."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from pydantic.alias_generators import to_camel

from models.findings import UsageError
from models.plan import Summary

_OPERATORS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_FORM = re.compile(r"\s*([A-Za-z_]\w*)\s*(>=|<=|==|!=|>|<|=)\s*([^\s<>=]\S*)\s*")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A figure of the summary (field name), a comparison and a number."""

    figure: str
    comparison: str
    threshold: Decimal

    def holds(self, value: Decimal | int | float) -> bool:
        """Whether a value of the figure meets the threshold."""
        return _OPERATORS[self.comparison](Decimal(str(value)), self.threshold)

    def __str__(self) -> str:
        return f"{self.figure}{self.comparison}{self.threshold}"


def known_figures() -> tuple[str, ...]:
    """Numeric figures of the summary, as the plan document names them."""
    return tuple(
        to_camel(name) for name, field in Summary.model_fields.items() if field.annotation is int
    )


def parse_requirement(text: str) -> Requirement:
    """Requirement in ``figure>=number``; the figure as in the document (``gpusAfter``) or with underscores.

    Raises
    ------
    UsageError
        Another form, or a figure that the summary does not have; the nearest one is named.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"--require {text!r}: write it like gpusAfter>=400")
    name, comparison, number = match.groups()
    figure = to_camel(name) if "_" in name else name
    known = known_figures()
    if figure not in known:
        near = difflib.get_close_matches(figure, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        raise UsageError(f"--require {text!r}: the summary has no figure {name!r}; {hint}")
    try:
        threshold = Decimal(number)
    except InvalidOperation as error:
        raise UsageError(f"--require {text!r}: {number!r} is not a number") from error
    if not threshold.is_finite():
        raise UsageError(f"--require {text!r}: {number!r} is not a number")
    return Requirement(figure, comparison, threshold)


def missed_requirements(requirements: Sequence[Requirement], summary: Summary) -> tuple[str, ...]:
    """A sentence for each requirement that the summary does not meet."""
    values = summary.model_dump(by_alias=True)
    return tuple(
        f"required {one}, but {one.figure} is {values[one.figure]}"
        for one in requirements
        if not one.holds(values[one.figure])
    )
