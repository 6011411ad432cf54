"""Why something is as it is: a code, a sentence and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from models.part import Part


class Reason(Part):
    """Why a gang waits or is evicted; ``data`` holds the numbers of the message."""

    code: str
    message: str
    data: Mapping[str, Any] = Field(default_factory=dict)
