"""Column types that hold the same in every database."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import BigInteger, Numeric, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1


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


class WholeNumber(TypeDecorator[int]):
    """A whole number of any size.

    PostgreSQL has NUMERIC. SQLite's integers have 64 bits and its text would become a float in a column of numbers, so
    what is larger is kept there as the bytes of its digits.
    """

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """NUMERIC where the database has one that is exact."""
        return dialect.type_descriptor(Numeric() if _exact(dialect) else BigInteger())

    def process_bind_param(self, value: int | None, dialect: Dialect) -> Any:
        """The number itself, or the bytes of its digits."""
        if value is None or _exact(dialect) or _SMALLEST <= value <= _LARGEST:
            return value
        return str(value).encode("ascii")

    def process_result_value(self, value: Any, dialect: Dialect) -> int | None:
        """The number again."""
        return None if value is None else int(value)


def _exact(dialect: Dialect) -> bool:
    return dialect.name == "postgresql"


def storable(text: str) -> str:
    """The text with NUL and lone surrogates replaced."""
    if "\x00" not in text and text.isprintable():
        return text
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
