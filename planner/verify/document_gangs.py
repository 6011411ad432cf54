"""The document's gang entries: one per gang, and each says what its pods do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import FINISHED_PHASES, Gang, Pod
from planner.verify.arrivals import promised
from planner.verify.causes import PREEMPT, RECLAIM
from planner.verify.readiness import is_ready
from planner.verify.standing import RankedState
from planner.verify.state import State
from planner.verify.support import is_unsupported, unmodelled_rules
from planner.verify.wording import violation

_WAITING_CODES = """
queue_closed quota quota_never admission_gate not_enough_pods cluster_capacity fragmentation never_fits topology
topology_never node_selection guarantee_reserved protected_victims fair_share time_window lower_priority behind_head
dependency unsupported scheduled_later deadline
"""
_EVICTION_CODES = {"preempted": PREEMPT, "reclaimed": RECLAIM}
REASON_CODES = frozenset((*_WAITING_CODES.split(), *_EVICTION_CODES))


def check_gang_list(state: State) -> Iterator[RuleViolation]:
    """Every gang that is neither finished nor without PodGroup has one entry, under any of its names.

    A document without summary is a hand-written one: gangs that it leaves out stay as they are.
    """
    listed = Counter(gang.full_name for _, gang in state.reading.entries if gang is not None)
    complete = state.given("summary")
    for gang in state.snapshot.gangs:
        count = listed[gang.full_name]
        optional = not complete or gang.asks_nothing or gang.not_admitted
        if count > 1 or (count == 0 and not optional):
            told = f"has {count} entries in the document, must have 1; list it once"
            yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", told)


def check_decisions(state: State) -> Iterator[RuleViolation]:
    """The decision fits what happens to the pods; wait and evict carry reasons with known codes."""
    for entry, gang in state.reading.entries:
        if gang is None:
            continue
        subject = f"gang/{gang.full_name}"
        fitting = fitting_decisions(state, gang)
        if entry.decision not in fitting:
            told = f"decision {entry.decision} does not fit its pods, {' or '.join(fitting)} would"
            yield violation(RuleId.DOCUMENT, subject, f"{told}; correct it")
        if entry.decision in ("wait", "evict") and not entry.reasons:
            told = f"decision {entry.decision} without a reason; give every binding one"
            yield violation(RuleId.DOCUMENT, subject, told)
        if entry.decision in ("keep", "grow") and entry.pods_pending and not entry.reasons:
            told = (
                f"leaves {entry.pods_pending} pods waiting without a reason; give every binding one"
            )
            yield violation(RuleId.DOCUMENT, subject, told)
        unknown = sorted({reason.code for reason in entry.reasons} - REASON_CODES)
        if unknown:
            told = f"unknown reason codes {', '.join(unknown)}; use those of the documentation"
            yield violation(RuleId.DOCUMENT, subject, told)


def check_eviction_reasons(state: RankedState) -> Iterator[RuleViolation]:
    """In a whole document every gang that loses pods says for whom: ``preempted`` or ``reclaimed``, with ``gangs``.

    The named gangs start and may take a pod of it in this way.
    """
    if not state.given("summary"):
        return
    for entry, gang in state.reading.entries:
        lost = state.lost_by(gang) if gang is not None else []
        if gang is None or not lost:
            continue
        takers = _takers(state, lost)
        told = [one for one in entry.reasons if one.code in _EVICTION_CODES]
        if not told and any(takers.values()):
            what = f"loses {len(lost)} pods without a reason; name cause and gangs"
            yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", what)
        for reason in told:
            named = {str(name) for name in reason.data.get("gangs", ())}
            wrong = sorted(named - takers[reason.code])
            if wrong or not named:
                what = (
                    f"reason {reason.code} names {', '.join(wrong) or 'no gang'}; name gangs that "
                )
                what += (
                    f"start and may evict it: {', '.join(sorted(takers[reason.code])) or 'none'}"
                )
                yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", what)


def _takers(state: RankedState, lost: list[Pod]) -> dict[str, set[str]]:
    """Code of a reason to the starting gangs that may take one of the pods in this way."""
    found: dict[str, set[str]] = {code: set() for code in _EVICTION_CODES}
    for pod in lost:
        causes = state.causes.of(pod)
        for code, action in _EVICTION_CODES.items():
            found[code].update(one.gang.full_name for one in causes.get(action, ()))
    return found


def fitting_decisions(state: State, gang: Gang) -> tuple[str, ...]:
    """Decisions that describe what the plan does with the gang's pods."""
    before, staying = state.running_before(gang), state.staying(gang)
    ready = is_ready(gang, before, state.succeeded(gang))
    if gang.full_name in state.placed_by_gang:
        if not before:
            return ("start",)
        return ("grow",) if ready else ("start", "grow")
    if len(staying) < len(before):
        return ("shrink",) if staying else ("evict",)
    if gang.full_name in state.moved_gangs:
        return ("move",)
    if ready:
        return ("keep",)
    return ("wait", "keep") if before or not _has_work(state, gang) else ("wait",)


def _has_work(state: State, gang: Gang) -> bool:
    """Some pod is unfinished or still to be created."""
    pods = state.snapshot.pods_of(gang)
    if gang.asks_nothing:
        return False
    if pods:
        return any(pod.phase not in FINISHED_PHASES for pod in pods)
    return any(promised(gang, pods, template) for template in gang.templates)


def check_unsupported_told(state: State) -> Iterator[RuleViolation]:
    """In a whole document a gang waits with the code ``unsupported`` exactly where it has an unmodelled rule."""
    if not state.given("summary"):
        return
    for entry, gang in state.reading.entries:
        if gang is None or gang.not_admitted or entry.decision != "wait":
            continue
        rules = unmodelled_rules(state, gang)
        if is_unsupported(entry) != bool(rules):
            told = f"unmodelled rules are {', '.join(rules) or 'none'}; correct its reasons"
            yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", told)


def check_gang_fields(state: State) -> Iterator[RuleViolation]:
    """What an entry repeats from the snapshot, where it does, is right."""
    for entry, gang in state.reading.entries:
        if gang is None:
            continue
        for name, wanted in _facts(state, gang).items():
            have = getattr(entry, name)
            if name in entry.model_fields_set and have != wanted:
                told = f"{name} is {have!r}, the snapshot and the plan give {wanted!r}; correct it"
                yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", told)


def _pods_left(state: State, gang: Gang) -> int:
    """Existing pods of a gang that runs before the plan which wait and get no node."""
    before = state.running_before(gang)
    if gang.asks_nothing or not is_ready(gang, before, state.succeeded(gang)):
        return 0
    if not before and gang.full_name in state.placed_by_gang:
        return 0  # it starts: a minimum of 0 pods is met before
    if len(state.staying(gang)) < len(before) or gang.full_name in state.moved_gangs:
        return 0
    if not before and gang.full_name in state.placed_by_gang:
        return 0  # finished pods make it ready, but for the document it starts
    named = sum(one.count for one in state.placed_by_gang.get(gang.full_name, ()) if one.exists)
    return sum(pod.pending for pod in state.snapshot.pods_of(gang)) - named


def _facts(state: State, gang: Gang) -> dict[str, object]:
    placed = sum(one.count for one in state.placed_by_gang.get(gang.full_name, ()))
    return {
        "pods_pending": _pods_left(state, gang),
        "queue": gang.queue,
        "priority": gang.priority,
        "min_member": gang.min_member,
        "pods_before": len(state.running_before(gang)),
        "pods_after": len(state.staying(gang)) + placed,
    }
