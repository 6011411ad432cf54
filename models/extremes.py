"""Amounts beyond every machine: exact in what is shown, bounded before they enter arrays and solvers of 64 bits.

Nothing that could start is lost: a pod larger than every node never fits, and of more pods than the empty cluster
holds by counting the rest never fits either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from models.checks.wording import amount_text, counted
from models.cluster import Node
from models.plan import Reason
from models.readiness import Supply
from models.resources import PODS, Resources, total_of

MOST_IN_ALL = 1 << 61
"""Sums of one resource stay below this, so that no product with a small factor leaves 64 bits."""
MOST_OF_A_NODE = 1 << 49
"""No machine has more of anything (512 TiB, 5 * 10^11 CPUs)."""
MOST_OF_A_POD = 2 * MOST_OF_A_NODE
"""A pod that holds more than this fills every node."""
MANY_PODS = 100_000


def clipped(amounts: Iterable[int], most: int = MOST_IN_ALL) -> list[int]:
    """Amounts within ±``most``, for arrays in which larger ones mean the same: more than everything."""
    return [max(-most, min(amount, most)) for amount in amounts]


@dataclass(frozen=True)
class Bounds:
    """What one node and all nodes have at most."""

    nodes: Sequence[Node]

    @cached_property
    def largest(self) -> Resources:
        """Largest allocatable of one node, by resource."""
        found: dict[str, int] = {}
        for node in self.nodes:
            for name, amount in node.allocatable.items():
                found[name] = max(found.get(name, 0), amount)
        return Resources(found)

    @cached_property
    def total(self) -> Resources:
        """Allocatable of all nodes, by resource."""
        return total_of(node.allocatable for node in self.nodes)

    def bounded(self, supply: Supply) -> Supply | None:
        """The pods of a supply that the empty cluster may hold, None where no node holds one; mostly itself."""
        request = supply.spec.request
        if not _extreme(supply):
            return supply
        if any(amount > self.largest.get(name, MOST_IN_ALL) for name, amount in request.items()):
            return None
        asked = {name: amount for name, amount in request.items() if amount and name in self.total}
        counts = [self.total[name] // amount for name, amount in asked.items()]
        most = min([self.total.amount(PODS), *counts])
        promised = max(most - len(supply.names), 0) // supply.step * supply.step
        return replace(supply, promised=min(promised, supply.promised))

    def reason(self, supplies: Sequence[Supply], need: int) -> Reason:
        """``never_fits`` for pods of which the empty cluster holds too few, with exact amounts."""
        for supply in supplies:
            beyond = self._beyond(supply)
            if beyond:
                return self._pod_too_large(supply, beyond)
        pods = need or sum(supply.count for supply in supplies)
        nodes = counted(len(self.nodes), "node")
        slots = self.total.amount(PODS)
        message = f"needs {counted(pods, 'pod')}; the {nodes} of the cluster have {counted(slots, 'pod slot')} in all"
        data = {
            "short": [{"dimension": PODS, "need": pods, "allocatable": slots}],
            "nodes": len(self.nodes),
        }
        return Reason(code="never_fits", message=message, data=data)

    def _beyond(self, supply: Supply) -> dict[str, int]:
        request = supply.spec.request
        return {name: a for name, a in request.items() if a > self.largest.get(name, MOST_IN_ALL)}

    def _pod_too_large(self, supply: Supply, beyond: dict[str, int]) -> Reason:
        role = f" of role {supply.role}" if supply.role else ""
        needs = ", ".join(amount_text(name, amount) for name, amount in beyond.items())
        have = ", ".join(amount_text(name, self.largest.amount(name)) for name in beyond)
        data: dict[str, Any] = {
            "role": supply.role,
            "perPod": dict(supply.spec.request),
            "largestNode": {name: self.largest.amount(name) for name in supply.spec.request},
        }
        message = f"one pod{role} needs {needs}; no node has more than {have}"
        return Reason(code="never_fits", message=message, data=data)


def _extreme(supply: Supply) -> bool:
    count = supply.count
    return count > MANY_PODS or any(
        amount * count >= MOST_IN_ALL for amount in supply.spec.request.values()
    )
