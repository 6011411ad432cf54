from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.units import QuantityError, parse_quantity, to_base_units, to_resources


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5n", Fraction(5, 10**9)),
        ("5u", Fraction(5, 10**6)),
        ("250m", Fraction(1, 4)),
        ("0", 0),
        ("1.5", Fraction(3, 2)),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("+3", 3),
        ("2k", 2000),
        ("2M", 2 * 10**6),
        ("2G", 2 * 10**9),
        ("2T", 2 * 10**12),
        ("2P", 2 * 10**15),
        ("2E", 2 * 10**18),
        ("1Ki", 1024),
        ("1Mi", 1024**2),
        ("1.5Gi", 1024**3 * 3 // 2),
        ("1Ti", 1024**4),
        ("1Pi", 1024**5),
        ("1Ei", 1024**6),
        ("1e3", 1000),
        ("1E3", 1000),
        ("12e-1", Fraction(6, 5)),
        ("1e+2", 100),
        (" 7 ", 7),
        (7, 7),
        (0.1, Fraction(1, 10)),
    ],
)
def test_every_form_is_exact(text: Any, value: Fraction | int) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1x",
        "1 Gi",
        "1ki",
        "1K",
        "--1",
        "1e",
        "e3",
        "1Gie3",
        "NaN",
        "inf",
        "0x10",
        "1_000",
        "１",
        None,
        True,
        [],
    ],
)
def test_other_text_is_refused(text: Any) -> None:
    with pytest.raises(QuantityError, match="is not a quantity"):
        parse_quantity(text)


@pytest.mark.parametrize(
    "text",
    ["1e999999999", "1e-999999999", "1" * 10**6, 10**10_000, "9" * 60 + "Ei"],
    ids=["exponent", "fraction", "digits", "number", "large"],
)
def test_absurd_amounts_are_refused_at_once(text: Any) -> None:
    start = time.process_time()
    with pytest.raises(QuantityError) as caught:
        to_base_units("memory", text)
    assert time.process_time() - start < 0.5
    assert len(str(caught.value)) < 120


def test_parts_of_a_unit_are_rounded_up() -> None:
    assert to_base_units("cpu", "100m") == 100
    assert to_base_units("cpu", "1.0001") == 1001
    assert to_base_units("cpu", "5n") == 1
    assert to_base_units("memory", "1500m") == 2
    assert to_base_units("nvidia.com/gpu", "8") == 8
    assert to_base_units("ephemeral-storage", "1Ki") == 1024


def test_negative_is_refused_by_name() -> None:
    with pytest.raises(
        QuantityError, match=r"memory: '-1Gi' is negative; an amount of memory is 0 or more"
    ):
        to_resources({"memory": "-1Gi"})


def test_resource_lists_keep_zeros_and_drop_object_counts() -> None:
    assert to_resources({"cpu": "2", "nvidia.com/gpu": 0, "count/pods": "9"}) == {
        "cpu": 2000,
        "nvidia.com/gpu": 0,
    }
    with pytest.raises(QuantityError, match=r"cpu: .* is not a quantity"):
        to_resources({"cpu": {"a": 1}})


@given(
    st.integers(0, 10**12), st.sampled_from(["n", "u", "m", "", "k", "M", "G", "Ki", "Mi", "Gi"])
)
def test_base_units_are_the_smallest_whole_number_above(number: int, suffix: str) -> None:
    exact = parse_quantity(f"{number}{suffix}")
    if exact <= 2**63 - 1:
        amount = to_base_units("memory", f"{number}{suffix}")
        assert amount - 1 < exact <= amount


@given(st.text(max_size=80))
def test_any_text_gives_a_value_or_a_quantity_error(text: str) -> None:
    try:
        amount = to_base_units("cpu", text)
    except QuantityError:
        return
    assert 0 <= amount <= 1000 * 2**63
