"""JSON text as a stream of objects; only one element of a list is in memory at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

from models.readers.problems import BadFile, damaged, hostile
from models.readers.text_source import TextSource

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER_TAIL: Final = re.compile(r"[0-9.eE+-]*\Z")
_CHUNK: Final = 1 << 20
_LARGEST_OBJECT: Final = (
    16 << 20
)  # characters, indented; an API server stores less than 2 MiB per object
_LARGEST_FIELD: Final = (
    256 << 20
)  # of a document that is no list: a snapshot of 12,500 nodes has 24 MB in all
_CUT_TOKEN: Final = (
    16  # an error this near to the end of the buffer may be a token that was cut off
)
Element = tuple[Any, Mapping[str, Any] | None]


class JsonStream:
    """Documents of a JSON text, several in a row allowed (``kubectl get`` appended to one file).

    The C scanner of the standard library parses one element at a time from a buffer; it counts its own recursion, so
    deep nesting ends in an error and not in a crash. Fractions stay text, to be read exactly later.

    Attributes
    ----------
    head
        Fields beside ``items`` of the document that is read, complete at its end.
    """

    def __init__(self, source: TextSource) -> None:
        decoder: Any = json.JSONDecoder(parse_float=str, parse_constant=_refuse_constant)
        self._scan = decoder.scan_once
        self._source = source
        self._text, self._at, self._ended = "", 0, False
        self.head: dict[str, Any] = {}

    def elements(self) -> Iterator[Element]:
        """Each element of a top-level list or of ``items``, with the fields before it; other documents as a whole."""
        while char := self._peek():
            if char == "{":
                yield from self._document()
            elif char == "[":
                yield from self._list(None)
            else:
                self._fail("a list or an object is expected")

    def _document(self) -> Iterator[Element]:
        self._at += 1
        head = self.head = {}
        streamed = False
        more = self._peek() != "}"
        while more:
            if self._peek() != '"':
                self._fail("a key in double quotes is expected")
            key = self._value()
            self._expect(":")
            if key == "items" and self._peek() == "[":
                streamed = True
                yield from self._list(head)
            else:
                head[key] = self._value()
            more = self._peek() == ","
            self._at += more
        self._expect("}")
        if not streamed:
            yield head, None

    def _list(self, head: Mapping[str, Any] | None) -> Iterator[Element]:
        self._at += 1
        more = self._peek() != "]"
        while more:
            yield self._value(_LARGEST_OBJECT), head
            more = self._peek() == ","
            self._at += more
        self._expect("]")

    def _peek(self) -> str:
        """Next character that is no white space, "" at the end; the position moves there."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._refill(_CHUNK):
                return ""

    def _expect(self, char: str) -> None:
        if self._peek() != char:
            self._fail(f"{char!r} is expected")
        self._at += 1

    def _value(self, largest: int = _LARGEST_FIELD) -> Any:
        """The value at the position; text is read on until it is complete or has more than ``largest`` characters."""
        self._peek()
        size = _CHUNK
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except (StopIteration, ValueError) as error:
                at = self._place_of(error)
                if at + _CUT_TOKEN <= len(self._text) or not self._refill(size):
                    self._fail(_reason(error), at)
            except RecursionError:
                raise hostile("the JSON text is nested too deeply") from None
            else:
                if not self._may_go_on(value, end) or not self._refill(size):
                    self._at = end
                    return value
            size = min(2 * size, largest)
            if len(self._text) > largest + _CHUNK:
                raise hostile(f"one object is larger than {largest >> 20} MiB")

    def _may_go_on(self, value: Any, end: int) -> bool:
        """Whether the value is a number that the end of the buffer may have cut: ``1`` of ``1.5``."""
        return (
            not isinstance(value, (dict, list)) and _NUMBER_TAIL.match(self._text, end) is not None
        )

    def _place_of(self, error: StopIteration | ValueError) -> int:
        """Where the text stops making sense; an open string reaches to the end of what was read."""
        if isinstance(error, StopIteration):
            return int(error.value)
        if isinstance(error, json.JSONDecodeError):
            return len(self._text) if error.msg.startswith("Unterminated string") else error.pos
        return self._at

    def _refill(self, size: int) -> bool:
        """Append more text; False at the end of the file."""
        more = "" if self._ended else self._source.read(size)
        self._ended = not more
        if more:
            self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def _fail(self, reason: str, place: int | None = None) -> NoReturn:
        at = self._at if place is None else place
        if self._ended and not self._text[at:].strip():
            raise damaged("the JSON text ends in the middle")
        near = ascii(self._text[at : at + 40])
        raise damaged(f"the JSON text is broken: {reason}, near {near}")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    if isinstance(error, StopIteration):
        return "a value is expected"
    return "a number with thousands of digits"  # the only other thing that the parser refuses


def _refuse_constant(name: str) -> NoReturn:
    raise BadFile(
        "file_damaged", f"{name} is no JSON number", "replace it by a number or remove the field"
    )
