"""The document's fair shares are possible: nobody more than it asks for, all together no more than there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.state import State
from planner.verify.wording import amount_text, violation

_ROOT = "root"


def check_fair_shares(state: State) -> Iterator[RuleViolation]:
    """Per queue at most what is requested, per parent at most its own share, at the top at most the cluster's total.

    How fair the shares are is not checked: they change nothing in the plan.
    """
    if not state.given("queues") or not state.plan.fair_share_rule:
        return
    sums: dict[str, Counter[str]] = {}
    shares = {entry.name: entry.fair_share for entry in state.plan.queues}
    for entry in state.plan.queues:
        if entry.name != _ROOT:
            parent = entry.parent if state.queues.tree and entry.parent != _ROOT else ""
            sums.setdefault(parent, Counter()).update(entry.fair_share)
        for resource, share in entry.fair_share.items():
            leaf = state.queues.family(entry.name) == {entry.name}
            most = entry.requested.amount(resource) if leaf else share
            if not 0 <= share <= most:
                yield _wrong(f"queue/{entry.name}", resource, share, most)
    for parent, below in sums.items():
        for resource, amount in sorted(below.items()):
            known = shares.get(parent, state.snapshot.total)
            if amount > known.amount(resource):
                subject = f"queue/{parent}" if parent in shares else "queues"
                yield _wrong(subject, resource, amount, known.amount(resource))


def _wrong(subject: str, resource: str, share: int, most: int) -> RuleViolation:
    told = f"fair share: {resource} is {amount_text(resource, share)}"
    right = f"possible are 0 to {amount_text(resource, most)}"
    return violation(RuleId.DOCUMENT, subject, f"{told}, {right}; correct it")
