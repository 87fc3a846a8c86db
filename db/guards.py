"""Tables, views and triggers of a new ledger.

The triggers keep for every database client what the code promises: what is final never changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from db.states import FINAL_STATES
from db.tables import CONDITION, WITHOUT_ROWID, metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

_FINAL = ", ".join(f"'{state}'" for state in FINAL_STATES)
GUARDS = {
    "attempts_final": ("UPDATE", "attempts", f"OLD.state IN ({_FINAL})", "a final attempt never changes"),
    "attempts_kept": ("DELETE", "attempts", "1 = 1", "attempts are never deleted"),
    "instances_accepted": (
        "UPDATE",
        "instances",
        "OLD.accepted_attempt IS NOT NULL",
        "an instance is accepted once",
    ),
    "metrics_unchanged": ("UPDATE", "metrics", "1 = 1", "metrics are never changed"),
    "metrics_kept": ("DELETE", "metrics", "1 = 1", "metrics are never deleted"),
    "samples_unchanged": ("UPDATE", "samples", "1 = 1", "samples are never changed"),
    "samples_kept": ("DELETE", "samples", "1 = 1", "samples are never deleted"),
    "curves_unchanged": ("UPDATE", "curves", "1 = 1", "curves are never changed"),
    "curves_kept": ("DELETE", "curves", "1 = 1", "curves are never deleted"),
    "events_unchanged": ("UPDATE", "events", "1 = 1", "events are never changed"),
    "events_kept": ("DELETE", "events", "1 = 1", "events are never deleted"),
}
# SQLite's REPLACE deletes a row without asking the triggers above.
_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "attempts": (("campaign_id", "instance_id", "attempt_number"), ("token",)),
    "instances": (
        ("campaign_id", "instance_id"),
        ("campaign_id", "seed"),
        ("campaign_id", "benchmark", "benchmark_index"),
    ),
    "metrics": (("campaign_id", "instance_id", "attempt_number", "name"),),
    "samples": (("campaign_id", "instance_id", "attempt_number", "quantity", "node", "device"),),
    "curves": (("campaign_id", "instance_id", "attempt_number", "name"),),
    "events": (("event_id",),),
}
_VIEWS = (
    """
CREATE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.benchmark_index, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id
  AND i.accepted_attempt = a.attempt_number
JOIN campaigns c ON c.campaign_id = a.campaign_id
""",
    # The same condition as `db.counted.counted`.
    """
CREATE VIEW counted AS
SELECT * FROM accepted a
WHERE NOT EXISTS (
  SELECT 1 FROM events e
  WHERE e.campaign_id = a.campaign_id AND e.instance_id = a.instance_id AND e.kind = 'instance_superseded'
)
""",
)


def create(connection: Connection) -> None:
    """Create all tables, views and triggers."""
    for table in metadata.tables.values():
        if table.info == WITHOUT_ROWID:
            table.dialect_options["sqlite"]["with_rowid"] = False
        for index in table.indexes:
            if condition := index.info.get(CONDITION):
                for dialect in ("sqlite", "postgresql"):
                    index.dialect_options[dialect]["where"] = text(condition)
    metadata.create_all(connection, checkfirst=False)
    for view in _VIEWS:
        connection.exec_driver_sql(view)
    guard = _guard_sqlite if connection.dialect.name == "sqlite" else _guard_postgresql
    guard(connection)


def _guard_sqlite(connection: Connection) -> None:
    for name, (action, table, condition, message) in GUARDS.items():
        connection.exec_driver_sql(
            f"CREATE TRIGGER {name} BEFORE {action} ON {table} WHEN {condition} "
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
    for table, keys in _KEYS.items():
        same = [" AND ".join(f"{column} = NEW.{column}" for column in key) for key in keys]
        there = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {condition})" for condition in same)
        connection.exec_driver_sql(
            f"CREATE TRIGGER {table}_not_replaced BEFORE INSERT ON {table} WHEN {there} "
            f"BEGIN SELECT RAISE(ABORT, '{table}: this row is there already'); END"
        )


def _guard_postgresql(connection: Connection) -> None:
    for name, (action, table, condition, message) in GUARDS.items():
        connection.exec_driver_sql(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{message}'; END $$"
        )
        connection.exec_driver_sql(
            f"CREATE TRIGGER {name} BEFORE {action} ON {table} FOR EACH ROW "
            f"WHEN ({condition}) EXECUTE FUNCTION {name}()"
        )
        if action == "DELETE":
            connection.exec_driver_sql(
                f"CREATE TRIGGER {name}_whole BEFORE TRUNCATE ON {table} EXECUTE FUNCTION {name}()"
            )
