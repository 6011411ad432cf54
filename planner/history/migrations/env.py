"""What Alembic runs for every upgrade: the connection and its transaction are the caller's."""

from __future__ import annotations

from alembic import context

from planner.history.tables import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
