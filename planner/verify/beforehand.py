"""What the check of a plan finds in snapshot and policy alone: it can be asked for while the plan is searched."""

from __future__ import annotations

from models.effective import EffectivePolicy
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.verify.standing import RankedState

_WITHOUT_PLAN = (
    "admission",
    "alone",
    "counted_resources",
    "domains",
    "held_before",
    "queue_before",
    "queues",
    "ruled_gangs",
    "running_by_gang",
)
"""Parts of a state that no plan changes."""


class Beforehand:
    """The part of a check that needs no plan, done once for all plans of a snapshot under a policy."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        state = RankedState(snapshot, policy, PlanResult())
        self._of = snapshot, policy
        # Where cards are shared, a state notes who holds them while it counts: every plan counts for itself.
        names = () if state.book else _WITHOUT_PLAN
        self._parts = {name: getattr(state, name) for name in names}

    def state(self, snapshot: Snapshot, policy: EffectivePolicy, plan: PlanResult) -> RankedState:
        """The state of a plan, which knows these parts if they are about its very snapshot and policy."""
        found = RankedState(snapshot, policy, plan)
        if self._of[0] is snapshot and self._of[1] is policy:
            vars(found).update(self._parts)
        return found
