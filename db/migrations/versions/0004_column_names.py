"""Columns say what they hold: keys end in ``_id`` or ``_number``, failures and data have their prefix."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

CAMPAIGN = {"campaign": "campaign_id"}
INSTANCE = CAMPAIGN | {"instance": "instance_id"}
ATTEMPT = INSTANCE | {"attempt": "attempt_number"}
RENAMED = {
    "campaigns": CAMPAIGN
    | {
        "spec_text": "campaign_yaml",
        "spec_sha256": "campaign_sha256",
        "site_text": "site_yaml",
        "directory": "run_directory",
        "data": "data_path",
    },
    "sessions": CAMPAIGN | {"session": "session_number"},
    "benchmarks": CAMPAIGN | {"quality_minimum": "quality_target"},
    "instances": INSTANCE | {"number": "benchmark_index"},
    "documents": {"environment": "sha256"},
    "attempts": ATTEMPT
    | {
        "session": "session_number",
        "category": "failure_category",
        "reason": "failure_reason",
        "message": "failure_message",
        "executor": "slot_shape",
        "block": "block_id",
        "slot": "slot_index",
        "window_start_us": "timed_window_start_us",
        "window_stop_us": "timed_window_stop_us",
        "environment": "environment_sha256",
        "seen": "observed",
        "data": "data_facts",
        "sighting": "observation_sha256",
        "clock_ahead_us": "clock_offset_max_us",
    },
    "metrics": ATTEMPT,
    "events": ATTEMPT,
    "blocks": CAMPAIGN | {"session": "session_number", "executor": "slot_shape", "block": "block_id"},
}
OF_ACCEPTED = {"number": "benchmark_index"} | RENAMED["attempts"]

ACCEPTED = """
CREATE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.benchmark_index, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id
  AND i.accepted_attempt = a.attempt_number
JOIN campaigns c ON c.campaign_id = a.campaign_id
"""


def upgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    dropped = _drop_views_of_accepted() if sqlite else []
    op.execute("ALTER TABLE environments RENAME TO documents")
    for table, columns in RENAMED.items():
        for old, new in columns.items():
            op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    if sqlite:
        op.execute(ACCEPTED)
        for statement in dropped:
            op.get_bind().exec_driver_sql(statement)
    else:  # Views over it and rights on it stay as they are.
        for old, new in OF_ACCEPTED.items():
            op.execute(f"ALTER VIEW accepted RENAME COLUMN {old} TO {new}")


def _drop_views_of_accepted() -> list[str]:
    """Drop the view `accepted` and users' views that need it.

    SQLite renames no column while a view names a column that `accepted` has no more. It adapts all other
    views itself.

    Returns
    -------
    list
        Statements that make users' views again, and all triggers that were on these views and on `accepted`.
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
