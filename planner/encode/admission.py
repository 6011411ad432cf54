"""Admission of Pending PodGroups (I9): what gangs that start may take together of what the scheduler still lets in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from models.checks.wording import amount_text
from models.effective import EffectivePolicy
from models.gpu import WHOLE_GPU_RESOURCES
from models.plan import Reason
from models.resources import NO_RESOURCES, PODS, Resources, total_of
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.encode.demands import GangCase
from planner.encode.queue_limits import QueueLimits
from planner.problem.placement import Demand, PlacementProblem

OVERCOMMIT = "overcommit"
"""Name of the limit on the cluster; the others are called by their queue."""
WAITING_PHASES = ("", "Pending")


@dataclass(frozen=True, slots=True)
class Gate:
    """One limit of the admission in one dimension.

    Attributes
    ----------
    queue
        Queue whose limit it is, "" for overcommit.
    limit
        Factor times the cluster's total, or the queue's limit; exact.
    used
        Requests of the pods that count: all on nodes, or those of the queue less what is elastic of its gangs.
    inqueue
        minResources of gangs that were let in and do not use them yet.
    holders
        Those gangs, with their amounts.
    """

    queue: str
    dimension: str
    limit: Fraction
    used: int
    inqueue: int
    holders: tuple[tuple[str, int], ...] = ()

    @property
    def left(self) -> Fraction:
        """What Pending PodGroups may still ask for; below 0 where too much was let in."""
        return self.limit - self.used - self.inqueue

    @property
    def room(self) -> int:
        """The same in whole units."""
        return self.left.numerator // self.left.denominator

    def reason(self, gang: Gang, asked: int, left: Fraction, *, starting: int = 0) -> Reason:
        """Why the gang may not enter, with the numbers; ``starting``: what gangs of the plan take."""
        name = self.dimension
        where = f"the limit of queue {self.queue}" if self.queue else "overcommit"
        message = (
            f"admission: its minResources ask for {_text(name, asked)}; "
            f"{where} leaves {_text(name, max(left, Fraction(0)))} "
            f"({_text(name, self.limit)} less {_text(name, self.used)} in use"
        )
        if self.inqueue:
            message += (
                f" are {_text(name, max(self.limit - self.used, Fraction(0)))}, of which gangs that were let in hold "
                f"{_text(name, self.inqueue)}"
            )
        if starting:
            message += f"; gangs that start now take {_text(name, starting)}"
        data = {
            "limit": self.queue or OVERCOMMIT,
            "resource": name,
            "asked": asked,
            "left": max(int(left // 1), 0),
            "of": int(self.limit // 1),
            "used": self.used,
            "inqueue": self.inqueue,
            "starting": starting,
            "holders": [holder for holder, _ in self.holders],
            "queue": gang.queue,
        }
        return Reason(code="admission_gate", message=f"{message})", data=data)


def _text(name: str, amount: Fraction | int) -> str:
    """An amount with its unit; parts of a GPU are shown, parts of a byte or milli-CPU are not."""
    if name in WHOLE_GPU_RESOURCES:
        return f"{float(amount):,.4g} {'GPU' if amount == 1 else 'GPUs'}"
    return amount_text(name, int(amount // 1))


@dataclass(frozen=True)
class Admission:
    """All limits, and what each gang has to pass.

    Attributes
    ----------
    asked
        Full name of a gang that waits for admission to (number of a gate, amount).
    """

    gates: tuple[Gate, ...] = ()
    asked: Mapping[str, tuple[tuple[int, int], ...]] | None = None

    def of(self, gang: Gang) -> tuple[tuple[int, int], ...]:
        """What a gang takes of which gates."""
        return (self.asked or {}).get(gang.full_name, ())

    def refusals(self, gang: Gang) -> Iterator[Reason]:
        """Why the gang may not enter even alone."""
        for number, amount in self.of(gang):
            gate = self.gates[number]
            if amount > gate.left:
                yield gate.reason(gang, amount, gate.left)


NO_ADMISSION = Admission()


def waits_for_admission(gang: Gang) -> bool:
    """The scheduler has not let the PodGroup in, and its minResources have to fit before any of its pods."""
    return (
        gang.phase in WAITING_PHASES
        and gang.kind != "implicit"
        and bool(gang.min_resources)
        and not gang.finished
        and not gang.not_admitted
    )


def admission_of(snapshot: Snapshot, policy: EffectivePolicy, limits: QueueLimits) -> Admission:
    """The gates of Pending PodGroups; none where the policy ignores admission."""
    if not policy.admits_first:
        return NO_ADMISSION
    waiting = [gang for gang in snapshot.gangs if waits_for_admission(gang)]
    if not waiting:
        return NO_ADMISSION
    book = _Book(snapshot, policy, limits)
    numbers: dict[tuple[str, str], int] = {}
    gates: list[Gate] = []
    asked: dict[str, tuple[tuple[int, int], ...]] = {}
    for gang in waiting:
        mine = []
        for name, amount in (gang.min_resources or NO_RESOURCES).items():
            if amount <= 0 or name == PODS or name.startswith("count/"):
                continue
            for queue in book.levels(gang):
                key = (queue, name)
                if key not in numbers:
                    gate = book.gate(queue, name)
                    if gate is None:
                        continue
                    numbers[key] = len(gates)
                    gates.append(gate)
                mine.append((numbers[key], amount))
        asked[gang.full_name] = tuple(mine)
    return Admission(tuple(gates), asked)


class _Book:
    """Sums over the gangs of a snapshot."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy, limits: QueueLimits) -> None:
        self._snapshot, self._policy, self._limits = snapshot, policy, limits
        self._factor = Fraction(str(policy.policy.overcommit_factor))
        scheduler = snapshot.scheduler
        chosen = policy.origins.get("overcommit_factor") not in (None, "default")
        self._overcommits = (
            chosen or scheduler is None or scheduler.plugin("overcommit") is not None
        )
        self._used = total_of(
            pod.spec.request for pods in snapshot.pods_by_node.values() for pod in pods
        )
        self._allocated: dict[str, list[Resources]] = {}
        self._elastic: dict[str, list[Resources]] = {}
        self._inqueue: dict[str, list[tuple[str, Resources]]] = {}
        for gang in snapshot.gangs:
            if not gang.not_admitted:
                self._add(gang)

    def _add(self, gang: Gang) -> None:
        pods = self._snapshot.pods_of(gang)
        running = [pod for pod in pods if pod.running]
        allocated = total_of(pod.spec.request for pod in running)
        least = gang.min_resources or NO_RESOURCES
        if gang.kind == "implicit":
            least = allocated
        if running:
            self._allocated.setdefault(gang.queue, []).append(allocated)
            self._elastic.setdefault(gang.queue, []).append(_beyond(allocated, least))
        held = NO_RESOURCES
        if gang.finished or gang.kind == "implicit":
            return
        if gang.phase == "Inqueue":
            held = least
        elif gang.phase == "Running" and len(running) >= gang.min_member:
            held = _beyond(least, allocated)
        gated = [pod.spec.request for pod in pods if pod.pending and pod.spec.scheduling_gates]
        held = _beyond(held, total_of(gated)) if gated else held
        if any(held.values()):
            self._inqueue.setdefault(gang.queue, []).append((gang.full_name, held))

    def levels(self, gang: Gang) -> tuple[str, ...]:
        """The gates that a gang passes: overcommit (""), then its queue and the queues above."""
        own = self._limits.limiting(gang.queue) if gang.queue in self._limits.queues else ()
        return ("", *own) if self._overcommits else own

    def gate(self, queue: str, name: str) -> Gate | None:
        """The limit of a queue ("" for overcommit), None where there is none."""
        if not queue:
            whole = self._factor * self._snapshot.total.amount(name)
            every = [one for held in self._inqueue.values() for one in held]
            return _gate("", name, whole, self._used.amount(name), every)
        limit = self._limits.ceiling(queue, name)
        if limit is None:
            return None
        below = self._limits.below(queue)
        used = sum(one.amount(name) for q in below for one in self._allocated.get(q, ()))
        used -= sum(one.amount(name) for q in below for one in self._elastic.get(q, ()))
        inside = [one for q in below for one in self._inqueue.get(q, ())]
        return _gate(queue, name, Fraction(limit), used, inside)


