"""One scenario's plan beside the base's plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from models.plan import FindingEntry, GangEntry, PlanResult
from planner.report.compare import compare
from planner.report.gpus import gpu_names
from planner.report.hostlist import hostlist
from planner.report.whatif.document import Fate, FigureDelta, GangFate, ScenarioOutcome, Verdict
from planner.report.whatif.timing import schedule_delta
from planner.report.whatif.verdict import figure_deltas, schedule_verdict, tier_pairs, verdict

_STATES = {
    "keep": "runs",
    "grow": "runs",
    "shrink": "runs",
    "move": "runs",
    "start": "starts",
    "wait": "waits",
    "evict": "evicted",
}
_FATES: Mapping[tuple[str, str], Fate] = {
    ("", "starts"): "new, starts",
    ("", "waits"): "new, waits",
    ("waits", "starts"): "starts",
    ("evicted", "starts"): "starts",
    ("starts", "waits"): "delayed",
    ("runs", "evicted"): "evicted",
    ("evicted", "runs"): "spared",
    ("waits", "runs"): "starts",
    ("starts", "runs"): "starts",
    ("runs", "starts"): "starts anew",
    ("runs", "waits"): "stopped",
    ("evicted", "waits"): "stopped",
    ("waits", "evicted"): "evicted",
    ("starts", "evicted"): "evicted",
}
_WORDS: Mapping[Fate, tuple[str, str]] = {
    "starts": ("more gang starts", "more gangs start"),
    "new, starts": ("new gang starts", "new gangs start"),
    "starts anew": ("gang starts anew elsewhere", "gangs start anew elsewhere"),
    "spared": ("gang is spared", "gangs are spared"),
    "delayed": ("gang is delayed", "gangs are delayed"),
    "evicted": ("gang is evicted", "gangs are evicted"),
    "stopped": ("running gang stops", "running gangs stop"),
    "new, waits": ("new gang waits", "new gangs wait"),
    "removed": ("gang is removed", "gangs are removed"),
}
FATES: tuple[Fate, ...] = (
    "starts",
    "new, starts",
    "spared",
    "starts anew",
    "delayed",
    "evicted",
    "stopped",
    "new, waits",
    "removed",
)


def scenario_outcome(
    base: PlanResult,
    plan: PlanResult,
    *,
    name: str,
    scenario: Mapping[str, Any],
    edits: Sequence[str],
    notes: Sequence[str] = (),
) -> ScenarioOutcome:
    """Everything that differs between the base's plan and the scenario's."""
    difference = compare(base, plan)
    figures = figure_deltas(base, plan)
    timing = schedule_delta(base, plan)
    judged = (
        verdict(base, plan, figures) if timing is None else schedule_verdict(base, plan, timing)
    )
    fates = gang_fates(base, plan)
    return ScenarioOutcome(
        name=name,
        scenario=dict(scenario),
        edits=tuple(edits),
        notes=tuple(notes),
        sentence=sentence_of(figures, fates, judged),
        verdict=judged,
        plan=difference.after,
        status=plan.certificate.status,
        properties=plan.certificate.properties,
        seconds=plan.certificate.seconds,
        figures=figures,
        waits=waiting_for(plan),
        gangs=fates,
        queues=difference.queues,
        gpu_resources=gpu_names(plan),
        findings_new=_only(plan, base),
        findings_gone=_only(base, plan),
        tiers=tier_pairs(base, plan),
        schedule=timing,
    )


def queue_gpus(plan: PlanResult) -> dict[str, int]:
    """GPUs allocated after a plan, by queue."""
    names = gpu_names(plan)
    return {queue.name: sum(queue.after.amount(name) for name in names) for queue in plan.queues}


def waiting_for(plan: PlanResult) -> dict[str, int]:
    """Reason code to the number of gangs that wait for it, most first; a gang may have several."""
    counts = Counter(
        code
        for gang in plan.gangs
        if gang.decision == "wait"
        for code in {reason.code for reason in gang.reasons}
    )
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def gang_fates(base: PlanResult, plan: PlanResult) -> tuple[GangFate, ...]:
    """Gangs that fare differently, good news first, then by GPUs and name."""
    old = {gang.full_name: gang for gang in base.gangs}
    new = {gang.full_name: gang for gang in plan.gangs}
    found = []
    for name in old.keys() | new.keys():
        fate = _fate(old.get(name), new.get(name))
        if fate is not None:
            found.append(_entry(old.get(name), new.get(name), fate))
    return tuple(sorted(found, key=lambda one: (FATES.index(one.fate), -one.gpus, one.full_name)))


def _fate(old: GangEntry | None, new: GangEntry | None) -> Fate | None:
    if new is None:
        return "removed"
    before = _STATES[old.decision] if old is not None else ""
    return _FATES.get((before, _STATES[new.decision]))


def _entry(old: GangEntry | None, new: GangEntry | None, fate: Fate) -> GangFate:
    shown = new if new is not None else old
    assert shown is not None
    placed = [pods.node for pods in shown.pods if pods.action == "place" and pods.node]
    return GangFate(
        namespace=shown.namespace,
        name=shown.name,
        queue=shown.queue,
        gpus=shown.gpus,
        fate=fate,
        base_decision=old.decision if old is not None else "",
        decision=new.decision if new is not None else "",
        nodes=hostlist(placed) if new is not None else "",
        reasons=tuple(reason.code for reason in new.reasons) if new is not None else (),
    )


def _only(one: PlanResult, other: PlanResult) -> tuple[FindingEntry, ...]:
    known = {(finding.code, finding.object) for finding in other.snapshot.findings}
    return tuple(f for f in one.snapshot.findings if (f.code, f.object) not in known)


def sentence_of(figures: Sequence[FigureDelta], fates: Sequence[GangFate], judged: Verdict) -> str:
    """What changes, in one or two sentences."""
    by_key = {one.key: one for one in figures}
    gpus = by_key["gpus_after"]
    told = [
        f"{count:,} {words[count != 1]}"
        for fate, words in _WORDS.items()
        if (count := sum(one.fate == fate for one in fates))
    ]
    changes = ", ".join(told) if told else "no gang fares differently"
    return (
        f"{changes}; {gpus.value:,} GPUs allocated ({gpus.change:+,}). {_capital(judged.message)}."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
