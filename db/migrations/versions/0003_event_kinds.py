"""Events have a kind of a fixed list, a subject and data; outcomes and states of blocks are slugs."""

from alembic import op

revision = "0003"
down_revision = "0002"

NOTED = "kind <> 'transition'"
RENAMED = {"events": {"event": "event_id", "detail": "message"}}
ADDED = {"events": {"subject": "TEXT", "data": "TEXT"}}
KINDS = (
    ("journal_damaged", "kind = 'evidence' AND attempt IS NULL AND message LIKE 'damaged journal line%'"),
    ("late_report", "kind = 'evidence'"),
    ("rejected_values", "kind = 'refused'"),
    ("leftovers_ended", "kind = 'orphans'"),
    ("cores_shared", "kind = 'shared cores'"),
    ("session_ended", "kind = 'session' AND message LIKE 'session % ended: %'"),
    ("driver_died", "kind = 'session' AND message LIKE '% died; its lease was taken from it'"),
    ("session_started", "kind = 'session'"),
    ("stop_requested", "kind = 'campaign' AND message LIKE 'stop requested: %'"),
    ("exhausted_reopened", "kind = 'campaign' AND message LIKE '% exhausted instances planned again'"),
    ("campaign_registered", "kind = 'campaign'"),
)
OUTCOMES = {
    "some instances exhausted": "exhausted",
    "stopped as hopeless": "aborted_after_failures",
    "engine failed": "engine_failed",
    "ledger failed": "ledger_failed",
    "taken over by another driver": "lease_lost",
    "aborted by an error": "aborted",
    "its driver died": "driver_died",
    "died": "driver_died",
}

BLOCK_STATES = {"walltime": "timeout", "node lost": "node_failure", "gone": "unknown"}


def upgrade() -> None:
    for table, columns in RENAMED.items():
        for old, new in columns.items():
            op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    for table, added in ADDED.items():
        for column, kind in added.items():
            op.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    _name_kinds()
    for table in ("campaigns", "sessions"):
        for words, slug in OUTCOMES.items():
            op.execute(f"UPDATE {table} SET outcome = '{slug}' WHERE outcome = '{words}'")
    for old, new in BLOCK_STATES.items():
        op.execute(f"UPDATE blocks SET state = '{new}' WHERE state = '{old}'")
    op.execute(f"CREATE INDEX ix_events_noted ON events (campaign, event_id) WHERE {NOTED}")


def _name_kinds() -> None:
    """Replace the kinds of events; without the trigger that refuses changes of events."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute("DROP TRIGGER events_unchanged" + ("" if sqlite else " ON events"))
    for kind, condition in KINDS:
        op.execute(f"UPDATE events SET kind = '{kind}' WHERE {NOTED} AND {condition}")
    if sqlite:
        op.execute(
            "CREATE TRIGGER events_unchanged BEFORE UPDATE ON events WHEN 1 = 1 "
            "BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"
        )
    else:
        op.execute(
            "CREATE TRIGGER events_unchanged BEFORE UPDATE ON events FOR EACH ROW "
            "WHEN (1 = 1) EXECUTE FUNCTION events_unchanged()"
        )
