"""Rows of a demand table, whatever file they come from: checked, collected by service, put in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from models.demand import ANY_SERVICE, DemandSamples, in_order, is_relative
from models.findings import Finding, InputError

TIME: Final = "time"
SERVICE: Final = "service"
GPUS: Final = "gpus"
LARGEST_DEMAND: Final = 10**9
_SHOWN_FAULTS: Final = 5
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_REMEDY_TIME: Final = "write RFC 3339 (2026-08-20T08:00:00Z) or seconds"
_REMEDY_GPUS: Final = "write the number of GPUs, 0 or more; leave out rows without a measurement"


class DemandRows:
    """Collects rows and what is wrong with them.

    Parameters
    ----------
    file
        Name for messages.
    unit
        What a row is called in messages, ``line`` or ``row``.
    """

    def __init__(self, file: str, unit: str = "line") -> None:
        self._file, self._unit = file, unit
        self._rows: dict[str, dict[int, tuple[int, int]]] = {}
        self._faults: list[tuple[int, str, str, str]] = []
        self._kinds: dict[bool, int] = {}

    def add(self, number: int, time: Any, service: str, gpus: Any) -> None:
        """Take a value; ``number`` is where it stands in the file."""
        moment = self._moment(number, time)
        amount = self._amount(number, gpus)
        name = service.strip()
        if not name.isprintable():
            self._fault(number, "demand_service", f"{name[:40]!r} is no service name", "rename it")
            return
        if moment is None or amount is None:
            return
        known = self._rows.setdefault(name, {})
        before = known.get(moment)
        if before is not None and before[0] != amount:
            what = f"{before[0]} GPUs at {self._unit} {before[1]} and {amount} here for the same time{_of(name)}"
            self._fault(number, "demand_twice", what, "keep one row per time and service")
            return
        known[moment] = (amount, number)

    def finish(self) -> tuple[DemandSamples, ...]:
        """All services by name.

        Raises
        ------
        InputError
            A row cannot be used, or there is none.
        """
        if len(self._kinds) == 2:
            second = max(self._kinds.values())
            self._fault(second, "demand_time", "dates and plain seconds are mixed", _REMEDY_TIME)
        if not self._faults and not self._rows:
            remedy = f"give columns {TIME}, {SERVICE}, {GPUS} and one row per time and service"
            raise input_error(self._file, "demand_empty", "holds no demand", remedy)
        if self._faults:
            raise self._error()
        return in_order(self._series(name) for name in self._rows)

    def _series(self, name: str) -> DemandSamples:
        seconds = sorted(self._rows[name])
        gpus = tuple(self._rows[name][second][0] for second in seconds)
        relative = True in self._kinds and all(is_relative(rows) for rows in self._rows.values())
        return DemandSamples(name, tuple(seconds), gpus, relative, self._file)

    def _moment(self, number: int, value: Any) -> int | None:
        moment, plain = _seconds_of(value)
        if moment is None:
            self._fault(number, "demand_time", f"{_shown(value)} is not a time", _REMEDY_TIME)
            return None
        self._kinds.setdefault(plain, number)
        return moment

    def _amount(self, number: int, value: Any) -> int | None:
        try:
            amount = Decimal(str(value).strip())
        except InvalidOperation:
            amount = Decimal("NaN")
        if not amount.is_finite() or not 0 <= amount <= LARGEST_DEMAND:
            self._fault(
                number, "demand_gpus", f"{_shown(value)} is not a number of GPUs", _REMEDY_GPUS
            )
            return None
        return int(amount.to_integral_value("ROUND_CEILING"))

    def _fault(self, number: int, code: str, message: str, remedy: str) -> None:
        self._faults.append((number, code, message, remedy))

    def _error(self) -> InputError:
        findings = [
            Finding(code, "error", self._file, f"{self._unit} {number}: {message}", remedy)
            for number, code, message, remedy in self._faults[:_SHOWN_FAULTS]
        ]
        more = len(self._faults) - len(findings)
        if more:
            what = f"{more} more rows cannot be used either"
            findings.append(Finding("demand_more", "error", self._file, what, "mend them as well"))
        return InputError(f"{self._file}: {findings[0].message}", findings)


def value_columns(header: Sequence[str], file: str) -> dict[int, str | None]:
    """Columns that hold GPUs, and the service of each; None where the column ``service`` names it.

    A table has ``time``, ``service``, ``gpus``; or ``time`` and one column per service.

    Raises
    ------
    InputError
        No column ``time``, no other column, or two of the same name.
    """
    names = [name.strip() for name in header]
    remedy = f"the first line must be {TIME},{SERVICE},{GPUS}, or {TIME} and one column per service"
    if TIME not in names:
        seen = ", ".join(names)[:120] or "nothing"
        raise input_error(file, "demand_columns", f"has no column {TIME} (found: {seen})", remedy)
    if len(set(names)) < len(names) or "" in names:
        raise input_error(file, "demand_columns", "has unnamed or equal column names", remedy)
    if GPUS in names and SERVICE in names:
        return {names.index(GPUS): None}
    if SERVICE in names:
        raise input_error(file, "demand_columns", f"has no column {GPUS}", remedy)
    found: dict[int, str | None] = {
        place: ANY_SERVICE if name == GPUS else name
        for place, name in enumerate(names)
        if name != TIME
    }
    if not found:
        raise input_error(file, "demand_columns", "has no column beside time", remedy)
    return found


def input_error(file: str, code: str, message: str, remedy: str) -> InputError:
    """One fault of a whole file."""
    return InputError(f"{file}: {message}", (Finding(code, "error", file, message, remedy),))


def _seconds_of(value: Any) -> tuple[int | None, bool]:
    """Seconds, and whether they were given as a plain number."""
    if isinstance(value, datetime):
        moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return int(moment.timestamp()), False
    text = str(value).strip()
    if _NUMBER.fullmatch(text):
        return (int(Decimal(text)), True) if len(text) <= 24 else (None, True)
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return int(moment.timestamp()), False
    except (ValueError, OverflowError):
        return None, False


def _of(name: str) -> str:
    return f" of {name}" if name else ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 44 else f"{text[:40]}…"
