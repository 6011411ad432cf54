"""What a result stands on: as-of time, digests, certificate, versions. No table is shown without it."""

from __future__ import annotations

from collections.abc import Sequence

from models.plan import PlanResult
from planner.report.earlier_words import earlier_words
from planner.report.proof_words import proof_scope, proof_short, verification_words
from planner.report.text import counted, duration, percent


def plan_footer(result: PlanResult) -> tuple[str, ...]:
    """Lines below every plan."""
    certificate, snapshot = result.certificate, result.snapshot
    gangs = counted(len(result.gangs), "gang")
    versions = ", ".join(f"{name} {version}" for name, version in certificate.versions.items())
    reproducible = "reproducible" if certificate.reproducible else "not exactly reproducible"
    return (
        *baseline_words(result),
        *earlier_words(result),
        f"As of {snapshot.as_of or 'an unknown time (the export holds no time stamp)'}; snapshot "
        f"{told_digest(snapshot.digest, snapshot.sources)}: {counted(snapshot.nodes, 'node')} in "
        f"{counted(snapshot.node_classes, 'class', 'classes')}, {counted(snapshot.pods, 'pod')}, {gangs}.",
        f"{verification_words(result.verification)}. Certificate: {proof_short(certificate)} "
        f"({proof_scope(certificate)}) in {duration(certificate.seconds)}.",
        f"Seed {certificate.seed}, {counted(certificate.workers, 'worker')}, "
        f"{'deterministic' if certificate.deterministic else 'not deterministic'}, {reproducible}; policy "
        f"{short_digest(certificate.policy_digest)}" + (f"; {versions}." if versions else "."),
    )


def baseline_words(result: PlanResult) -> tuple[str, ...]:
    """What a greedy scheduler would do with the same snapshot; nothing where the document does not say."""
    baseline, summary = result.baseline, result.summary
    if baseline is None:
        return ()
    gap = summary.gpus_after - baseline.gpus_after
    more = f"{counted(abs(gap), 'GPU')} {'more' if gap > 0 else 'fewer'}" if gap else "as many"
    without = baseline.gangs_left_out
    rules = (
        f", but without {counted(without, 'gang')} whose rules it does not know," if without else ""
    )
    order = f" (node order: {baseline.node_order})" if baseline.node_order else ""
    return (
        f"Baseline: a {baseline.name}{order} with the same rules{rules} would use "
        f"{counted(baseline.gpus_after, 'GPU')} "
        f"({percent(baseline.gpus_after, summary.gpus_allocatable)}) and start "
        f"{counted(baseline.gangs_started, 'gang')}; the plan uses {more}.",
    )


def told_digest(digest: str, sources: Sequence[str]) -> str:
    """The digest of a snapshot; of a running cluster with its context, the server's version and the time of reading."""
    running = [one for one in sources if one.startswith("cluster:")]
    return " from ".join([short_digest(digest), *([" and ".join(running)] if running else [])])


def short_digest(digest: str) -> str:
    """The first twelve characters of a digest, as people quote it."""
    return digest.removeprefix("sha256:")[:12] or "without digest"