def _gate(
    queue: str, name: str, limit: Fraction, used: int, held: Sequence[tuple[str, Resources]]
) -> Gate:
    holders = sorted(((who, one.amount(name)) for who, one in held if one.amount(name)))
    return Gate(queue, name, limit, used, sum(n for _, n in holders), tuple(holders))


def _beyond(one: Resources, other: Resources) -> Resources:
    """What the first has more than the second, per dimension."""
    return Resources({name: max(n - other.amount(name), 0) for name, n in one.items()})


def refused(cases: tuple[GangCase, ...], admission: Admission) -> tuple[GangCase, ...]:
    """The cases, gangs that admission refuses even alone blocked.

    A gang that runs although it was not let in does not grow: the scheduler looks at none of its pods.
    """
    if not admission.gates:
        return cases
    found = []
    for case in cases:
        told = tuple(admission.refusals(case.gang))
        if case.ready and admission.of(case.gang) and not told:
            told = (
                Reason(code="admission_gate", message="its PodGroup is still in phase Pending"),
            )
        found.append(replace(case, blocked=(*case.blocked, *told)) if told else case)
    return tuple(found)


def with_admission(
    problem: PlacementProblem, cases: tuple[GangCase, ...], admission: Admission, *, evicting: bool
) -> tuple[PlacementProblem, tuple[int, ...]]:
    """The problem with the gates that may bind, and their numbers in ``admission``.

    A gate is left out where all that wait pass together, and where room on the nodes or in the queue says as much
    already: no gang asks for more than its pods, and what is left is no less than that room.
    """
    asked: dict[int, list[tuple[Demand, int]]] = {}
    for demand in problem.demands:
        for number, amount in () if demand.ready else admission.of(cases[demand.gang].gang):
            asked.setdefault(number, []).append((demand, amount))
    binding = [
        number
        for number, members in sorted(asked.items())
        if sum(amount for _, amount in members) > admission.gates[number].room
        and (evicting or not _implied(problem, admission.gates[number], members))
    ]
    if not binding:
        return problem, ()
    place = {number: position for position, number in enumerate(binding)}
    demands = tuple(
        demand
        if demand.ready
        else replace(
            demand,
            admission=tuple(
                (place[number], amount)
                for number, amount in admission.of(cases[demand.gang].gang)
                if number in place
            ),
        )
        for demand in problem.demands
    )
    rooms = tuple(admission.gates[number].room for number in binding)
    return replace(problem, demands=demands, admission_room=rooms), tuple(binding)


def _implied(problem: PlacementProblem, gate: Gate, members: Sequence[tuple[Demand, int]]) -> bool:
    if gate.dimension not in problem.dimensions:
        return False
    d = problem.dimensions.index(gate.dimension)
    if any(amount > demand.minimum[d] for demand, amount in members):
        return False
    if not gate.queue:
        return gate.room >= int(problem.free[:, d].sum())
    number = problem.queue_names.index(gate.queue) if gate.queue in problem.queue_names else -1
    room = problem.queue_room.get(number)
    return room is not None and 0 <= int(room[d]) <= gate.room
