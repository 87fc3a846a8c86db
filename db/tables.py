"""The ledger's tables.

Times are integers: microseconds since the Unix epoch, UTC. Keys are the plan's own numbers
(campaign, instance, attempt), so rows can be written in bulk and copied between databases
without asking either for an identity.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from db.records import Campaign
from db.rows import Attempt, Benchmark, Block, Instance, Metric, Session

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

RULE_METRICS = ("epochs_run", "resumed_from_epoch")
"""Metrics that rules of every rulebook need."""
RULE_METRICS_ONLY = f"name IN {RULE_METRICS!r}"
"""Condition of the partial index of these metrics."""
GROUPED_BY = ("sighting", "session", "node", "state")
"""Columns by which judging groups attempts."""
AGGREGATED = (
    "fom_seconds",
    "accuracy",
    "run_start_us",
    "run_stop_us",
    "window_start_us",
    "window_stop_us",
    "submitted_us",
    "process_start_us",
    "process_stop_us",
    "received_us",
    "clock_ahead_us",
)
"""Columns that judging aggregates."""
NOTED = "kind <> 'transition'"
"""Condition of the partial indexes of events that are no transitions, which are rare."""


def _some(name: str, condition: str, *columns: str) -> Index:
    """Return a partial index."""
    return Index(name, *columns, sqlite_where=text(condition), postgresql_where=text(condition))


campaigns = Table(
    "campaigns",
    metadata,
    Column("campaign", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("uid", Text, nullable=False, unique=True),
    Column("spec_text", Text, nullable=False),
    Column("spec_sha256", Text, nullable=False),
    Column("site_name", Text, nullable=False),
    Column("site_text", Text, nullable=False),
    Column("site_sha256", Text, nullable=False),
    Column("rulebook", Text, nullable=False),
    Column("run_class", Text, nullable=False),
    Column("directory", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("created_us", BigInteger, nullable=False),
    Column("outcome", Text),
    Column("stop_request", Text),
    Column("lease_owner", Text),
    Column("lease_expires_us", BigInteger),
)

sessions = Table(
    "sessions",
    metadata,
    Column("campaign", ForeignKey("campaigns.campaign"), primary_key=True),
    Column("session", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("slots", Integer),
    Column("started_us", BigInteger, nullable=False),
    Column("ended_us", BigInteger),
    Column("outcome", Text),
    sqlite_with_rowid=False,
)

benchmarks = Table(
    "benchmarks",
    metadata,
    Column("campaign", ForeignKey("campaigns.campaign"), primary_key=True),
    Column("benchmark", Text, primary_key=True),
    Column("workload", Text, nullable=False),
    Column("instances", Integer, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("slot", Text, nullable=False),
    Column("timeout_seconds", Float),
    Column("quality_metric", Text),
    Column("quality_minimum", Float),
    sqlite_with_rowid=False,
)

instances = Table(
    "instances",
    metadata,
    Column("campaign", ForeignKey("campaigns.campaign"), primary_key=True),
    Column("instance", Integer, primary_key=True),
    Column("benchmark", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("accepted_attempt", Integer),
    UniqueConstraint("campaign", "seed"),
    UniqueConstraint("campaign", "benchmark", "number"),
    Index(None, "campaign", "state", "benchmark"),
    sqlite_with_rowid=False,
)

environments = Table(
    "environments",
    metadata,
    Column("environment", Text, primary_key=True),
    Column("content", Text, nullable=False),
    sqlite_with_rowid=False,
)

attempts = Table(
    "attempts",
    metadata,
    Column("campaign", Integer, primary_key=True),
    Column("instance", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("token", Text, nullable=False, unique=True),
    Column("session", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("category", Text),
    Column("reason", Text),
    Column("message", Text),
    Column("executor", Text),
    Column("block", Text),
    Column("node", Text),
    Column("slot", Integer),
    Column("cores", Text),
    Column("devices", Text),
    Column("submitted_us", BigInteger, nullable=False),
    Column("process_start_us", BigInteger),
    Column("ready_us", BigInteger),
    Column("run_start_us", BigInteger),
    Column("window_start_us", BigInteger),
    Column("window_stop_us", BigInteger),
    Column("run_stop_us", BigInteger),
    Column("process_stop_us", BigInteger),
    Column("received_us", BigInteger),
    Column("fom_seconds", Float),
    Column("accuracy", Float),
    Column("exit_code", Integer),
    Column("signal", Text),
    Column("peak_memory_bytes", BigInteger),
    Column("cpu_seconds", Float),
    Column("environment", ForeignKey("environments.environment")),
    Column("seen", Text),
    Column("data", Text),
    Column("stdout_path", Text),
    Column("stderr_path", Text),
    Column("stderr_tail", Text),
    # Key of the attempt's observation in `environments`; attempts with the same observation share it.
    Column("sighting", ForeignKey("environments.environment")),
    # Upper bound of the offset of the node's clock from the driver's, microseconds.
    Column("clock_ahead_us", BigInteger),
    ForeignKeyConstraint(["campaign", "instance"], ["instances.campaign", "instances.instance"]),
    # State first: with the campaign first, PostgreSQL uses it as the key while its statistics are young.
    Index(None, "state", "campaign"),
    _some("ix_attempts_campaign_reason", "reason IS NOT NULL", "campaign", "reason"),
    # All columns that judging reads of ended attempts, in the order in which it groups them.
    _some("ix_attempts_judged", "received_us IS NOT NULL", "campaign", *GROUPED_BY, *AGGREGATED),
    sqlite_with_rowid=False,
)

metrics = Table(
    "metrics",
    metadata,
    Column("campaign", Integer, primary_key=True),
    Column("instance", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Float),
    Column("unit", Text, nullable=False),
    ForeignKeyConstraint(
        ["campaign", "instance", "attempt"],
        ["attempts.campaign", "attempts.instance", "attempts.attempt"],
    ),
    _some("ix_metrics_judged", RULE_METRICS_ONLY, "campaign", "name", "value", "instance", "attempt"),
    sqlite_with_rowid=False,
)

events = Table(
    "events",
    metadata,
    Column("event_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("campaign", ForeignKey("campaigns.campaign"), nullable=False),
    Column("at_us", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("instance", Integer),
    Column("attempt", Integer),
    Column("from_state", Text),
    Column("to_state", Text),
    Column("message", Text),
    # A node, a block, an instance's label or a session; NULL for the campaign, or where `instance` says it.
    Column("subject", Text),
    Column("data", Text),
    Index(None, "campaign", "instance"),
    _some("ix_events_campaign_kind", NOTED, "campaign", "kind"),
    _some("ix_events_noted", NOTED, "campaign", "event_id"),
)

blocks = Table(
    "blocks",
    metadata,
    Column("campaign", ForeignKey("campaigns.campaign"), primary_key=True),
    Column("session", Integer, primary_key=True),
    Column("executor", Text, primary_key=True),
    Column("block", Text, primary_key=True),
    Column("job_id", Text),
    Column("state", Text, nullable=False),
    Column("requested_us", BigInteger, nullable=False),
    Column("started_us", BigInteger),
    Column("ended_us", BigInteger),
    Column("nodes", Integer, nullable=False),
    Column("message", Text),
    sqlite_with_rowid=False,
)

_ROWS: dict[type, Table] = {
    Campaign: campaigns,
    Session: sessions,
    Benchmark: benchmarks,
    Instance: instances,
    Attempt: attempts,
    Metric: metrics,
    Block: blocks,
}


def columns_of(kind: type[Any]) -> list[Column[Any]]:
    """Return the columns of a row class, in the order of its attributes."""
    return [_ROWS[kind].c[one.name] for one in fields(kind)]
