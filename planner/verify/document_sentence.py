"""What people read first: the sentence of a plan and the reasons that name a closed queue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.state import State
from planner.verify.wording import violation

_NUMBER = r"(-?[\d,]+)"
_NOTHING = re.compile(r"Nothing can start: .*?\. (?=-?[\d,]+ of |No )")
"""What stands first where the queue tree stops everything."""


def check_sentence(state: State) -> Iterator[RuleViolation]:
    """Every number and every proof of the first sentence of a plan; a schedule's own is another one."""
    summary = state.plan.summary
    if not state.given("summary") or not summary.sentence or state.plan.schedule is not None:
        return
    whole = summary.sentence
    first = _NOTHING.match(whole)
    if (first is not None and summary.gangs_started) or (first is None and state.queues.stopped):
        yield _wrong("does not say first whether a broken queue tree stops everything")
    text = whole if first is None else whole[first.end() :]
    for what, pattern, wanted in _numbers(state):
        found = re.search(pattern, text)
        told = None if found is None else tuple(int(n.replace(",", "")) for n in found.groups())
        if told is not None and told != wanted:
            yield _wrong(f"{what} are {_listed(told)}, recomputed {_listed(wanted)}")
    if summary.gangs_started + summary.gangs_waiting and not re.match(
        rf"{_NUMBER} of {_NUMBER} waiting gangs? can start now", text
    ):
        yield _wrong("does not begin with the gangs that start, of those that wait")
    if not state.given("certificate"):
        return
    certificate = state.plan.certificate
    if re.search(r"\. Proved ", text) and any(tier.gap != 0 for tier in certificate.tiers):
        yield _wrong("says proved, although a tier of the certificate is open")
    if "Starts proved" in text and certificate.properties != "proved":
        yield _wrong("says that starts are proved, the certificate does not")


def check_closed_queues(state: State) -> Iterator[RuleViolation]:
    """A gang waits for a closed queue only where its queue is not open."""
    for entry, gang in state.reading.entries:
        if gang is None or all(one.code != "queue_closed" for one in entry.reasons):
            continue
        if not state.queues.why_closed(gang.queue):
            told = f"waits with queue_closed, but queue {gang.queue} is open; correct the reason"
            yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", told)


def _numbers(state: State) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    summary = state.plan.summary
    waited = summary.gangs_started + summary.gangs_waiting
    most = summary.gpus_allocatable
    started = (summary.gangs_started, waited)
    yield "gangs", rf"^{_NUMBER} of {_NUMBER} waiting gangs? can start now", started
    yield "GPUs", rf"; {_NUMBER} of {_NUMBER} GPUs? busy", (summary.gpus_after, most)
    if most:
        shares = tuple(
            int(f"{100 * gpus / most:.0f}") for gpus in (summary.gpus_after, summary.gpus_before)
        )
        yield "shares of busy GPUs", rf"GPUs? busy \({_NUMBER} %, now {_NUMBER} %\)", shares
    yield "gangs that grow", rf", {_NUMBER} running gangs? can grow", (summary.gangs_grown,)
    yield "violations", rf"Verified: {_NUMBER} violation", (0,)
    yield "evicted pods", rf"\. {_NUMBER} pods? evicted \(", (summary.pods_evicted,)
    yield "gangs given up", rf"\), {_NUMBER} gangs? given up", (summary.gangs_evicted,)


def _listed(numbers: tuple[int, ...]) -> str:
    return " of ".join(f"{number:,}" for number in numbers)


def _wrong(what: str) -> RuleViolation:
    return violation(RuleId.DOCUMENT, "summary/sentence", f"{what}; correct it")
