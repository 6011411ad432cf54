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
from models.plan import Part, Summary

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


def known_figures(summary: type[Part] = Summary) -> tuple[str, ...]:
    """Numeric figures of a summary, as its document names them."""
    return tuple(
        to_camel(name)
        for name, field in summary.model_fields.items()
        if field.annotation in (int, int | None)
    )


def parse_requirement(
    text: str, summary: type[Part] = Summary, example: str = "gpusAfter>=400"
) -> Requirement:
    """Requirement in ``figure>=number``; the figure as in the document (``gpusAfter``) or with underscores.

    Raises
    ------
    UsageError
        Another form, or a figure that the summary does not have; the nearest one is named.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"--require {text!r}: write it like {example}")
    name, comparison, number = match.groups()
    figure = to_camel(name) if "_" in name else name
    known = known_figures(summary)
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


def missed_requirements(requirements: Sequence[Requirement], summary: Part) -> tuple[str, ...]:
    """A sentence for each requirement that the summary does not meet; a figure without a value meets none."""
    values = summary.model_dump(by_alias=True)
    return tuple(
        f"required {one}, but {one.figure} is {'null' if value is None else value}"
        for one in requirements
        for value in (values[one.figure],)
        if value is None or not one.holds(value)
    )
