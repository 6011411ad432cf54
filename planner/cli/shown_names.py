"""Names of ``-n`` and ``-q`` that nothing has: a mistyped one once showed an empty cluster."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from models.checks.wording import names_text
from models.findings import UsageError
from planner.cli.option_groups import FilterOptions

if TYPE_CHECKING:
    from models.plan import PlanResult
    from models.snapshot import Snapshot


def refuse_unknown(snapshot: Snapshot, shown: FilterOptions) -> None:
    """Stop where a namespace holds neither gang nor pod, or a queue does not exist and no gang asks for it.

    Raises
    ------
    UsageError
        With the nearest name that exists.
    """
    gangs = snapshot.gangs
    namespaces = {gang.namespace for gang in gangs} | {pod.namespace for pod in snapshot.pods}
    queues = {queue.name for queue in snapshot.queues} | {gang.queue for gang in gangs}
    _refuse("namespace", "-n", shown.namespace or (), namespaces)
    _refuse("queue", "-q", shown.queue or (), queues)


def refuse_unknown_in_plan(plan: PlanResult, shown: FilterOptions) -> None:
    """The same for a plan document, which tells gangs and queues only."""
    _refuse("namespace", "-n", shown.namespace or (), {gang.namespace for gang in plan.gangs})
    queues = {queue.name for queue in plan.queues} | {gang.queue for gang in plan.gangs}
    _refuse("queue", "-q", shown.queue or (), queues)


def _refuse(what: str, flag: str, wanted: Sequence[str], known: Iterable[str]) -> None:
    names = sorted(name for name in known if name)
    for name in wanted:
        if name in names:
            continue
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {names_text(names) or 'none'}"
        raise UsageError(f"{flag} {name}: there is no {what} {name}; {hint}")
