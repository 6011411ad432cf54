"""What every plan as good loses of what its pods prefer, where no model of the whole says it."""

from __future__ import annotations

from collections.abc import Sequence

from planner.encode.preferences.book import WishBook
from planner.encode.preferences.certain import certain_losses
from planner.encode.preferences.told_apart import told_apart
from planner.encode.prepared import Prepared
from planner.encode.victims.after_evictions import without
from planner.model.certain_points import CertainPoints
from planner.problem.placement import Standing
from planner.problem.victims import Victims
from planner.problem.wishes import Wishes
from planner.reduce.gang_classes import gang_classes
from planner.search.outcome import Outcome
from planner.solve.highs import LpBounds

HARM = "pods_evicted"


def certain_points(
    prepared: Prepared,
    book: WishBook,
    standings: Sequence[Standing],
    outcome: Outcome,
    victims: Victims | None,
    seconds: float,
) -> int:
    """Points that all plans lose whose tiers above are at least as good; 0 where that was not found in time.

    Every possible victim counts as gone for room and as staying for company, unless no plan as good evicts any.
    """
    above = {tier.goal.name: tier.value for tier in outcome.tiers}
    if above.get(HARM) == 0:
        victims = None
    now = book.wishes()
    emptied, problem = now, prepared.problem
    if victims is not None:
        gone = {name for pods in victims.by_node().values() for one in pods for name in one.names}
        emptied, problem = book.wishes(gone), without(problem, victims, None)
    losses = certain_losses(now, emptied)
    if not losses:
        return 0
    first: dict[bytes, int] = {}
    same = {wish: first.setdefault(mine.tobytes(), wish) for wish, mine in sorted(losses.items())}
    apart = told_apart(problem, Wishes(), same)
    flow = CertainPoints(apart, gang_classes(apart, standings), losses, above)
    found = LpBounds(flow.model).bound(flow.goal, seconds=seconds)
    return max(found or 0, 0)
