"""Mutated exports: a snapshot or an InputError comes out, never anything else."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from models.findings import InputError
from models.readers import read_snapshot
from models.writers.anonymize import anonymize
from models.writers.snapshot_json import snapshot_to_json

FIXTURE = Path(__file__).with_name("fuzz_fixture.yaml").read_text()
DOCUMENT: dict[str, Any] = yaml.safe_load(FIXTURE)
SNAPSHOT = snapshot_to_json(read_snapshot(["-"], stdin=io.BytesIO(FIXTURE.encode())))
ODD_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(
        [
            "-1",
            "1e999999999",
            "",
            "\x00",
            "\u202e",
            "<b>",
            "a/b",
            [],
            {},
            [[]],
            {"a": {}},
            [None],
            "2026-99-01",
        ]
    ),
)


def read(data: bytes) -> None:
    try:
        snapshot = read_snapshot(["-"], stdin=io.BytesIO(data))
    except InputError as error:
        check_findings(error)
        return
    again = read_snapshot(["-"], stdin=io.BytesIO(snapshot_to_json(snapshot)))
    assert again == snapshot
    hidden = anonymize(snapshot)
    assert len(hidden.pods) == len(snapshot.pods)
    assert read_snapshot(["-"], stdin=io.BytesIO(snapshot_to_json(hidden))) == hidden


def check_findings(error: InputError) -> None:
    assert error.findings
    assert all(one.message.isprintable() and one.object.isprintable() for one in error.findings)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in pairs:
        found += places(inner, (*path, key))
    return found


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


@settings(max_examples=250)
@given(place=st.sampled_from(places(DOCUMENT)), new=ODD_VALUES)
def test_any_field_may_hold_anything(place: tuple[Any, ...], new: Any) -> None:
    read(json.dumps(changed(DOCUMENT, place, new)).encode())


@settings(max_examples=120)
@given(place=st.sampled_from(places(json.loads(SNAPSHOT))), new=ODD_VALUES)
def test_any_field_of_a_snapshot_may_hold_anything(place: tuple[Any, ...], new: Any) -> None:
    read(json.dumps(changed(json.loads(SNAPSHOT), place, new)).encode())


@settings(max_examples=120)
@given(
    data=st.data(),
    source=st.sampled_from([FIXTURE.encode(), SNAPSHOT, json.dumps(DOCUMENT).encode()]),
)
def test_any_bytes_may_be_damaged(data: Any, source: bytes) -> None:
    start = data.draw(st.integers(0, len(source)))
    length = data.draw(st.integers(0, 30))
    read(source[:start] + data.draw(st.binary(max_size=12)) + source[start + length :])


@given(st.binary(max_size=300))
def test_any_bytes(source: bytes) -> None:
    read(source)


@given(st.text(alphabet="{}[]:,-\"' \nab&*!?|>#%@1~", max_size=60))
def test_any_punctuation(source: str) -> None:
    read(source.encode())
