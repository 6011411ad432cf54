"""From what binds a group of waiting gangs to its reasons, and to the minimal sets of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from models.plan import Reason
from planner.explain.binding import Binding
from planner.explain.freed import Freed
from planner.explain.groups import WaitingGroup
from planner.explain.holdings import Holding, Holdings
from planner.explain.protected import ProtectedVictims
from planner.explain.units import Units
from planner.problem.placement import PlacementProblem

ROOM = ("quota", "cluster_capacity", "fragmentation")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Reasons of one group, and the minimal sets of codes: it waits with the set, and not without any one of it."""

    group: WaitingGroup
    reasons: tuple[Reason, ...]
    sets: tuple[tuple[str, ...], ...]
    binding: Binding | None = None

    @property
    def codes(self) -> frozenset[str]:
        """Codes of the sets."""
        return frozenset(code for one in self.sets for code in one)


@dataclass(frozen=True, slots=True)
class Obstacles:
    """Puts reasons and sets together.

    Attributes
    ----------
    protected
        None where the policy evicts nothing: nobody's protection keeps a gang waiting then.
    earlier
        Holdings of the pods that ran before the plan, evicted ones included; None where they are the same.
    """

    problem: PlacementProblem
    units: Units
    holdings: Holdings
    protected: ProtectedVictims | None
    earlier: Callable[[], Holdings] | None = None

    def explain(
        self, group: WaitingGroup, binding: Binding, starts: bool | None, taker: Reason | None
    ) -> Explanation:
        """Reasons and sets; ``starts``: whether it could start without the plan, ``taker`` says who takes its room."""
        in_nodes = Freed(self._nodes_would_do(group, binding), starts)
        in_limits = Freed(self._limits_would_do(group, binding), starts)
        sets: list[tuple[str, ...]] = [(one.code,) for one in binding.lasting]
        if binding.never:
            sets.append((binding.never[0].code, *binding.reserved))
        quota = [one.code for one in binding.quota if one.code == "quota"]
        if binding.together:
            sets += Freed(None, starts).sets(*quota, binding.short[0].code)
        elif quota:
            sets += in_limits.sets(quota[0], *binding.reserved)
        if binding.short and not binding.together:
            sets += in_nodes.sets(binding.short[0].code, *(one.code for one in binding.elsewhere))
        found = tuple(dict.fromkeys(sets))
        codes = {code for one in found for code in one}
        takers = (taker,) if taker is not None and "lower_priority" in codes else ()
        holders = self._holders(group, binding, self.holdings)
        guarded: tuple[Reason, ...] = ()
        if self.protected is not None and "protected_victims" in codes:
            guards = holders
            if starts is False and self.earlier is not None:
                # Pods that the plan evicts for its starts would be in the way again without these.
                guards = self._holders(group, binding, self.earlier())
            useful = (
                (guards.nodes if in_nodes.protected else None),
                (guards.limits if in_limits.protected else None),
            )
            guarded = (self.protected.reason(group, [one for one in useful if one]),)
        told = (
            *binding.lasting,
            *self._held(binding.quota, holders.limits),
            *self._held(binding.short, holders.nodes),
            *takers,
            *guarded,
            *binding.elsewhere,
        )
        return Explanation(group, told, found, binding)

    def _nodes_would_do(self, group: WaitingGroup, binding: Binding) -> bool | None:
        if self.protected is None or not binding.short or binding.ground is None:
            return None
        return self.protected.nodes_would_do(group, binding.ground.problem.admits)

    def _limits_would_do(self, group: WaitingGroup, binding: Binding) -> bool | None:
        if self.protected is None or not binding.now:
            return None
        return self.protected.limits_would_do(group, binding.now)

    def _holders(self, group: WaitingGroup, binding: Binding, holdings: Holdings) -> _Holders:
        nodes = limits = None
        if binding.dimensions and binding.ground is not None:
            admits = binding.ground.problem.admits
            nodes = holdings.on_nodes(group.example, admits, binding.dimensions)
        if binding.limits:
            limits = holdings.in_queues(group.example, binding.limits)
        return _Holders(nodes, limits)

    def _held(self, reasons: Iterable[Reason], held: Holding | None) -> tuple[Reason, ...]:
        """The same with ``heldBy`` in the data of those about missing room."""
        if held is None:
            return tuple(reasons)
        return tuple(
            one.model_copy(update={"data": {**one.data, "heldBy": held.data(self.units)}})
            if one.code in ROOM
            else one
            for one in reasons
        )


@dataclass(frozen=True, slots=True)
class _Holders:
    nodes: Holding | None
    limits: Holding | None


def untried(explanation: Explanation, *, evictions: bool) -> Explanation:
    """A gang that fits beside the plan: the search ended too soon, or evictions of the plan forbid it."""
    if not evictions:
        return explanation
    message = (
        "it fits beside the plan, but with it the evictions of this plan would no longer be allowed, "
        "or no longer be needed"
    )
    reason = Reason(code="protected_victims", message=message)
    return replace(explanation, reasons=(reason,), sets=((reason.code,),))
