"""Large campaigns: what attempts saw is stored once, and the questions of status and fom have indexes."""

import hashlib
import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

FINAL = "('succeeded', 'failed', 'timed_out', 'lost', 'cancelled')"
ACCEPTED = """
CREATE OR REPLACE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.number, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign = a.campaign AND i.instance = a.instance AND i.accepted_attempt = a.attempt
JOIN campaigns c ON c.campaign = a.campaign
"""
INDEXES = (
    "CREATE INDEX ix_attempts_state_campaign ON attempts (state, campaign)",
    "CREATE INDEX ix_instances_campaign_state_benchmark ON instances (campaign, state, benchmark)",
    "CREATE INDEX ix_attempts_campaign_reason ON attempts (campaign, reason) WHERE reason IS NOT NULL",
    "CREATE INDEX ix_attempts_judged ON attempts (campaign, sighting, session, node, "
    "state, fom_seconds, accuracy, run_start_us, run_stop_us, window_start_us, window_stop_us, "
    "submitted_us, process_start_us, process_stop_us, received_us, clock_ahead_us) "
    "WHERE received_us IS NOT NULL",
    "CREATE INDEX ix_metrics_judged ON metrics (campaign, name, value, instance, attempt) "
    "WHERE name IN ('epochs_run', 'resumed_from_epoch')",
    "CREATE INDEX ix_events_campaign_kind ON events (campaign, kind) WHERE kind <> 'transition'",
)
CHUNK = 10_000
OF_ONE_PROCESS = ("host", "pid", "process_threads", "external")


def upgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute(
        "ALTER TABLE attempts ADD COLUMN sighting TEXT "
        "CONSTRAINT fk_attempts_sighting REFERENCES environments (environment)"
    )
    op.execute("ALTER TABLE attempts ADD COLUMN clock_ahead_us BIGINT")
    if not sqlite:  # which finds the new columns by itself
        op.execute(ACCEPTED)
    op.execute("DROP INDEX ix_instances_campaign_state")
    op.execute("DROP INDEX ix_attempts_campaign_state")
    any_written = _write_sightings()
    for statement in INDEXES:
        op.execute(statement)
    if any_written and not sqlite:
        op.execute("ANALYZE instances, attempts, environments, metrics, events")


def _write_sightings() -> bool:
    """Tell of every attempt that ended what it saw, which its row would not let be added later.

    Return whether there was any.
    """
    connection = op.get_bind()
    sqlite = connection.dialect.name == "sqlite"
    op.execute("DROP TRIGGER attempts_final" + ("" if sqlite else " ON attempts"))
    last = (-1, -1, -1)
    known = set(connection.execute(sa.text("SELECT environment FROM environments")).scalars())
    while rows := connection.execute(
        sa.text(
            "SELECT campaign, instance, attempt, seen, data, cores, devices FROM attempts "
            f"WHERE state IN {FINAL} AND (campaign, instance, attempt) > (:c, :i, :a) "
            "ORDER BY campaign, instance, attempt LIMIT :chunk"
        ),
        {"c": last[0], "i": last[1], "a": last[2], "chunk": CHUNK},
    ).all():
        contents: dict[str, str] = {}
        written = []
        for row in rows:
            observed = {"seen": row.seen and _sighting(_read(row.seen)), "data": row.data}
            observed |= {"cores": row.cores, "devices": row.devices}
            content = json.dumps(observed, sort_keys=True)
            key = hashlib.sha256(content.encode()).hexdigest()
            contents[key] = content
            written.append({"key": key, "c": row.campaign, "i": row.instance, "a": row.attempt})
        new = [{"key": key, "content": content} for key, content in contents.items() if key not in known]
        if new:
            connection.execute(sa.text("INSERT INTO environments VALUES (:key, :content)"), new)
            known.update(contents)
        connection.execute(
            sa.text(
                "UPDATE attempts SET sighting = :key WHERE campaign = :c AND instance = :i AND attempt = :a"
            ),
            written,
        )
        last = tuple(rows[-1])[:3]
    if sqlite:
        op.execute(
            f"CREATE TRIGGER attempts_final BEFORE UPDATE ON attempts WHEN OLD.state IN {FINAL} "
            "BEGIN SELECT RAISE(ABORT, 'a final attempt never changes'); END"
        )
    else:
        op.execute(
            "CREATE TRIGGER attempts_final BEFORE UPDATE ON attempts FOR EACH ROW "
            f"WHEN (OLD.state IN {FINAL}) EXECUTE FUNCTION attempts_final()"
        )
    return last[0] >= 0


def _read(seen: str) -> Any:
    """Return what a text says; one that is no JSON, which a database client wrote, is its own content."""
    try:
        return json.loads(seen)
    except ValueError:
        return seen


def _sighting(seen: Any) -> Any:
    """Return what was seen without what differs between processes that saw the same."""
    if not isinstance(seen, dict):
        return seen
    kept = {name: value for name, value in seen.items() if name not in OF_ONE_PROCESS}
    if isinstance(kept.get("ranks"), list):
        kept["ranks"] = [_sighting(one) for one in kept["ranks"]]
    return kept
