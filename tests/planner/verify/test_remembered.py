"""A remembered sequence is made once, as far as it is asked for."""

from __future__ import annotations

from itertools import islice

from planner.verify.remembered import Remembered


def test_items_are_made_on_demand_and_once() -> None:
    made: list[int] = []

    def source():
        for number in range(4):
            made.append(number)
            yield number

    kept = Remembered(source())
    assert made == []
    assert list(islice(kept, 2)) == [0, 1]
    assert made == [0, 1]
    assert list(kept) == list(kept) == [0, 1, 2, 3]
    assert made == [0, 1, 2, 3]


def test_two_who_iterate_at_once_see_every_item() -> None:
    kept = Remembered(iter(range(5)))
    one, other = iter(kept), iter(kept)
    assert [next(one), next(other), next(other), next(other), next(one)] == [0, 0, 1, 2, 1]
    assert [*one] == [2, 3, 4]
    assert [*other] == [3, 4]
