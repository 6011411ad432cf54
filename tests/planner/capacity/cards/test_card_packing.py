"""Cards of a node: packing against trying everything, counts of equal pods, room that shrinks and comes back."""

from __future__ import annotations

import itertools
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.capacity.cards.card_packing import Piece, pack_cards
from planner.capacity.cards.card_room import CardRoom, pack_node
from planner.problem.cards import CardTable

FREE = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=3
)
NEED = st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(1, 2))


def everything_tried(free: list[tuple[int, ...]], pieces: list[Piece]) -> bool:
    """Whether some choice of cards holds all pieces."""
    if not pieces:
        return True
    first, rest = pieces[0], pieces[1:]
    for pick in combinations(range(len(free)), first.cards):
        left = list(free)
        for card in pick:
            left[card] = tuple(a - b for a, b in zip(free[card], first.needs[card], strict=True))
        if all(min(one) >= 0 for one in left) and everything_tried(left, rest):
            return True
    return False


@settings(max_examples=150, deadline=None)
@given(FREE, st.lists(st.tuples(st.integers(1, 2), NEED), max_size=5))
def test_a_packing_is_found_where_there_is_one(free, asked) -> None:
    pieces = [Piece(cards, (need,) * len(free)) for cards, need in asked]
    found = pack_cards(free, pieces)
    assert (found is not None) == everything_tried(free, pieces)
    left = [list(one) for one in free]
    for piece, pick in zip(pieces, found or (), strict=False):
        assert len(set(pick)) == piece.cards
        for card in pick:
            left[card] = [a - b for a, b in zip(left[card], piece.needs[card], strict=True)]
    assert all(amount >= 0 for one in left for amount in one)


def table(free: list[tuple[int, ...]], asks: list[tuple[int, tuple[int, ...]]]) -> CardTable:
    """One node of equal cards with this left on each, and the shapes that ask."""
    cards = np.array([free], dtype=np.int64)
    return CardTable(
        free=cards,
        kind=np.zeros((1, len(free)), dtype=np.int64),
        capacity=np.array([[10, 4, 3]], dtype=np.int64),
        need=np.array([[need] for _, need in asks], dtype=np.int64).reshape(len(asks), 1, 3),
        count=np.array([count for count, _ in asks], dtype=np.int64),
        liking=("",) * len(asks),
    )


@settings(max_examples=150, deadline=None)
@given(FREE, st.integers(1, 2), NEED)
def test_the_count_of_equal_pods_is_exact(free, count, need) -> None:
    one = table(free, [(count, need)])
    pods = int(one.pods(0, one.free, one.kind)[0])
    pieces = [Piece(count, (need,) * len(free))]
    assert everything_tried(free, pieces * pods)
    assert not everything_tried(free, pieces * (pods + 1))


def test_pods_change_cards_where_the_fullest_first_order_fails() -> None:
    room = CardRoom(table([(10, 4, 3)] * 2, [(1, (5, 0, 1)), (1, (4, 0, 1)), (1, (6, 0, 1))]))
    assert room.put(1, 0, 2)  # 4 and 4 go to one card
    assert room.put(2, 0, 2)  # 6 and 6 need the rest of both
    assert sorted(room.free[0, :, 0].tolist()) == [0, 0]
    assert not room.put(0, 0, 1)
    assert {shape: len(picks) for shape, picks in room.cards(0).items()} == {1: 2, 2: 2}
    room.pull(2, 0, 2)
    assert room.counts(0).tolist() == [2]


def test_no_packing_changes_nothing() -> None:
    room = CardRoom(table([(10, 4, 3), (3, 4, 3)], [(1, (5, 0, 1))]))
    before = room.free.copy()
    assert not room.put(0, 0, 3)
    assert (room.free == before).all()
    assert pack_node(room.table, 0, {0: 3}) is None


@pytest.mark.parametrize("shapes", [{0: 2}, {0: 1, 1: 1}])
def test_a_copy_is_a_room_of_its_own(shapes) -> None:
    room = CardRoom(table([(10, 4, 3)] * 2, [(1, (5, 0, 1)), (2, (2, 0, 1))]))
    for shape, pods in shapes.items():
        assert room.put(shape, 0, pods)
    other = room.copy()
    for shape, pods in shapes.items():
        other.pull(shape, 0, pods)
    assert (other.free == room.table.free).all()
    assert (room.free < room.table.free).any()


@pytest.mark.parametrize("seed", range(24))
def test_cards_that_are_cut_into_pieces_are_put_together(seed: int) -> None:
    """Eight cards filled to the thousandth by pieces of all sizes: piece by piece such a search does not end."""
    rng = Random(seed)
    sizes: list[int] = []
    for _ in range(8):
        eighths = sorted(rng.sample(range(1, 8), rng.choice((1, 2, 2))))
        cuts = [0, *(125 * one + rng.randint(-40, 40) for one in eighths), 1000]
        sizes += [b - a for a, b in itertools.pairwise(cuts)]
    rng.shuffle(sizes)
    found = pack_cards([(1000,)] * 8, [Piece(1, ((size,),) * 8) for size in sizes])
    assert found is not None
    loads = [0] * 8
    for size, (card,) in zip(sizes, found, strict=True):
        loads[card] += size
    assert max(loads) <= 1000
