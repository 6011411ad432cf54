"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "nights",
        sa.Column("night", sa.Date(), nullable=False),
        sa.Column("exit_code", sa.Integer(), nullable=False),
        *_counts("horizon_s"),
        sa.Column("seen", sa.Boolean(), nullable=False),
        *_texts("run_id timezone outcome started_at finished_at as_of snapshot_digest"),
        *_texts("policy_digest proof sentence error version"),
        sa.PrimaryKeyConstraint("night", name=op.f("pk_nights")),
    )
    _table(
        "night_figures",
        *_counts("gpus_allocatable gpus_before gpus_after gangs gangs_started"),
        *_counts("gangs_started_later gangs_grown gangs_waiting gangs_evicted gangs_unsupported"),
        *_counts("pods_placed pods_evicted long_waits gangs_retried pod_restarts"),
        *_counts("findings_errors findings_warnings"),
        *_counts("gpus_after_baseline work_gpu_seconds running_gpu_seconds", nullable=True),
        *_counts("lost_gpu_seconds fill_bound_gpu_seconds loans lent_gpu_seconds", nullable=True),
        *_counts("lent_gpus_most longest_wait_s", nullable=True),
    )
    _table(
        "plans", sa.Column("document", sa.LargeBinary(), nullable=False), *_counts("unpacked_bytes")
    )
    _table(
        "gang_outcomes",
        *_texts("namespace name queue kind decision created starts_at ends_at"),
        *_texts("duration_source pools nodes reasons"),
        *_counts("priority min_member gpus lost_gpu_seconds"),
        *_counts("waited_s duration_s", nullable=True),
        key=("namespace", "name"),
    )
    _table(
        "gang_sightings",
        *_texts("namespace name queue kind created phase started_at ended_at nodes"),
        sa.Column("finished", sa.Boolean(), nullable=False),
        *_counts("min_member pods_running pods_pending pods_failed gpus retries restarts"),
        key=("namespace", "name"),
    )
    _table(
        "queue_figures",
        *_texts("name parent state deserved requested before after borrowed lent limit"),
        *_counts("weight gangs_waiting gangs_started gpus_deserved gpus_requested"),
        *_counts("gpus_before gpus_after gpus_borrowed gpus_lent"),
        key=("name",),
    )
    _table(
        "loans",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        *_texts("pool starts_at returned_by leave_by gangs"),
        *_counts("gpus gpu_seconds slack_s reclaimable_gpus worst_return_s"),
        key=("number",),
    )
    _table(
        "findings",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        *_texts("code severity object message remedy"),
        key=("number",),
    )
    for name in ("gang_outcomes", "gang_sightings"):
        op.create_index(op.f(f"ix_{name}_namespace_name"), name, ["namespace", "name"])


def _table(name: str, *columns: sa.Column[object], key: tuple[str, ...] = ()) -> None:
    """A table whose rows belong to a night and go with it."""
    op.create_table(
        name,
        sa.Column("night", sa.Date(), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("night", *key, name=op.f(f"pk_{name}")),
        sa.ForeignKeyConstraint(
            ["night"], ["nights.night"], name=op.f(f"fk_{name}_night"), ondelete="CASCADE"
        ),
    )


def _texts(names: str) -> list[sa.Column[object]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names.split()]


def _counts(names: str, *, nullable: bool = False) -> list[sa.Column[object]]:
    return [sa.Column(name, sa.BigInteger(), nullable=nullable) for name in names.split()]
