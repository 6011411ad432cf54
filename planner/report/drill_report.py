"""A drill made ready for every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from models.drill import DrillResult
from planner.report.proof_words import proof_detail, proof_short, verification_words
from planner.report.sections.footer import short_digest, told_digest
from planner.report.tables import KeyFigure, Place, Report, Section
from planner.report.text import counted, duration, gpu_hours

if TYPE_CHECKING:
    import pandas as pd


def drill_report(
    result: DrillResult, *, namespaces: Sequence[str] = (), queues: Sequence[str] = ()
) -> Report:
    """Prepare a drill; ``namespaces`` and ``queues`` choose which gangs and pods are listed."""
    shown = _selected(result, namespaces, queues)

    def sections(place: Place, limit: int) -> Sequence[Section]:
        from planner.report.sections.drill import drill_sections

        return drill_sections(shown, place, limit)

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.csv_frames import drill_frames

        return drill_frames(shown)

    return Report(
        name="reclaim",
        title="Reclaim drill",
        sentence=result.summary.sentence,
        document=shown,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(result),
        footer=_footer(result),
        warnings=_warnings(result, shown),
    )


def _selected(result: DrillResult, namespaces: Sequence[str], queues: Sequence[str]) -> DrillResult:
    if not namespaces and not queues:
        return result

    def wanted(gang: str, queue: str) -> bool:
        namespace = gang.partition("/")[0]
        return (not namespaces or namespace in namespaces) and (not queues or queue in queues)

    note = {"namespaces": sorted(namespaces), "queues": sorted(queues)}
    return result.model_copy(
        update={
            "gangs": tuple(one for one in result.gangs if wanted(one.gang, one.queue)),
            "leaving": tuple(one for one in result.leaving if wanted(one.gang, one.queue)),
            "filter": note,
        }
    )


def _key_figures(result: DrillResult) -> tuple[KeyFigure, ...]:
    one = result.summary
    bound = one.gpus_most_in_time
    most = "no bound proved" if bound is None else f"at most {bound:,} by the proved bound"
    never = f"{counted(one.gpus_needed - one.gpus_back, 'GPU')} never"
    last = never if one.last_second is None else f"{one.last_second} s"
    gangs = f"{counted(one.gangs_evicted, 'gang')} given up, {one.gangs_shrunk:,} shrunk"
    return (
        KeyFigure("Asked for", counted(one.gpus_needed, "GPU"), f"within {one.deadline_seconds} s"),
        KeyFigure("Back in time", counted(one.gpus_in_time, "GPU"), most),
        KeyFigure("Free now", counted(one.gpus_free, "GPU"), "at second 0, nobody leaving"),
        KeyFigure("Last one back", last, f"{counted(one.gpus_back, 'GPU')} in the end"),
        KeyFigure("Leave", counted(one.pods_evicted, "pod"), gangs),
        KeyFigure("Lost work", gpu_hours(one.lost_gpu_seconds), "since start or last checkpoint"),
        KeyFigure("Proof", proof_short(result.certificate), proof_detail(result.certificate)),
        KeyFigure("Check", *_check(result)),
    )


def _check(result: DrillResult) -> tuple[str, str]:
    if result.verification is None:
        return "not verified", "do not rely on it"
    found = counted(len(result.verification.violations), "violation")
    return found, f"{counted(result.verification.rules, 'rule')} checked independently"


def _footer(result: DrillResult) -> tuple[str, ...]:
    snapshot, certificate = result.snapshot, result.certificate
    versions = ", ".join(f"{name} {version}" for name, version in certificate.versions.items())
    reproducible = "reproducible" if certificate.reproducible else "not exactly reproducible"
    return (
        f"As of {snapshot.as_of or 'an unknown time (the export holds no time stamp)'}; snapshot "
        f"{told_digest(snapshot.digest, snapshot.sources)}: {counted(snapshot.nodes, 'node')}, "
        f"{counted(snapshot.pods, 'pod')}.",
        f"{verification_words(result.verification)}. Certificate: {proof_detail(certificate)} in "
        f"{duration(certificate.seconds)}.",
        f"Seed {certificate.seed}, {counted(certificate.workers, 'worker')}, {reproducible}; policy "
        f"{short_digest(certificate.policy_digest)}" + (f"; {versions}." if versions else "."),
    )


def _warnings(result: DrillResult, shown: DrillResult) -> tuple[str, ...]:
    found = [
        f"{one.message[0].upper()}{one.message[1:]}."
        for one in result.snapshot.findings
        if one.code.startswith("drill_") and one.severity == "warning"
    ]
    if shown is not result:
        found.append(
            f"Listed: {len(shown.gangs):,} of {counted(len(result.gangs), 'gang')} that lose pods, as asked for; "
            "all figures are those of the whole drill."
        )
    return tuple(found)
