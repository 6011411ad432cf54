"""GPUs that stay idle beside large pods, against all fillings of a node."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from planner.model.big_pods import big_pod_weights


@pytest.mark.parametrize("seed", range(150))
def test_no_filling_of_a_node_breaks_the_row(seed: int) -> None:
    rng = Random(seed)
    room = [rng.randint(2, 8), rng.randint(4, 16), rng.randint(4, 16)]
    requests = {
        kind: {0: rng.randint(0, 4), 1: rng.randint(1, 12), 2: rng.randint(0, 12)}
        for kind in range(rng.randint(2, 4))
    }
    most = [
        min(room[d] // amount for d, amount in asked.items() if amount)
        for asked in requests.values()
    ]
    for weights in big_pod_weights(room, requests, [0], (1, 2)).values():
        for counts in product(*(range(n + 1) for n in most)):
            used = [
                sum(n * requests[kind].get(d, 0) for kind, n in enumerate(counts)) for d in range(3)
            ]
            if all(a <= b for a, b in zip(used, room, strict=True)):
                assert sum(n * weights[kind] for kind, n in enumerate(counts)) <= room[0]


def test_a_pod_that_takes_nearly_all_memory_takes_the_gpus_too() -> None:
    """4 of 7 GPUs and 773 of 803 GB: no other pod fits, so three GPUs stay idle."""
    requests = {0: {0: 4, 1: 773}, 1: {0: 1, 1: 51}}
    assert big_pod_weights([7, 803], requests, [0], (1,)) == {(0, 1): {0: 7, 1: 1}}
    assert not big_pod_weights([7, 1606], requests, [0], (1,))


def test_amounts_are_read_once_for_all_slices_and_resources() -> None:
    """A table of them was made for every pair of a slice and a resource: half of building a model of MIG nodes."""
    read: list[int] = []

    class Asked(dict[int, int]):
        def values(self) -> Any:
            read.append(len(read))
            return super().values()

    requests = {kind: Asked({gpu: 1, 8: 10}) for kind, gpu in enumerate(range(8))}
    assert not big_pod_weights([4] * 8 + [100], requests, range(8), range(9))
    assert len(read) == 8
