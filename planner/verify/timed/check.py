"""All checks of a schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from models.plan import RuleViolation
from models.schedule_rules import ScheduleRule
from planner.verify.standing import RankedState
from planner.verify.timed.book import Book
from planner.verify.timed.pools import (
    check_lending,
    check_loans,
    check_other_resources,
    check_pools,
    check_reservations,
)
from planner.verify.timed.queues import check_queues
from planner.verify.timed.runs import check_entries, check_grid, check_runs
from planner.verify.timed.services import check_nodes, check_services
from planner.verify.timed.tiers import (
    check_delays,
    check_first_bucket,
    check_needs,
    check_ranks,
    check_tiers,
)
from planner.verify.wording import violation

Told = Iterator[tuple[str, str]]
ScheduleCheck = Callable[[Book], Told]

FIRST: Mapping[ScheduleRule, ScheduleCheck] = MappingProxyType(
    {
        ScheduleRule.GRID: check_grid,
        ScheduleRule.GANGS: check_entries,
        ScheduleRule.LENDING: check_lending,
        ScheduleRule.RUNS: check_runs,
    }
)
"""What the other checks rely on; they run only where these find nothing."""
THEN: Mapping[ScheduleRule, ScheduleCheck] = MappingProxyType(
    {
        ScheduleRule.ROOM: check_pools,
        ScheduleRule.SERVICES: check_services,
        ScheduleRule.NODES: check_nodes,
        ScheduleRule.LOANS: check_loans,
        ScheduleRule.RESOURCES: check_other_resources,
        ScheduleRule.RESERVATIONS: check_reservations,
        ScheduleRule.QUEUE_LIMIT: check_queues,
        ScheduleRule.READY: check_needs,
        ScheduleRule.DELAY: check_delays,
        ScheduleRule.RANK: check_ranks,
        ScheduleRule.FIRST_BUCKET: check_first_bucket,
        ScheduleRule.TIERS: check_tiers,
    }
)
SCHEDULE_CHECKS: Mapping[ScheduleRule, ScheduleCheck] = MappingProxyType({**FIRST, **THEN})


def check_schedule(state: RankedState) -> Iterator[RuleViolation]:
    """The ``schedule`` part, where the document has one."""
    schedule = state.plan.schedule
    if schedule is None:
        return
    book = Book(state, schedule)
    found = False
    for checks in (FIRST, THEN):
        for rule, check in checks.items():
            for subject, told in check(book):
                found = True
                yield violation(rule, f"schedule/{subject}", f"{told}; correct it")
        if found:
            return
