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
)

from db.records import CampaignRow
from db.rows import Attempt, BenchmarkRow, Block, Curve, Instance, Metric, Point, Sample, Session

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
GROUPED_BY = ("observation_sha256", "session_number", "node", "state")
"""Columns by which judging groups attempts."""
AGGREGATED = (
    "fom_seconds",
    "accuracy",
    "run_start_us",
    "run_stop_us",
    "timed_window_start_us",
    "timed_window_stop_us",
    "submitted_us",
    "process_start_us",
    "process_stop_us",
    "received_us",
    "clock_offset_max_us",
    "cpu_seconds",
    "run_start_arrived_us",
    "timed_window_start_arrived_us",
    "timed_window_stop_arrived_us",
    "run_stop_arrived_us",
    "run_start_cpu_seconds",
    "timed_window_stop_cpu_seconds",
    "run_stop_cpu_seconds",
    "clock_offset_min_us",
)
"""Columns that judging aggregates."""
NOTED = "kind <> 'transition'"
"""Condition of the partial indexes of events that are no transitions, which are rare."""

WITHOUT_ROWID = {"without_rowid": True}
CONDITION = "condition"
"""Facts that `db.guards` tells the dialects before it creates tables: reading needs no dialect's modules."""


def _some(name: str, condition: str, *columns: str) -> Index:
    """Return a partial index."""
    return Index(name, *columns, info={CONDITION: condition})


campaigns = Table(
    "campaigns",
    metadata,
    Column("campaign_id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("uid", Text, nullable=False, unique=True),
    Column("campaign_yaml", Text, nullable=False),
    Column("campaign_sha256", Text, nullable=False),
    Column("site_name", Text, nullable=False),
    Column("site_yaml", Text, nullable=False),
    Column("site_sha256", Text, nullable=False),
    Column("rulebook", Text, nullable=False),
    Column("run_class", Text, nullable=False),
    Column("run_directory", Text, nullable=False),
    Column("data_path", Text, nullable=False),
    Column("created_us", BigInteger, nullable=False),
    Column("outcome", Text),
    Column("stop_request", Text),
    Column("lease_owner", Text),
    Column("lease_expires_us", BigInteger),
)

sessions = Table(
    "sessions",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), primary_key=True),
    Column("session_number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("slots", Integer),
    Column("started_us", BigInteger, nullable=False),
    Column("ended_us", BigInteger),
    Column("outcome", Text),
    info=WITHOUT_ROWID,
)

benchmarks = Table(
    "benchmarks",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), primary_key=True),
    Column("benchmark", Text, primary_key=True),
    Column("workload", Text, nullable=False),
    Column("instances", Integer, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("slot", Text, nullable=False),
    Column("timeout_seconds", Float),
    Column("quality_metric", Text),
    Column("quality_target", Float),
    info=WITHOUT_ROWID,
)

