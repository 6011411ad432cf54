"""All checks of a schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from models.plan import RuleViolation
from models.rules import RuleId
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
from planner.verify.timed.tiers import (
    check_delays,
    check_first_bucket,
    check_needs,
    check_ranks,
    check_tiers,
)
from planner.verify.wording import violation

FIRST: tuple[Callable[[Book], Iterator[tuple[str, str]]], ...] = (
    check_grid,
    check_entries,
    check_lending,
    check_runs,
)
"""What the other checks rely on; they run only where these find nothing."""
THEN: tuple[Callable[[Book], Iterator[tuple[str, str]]], ...] = (
    check_pools,
    check_loans,
    check_other_resources,
    check_reservations,
    check_queues,
    check_needs,
    check_delays,
    check_ranks,
    check_first_bucket,
    check_tiers,
)


def check_schedule(state: RankedState) -> Iterator[RuleViolation]:
    """The ``schedule`` part, where the document has one."""
    schedule = state.plan.schedule
    if schedule is None:
        return
    book = Book(state, schedule)
    found = [told for check in FIRST for told in check(book)]
    if not found:
        found = [told for check in THEN for told in check(book)]
    for subject, told in found:
        yield violation(RuleId.DOCUMENT, f"schedule/{subject}", f"{told}; correct it")
