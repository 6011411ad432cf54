"""GPUs of every kind in one cluster: plans of tiny random clusters against every way to put pods on nodes and cards.

Before, a node without cards beside nodes that share theirs ended the plan with an error, and where GPUs are counted in
thousandths the room of CPU was cut to what so many units of GPUs could use: exact models started nothing, and
what the greedy plan had was called proved.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from models.cluster import Node
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.problem.limits import Limits
from planner.testing.problems import policy_of
from planner.testing.random_gpu_kinds import (
    CARD_MEMORY,
    CARD_SHARES,
    REGISTER,
    SHARE_MEMORY,
    SLICES,
    WHOLE,
    random_gpu_kinds,
    random_gpu_sizes,
)
from planner.usecases.planning import make_plan

VGPU = "volcano.sh/vgpu-"
MILLI = "gangplan.io/gpu-milli"
MEMORY = "volcano.sh/gpu-memory"
Card = tuple[int, int, int]
"""What is left of it: milli-GPU or MiB, percent of the cores, shares."""


def worth(request: Mapping[str, int]) -> int:
    """Thousandths of GPUs, as the tiers count them."""
    whole = 1000 * sum(request.get(name, 0) for name in WHOLE)
    slices = 142 * request.get(SLICES[0], 0) + 428 * request.get(SLICES[1], 0)
    cores = 10 * request.get(f"{VGPU}number", 0) * request.get(f"{VGPU}cores", 0)
    return whole + slices + cores + request.get(MILLI, 0)


def cards_of(node: Node) -> list[Card]:
    if REGISTER in node.annotations:
        number = node.annotations[REGISTER].count("GPU-")
        return [(CARD_MEMORY, 100, CARD_SHARES)] * number
    if node.allocatable.amount(MEMORY):
        return [(SHARE_MEMORY // 2, 0, 0)] * 2
    return [(1000, 0, 0)] * sum(map(node.allocatable.amount, WHOLE))


def hold(node: Node, pods: Sequence[Pod]) -> bool:
    """Whether some choice of cards holds all these pods."""
    used: Counter[str] = Counter()
    for pod in pods:
        used.update(pod.spec.request)
    for name in ("cpu", "memory", *WHOLE, *SLICES):
        if used[name] > node.allocatable.amount(name):
            return False
    return _on_cards(node, cards_of(node), list(pods))


def _on_cards(node: Node, cards: list[Card], pods: list[Pod]) -> bool:
    if not pods:
        return True
    first, rest = pods[0], pods[1:]
    return any(_on_cards(node, after, rest) for after in _takes(node, cards, first.spec.request))


def _takes(node: Node, cards: list[Card], request: Mapping[str, int]) -> Iterator[list[Card]]:
    count, need, family = _asked(request)
    if not count:
        yield cards
        return
    if family != _family(node):
        return
    for chosen in itertools.combinations(range(len(cards)), count):
        after = list(cards)
        for place in chosen:
            full = cards_of(node)[place]
            if need[1] == 100:  # all cores: an unused card, and nobody else on it
                after[place] = (0, 0, 0) if cards[place] == full else (-1, 0, 0)
            elif family == "vgpu" and cards[place][1] <= 0:
                after[place] = (-1, 0, 0)
            else:
                left = [have - take for have, take in zip(cards[place], need, strict=True)]
                after[place] = (left[0], left[1], left[2])
        if all(min(card) >= 0 for card in after):
            yield after


def _asked(request: Mapping[str, int]) -> tuple[int, Card, str]:
    if f"{VGPU}number" in request:
        need = (request[f"{VGPU}memory"], request.get(f"{VGPU}cores", 0), 1)
        return request[f"{VGPU}number"], need, "vgpu"
    if MEMORY in request:
        return 1, (request[MEMORY], 0, 0), "memory"
    if MILLI in request:
        return 1, (request[MILLI], 0, 0), "milli"
    return sum(request.get(name, 0) for name in WHOLE), (1000, 0, 0), "milli"


def _family(node: Node) -> str:
    if REGISTER in node.annotations:
        return "vgpu"
    return "memory" if node.allocatable.amount(MEMORY) else "milli"


def best(snapshot: Snapshot) -> tuple[int, int]:
    """Most thousandths, then most gangs."""
    found = (0, 0)
    every = [snapshot.pods_by_gang[gang.full_name] for gang in snapshot.gangs]
    for chosen in itertools.product((False, True), repeat=len(every)):
        pods = [pod for take, gang in zip(chosen, every, strict=True) if take for pod in gang]
        value = (sum(worth(pod.spec.request) for pod in pods), sum(chosen))
        if value <= found:
            continue
        for places in itertools.product(snapshot.nodes, repeat=len(pods)):
            by_node: dict[str, list[Pod]] = {}
            for pod, node in zip(pods, places, strict=True):
                by_node.setdefault(node.name, []).append(pod)
            if all(hold(snapshot.node_by_name[name], here) for name, here in by_node.items()):
                found = value
                break
    return found


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("made", [random_gpu_kinds, random_gpu_sizes])
def test_every_kind_is_packed_exactly(made: Callable[[int], Snapshot], part: int) -> None:
    began = 0
    for seed in range(15 * part, 15 * part + 15):
        snapshot = made(seed)
        limits = Limits(20.0, deterministic=True, workers=1)
        plan = make_plan(snapshot, policy_of(snapshot), limits, guard=False, baseline=False)
        assert plan.verification is not None
        assert plan.verification.violations == (), seed
        started = {gang.full_name for gang in plan.gangs if gang.decision == "start"}
        pods = [pod for name in started for pod in snapshot.pods_by_gang[name]]
        mine = (sum(worth(pod.spec.request) for pod in pods), len(started))
        assert mine == best(snapshot), seed
        assert plan.certificate.status == "OPTIMAL", seed
        began += len(started)
    assert began > 10
