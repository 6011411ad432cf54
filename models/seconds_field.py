"""Durations in files that people write: ``4h30m`` or a number of seconds."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from models.moments import seconds_of_duration


def _seconds(value: Any) -> int:
    found = seconds_of_duration(value)
    if found is None:
        raise ValueError("not a duration such as 4h30m or a number of seconds above 0")
    return found


Seconds = Annotated[int, BeforeValidator(_seconds)]
