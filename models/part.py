"""The base of all parts of a document."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from models.moments import epoch_seconds


def _time(text: str) -> str:
    if text and epoch_seconds(text) is None:
        raise ValueError("not a time such as 2026-08-20T08:01:00Z")
    return text


TimeText = Annotated[str, AfterValidator(_time)]
"""An RFC 3339 time as a document has it, "" where none is known."""


class Part(BaseModel):
    """Base of all parts: frozen, camelCase in JSON, further fields are kept."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
    )
