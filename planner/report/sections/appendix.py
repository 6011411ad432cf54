"""What someone needs to check or repeat the plan: digests, versions, command line, policy with origins."""

from __future__ import annotations

from planner.report.plan_view import PlanView
from planner.report.rows import records
from planner.report.tables import Column, Section, Table
from planner.report.text import DASH, duration


def appendix_section(view: PlanView, *, command: str) -> Section:
    """Origin of the numbers and the effective policy."""
    return Section("appendix", "Appendix", tables=(_origin(view, command), _policy(view)))


def _origin(view: PlanView, command: str) -> Table:
    snapshot, certificate = view.result.snapshot, view.result.certificate
    versions = ", ".join(f"{name} {version}" for name, version in certificate.versions.items())
    rows = (
        ("As of", snapshot.as_of or "unknown: the export holds no time stamp"),
        ("Sources", ", ".join(snapshot.sources) or DASH),
        ("Snapshot digest", snapshot.digest or DASH),
        ("Policy digest", certificate.policy_digest or DASH),
        (
            "Classes",
            f"{snapshot.node_classes:,} node classes, {snapshot.gang_classes:,} gang classes",
        ),
        ("Seed and workers", f"seed {certificate.seed}, {certificate.workers} workers"),
        ("Deterministic", "yes" if certificate.deterministic else "no"),
        ("Reproducible", "yes" if certificate.reproducible else "no"),
        ("Time of the run", duration(certificate.seconds)),
        ("Versions", versions or DASH),
        ("Schema of the document", f"version {view.result.schema_version}"),
        ("To repeat it", command),
    )
    return Table("Origin", (Column("WHAT"), Column("VALUE", grows=True)), rows)


def _policy(view: PlanView) -> Table:
    rows = tuple((row["key"], row["value"], row["origin"] or DASH) for row in records(view.policy))
    columns = (Column("KEY"), Column("VALUE", grows=True), Column("ORIGIN"))
    return Table("Effective policy", columns, rows, "The document holds no policy.")
