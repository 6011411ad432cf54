"""What would bring more back in time: every proposal is drilled again on the edited cluster before it is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from models.checks.wording import counted, names_text
from models.drill import Change, DrillResult, Holder
from models.effective import EffectivePolicy
from models.findings import PlannerError
from models.snapshot import Snapshot
from planner.drill.edits import (
    Edit,
    both,
    by_hand,
    higher_capability,
    made_preemptable,
    made_reclaimable,
    not_lent,
    shorter_grace,
    wider_budget,
    within,
)
from planner.drill.prepare import PreparedDrill
from planner.drill.run import plain_drill
from planner.encode.victims.victim_kinds import budgets_of
from planner.problem.limits import Limits

MOST_OF_A_KIND = 12
"""Gangs, queues or budgets of which a change is tried one by one; the largest first, the rest is counted."""

EASE = (
    "shorter_grace",
    "preemptable",
    "lend_less",
    "reclaimable",
    "budget",
    "capability",
    "by_hand",
    "more_time",
)


@dataclass(frozen=True)
class Proposal:
    """A change that may help, and how to say it."""

    code: str
    objects: tuple[str, ...]
    words: str
    edit: Edit
    data: dict[str, Any] = field(default_factory=dict)


@dataclass
class Trial:
    """Drills edited clusters while there is time; counts what it tried and what it left out."""

    snapshot: Snapshot
    policy: EffectivePolicy
    result: DrillResult
    limits: Limits
    left_s: float
    stopped: Callable[[], bool]
    say: Callable[[str], None] = lambda text: None
    tried: int = 0
    left_out: int = 0

    def __post_init__(self) -> None:
        self._until = time.perf_counter() + self.left_s

    def of(self, proposal: Proposal) -> Change | None:
        """The confirmed change, None where it brings nothing or could not be tried."""
        if not self._has_time():
            self.left_out += 1
            return None
        self.tried += 1
        self.say(f"change {self.tried}")
        snapshot, question = proposal.edit((self.snapshot, self.result.question))
        try:
            found = plain_drill(snapshot, self.policy, question, self._limits()).summary
        except PlannerError:
            return None  # not confirmed
        gain = found.gpus_in_time - self.result.summary.gpus_in_time
        if gain <= 0:
            return None
        return Change(
            code=proposal.code,
            objects=proposal.objects,
            message=proposal.words,
            gpus_in_time=found.gpus_in_time,
            gain=gain,
            in_time=found.in_time,
            data=proposal.data,
        )

    def _has_time(self) -> bool:
        late = not self.limits.deterministic and time.perf_counter() >= self._until
        return not self.stopped() and not late

    def _limits(self) -> Limits:
        if self.limits.deterministic:
            return self.limits
        return replace(self.limits, time_limit_s=max(self._until - time.perf_counter(), 0.1))


def drill_changes(drill: PreparedDrill, trial: Trial) -> dict[str, Any]:
    """Fields of the document: confirmed changes, those that help most first, and how many were tried."""
    found = [change for one in _singles(drill, trial) if (change := trial.of(one)) is not None]
    found += _together(drill, trial, found)
    found.sort(key=_usefulness)
    return {
        "changes": tuple(found),
        "changes_tried": trial.tried,
        "changes_left_out": trial.left_out,
    }


def _usefulness(one: Change) -> tuple[object, ...]:
    """What is enough comes first, then what brings most, then what is easiest to do."""
    return not one.in_time, -one.gain, EASE.index(one.code), len(one.objects), one.objects


def _singles(drill: PreparedDrill, trial: Trial) -> Iterator[Proposal]:
    result = trial.result
    room = drill.question.deadline_seconds - drill.question.overhead_seconds
    if room >= 0:
        for one in _largest(trial, result, "grace"):
            yield _grace(drill, (one.object,), room)
    for one in _largest(trial, result, "mark"):
        yield from _preemptable(drill, one, room)
    for one in _largest(trial, result, "budget"):
        yield from _budgets(drill, one)
    for queue in sorted({_queue(drill, one.object) for one in _of(result, "reclaimable")}):
        words = f"set reclaimable: true in queue {queue}"
        yield Proposal("reclaimable", (queue,), words, made_reclaimable(queue))
    yield from _not_lent(result)
    if any(_of(result, code) for code in ("deserved", "guarantee", "reclaimable", "same_queue")):
        words = "evict by hand, beyond the shares of the queues (--by-hand)"
        yield Proposal("by_hand", (), words, by_hand)
    yield from _capability(drill, result)
    yield from _more_time(result)


def _of(result: DrillResult, code: str) -> list[Holder]:
    return [one for one in result.holders if one.code == code]


def _largest(trial: Trial, result: DrillResult, code: str) -> list[Holder]:
    """Holders of a code, one per object, those with most GPUs first; the rest counts as left out."""
    gpus: dict[str, int] = {}
    first: dict[str, Holder] = {}
    for one in _of(result, code):
        gpus[one.object] = gpus.get(one.object, 0) + one.gpus
        first.setdefault(one.object, one)
    order = sorted(first, key=lambda name: (-gpus[name], name))
    trial.left_out += max(len(order) - MOST_OF_A_KIND, 0)
    return [first[name] for name in order[:MOST_OF_A_KIND]]


def _queue(drill: PreparedDrill, gang: str) -> str:
    return drill.snapshot.gang_by_name[gang].queue


def _grace(drill: PreparedDrill, gangs: Sequence[str], seconds: int) -> Proposal:
    snapshot, rules = drill.snapshot, drill.rules
    now = {
        gang: max(
            (rules.grace(p) for p in snapshot.pods_of(snapshot.gang_by_name[gang]) if p.running),
            default=0,
        )
        for gang in gangs
    }
    told = ", ".join(f"{gang} (now {now[gang]} s)" for gang in gangs)
    return Proposal(
        "shorter_grace",
        tuple(gangs),
        f"a grace period of {seconds} s or less for {told}",
        shorter_grace(frozenset(gangs), seconds, rules.grace),
        {"graceSeconds": seconds, "graceSecondsNow": now},
    )


def _preemptable(drill: PreparedDrill, one: Holder, seconds: int) -> Iterator[Proposal]:
    edit = made_preemptable({one.object})
    gang = drill.snapshot.gang_by_name[one.object]
    longest = max(drill.rules.grace(p) for p in drill.snapshot.pods_of(gang) if p.running)
    words = f"take the mark volcano.sh/preemptable: false off {one.object}"
    if longest > seconds >= 0:
        words += f" and give it a grace period of {seconds} s or less (now {longest} s)"
        edit = both(edit, shorter_grace({one.object}, seconds, drill.rules.grace))
    yield Proposal("preemptable", (one.object,), words, edit)


def _budgets(drill: PreparedDrill, one: Holder) -> Iterator[Proposal]:
    snapshot = drill.snapshot
    pods = [pod for pod in snapshot.pods_of(snapshot.gang_by_name[one.object]) if pod.running]
    for index in sorted({index for pod in pods for index in budgets_of(pod, snapshot)}):
        budget = snapshot.disruption_budgets[index]
        count = sum(index in budgets_of(pod, snapshot) for pod in pods)
        name = f"{budget.namespace}/{budget.name}"
        words = f"let disruption budget {name} allow {counted(count, 'disruption')} (now {budget.disruptions_allowed})"
        edit = wider_budget(budget.namespace, budget.name, count)
        yield Proposal("budget", (name,), words, edit, {"disruptionsAllowed": count})


def _not_lent(result: DrillResult) -> Iterator[Proposal]:
    """Without the gangs that leave too late, their GPUs are free at second 0."""
    late = [one for one in result.gangs if one.last_second > result.summary.deadline_seconds]
    if not late:
        return
    names = tuple(one.gang for one in late)
    gpus = sum(one.gpus for one in late)
    words = f"do not lend {counted(gpus, 'GPU')} to {names_text(names)}: keep them, or lend to what ends sooner"
    yield Proposal("lend_less", names, words, not_lent(frozenset(names)), {"gpus": gpus})


def _capability(drill: PreparedDrill, result: DrillResult) -> Iterator[Proposal]:
    if not _of(result, "queue_limit"):
        return
    limits = drill.prepared.limits
    queues = tuple(
        dict.fromkeys(
            level for one in drill.claimants if one.queue for level in limits.chain(one.queue)
        )
    )
    gpus = result.summary.gpus_missing
    names = drill.prepared.gpu_names
    asked = {name for one in drill.claimants for name in one.spec.request if name in names}
    amounts = dict.fromkeys(asked, gpus)
    words = f"raise the capability of queue {' and '.join(queues)} by {counted(gpus, 'GPU')}"
    yield Proposal("capability", queues, words, higher_capability(queues, amounts), {"gpus": gpus})


def _more_time(result: DrillResult) -> Iterator[Proposal]:
    """The first second at which all that can ever be back is back."""
    best = max((point.gpus_most for point in result.curve), default=0)
    second = min((p.second for p in result.curve if p.gpus_most == best), default=0)
    if second > result.summary.deadline_seconds:
        words = (
            f"call the GPUs back {second} s ahead instead of {result.summary.deadline_seconds} s"
        )
        yield Proposal("more_time", (), words, within(second), {"deadlineSeconds": second})


def _together(drill: PreparedDrill, trial: Trial, found: Sequence[Change]) -> list[Change]:
    """Shorter grace for several gangs at once, without those that add nothing."""
    room = drill.question.deadline_seconds - drill.question.overhead_seconds
    gangs = [one.object for one in _largest(trial, trial.result, "grace")]
    alone = [one for one in found if one.code == "shorter_grace"]
    if room < 0 or len(set(gangs)) < 2 or any(one.in_time for one in alone):
        return []
    best = trial.of(_grace(drill, gangs, room))
    if best is None or best.gain <= max((one.gain for one in alone), default=0):
        return []
    for gang in reversed(gangs):
        fewer = [one for one in best.objects if one != gang]
        again = trial.of(_grace(drill, fewer, room)) if fewer else None
        if again is not None and again.gpus_in_time >= best.gpus_in_time:
            best = again
    return [best]
