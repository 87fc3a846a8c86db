"""The ledger's tables in databases: the columns of `db.columns`, with keys and indexes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from db.columns import RULE_METRICS, TABLES, ColumnFacts, TableFacts
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

RULE_METRICS_ONLY = f"name IN {RULE_METRICS!r}"
"""Condition of the partial index of these metrics."""
_JUDGED = (
    "campaign_id",
    "observation_sha256",
    "session_number",
    "node",
    "state",
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
"""Columns of the index of ended attempts."""
NOTED = "kind <> 'transition'"
"""Condition of the partial indexes of events that are no transitions, which are rare."""

_TYPES: dict[tuple[type, bool], type[Any]] = {
    (int, False): Integer,
    (int, True): BigInteger,
    (float, False): Float,
    (str, False): Text,
}
_WITH_ROWID = ("campaigns", "events")
WITHOUT_ROWID = {"without_rowid": True}
CONDITION = "condition"
"""Facts that `db.guards` tells the dialects before it creates tables: reading needs no dialect's modules."""


def _some(name: str, condition: str, *columns: str) -> Index:
    """Return a partial index."""
    return Index(name, *columns, info={CONDITION: condition})


def _table(name: str, *indexes: Index) -> Table:
    """Return a table with the columns and constraints that `db.columns` lists."""
    facts = TABLES[name]
    unique = [UniqueConstraint(*columns, name=given) for given, columns in facts.unique.items()]
    parents = [
        ForeignKeyConstraint(columns, [f"{parent}.{one}" for one in TABLES[parent].key])
        for columns, parent in facts.parents
    ]
    info = {} if name in _WITH_ROWID else WITHOUT_ROWID
    return Table(
        name,
        metadata,
        *(_column(facts, one) for one in facts.columns),
        *parents,
        *unique,
        *indexes,
        info=info,
    )


def _column(table: TableFacts, one: ColumnFacts) -> Column[Any]:
    kind: type[Any] | TypeEngine[Any] = _TYPES[one.type, one.wide]
    if (table.name, one.name) == ("events", "event_id"):
        kind = BigInteger().with_variant(Integer, "sqlite")  # the only key that SQLite numbers itself
    return Column(one.name, kind, primary_key=one.name in table.key, nullable=one.nullable)


campaigns = _table("campaigns")
documents = _table("documents")
benchmarks = _table("benchmarks")
blocks = _table("blocks")
events = _table(
    "events",
    Index("ix_events_campaign_instance", "campaign_id", "instance_id"),
    _some("ix_events_campaign_kind", NOTED, "campaign_id", "kind"),
    _some("ix_events_noted", NOTED, "campaign_id", "event_id"),
    _some("ix_events_superseded", "kind = 'instance_superseded'", "campaign_id", "instance_id"),
)
instances = _table(
    "instances", Index("ix_instances_campaign_state_benchmark", "campaign_id", "state", "benchmark")
)
sessions = _table("sessions")
attempts = _table(
    "attempts",
    # State first: with the campaign first, PostgreSQL uses it as the key while its statistics are young.
    Index("ix_attempts_state_campaign", "state", "campaign_id"),
    _some("ix_attempts_campaign_reason", "failure_reason IS NOT NULL", "campaign_id", "failure_reason"),
    # Ended attempts in the order of what they observed.
    _some("ix_attempts_judged", "received_us IS NOT NULL", *_JUDGED),
)
points = _table("points")
curves = _table("curves")
metrics = _table(
    "metrics",
    _some(
        "ix_metrics_judged",
        RULE_METRICS_ONLY,
        "campaign_id",
        "name",
        "value",
        "instance_id",
        "attempt_number",
    ),
)
samples = _table("samples")

ACCEPTED = instances.join(
    attempts,
    (attempts.c.campaign_id == instances.c.campaign_id)
    & (attempts.c.instance_id == instances.c.instance_id)
    & (attempts.c.attempt_number == instances.c.accepted_attempt),
)
"""Instances with their accepted attempts."""

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
