from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from models.resources import NO_RESOURCES, Resources, total_of

AMOUNTS = st.dictionaries(
    st.sampled_from(["cpu", "memory", "pods", "nvidia.com/gpu"]), st.integers(-(2**70), 2**70)
)


def test_a_listed_zero_is_kept_until_asked_otherwise():
    listed = Resources({"nvidia.com/gpu": 0, "cpu": 1})
    assert "nvidia.com/gpu" in listed
    assert listed != Resources({"cpu": 1})
    assert listed.without_zeros() == Resources({"cpu": 1})


def test_what_is_not_listed_amounts_to_nothing_but_is_no_entry():
    assert NO_RESOURCES.amount("cpu") == 0
    with pytest.raises(KeyError):
        NO_RESOURCES["cpu"]
    assert not NO_RESOURCES


def test_names_are_sorted_so_that_equal_maps_look_equal():
    one, two = Resources({"b": 1, "a": 2}), Resources([("a", 2), ("b", 1)])
    assert list(one) == ["a", "b"]
    assert one == two
    assert hash(one) == hash(two)
    assert repr(one) == repr(two)
    assert one == {"a": 2, "b": 1}
    assert one != 3


def test_a_source_that_changes_later_changes_nothing():
    source = {"cpu": 1}
    found = Resources(source)
    source["cpu"] = 2
    found.as_dict()["cpu"] = 3
    assert found["cpu"] == 1
    with pytest.raises(TypeError):
        found["cpu"] = 2  # type: ignore[index]


@given(AMOUNTS, AMOUNTS)
def test_plus_and_minus_undo_each_other_exactly(left, right):
    one, two = Resources(left), Resources(right)
    assert one.plus(two).minus(two).without_zeros() == one.without_zeros()
    assert one.plus(two) == two.plus(one) == total_of([left, right])


@given(AMOUNTS, st.integers(0, 5))
def test_times_is_repeated_addition(amounts, factor):
    found = Resources(amounts).times(factor)
    assert found.without_zeros() == total_of([amounts] * factor).without_zeros()


def test_differences_may_be_negative():
    assert NO_RESOURCES.minus({"cpu": 1}) == {"cpu": -1}


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_are_equal(clone):
    one = Resources({"cpu": 1_500, "memory": 2**40})
    hash(one)
    assert clone(one) == one


class _Holder(BaseModel):
    amounts: Resources = NO_RESOURCES


def test_json_round_trip_keeps_exact_integers():
    held = _Holder(amounts=Resources({"memory": 2**63 + 1, "nvidia.com/gpu": 0}))
    again = _Holder.model_validate_json(held.model_dump_json())
    assert again == held
    assert isinstance(again.amounts, Resources)
    assert held.model_dump(mode="json") == {"amounts": {"memory": 2**63 + 1, "nvidia.com/gpu": 0}}
    assert _Holder(amounts={"cpu": 5}).amounts == {"cpu": 5}


@pytest.mark.parametrize("amounts", [{"cpu": 1.5}, {"cpu": "many"}, {"cpu": None}, [1], "cpu"])
def test_what_is_no_integer_amount_is_refused(amounts):
    with pytest.raises(ValidationError):
        _Holder(amounts=amounts)


def test_the_json_schema_is_a_map_of_integers():
    schema = _Holder.model_json_schema()["properties"]["amounts"]
    assert schema["type"] == "object"
    assert schema["additionalProperties"] == {"type": "integer"}
