"""I4 and I5: new pods go to open queues and keep them, and their ancestors, within their limits."""

from __future__ import annotations

from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.admission import excess_of_plan
from planner.verify.state import State
from planner.verify.wording import amount_text, violation


def check_open(state: State) -> Iterator[RuleViolation]:
    """The queue of every gang that receives pods exists, is Open and, with hierarchy, is a leaf below the root."""
    for name in state.placed_by_gang:
        gang = state.snapshot.gang_by_name[name]
        reason = "" if gang.not_admitted else state.queues.why_closed(gang.queue)
        if reason:
            told = f"receives pods, but {reason}; leave it waiting"
            yield violation(RuleId.QUEUE_OPEN, f"gang/{name}", told)


def check_admission(state: State) -> Iterator[RuleViolation]:
    """I9: PodGroups that the scheduler has not let in and that receive pods pass its admission together."""
    gangs = [state.snapshot.gang_by_name[name] for name in state.placed_by_gang]
    return excess_of_plan(state.admission, gangs)


def check_limits(state: State) -> Iterator[RuleViolation]:
    """Per queue that receives pods, and per ancestor, in every resource the new pods request: use <= limit."""
    asked: dict[str, set[str]] = {}
    for arrivals in state.placed_by_gang.values():
        for arrival in arrivals:
            for level in state.queues.limiting(arrival.gang.queue):
                names = asked.setdefault(level, set())
                names.update(name for name, _ in state.request(arrival.pod.spec))
    for queue, resources in sorted(asked.items()):
        used = state.queue_usage(state.queue_after, queue)
        for resource in sorted(resources):
            limit, amount = state.queues.limit(queue, resource), used.get(resource, 0)
            if limit is not None and amount > limit:
                yield violation(
                    RuleId.QUEUE_LIMIT,
                    f"queue/{queue}",
                    f"{resource}: {amount_text(resource, amount)} used, "
                    f"limit {amount_text(resource, limit)}; "
                    f"place {amount_text(resource, amount - limit)} less in it",
                )
