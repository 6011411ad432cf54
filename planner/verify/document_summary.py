"""The document's head: version, what it was planned on, key figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from models.foreign_workloads import left_out, left_out_text, narrows_proof
from models.gpu_slots import slot_sums
from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.state import State
from planner.verify.support import is_unsupported
from planner.verify.wording import units, violation


def check_head(state: State) -> Iterator[RuleViolation]:
    """Schema version 1, kind PlanResult, no violations told by the document itself."""
    plan = state.plan
    if plan.schema_version != 1 or plan.kind != "PlanResult":
        told = f"is {plan.kind} version {plan.schema_version}; must be PlanResult version 1"
        yield violation(RuleId.DOCUMENT, "document", told)
    if plan.verification is not None and plan.verification.violations:
        told = f"lists {units(len(plan.verification.violations), 'violation')}; plan again"
        yield violation(RuleId.DOCUMENT, "verification", told)


def check_snapshot_part(state: State) -> Iterator[RuleViolation]:
    """Digest, time, numbers of nodes and pods, and every finding are those of the snapshot."""
    if not state.given("snapshot"):
        return
    part, snapshot = state.plan.snapshot, state.snapshot
    pairs: tuple[tuple[str, object, object], ...] = (
        ("nodes", part.nodes, len(snapshot.nodes)),
        ("pods", part.pods, len(snapshot.pods)),
        ("as_of", part.as_of, snapshot.as_of),
    )
    for name, have, wanted in pairs:
        if name in part.model_fields_set and have != wanted:
            told = (
                f"is {have!r}, the snapshot has {wanted!r}; verify with the snapshot it was made of"
            )
            yield violation(RuleId.DOCUMENT, f"snapshot/{name}", told)
    if part.digest and snapshot.digest and part.digest != snapshot.digest:
        told = f"{part.digest} differs from the snapshot's {snapshot.digest}"
        told += "; verify with the snapshot it was made of"
        yield violation(RuleId.DOCUMENT, "snapshot/digest", told)
    if "findings" in part.model_fields_set:
        yield from _findings_missing(state)


def _findings_missing(state: State) -> Iterator[RuleViolation]:
    """Findings of the input that are told neither one by one nor summed up ("55 objects") with all of their code."""
    told_of = {(one.code, one.object) for one in state.plan.snapshot.findings}
    found = dict.fromkeys((one.code, one.object, one.message) for one in state.snapshot.findings)
    number = Counter(code for code, _, _ in found)
    summed_up = {
        code
        for code, count in number.items()
        if any(other == code and what.startswith(f"{count:,} ") for other, what in told_of)
    }
    for code, what, _ in found:
        if code not in summed_up and (code, what) not in told_of:
            told = f"{code} of {what} is missing; list every finding of the input"
            yield violation(RuleId.DOCUMENT, "snapshot/findings", told)


def check_summary(state: State) -> Iterator[RuleViolation]:
    """Every figure of the summary is what entries and snapshot give."""
    if not state.given("summary"):
        return
    summary = state.plan.summary
    for name, wanted in _figures(state).items():
        have = getattr(summary, name)
        if have != wanted:
            told = f"is {have}, recomputed {wanted}; correct it"
            yield violation(RuleId.DOCUMENT, f"summary/{name}", told)
    yield from _check_left_out(state)


def _check_left_out(state: State) -> Iterator[RuleViolation]:
    """Demand that is not planned is told, and nothing is called optimal beside it."""
    summary, certificate = state.plan.summary, state.plan.certificate
    wanted = left_out(state.snapshot, state.policy.policy.scheduler_names, state.gpu_names)
    if summary.left_out != wanted:
        have = left_out_text(summary.left_out) or "nothing"
        told = f"says {have}, recomputed: {left_out_text(wanted) or 'nothing'}; correct it"
        yield violation(RuleId.DOCUMENT, "summary/left_out", told)
    if narrows_proof(wanted, summary.gpus_allocatable) != (certificate.scope == "planned"):
        told = f"is {certificate.scope}, which does not fit the demand that is left out; correct it"
        yield violation(RuleId.DOCUMENT, "certificate/scope", told)
    elif certificate.scope == "planned" and certificate.status == "OPTIMAL":
        told = "is OPTIMAL although demand is left out; FEASIBLE would fit"
        yield violation(RuleId.DOCUMENT, "certificate/status", told)


def _figures(state: State) -> Mapping[str, int]:
    entries = [entry for entry, _ in state.reading.entries]
    decisions = Counter(entry.decision for entry in entries)
    placed = [one for one in state.reading.arrivals if not one.moved]
    before = sum(state.gpus(pod.spec) for pod in state.snapshot.pods if pod.running)
    came = sum(state.gpus(one.pod.spec) * one.count for one in placed)
    gone = sum(state.gpus(pod.spec) for pod in state.reading.evicted.values())
    allocatable = [
        amount
        for node in state.snapshot.nodes
        for name, amount in node.allocatable.as_dict().items()
        if name in state.gpu_names
    ]
    slots, cards = slot_sums(state.snapshot.nodes, state.gpu_names)
    return {
        "gpu_slots": slots,
        "gpu_slot_cards": cards,
        "gpus_allocatable": sum(allocatable),
        "gpus_before": before,
        "gpus_after": before + came - gone,
        "gangs_started": decisions["start"],
        "gangs_grown": decisions["grow"],
        "gangs_waiting": decisions["wait"],
        "gangs_evicted": decisions["evict"],
        "gangs_unsupported": sum(map(is_unsupported, entries)),
        "pods_placed": sum(one.count for one in placed),
        "pods_evicted": len(state.reading.evicted),
    }
