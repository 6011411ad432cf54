"""I9: Pending PodGroups that start pass the scheduler's admission together; computed by the verifier itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from models.effective import EffectivePolicy
from models.plan import RuleViolation
from models.rules import RuleId
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.verify.queue_limits import QueueBook
from planner.verify.wording import amount_text, violation

Sums = dict[str, int]
_CLUSTER = ""


@dataclass(frozen=True, slots=True)
class Excess:
    """More is asked of a limit than it leaves; ``queue`` is "" for the cluster with the overcommit factor."""

    queue: str
    resource: str
    asked: int
    left: Fraction

    @property
    def text(self) -> str:
        """With the numbers."""
        who = f"queue {self.queue}" if self.queue else "overcommit"
        have = amount_text(self.resource, self.left)
        return f"{self.resource}: minResources ask for {amount_text(self.resource, self.asked)}, {who} admits {have}"


class AdmissionBook:
    """What the scheduler still admits.

    A limit counts what runs before the plan (evictions come after admission), and what was admitted and is not in use:
    the minResources of Inqueue PodGroups, and what Running ones at their minimum lack of theirs.
    """

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy, queues: QueueBook) -> None:
        self._snapshot, self._policy, self._queues = snapshot, policy, queues
        self.live = policy.admits_first
        self._left: dict[tuple[str, str], Fraction | None] = {}
        self._promised: dict[str, Sums] = {}
        self._firm: dict[str, Sums] = {}
        for gang in snapshot.gangs if self.live else ():
            if not gang.not_admitted:
                self._enter(gang)

    def asks(self, gang: Gang) -> Mapping[str, int]:
        """What the gang has to have admitted before any of its pods is looked at."""
        pending = gang.phase in ("Pending", "")
        if not (self.live and pending) or gang.kind == "implicit" or gang.finished:
            return {}
        least = gang.min_resources.as_dict() if gang.min_resources else {}
        return {
            name: amount
            for name, amount in least.items()
            if amount > 0 and name != "pods" and not name.startswith("count/")
        }

    def excess(self, gangs: Iterable[Gang]) -> Iterator[Excess]:
        """Limits that these gangs exceed together."""
        asked: dict[tuple[str, str], int] = {}
        for gang in gangs:
            for name, amount in self.asks(gang).items():
                for level in self.levels(gang):
                    asked[level, name] = asked.get((level, name), 0) + amount
        for (level, name), amount in sorted(asked.items()):
            left = self._what_is_left(level, name)
            if left is not None and amount > left:
                yield Excess(level, name, amount, left)

    def refuses(self, gangs: Iterable[Gang]) -> bool:
        """Whether they cannot all be admitted."""
        return any(True for _ in self.excess(gangs))

    def entrance(self, starting: Iterable[Gang] = ()) -> Entrance:
        """What is left beside gangs that start, for others to ask one by one."""
        found = Entrance(self)
        for gang in starting:
            found.enter(gang)
        return found

    def left(self, level: str, name: str) -> Fraction | None:
        """What a limit still admits, None without limit."""
        return self._what_is_left(level, name)

    def levels(self, gang: Gang) -> tuple[str, ...]:
        """The limits that a gang has to pass."""
        return (_CLUSTER, *self._queues.limiting(gang.queue))

    def _enter(self, gang: Gang) -> None:
        pods = self._snapshot.pods_of(gang)
        running = _sum(pod.spec.request.as_dict() for pod in pods if pod.running)
        at_work = sum(pod.running for pod in pods)
        least = gang.min_resources.as_dict() if gang.min_resources else {}
        firm = self._firm.setdefault(gang.queue, {})
        for name, amount in running.items():  # what is beyond the least is elastic
            kept = amount if gang.kind == "implicit" else min(amount, least.get(name, 0))
            firm[name] = firm.get(name, 0) + kept
        if gang.finished or gang.kind == "implicit":
            return
        if gang.phase == "Inqueue":
            owed = dict(least)
        elif gang.phase == "Running" and at_work >= gang.min_member:
            owed = {name: amount - running.get(name, 0) for name, amount in least.items()}
        else:
            return
        gated = _sum(
            pod.spec.request.as_dict() for pod in pods if pod.pending and pod.spec.scheduling_gates
        )
        sums = self._promised.setdefault(gang.queue, {})
        for name, amount in owed.items():
            sums[name] = sums.get(name, 0) + max(max(amount, 0) - gated.get(name, 0), 0)

    def _what_is_left(self, level: str, name: str) -> Fraction | None:
        key = (level, name)
        if key not in self._left:
            self._left[key] = self._cluster(name) if level == _CLUSTER else self._queue(level, name)
        return self._left[key]

    def _cluster(self, name: str) -> Fraction | None:
        scheduler = self._snapshot.scheduler
        own = self._policy.origins.get("overcommit_factor", "default") != "default"
        if scheduler is not None and scheduler.plugin("overcommit") is None and not own:
            return None
        total = sum(node.allocatable.amount(name) for node in self._snapshot.nodes)
        held = sum(pod.spec.request.amount(name) for pod in self._snapshot.pods if pod.holds_node)
        owed = sum(sums.get(name, 0) for sums in self._promised.values())
        factor = Fraction(str(self._policy.policy.overcommit_factor))
        return factor * total - held - owed

    def _queue(self, level: str, name: str) -> Fraction | None:
        book = self._queues
        limit = book.ceiling(level, name) if book.proportional else book.limit(level, name)
        if limit is None:
            return None
        family = book.family(level)
        used = sum(self._firm.get(one, {}).get(name, 0) for one in family)
        owed = sum(self._promised.get(one, {}).get(name, 0) for one in family)
        return Fraction(limit - used - owed)


class Entrance:
    """Gangs that are let in one after the other."""

    def __init__(self, book: AdmissionBook) -> None:
        self._book = book
        self._taken: dict[tuple[str, str], int] = {}

    def admits(self, gang: Gang) -> bool:
        """Whether the gang may start beside those that have entered."""
        return all(
            left is None or self._taken.get((level, name), 0) + amount <= left
            for name, amount in self._book.asks(gang).items()
            for level in self._book.levels(gang)
            for left in (self._book.left(level, name),)
        )

    def enter(self, gang: Gang) -> None:
        """The gang starts."""
        for name, amount in self._book.asks(gang).items():
            for level in self._book.levels(gang):
                self._taken[level, name] = self._taken.get((level, name), 0) + amount


def _sum(vectors: Iterable[Mapping[str, int]]) -> Sums:
    found: Sums = {}
    for vector in vectors:
        for name, amount in vector.items():
            found[name] = found.get(name, 0) + amount
    return found


def excess_of_plan(book: AdmissionBook, starting: Iterable[Gang]) -> Iterator[RuleViolation]:
    """Violations of a plan in which these gangs receive pods."""
    for one in book.excess(starting):
        subject = f"queue/{one.queue}" if one.queue else "cluster/admission"
        told = f"{one.text}; leave some of the gangs waiting that it has not let in"
        yield violation(RuleId.ADMISSION, subject, told)
