"""Waiting gangs that share all reasons, as one group; and the order in which the objective decides gangs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from models.resources import Resources, total_of
from models.workloads import Pod
from planner.encode.prepared import Prepared
from planner.explain.parts import question_key
from planner.problem.placement import Demand, Standing

NOT_STARTABLE = -1


@dataclass(frozen=True, slots=True)
class WaitingGroup:
    """Gangs of one queue that ask for the same and go at the same place.

    Attributes
    ----------
    demands
        Indices into ``problem.demands``.
    running
        The gang's running pods; a gang that has some makes a group of its own unless another runs the same there.
    position
        Place in the objective, 0 = decided first; :data:`NOT_STARTABLE` where the gang does not fit even alone.
    """

    demands: tuple[int, ...]
    example: Demand
    running: tuple[Pod, ...]
    position: int
    tier_class: str
    priority: int

    @property
    def own(self) -> Resources:
        """Requests of the gang's running pods."""
        return total_of(pod.spec.request for pod in self.running)


def waiting_groups(
    prepared: Prepared,
    waiting: Iterable[int],
    standings: Sequence[Standing],
    positions: dict[int, int],
) -> tuple[WaitingGroup, ...]:
    """Group the waiting demands, earliest position first."""
    classes = {one.demand: one.tier_class for one in standings}
    members: dict[tuple[object, ...], list[int]] = {}
    found: dict[tuple[object, ...], WaitingGroup] = {}
    for index in waiting:
        demand = prepared.problem.demands[index]
        case = prepared.cases[demand.gang]
        running = tuple(pod for pod in case.pods if pod.running)
        held = tuple((pod.node, pod.spec.request) for pod in running)
        position = positions.get(index, NOT_STARTABLE)
        name = classes.get(index, "")
        key = (position, name, demand.queue, case.gang.priority, question_key(demand), held)
        members.setdefault(key, []).append(index)
        if key not in found:
            found[key] = WaitingGroup((), demand, running, position, name, case.gang.priority)
    groups = [replace(one, demands=tuple(members[key])) for key, one in found.items()]
    return tuple(sorted(groups, key=lambda one: (one.position, one.demands)))


def objective_positions(prepared: Prepared, standings: Sequence[Standing]) -> dict[int, int]:
    """Startable demand to its place in the objective; equal places are decided together.

    Running gangs that can grow come after the gangs of their rank. Classes come before ranks, under
    ``priority_scope: cluster`` ranks before classes; a list of tier names gives its own order, and what it does not
    name comes last.
    """
    policy = prepared.policy.policy
    if policy.objective == "throughput":
        return dict.fromkeys((one.demand for one in standings), 0)
    turns = {one.demand: _turn(one, fair=policy.objective == "fair") for one in standings}
    keys = set(turns.values())
    order = sorted(keys, key=lambda key: (key[0] == "rest", *key[1:]))
    if policy.priority_scope == "cluster":
        order = sorted(keys, key=lambda key: (key[1], key[0] == "rest", key[2]))
    place = {key: index for index, key in enumerate(order)}
    if not isinstance(policy.objective, str):
        place = _listed_places(policy.objective, order)
    return {demand: place[turn] for demand, turn in turns.items()}


def _turn(one: Standing, *, fair: bool) -> tuple[str, int, bool]:
    """Class, rank, and whether it only grows; ``fair``: covered gangs of all ranks are decided together."""
    rank = 0 if fair and one.tier_class == "covered" else one.rank
    return one.tier_class or one.grows_in, rank, not one.tier_class


def _listed_places(
    names: Sequence[str], order: Sequence[tuple[str, int, bool]]
) -> dict[tuple[str, int, bool], int]:
    found = {}
    for tier_class, rank, grows in order:
        prefix = f"{tier_class}.{rank}.{'elastic' if grows else ''}"
        listed = [index for index, name in enumerate(names) if name.startswith(prefix)]
        found[tier_class, rank, grows] = min(listed, default=len(names))
    return found
