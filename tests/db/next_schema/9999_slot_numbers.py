"""An example of a migration: renames and adds a column, and rewrites states and events.

SQLite adapts triggers, indexes and views of tables to the new name, but refuses to rename while a view
names a column that the view `accepted` no longer has; such views are dropped before and made again.
"""

import sqlalchemy as sa
from alembic import op

from db.columns import SCHEMA

revision = "9999"
down_revision = SCHEMA

ACCEPTED = """
CREATE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.benchmark_index, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id
  AND i.accepted_attempt = a.attempt_number
JOIN campaigns c ON c.campaign_id = a.campaign_id
"""
REFUSED = "events are never changed"


def upgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    dropped = _drop_views_of_accepted() if sqlite else []
    op.execute("ALTER TABLE attempts RENAME COLUMN slot_index TO slot_number")
    op.execute("ALTER TABLE attempts ADD COLUMN tried_us BIGINT")
    if sqlite:
        op.execute(ACCEPTED)
        for statement in dropped:
            op.get_bind().exec_driver_sql(statement)
    else:  # Views over it and rights on it stay as they are.
        op.execute("ALTER VIEW accepted RENAME COLUMN slot_index TO slot_number")
        op.execute(ACCEPTED.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"))
    op.execute("UPDATE blocks SET state = 'unknown' WHERE state = 'gone'")
    _rename_kind(sqlite=sqlite)


def _rename_kind(*, sqlite: bool) -> None:
    """Rename a kind of event, without the trigger that refuses changes of events."""
    op.execute("DROP TRIGGER events_unchanged" + ("" if sqlite else " ON events"))
    op.execute("UPDATE events SET kind = 'driver_gone' WHERE kind = 'driver_died'")
    if sqlite:
        op.execute(
            "CREATE TRIGGER events_unchanged BEFORE UPDATE ON events WHEN 1 = 1 "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END"
        )
    else:
        op.execute(
            "CREATE TRIGGER events_unchanged BEFORE UPDATE ON events FOR EACH ROW "
            "WHEN (1 = 1) EXECUTE FUNCTION events_unchanged()"
        )


def _drop_views_of_accepted() -> list[str]:
    """Drop the view `accepted` and the views that need it.

    Returns
    -------
    list
        Statements that make the other views again, and all triggers on these views and on `accepted`.
    """
    connection = op.get_bind()
    views = connection.execute(
        sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'view' AND name <> 'accepted'")
    ).all()
    triggers = connection.execute(
        sa.text("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
    ).all()
    connection.exec_driver_sql("DROP VIEW accepted")
    dropped, gone = [], {"accepted"}
    for name, statement in views:
        quoted = '"' + name.replace('"', '""') + '"'
        try:
            connection.exec_driver_sql(f"SELECT 1 FROM {quoted} LIMIT 0")
        except sa.exc.DBAPIError:
            dropped.append((quoted, statement))
            gone.add(name)
    for quoted, _ in dropped:
        connection.exec_driver_sql(f"DROP VIEW {quoted}")
    return [statement for _, statement in dropped] + [sql for view, sql in triggers if view in gone]
