"""The first sentence and the key figures of a plan."""

from __future__ import annotations

from models.gpu_slots import slot_words
from models.plan import PlanResult
from planner.report.proof_words import (
    proof_scope,
    proof_short,
    status_words,
    verification_words,
)
from planner.report.tables import KeyFigure
from planner.report.text import counted, number, percent


def headline(result: PlanResult) -> str:
    """The summary's sentence, or one made from the numbers where a document has none."""
    if result.summary.sentence:
        return result.summary.sentence
    summary = result.summary
    waits = "waits" if summary.gangs_waiting == 1 else "wait"
    return (
        f"{counted(summary.gangs_started, 'gang')} can start now and "
        f"{counted(summary.gangs_waiting, 'gang')} {waits}; {number(summary.gpus_after)} of "
        f"{number(summary.gpus_allocatable)} GPUs allocated ("
        f"{percent(summary.gpus_after, summary.gpus_allocatable)}, now "
        f"{percent(summary.gpus_before, summary.gpus_allocatable)}). The plan is {status_words(result.certificate)}. "
        f"{verification_words(result.verification)}."
    )


def key_figures(result: PlanResult) -> tuple[KeyFigure, ...]:
    """GPUs before, with the baseline, with the plan and at most; gangs; proof; check."""
    summary, baseline = result.summary, result.baseline
    most = summary.gpus_allocatable

    beside = ", shares aside" if any(node.cards for node in result.nodes) else ""

    def share(gpus: int) -> str:
        return f"{percent(gpus, most)} of {number(most)} GPUs{beside}"

    figures = [KeyFigure("Allocated now", _gpus(summary.gpus_before), share(summary.gpus_before))]
    if baseline is not None:
        without = baseline.gangs_left_out
        out = f", {counted(without, 'gang')} with rules unknown to it left out" if without else ""
        figures.append(
            KeyFigure(
                "Baseline",
                _gpus(baseline.gpus_after),
                f"{share(baseline.gpus_after)}, {baseline.name}{out}",
            )
        )
    figures += [
        KeyFigure("Plan", _gpus(summary.gpus_after), share(summary.gpus_after)),
        KeyFigure("Allocatable", _gpus(most), _most_detail(result)),
        KeyFigure("Start", counted(summary.gangs_started, "gang"), _start_detail(result)),
        KeyFigure("Wait", counted(summary.gangs_waiting, "gang"), _wait_detail(result)),
        KeyFigure("Proof", proof_short(result.certificate), proof_scope(result.certificate)),
        KeyFigure("Check", *_check(result)),
    ]
    return tuple(figures)


def warnings(result: PlanResult) -> tuple[str, ...]:
    """What a reader must know before anything else."""
    found = []
    verification = result.verification
    if verification is None:
        found.append("This plan was not verified: do not act on it before `gangplan verify`.")
    elif verification.violations:
        found.append(
            f"{verification_words(verification)}: do not act on this plan. First: "
            f"{verification.violations[0].message}"
        )
    if result.summary.gangs_unsupported:
        found.append(
            f"{counted(result.summary.gangs_unsupported, 'gang')} left waiting because of a required rule that is not "
            "modelled yet (reason unsupported)."
        )
    return tuple(found)


def _gpus(count: int) -> str:
    return counted(count, "GPU")


def _start_detail(result: PlanResult) -> str:
    summary, baseline = result.summary, result.baseline
    parts = []
    if baseline is not None:
        parts.append(f"baseline {counted(baseline.gangs_started, 'gang')}")
    if summary.gangs_grown:
        parts.append(f"{counted(summary.gangs_grown, 'gang')} grow")
    if summary.gangs_evicted or summary.pods_evicted:
        parts.append(f"{counted(summary.pods_evicted, 'pod')} evicted")
    return ", ".join(parts) or f"{counted(summary.pods_placed, 'pod')} placed"


def _most_detail(result: PlanResult) -> str:
    summary, text = result.summary, f"on {counted(result.snapshot.nodes, 'node')}"
    slots = slot_words(summary.gpu_slots, summary.gpu_slot_cards, summary.gpus_allocatable)
    return f"{text}; {slots}" if slots else text


def _wait_detail(result: PlanResult) -> str:
    gpus = sum(gang.gpus for gang in result.gangs if gang.decision == "wait")
    text = f"{counted(gpus, 'GPU')} asked for"
    unsupported = result.summary.gangs_unsupported
    return f"{text}, {unsupported:,} unsupported" if unsupported else text


def _check(result: PlanResult) -> tuple[str, str]:
    verification = result.verification
    if verification is None:
        return "not verified", "run gangplan verify"
    return (
        counted(len(verification.violations), "violation"),
        f"{counted(verification.rules, 'rule')} checked independently",
    )
