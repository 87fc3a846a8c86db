"""Runs migrations on the connection that ``db.schema.upgrade`` opened."""

from alembic import context

from db.tables import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
