from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.readers.json_stream import JsonStream
from models.readers.problems import BadFile
from models.readers.text_source import TextSource
from models.readers.yaml_values import yaml_elements

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


class Drops(TextSource):
    """Text in pieces of a few characters."""

    def __init__(self, text: str, size: int) -> None:
        self.text, self.size = text, size

    def read(self, size: int = 1) -> str:
        piece, self.text = self.text[: self.size], self.text[self.size :]
        return piece


class Trickle(io.RawIOBase):
    """Bytes one by one, as a slow pipe gives them."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, size: int = -1) -> bytes:
        byte, self.data = self.data[:1], self.data[1:]
        return byte


@given(st.lists(VALUES, max_size=4), st.integers(1, 9), st.sampled_from([None, 2]))
def test_pieces_of_any_size_give_the_same_elements(
    values: list[Any], size: int, indent: int | None
) -> None:
    text = json.dumps({"kind": "List", "items": values}, indent=indent)
    found = list(JsonStream(Drops(text, size)).elements())
    assert found == [(value, {"kind": "List"}) for value in values]


@given(
    st.dictionaries(st.text(max_size=4).filter(lambda key: key != "items"), VALUES, max_size=4),
    st.integers(1, 9),
)
def test_other_documents_come_as_a_whole(document: dict[str, Any], size: int) -> None:
    text = json.dumps(document) + "\n" + json.dumps(document)
    assert list(JsonStream(Drops(text, size)).elements()) == [(document, None)] * 2


@given(VALUES, st.integers(1, 9), st.data())
def test_a_text_cut_anywhere_is_refused(value: Any, size: int, data: Any) -> None:
    text = json.dumps({"items": [value]})
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(BadFile):
        list(JsonStream(Drops(text[:cut], size)).elements())


def test_fractions_stay_text_and_whole_numbers_are_exact() -> None:
    (found,) = JsonStream(Drops('{"a": 0.1, "b": 12345678901234567890, "c": 1e3}', 3)).elements()
    assert found[0] == {"a": "0.1", "b": 12345678901234567890, "c": "1e3"}


def test_characters_cut_between_bytes() -> None:
    text = '{"a": "é漢😀"}'
    source = TextSource(Trickle(text.encode()))  # type: ignore[arg-type]
    assert list(JsonStream(source).elements()) == [({"a": "é漢😀"}, None)]
    wide = TextSource(Trickle(text.encode("utf-16")))  # type: ignore[arg-type]
    assert list(JsonStream(wide).elements()) == [({"a": "é漢😀"}, None)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1", -1),
        ("+1", 1),
        ("0x10", 16),
        ("010", 8),
        ("0o10", 8),
        ("08", "08"),
        ("0b11", 3),
        ("1_000", 1000),
        ("1.5", "1.5"),
        ("1e3", "1e3"),
        ("12:30", "12:30"),
        (".inf", ".inf"),
        ("yes", True),
        ("Off", False),
        ("y", "y"),
        ("~", None),
        ("", None),
        ("null", None),
        ("2026-01-01", "2026-01-01"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("!!int '1'", 1),
        ("9" * 50, "9" * 50),
    ],
)
def test_yaml_values_are_those_of_kubectl(text: str, value: Any) -> None:
    assert list(yaml_elements(io.StringIO(f"k: {text}\n"))) == [({"k": value}, None)]


PLAIN_TEXT = st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=6)


@given(
    st.lists(
        PLAIN_TEXT | st.integers() | st.dictionaries(PLAIN_TEXT, PLAIN_TEXT, max_size=3), max_size=4
    )
)
def test_yaml_reads_json(values: list[Any]) -> None:
    text = json.dumps({"kind": "List", "items": values})
    assert [one for one, _ in yaml_elements(io.StringIO(text))] == values


def test_a_number_of_thousands_of_digits_is_refused_in_plain_words() -> None:
    with pytest.raises(BadFile, match="a number with thousands of digits") as caught:
        list(JsonStream(TextSource(io.BytesIO(b'[{"a": ' + b"9" * 200_000 + b"}]"))).elements())
    assert "int_max" not in str(caught.value)
