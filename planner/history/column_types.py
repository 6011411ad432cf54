"""Column types that hold the same in every database."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator


class PlainText(TypeDecorator[str]):
    """Text; what PostgreSQL cannot store (NUL, lone surrogates) becomes the replacement character everywhere."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Text that every database takes."""
        return None if value is None else storable(value)


class JsonText(TypeDecorator[Any]):
    """A JSON value as text, with whole numbers of any size."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """ASCII text with sorted keys, so that equal values are equal text."""
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """The value again."""
        return None if value is None else json.loads(value)


def storable(text: str) -> str:
    """The text with NUL and lone surrogates replaced."""
    if "\x00" not in text and text.isprintable():
        return text
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
