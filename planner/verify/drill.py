"""The independent check of a drill: every rule, from snapshot, policy and document alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from models.drill import DrillResult
from models.drill_rules import DrillRule
from models.effective import EffectivePolicy
from models.plan import RuleViolation, Verification
from models.snapshot import Snapshot
from planner.verify.drill_figures import check_figures
from planner.verify.drill_leaving import (
    check_drill_budgets,
    check_gangs,
    check_leavers,
    check_protection,
    check_shares,
    check_times,
)
from planner.verify.drill_needs import check_needs
from planner.verify.drill_room import (
    check_holders,
    check_needed,
    check_nodes,
    check_queue_limits,
    check_room,
)
from planner.verify.drill_state import DrillState

DrillCheck = Callable[[DrillState], Iterable[RuleViolation]]

DRILL_CHECKS: Mapping[DrillRule, DrillCheck] = MappingProxyType(
    {
        DrillRule.NEED: check_needs,
        DrillRule.LEAVER: check_leavers,
        DrillRule.PROTECTED: check_protection,
        DrillRule.GANG: check_gangs,
        DrillRule.BUDGET: check_drill_budgets,
        DrillRule.SHARE: check_shares,
        DrillRule.TIME: check_times,
        DrillRule.NODE: check_nodes,
        DrillRule.ROOM: check_room,
        DrillRule.QUEUE_LIMIT: check_queue_limits,
        DrillRule.NEEDED: check_needed,
        DrillRule.FIGURES: lambda drill: (*check_figures(drill), *check_holders(drill)),
    }
)


def verify_drill(snapshot: Snapshot, policy: EffectivePolicy, result: DrillResult) -> Verification:
    """Check a drill against every rule; ``policy`` is that of the run.

    What the search proves (bounds) cannot be recomputed here; that no bound is below what is reached is checked.
    """
    state = DrillState(snapshot, policy, result)
    found = [one for check in DRILL_CHECKS.values() for one in check(state)]
    return Verification(violations=tuple(found), rules=len(DRILL_CHECKS))
