"""What keeps a waiting gang from evicting running pods (I7), in words."""

from __future__ import annotations

from collections.abc import Mapping

from planner.encode.prepared import Prepared
from planner.encode.victims.victim_kinds import may_be_reclaimed
from planner.encode.victims.victim_shares import entitlement_levels, exceeded_levels, shares
from planner.explain.running import PodKind
from planner.explain.units import Units, listed
from planner.problem.placement import Demand, IntArray
from planner.problem.victims import Share

NOT_ENOUGH = "of which too few may be evicted"


class Guards:
    """Judges kinds of running pods for waiting gangs, on the state that the plan leaves."""

    def __init__(
        self, prepared: Prepared, units: Units, planned: Mapping[int, IntArray] | None = None
    ) -> None:
        self._prepared = prepared
        self._units = units
        self._planned = planned or {}
        self._evict = prepared.policy.evict
        level = prepared.policy.policy.ancestor_reclaim_level
        self._level = level if prepared.policy.hierarchy else 0
        self._shares: dict[str, Share] = {}
        self._entitled: dict[tuple[int, tuple[int, ...]], str] = {}

    def why(self, kind: PodKind, demand: Demand) -> str:
        """Words after ``12 pods``: why the gang may not evict such pods; :data:`NOT_ENOUGH` where it may."""
        if kind.protection:
            return kind.protection
        case = self._prepared.cases[demand.gang]
        specs = [pod.spec for pod in case.pods] or [one.spec for one in case.gang.templates]
        if any(spec.preemption_policy == "Never" for spec in specs):
            return "that it may not evict, its preemptionPolicy is Never"
        if kind.queue == case.gang.queue:
            found = self._same_queue(kind, case.gang.priority)
        else:
            found = self._other_queue(kind, demand)
        return found or self._together(kind, case.gang.queue)

    def _same_queue(self, kind: PodKind, priority: int) -> str:
        if "preempt" not in self._evict:
            return "of its own queue, which the policy does not preempt"
        if kind.priority >= priority:
            return "of its own queue with no lower priority"
        return ""

    def _other_queue(self, kind: PodKind, demand: Demand) -> str:
        problem = self._prepared.problem
        if "reclaim" not in self._evict:
            return f"of queue {kind.queue}, from which the policy does not reclaim"
        if not may_be_reclaimed(self._prepared.limits.queues.get(kind.queue)):
            return f"of queue {kind.queue}, which is not reclaimable"
        asks = {
            problem.dimensions[d]
            for item in demand.items
            for d in range(problem.pods_dimension)
            if problem.requests[item.shape, d] > 0
        }
        if asks.isdisjoint(kind.asks):
            return f"of queue {kind.queue}, which hold nothing that it asks for"
        beyond = self._beyond_deserved(demand)
        if beyond:
            return f"of other queues, while {beyond}"
        return self._kept(kind)

    def _kept(self, kind: PodKind) -> str:
        """What the victim's queue keeps: its deserved share, its guarantee, the share of an ancestor."""
        limits = self._prepared.limits
        for name in (kind.queue, *exceeded_levels(limits, kind.queue, self._level)):
            share = self._share(name)
            counted = [one for one in kind.asks if one in share.counted]
            if any(share.deserved.get(one, 0) > 0 for one in kind.asks) and not any(
                share.used.get(one, 0) > share.deserved.get(one, 0) for one in counted
            ):
                return f"of queue {kind.queue}, while queue {name} is within what it deserves"
        share = self._share(kind.queue)
        if any(share.used.get(one, 0) <= share.guarantee.get(one, -1) for one in kind.asks):
            return f"of queue {kind.queue}, which is within its guarantee"
        return ""

    def _together(self, kind: PodKind, queue: str) -> str:
        if not kind.whole:
            return "of gangs that cannot be given up, other pods of them are protected"
        if kind.budgets:
            budgets = self._prepared.snapshot.disruption_budgets
            tightest = min((budgets[i] for i in kind.budgets), key=lambda b: b.disruptions_allowed)
            allowed = f"{tightest.disruptions_allowed:,} of them"
            return f"under PodDisruptionBudget {tightest.namespace}/{tightest.name}, which lets go {allowed}"
        return NOT_ENOUGH if kind.queue == queue else f"{NOT_ENOUGH}{self._floor(kind)}"

    def _floor(self, kind: PodKind) -> str:
        """What a queue keeps when others reclaim from it, with the amounts; "" where it keeps nothing."""
        share = self._share(kind.queue)
        kept = self._amounts(kind, share.guarantee)
        if kept:
            return f": queue {kind.queue} keeps its guarantee of {kept}"
        kept = self._amounts(kind, {one: share.deserved.get(one, 0) for one in share.counted})
        if kept:
            return f": queue {kind.queue} gives back only what is above the {kept} that it deserves"
        return ""

    def _amounts(self, kind: PodKind, amounts: Mapping[str, int]) -> str:
        names = self._prepared.problem.dimensions
        asked = [d for d in self._units.ordered() if names[d] in kind.asks]
        rows = [(d, amounts.get(names[d], 0)) for d in asked]
        return listed([self._units.text(d, amount) for d, amount in rows if amount > 0])

    def _beyond_deserved(self, demand: Demand) -> str:
        """Its queue is not entitled to this gang: words with numbers, "" where it is."""
        key = (demand.queue, demand.minimum)
        if key not in self._entitled:
            self._entitled[key] = self._entitlement(demand)
        return self._entitled[key]

    def _entitlement(self, demand: Demand) -> str:
        problem, limits = self._prepared.problem, self._prepared.limits
        queue = problem.queue_names[demand.queue]
        words = []
        for name in entitlement_levels(limits, queue, self._level):
            rows = self._over(name, demand)
            asked = sum(one > 0 for one in demand.minimum[:-1])
            if not rows or (len(rows) < asked and not limits.proportional):
                return ""
            words.append(f"queue {name} would be above what it deserves ({listed(rows)})")
        return words[0] if words else f"queue {queue} deserves nothing"

    def _over(self, name: str, demand: Demand) -> list[str]:
        """``16 of 8 GPUs``: requested dimensions in which the queue would exceed what it deserves."""
        problem, share, rows = self._prepared.problem, self._share(name), []
        added = self._planned.get(problem.queue_names.index(name)) if self._planned else None
        for d in self._units.ordered():
            need, resource = demand.minimum[d], problem.dimensions[d]
            if need <= 0:
                continue
            starting = int(added[d]) if added is not None else 0
            after = share.used.get(resource, 0) + starting + need
            deserved = share.deserved.get(resource, 0)
            if after > deserved:
                texts = self._units.texts(d, after, deserved)
                rows.append(f"{self._units.number(d, texts[0])} of {texts[1]}")
        return rows

    def _share(self, name: str) -> Share:
        if name not in self._shares:
            dims = set(self._prepared.problem.dimensions[:-1])
            self._shares |= shares(self._prepared, [name], dims)
        return self._shares[name]
