"""Counts without a limit of 64 bits: one odd amount in an export kept a night out of the history."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_COUNTS = {
    "nights": "horizon_s",
    "night_figures": (
        "gpus_allocatable gpus_before gpus_after gangs gangs_started gangs_started_later gangs_grown gangs_waiting "
        "gangs_evicted gangs_unsupported pods_placed pods_evicted long_waits gangs_retried pod_restarts "
        "findings_errors findings_warnings gpus_after_baseline work_gpu_seconds running_gpu_seconds lost_gpu_seconds "
        "fill_bound_gpu_seconds loans lent_gpu_seconds lent_gpus_most longest_wait_s"
    ),
    "plans": "unpacked_bytes",
    "gang_outcomes": "priority min_member gpus lost_gpu_seconds waited_s duration_s",
    "gang_sightings": "min_member pods_running pods_pending pods_failed gpus retries restarts",
    "queue_figures": (
        "weight gangs_waiting gangs_started gpus_deserved gpus_requested gpus_before gpus_after gpus_borrowed gpus_lent"
    ),
    "loans": "gpus gpu_seconds slack_s reclaimable_gpus worst_return_s",
}


def upgrade() -> None:
    """NUMERIC in PostgreSQL; a column of SQLite holds bytes of digits beside integers as it is."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, columns in _COUNTS.items():
        for column in columns.split():
            op.alter_column(table, column, type_=sa.Numeric())
