"""Option values that need more than ``int`` or ``str``: durations and gaps."""

from __future__ import annotations

import math
import re

import typer

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
MOST_SECONDS = 10 * 365 * 86400
_PLAIN = re.compile(r"\d+(?:\.\d+)?")


def parse_duration(text: str | float) -> float:
    """Seconds in ``90``, ``90s``, ``2h30m`` or ``1d``.

    Raises
    ------
    typer.BadParameter
        Not such a duration, or not positive.
    """
    seconds = text if isinstance(text, float | int) else _duration_seconds(text.strip().lower())
    if seconds is None or not 0 < seconds < math.inf:
        raise typer.BadParameter(
            f"{text!r} is not a positive duration; write it like 90s, 10m or 2h30m"
        )
    return float(seconds)


def parse_whole_seconds(text: str | float) -> int:
    """Whole seconds of a duration; ``0s`` is one.

    Raises
    ------
    typer.BadParameter
        Not a duration, or with a part of a second.
    """
    seconds = text if isinstance(text, float | int) else _duration_seconds(text.strip().lower())
    if seconds is None or seconds != int(seconds) or seconds > MOST_SECONDS:
        raise typer.BadParameter(
            f"{text!r} is not a number of whole seconds; write it like 30s or 2m"
        )
    return int(seconds)


def parse_deadline(text: str | float) -> int:
    """Whole seconds, at least one.

    Raises
    ------
    typer.BadParameter
        Not such a duration.
    """
    seconds = parse_whole_seconds(text)
    if not seconds:
        raise typer.BadParameter(f"{text!r} leaves no time; a deadline is at least 1s")
    return seconds


def parse_effort(text: str | float) -> float:
    """A duration, or 0 for none.

    Raises
    ------
    typer.BadParameter
        Not such a duration.
    """
    if str(text).strip().lower() in ("0", "0s", "0.0"):
        return 0.0
    return parse_duration(text)


def _duration_seconds(text: str) -> float | None:
    if _PLAIN.fullmatch(text):
        return float(text)
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _UNITS_S[unit] for number, unit in parts)


def parse_gap(text: str | float) -> float:
    """Relative gap in ``0.1%`` or ``0.001``; 0 asks for proof.

    Raises
    ------
    typer.BadParameter
        Not a number, negative, or 1 and more.
    """
    if isinstance(text, float | int):
        return float(text)
    number, percent = text.strip().removesuffix("%").strip(), text.strip().endswith("%")
    if not _PLAIN.fullmatch(number):
        raise typer.BadParameter(f"{text!r} is not a gap; write it like 0.1% or 0.001")
    gap = float(number) / 100 if percent else float(number)
    if gap >= 1:
        raise typer.BadParameter(f"{text!r} is {gap:.0%}; a gap lies between 0 and 100%")
    return gap
