"""I9: which Pending PodGroups the scheduler lets in together, added up limit by limit, for the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from fractions import Fraction

from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.testing.oracle.queue_shares import QueueShares


class Entry:
    """Asks anew for every set of gangs."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy, shares: QueueShares) -> None:
        self._snapshot, self._policy, self._shares = snapshot, policy, shares

    def admits(self, names: Collection[str]) -> bool:
        """Whether these gangs may start together as far as admission goes."""
        if self._policy.policy.admission != "live":
            return True
        chosen = [self._snapshot.gang_by_name[name] for name in sorted(names)]
        asked = [
            gang for gang in chosen if gang.phase in ("", "Pending") and gang.kind != "implicit"
        ]
        resources = {name for gang in asked for name, n in self._least(gang).items() if n}
        return all(self._holds(asked, name) for name in sorted(resources))

    def _holds(self, asked: list[Gang], name: str) -> bool:
        """One resource: the cluster, then every queue that one of the gangs counts for."""
        snapshot = self._snapshot
        most = Fraction(str(self._policy.policy.overcommit_factor))
        most *= sum(node.allocatable.amount(name) for node in snapshot.nodes)
        held = sum(pod.spec.request.amount(name) for pod in snapshot.pods if pod.holds_node)
        owed = sum(self._owed(gang)[name] for gang in snapshot.gangs)
        if sum(self._least(gang)[name] for gang in asked) > most - held - owed:
            return False
        for level in {one for gang in asked for one in self._shares.levels(gang.queue)}:
            limit = self._shares.ceiling(level, name)
            inside = [g for g in snapshot.gangs if level in self._shares.levels(g.queue)]
            new = [g for g in asked if level in self._shares.levels(g.queue)]
            wanted = [self._least(g)[name] for g in new]
            firm = sum(min(self._running(g)[name], self._least(g)[name]) for g in inside)
            held_here = firm + sum(self._owed(g)[name] for g in inside)
            if any(wanted) and limit is not None and sum(wanted) + held_here > limit:
                return False
        return True

    def _running(self, gang: Gang) -> Counter[str]:
        found: Counter[str] = Counter()
        for pod in self._snapshot.pods_of(gang):
            if pod.running:
                found.update(pod.spec.request.as_dict())
        return found

    def _least(self, gang: Gang) -> Counter[str]:
        """minResources; Volcano writes those of groups that it makes itself for pods as they are."""
        if gang.kind == "implicit":
            return self._running(gang)
        return Counter(gang.min_resources.as_dict() if gang.min_resources else {})

    def _owed(self, gang: Gang) -> Counter[str]:
        """What was promised to a gang and is not in use."""
        if gang.finished or gang.kind == "implicit":
            return Counter()
        pods = self._snapshot.pods_of(gang)
        least, running = self._least(gang), self._running(gang)
        gated: Counter[str] = Counter()
        for pod in pods:
            if pod.pending and pod.spec.scheduling_gates:
                gated.update(pod.spec.request.as_dict())
        ready = gang.phase == "Running" and sum(p.running for p in pods) >= gang.min_member
        if gang.phase != "Inqueue" and not ready:
            return Counter()
        lacking = least if gang.phase == "Inqueue" else least - running
        return lacking - gated