points = Table(
    "points",
    metadata,
    Column("campaign_id", Integer, primary_key=True),
    Column("benchmark", Text, primary_key=True),
    Column("axis", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("sweep", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("number", Float),
    ForeignKeyConstraint(["campaign_id", "benchmark"], ["benchmarks.campaign_id", "benchmarks.benchmark"]),
    info=WITHOUT_ROWID,
)

instances = Table(
    "instances",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), primary_key=True),
    Column("instance_id", Integer, primary_key=True),
    Column("benchmark", Text, nullable=False),
    Column("benchmark_index", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("accepted_attempt", Integer),
    UniqueConstraint("campaign_id", "seed", name="uq_instances_campaign_seed"),
    UniqueConstraint(
        "campaign_id", "benchmark", "benchmark_index", name="uq_instances_campaign_benchmark_number"
    ),
    Index("ix_instances_campaign_state_benchmark", "campaign_id", "state", "benchmark"),
    info=WITHOUT_ROWID,
)

documents = Table(
    "documents",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("content", Text, nullable=False),
    info=WITHOUT_ROWID,
)

attempts = Table(
    "attempts",
    metadata,
    Column("campaign_id", Integer, primary_key=True),
    Column("instance_id", Integer, primary_key=True),
    Column("attempt_number", Integer, primary_key=True),
    Column("token", Text, nullable=False, unique=True),
    Column("session_number", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("failure_category", Text),
    Column("failure_reason", Text),
    Column("failure_message", Text),
    Column("slot_shape", Text),
    Column("block_id", Text),
    Column("node", Text),
    Column("slot_index", Integer),
    Column("cores", Text),
    Column("devices", Text),
    Column("submitted_us", BigInteger, nullable=False),
    Column("process_start_us", BigInteger),
    Column("ready_us", BigInteger),
    Column("run_start_us", BigInteger),
    Column("timed_window_start_us", BigInteger),
    Column("timed_window_stop_us", BigInteger),
    Column("run_stop_us", BigInteger),
    Column("process_stop_us", BigInteger),
    Column("received_us", BigInteger),
    Column("fom_seconds", Float),
    Column("accuracy", Float),
    Column("exit_code", Integer),
    Column("signal", Text),
    Column("peak_memory_bytes", BigInteger),
    Column("cpu_seconds", Float),
    Column("environment_sha256", ForeignKey("documents.sha256")),
    Column("observed", Text),
    Column("data_facts", Text),
    Column("stdout_path", Text),
    Column("stderr_path", Text),
    Column("stderr_tail", Text),
    # Key of the attempt's observation in `documents`; attempts with the same observation share it.
    Column("observation_sha256", ForeignKey("documents.sha256")),
    # Upper bound of the offset of the node's clock from the driver's, microseconds.
    Column("clock_offset_max_us", BigInteger),
    Column("run_start_arrived_us", BigInteger),
    Column("timed_window_start_arrived_us", BigInteger),
    Column("timed_window_stop_arrived_us", BigInteger),
    Column("run_stop_arrived_us", BigInteger),
    Column("run_start_cpu_seconds", Float),
    Column("timed_window_stop_cpu_seconds", Float),
    Column("run_stop_cpu_seconds", Float),
    # Lower bound of that offset, from reports that came while the attempt ran.
    Column("clock_offset_min_us", BigInteger),
    ForeignKeyConstraint(["campaign_id", "instance_id"], ["instances.campaign_id", "instances.instance_id"]),
    # State first: with the campaign first, PostgreSQL uses it as the key while its statistics are young.
    Index("ix_attempts_state_campaign", "state", "campaign_id"),
    _some("ix_attempts_campaign_reason", "failure_reason IS NOT NULL", "campaign_id", "failure_reason"),
    # All columns that judging reads of ended attempts, in the order in which it groups them.
    _some("ix_attempts_judged", "received_us IS NOT NULL", "campaign_id", *GROUPED_BY, *AGGREGATED),
    info=WITHOUT_ROWID,
)

ACCEPTED = instances.join(
    attempts,
    (attempts.c.campaign_id == instances.c.campaign_id)
    & (attempts.c.instance_id == instances.c.instance_id)
    & (attempts.c.attempt_number == instances.c.accepted_attempt),
)
"""Instances with their accepted attempts."""

metrics = Table(
    "metrics",
    metadata,
    Column("campaign_id", Integer, primary_key=True),
    Column("instance_id", Integer, primary_key=True),
    Column("attempt_number", Integer, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Float),
    Column("unit", Text, nullable=False),
    ForeignKeyConstraint(
        ["campaign_id", "instance_id", "attempt_number"],
        ["attempts.campaign_id", "attempts.instance_id", "attempts.attempt_number"],
    ),
    _some(
        "ix_metrics_judged",
        RULE_METRICS_ONLY,
        "campaign_id",
        "name",
        "value",
        "instance_id",
        "attempt_number",
    ),
    info=WITHOUT_ROWID,
)

samples = Table(
    "samples",
    metadata,
    Column("campaign_id", Integer, primary_key=True),
    Column("instance_id", Integer, primary_key=True),
    Column("attempt_number", Integer, primary_key=True),
    Column("quantity", Text, primary_key=True),
    Column("node", Text, primary_key=True),
    Column("device", Text, primary_key=True),
    Column("unit", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("begin_us", BigInteger, nullable=False),
    # JSON: [[seconds since begin_us, mean, lowest, highest], …], or [seconds, value] where all three agree.
    Column("points", Text, nullable=False),
    ForeignKeyConstraint(
        ["campaign_id", "instance_id", "attempt_number"],
        ["attempts.campaign_id", "attempts.instance_id", "attempts.attempt_number"],
    ),
    info=WITHOUT_ROWID,
)

curves = Table(
    "curves",
    metadata,
    Column("campaign_id", Integer, primary_key=True),
    Column("instance_id", Integer, primary_key=True),
    Column("attempt_number", Integer, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("axis", Text, nullable=False),
    # JSON: [[epoch or step, value], …].
    Column("points", Text, nullable=False),
    ForeignKeyConstraint(
        ["campaign_id", "instance_id", "attempt_number"],
        ["attempts.campaign_id", "attempts.instance_id", "attempts.attempt_number"],
    ),
    info=WITHOUT_ROWID,
)

events = Table(
    "events",
    metadata,
    Column("event_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), nullable=False),
    Column("at_us", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("instance_id", Integer),
    Column("attempt_number", Integer),
    Column("from_state", Text),
    Column("to_state", Text),
    Column("message", Text),
    # A node, a block, an instance's label or a session; NULL for the campaign, or if `instance_id` says it.
    Column("subject", Text),
    Column("data", Text),
    Index("ix_events_campaign_instance", "campaign_id", "instance_id"),
    _some("ix_events_campaign_kind", NOTED, "campaign_id", "kind"),
    _some("ix_events_noted", NOTED, "campaign_id", "event_id"),
    _some("ix_events_superseded", "kind = 'instance_superseded'", "campaign_id", "instance_id"),
)

blocks = Table(
    "blocks",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), primary_key=True),
    Column("session_number", Integer, primary_key=True),
    Column("slot_shape", Text, primary_key=True),
    Column("block_id", Text, primary_key=True),
    Column("job_id", Text),
    Column("state", Text, nullable=False),
    Column("requested_us", BigInteger, nullable=False),
    Column("started_us", BigInteger),
    Column("ended_us", BigInteger),
    Column("nodes", Integer, nullable=False),
    Column("message", Text),
    Column("pool", Text),
    info=WITHOUT_ROWID,
)

_ROWS: dict[type, Table] = {
    CampaignRow: campaigns,
    Session: sessions,
    BenchmarkRow: benchmarks,
    Point: points,
    Instance: instances,
    Attempt: attempts,
    Metric: metrics,
    Sample: samples,
    Curve: curves,
    Block: blocks,
}


def columns_of(kind: type[Any]) -> list[Column[Any]]:
    """Return the columns of a row class, in the order of its attributes."""
    return [_ROWS[kind].c[one.name] for one in fields(kind)]
