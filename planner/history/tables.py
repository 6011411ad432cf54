"""The tables. Loading this module loads SQLAlchemy: do it inside functions.

Figures are whole numbers of any size, times are RFC 3339 text in UTC (sortable, the same in every database), resource
maps are JSON text (any whole number), the plan document is gzip-compressed JSON.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
)

from planner.history.column_types import JsonText, PlainText, WholeNumber

VERSION_TABLE = "schema_version"
METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _text(name: str) -> Column[str]:
    return Column(name, PlainText, nullable=False)


def _json(name: str) -> Column[Any]:
    return Column(name, JsonText, nullable=False)


def _count(name: str) -> Column[int]:
    return Column(name, WholeNumber, nullable=False)


def _maybe(name: str) -> Column[int | None]:
    return Column(name, WholeNumber, nullable=True)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _night() -> Column[Any]:
    return Column(
        "night",
        Date,
        ForeignKey("nights.night", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    )


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True, autoincrement=False, nullable=False)


def _key(name: str) -> Column[str]:
    return Column(name, PlainText, primary_key=True, nullable=False)


NIGHTS = Table(
    "nights",
    METADATA,
    Column("night", Date, primary_key=True, nullable=False),
    Column("exit_code", Integer, nullable=False),
    _count("horizon_s"),
    _flag("seen"),
    *(
        _text(name)
        for name in (
            "run_id",
            "timezone",
            "outcome",
            "started_at",
            "finished_at",
            "as_of",
            "snapshot_digest",
            "policy_digest",
            "proof",
            "sentence",
            "error",
            "version",
        )
    ),
)

FIGURES = Table(
    "night_figures",
    METADATA,
    _night(),
    *(
        _count(name)
        for name in (
            "gpus_allocatable",
            "gpus_before",
            "gpus_after",
            "gangs",
            "gangs_started",
            "gangs_started_later",
            "gangs_grown",
            "gangs_waiting",
            "gangs_evicted",
            "gangs_unsupported",
            "pods_placed",
            "pods_evicted",
            "long_waits",
            "gangs_retried",
            "pod_restarts",
            "findings_errors",
            "findings_warnings",
        )
    ),
    *(
        _maybe(name)
        for name in (
            "gpus_after_baseline",
            "work_gpu_seconds",
            "running_gpu_seconds",
            "lost_gpu_seconds",
            "fill_bound_gpu_seconds",
            "loans",
            "lent_gpu_seconds",
            "lent_gpus_most",
            "longest_wait_s",
        )
    ),
)

PLANS = Table(
    "plans",
    METADATA,
    _night(),
    Column("document", LargeBinary, nullable=False),
    _count("unpacked_bytes"),
)

OUTCOMES = Table(
    "gang_outcomes",
    METADATA,
    _night(),
    _key("namespace"),
    _key("name"),
    *(_text(name) for name in ("queue", "kind", "decision", "created", "starts_at", "ends_at")),
    _text("duration_source"),
    *(_json(name) for name in ("pools", "nodes", "reasons")),
    *(_count(name) for name in ("priority", "min_member", "gpus", "lost_gpu_seconds")),
    *(_maybe(name) for name in ("waited_s", "duration_s")),
    Index(None, "namespace", "name"),
)

SIGHTINGS = Table(
    "gang_sightings",
    METADATA,
    _night(),
    _key("namespace"),
    _key("name"),
    *(_text(name) for name in ("queue", "kind", "created", "phase", "started_at", "ended_at")),
    _json("nodes"),
    _flag("finished"),
    *(
        _count(name)
        for name in ("min_member", "pods_running", "pods_pending", "pods_failed", "gpus")
    ),
    *(_count(name) for name in ("retries", "restarts")),
    Index(None, "namespace", "name"),
)

QUEUES = Table(
    "queue_figures",
    METADATA,
    _night(),
    _key("name"),
    *(_text(name) for name in ("parent", "state")),
    *(_json(name) for name in ("deserved", "requested", "before", "after")),
    *(_json(name) for name in ("borrowed", "lent", "limit")),
    *(_count(name) for name in ("weight", "gangs_waiting", "gangs_started")),
    *(_count(name) for name in ("gpus_deserved", "gpus_requested", "gpus_before", "gpus_after")),
    *(_count(name) for name in ("gpus_borrowed", "gpus_lent")),
)

LOANS = Table(
    "loans",
    METADATA,
    _night(),
    _number(),
    *(_text(name) for name in ("pool", "starts_at", "returned_by", "leave_by")),
    _json("gangs"),
    *(_count(name) for name in ("gpus", "gpu_seconds", "slack_s")),
    *(_count(name) for name in ("reclaimable_gpus", "worst_return_s")),
)

FINDINGS = Table(
    "findings",
    METADATA,
    _night(),
    _number(),
    *(_text(name) for name in ("code", "severity", "object", "message", "remedy")),
)
