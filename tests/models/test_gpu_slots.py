"""Replicas of time-slicing and MPS are slots of cards."""

from __future__ import annotations

from models.cluster import Node
from models.gpu_slots import slot_sums, slot_words, slots_of
from models.resources import Resources

GPU = "nvidia.com/gpu"


def node(amount: int, *, resource: str = GPU, **labels: str) -> Node:
    marks = {f"nvidia.com/gpu.{name.replace('_', '-')}": value for name, value in labels.items()}
    return Node("n1", allocatable=Resources({resource: amount}), labels=marks)


def test_time_slicing_shows_eight_cards_as_32() -> None:
    found = slots_of(node(32, replicas="4", sharing_strategy="time-slicing", count="8"))
    assert found is not None
    assert (found.count, found.cards, found.per_card, found.strategy) == (32, 8, 4, "time-slicing")


def test_mps_without_a_count_and_with_an_unhealthy_slot() -> None:
    found = slots_of(node(15, replicas="8", sharing_strategy="mps"))
    assert found is not None
    assert (found.count, found.cards) == (15, 2)


def test_a_renamed_resource_has_slots_too() -> None:
    shared = node(
        4, resource="nvidia.com/gpu.shared", replicas="4", sharing_strategy="time-slicing"
    )
    found = slots_of(shared)
    assert found is not None
    assert (found.resource, found.cards) == ("nvidia.com/gpu.shared", 1)
    assert slot_sums([shared], (GPU,)) == (0, 0)  # they are not counted as GPUs


def test_cards_are_no_slots() -> None:
    assert slots_of(node(8, replicas="1", sharing_strategy="none")) is None
    assert slots_of(node(8, count="8")) is None
    assert slots_of(node(8, replicas="many")) is None
    assert slots_of(node(0, replicas="4", sharing_strategy="mps")) is None


def test_words() -> None:
    assert slot_words(64, 16, 72) == "64 of the 72 GPUs are slots of 16 shared cards"
    assert slot_words(8, 1, 8) == "all of the 8 GPUs are slots of 1 shared card"
    assert slot_words(0, 0, 8) == ""
