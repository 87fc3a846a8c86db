"""First schema: campaigns, sessions, plan, attempts, metrics, events, blocks, environments."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

FINAL = "('succeeded', 'failed', 'timed_out', 'lost', 'cancelled')"

# What is final stays final, whoever writes: the database refuses too.
GUARDS = {
    "attempts_final": ("UPDATE", "attempts", f"OLD.state IN {FINAL}", "a final attempt never changes"),
    "attempts_kept": ("DELETE", "attempts", "1 = 1", "attempts are never deleted"),
    "instances_accepted": (
        "UPDATE",
        "instances",
        "OLD.accepted_attempt IS NOT NULL",
        "an instance is accepted once",
    ),
    "metrics_unchanged": ("UPDATE", "metrics", "1 = 1", "metrics are never changed"),
    "metrics_kept": ("DELETE", "metrics", "1 = 1", "metrics are never deleted"),
    "events_unchanged": ("UPDATE", "events", "1 = 1", "events are never changed"),
    "events_kept": ("DELETE", "events", "1 = 1", "events are never deleted"),
}

# SQLite's REPLACE deletes a row without asking the triggers above.
KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "attempts": (("campaign", "instance", "attempt"), ("token",)),
    "instances": (("campaign", "instance"), ("campaign", "seed"), ("campaign", "benchmark", "number")),
    "metrics": (("campaign", "instance", "attempt", "name"),),
    "events": (("event",),),
}


# What a reader asks for most: accepted attempts with the names of their instances.
ACCEPTED = """
CREATE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.number, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign = a.campaign AND i.instance = a.instance AND i.accepted_attempt = a.attempt
JOIN campaigns c ON c.campaign = a.campaign
"""


def upgrade() -> None:
    _create_tables()
    op.execute(ACCEPTED)
    sqlite = op.get_bind().dialect.name == "sqlite"
    for name, (action, table, condition, message) in GUARDS.items():
        if sqlite:
            op.execute(
                f"CREATE TRIGGER {name} BEFORE {action} ON {table} WHEN {condition} "
                f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
        else:
            op.execute(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{message}'; END $$"
            )
            op.execute(
                f"CREATE TRIGGER {name} BEFORE {action} ON {table} FOR EACH ROW "
                f"WHEN ({condition}) EXECUTE FUNCTION {name}()"
            )
            if action == "DELETE":
                op.execute(
                    f"CREATE TRIGGER {name}_whole BEFORE TRUNCATE ON {table} EXECUTE FUNCTION {name}()"
                )
    for table, keys in KEYS.items() if sqlite else ():
        same = [" AND ".join(f"{column} = NEW.{column}" for column in key) for key in keys]
        found = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {one})" for one in same)
        op.execute(
            f"CREATE TRIGGER {table}_not_replaced BEFORE INSERT ON {table} WHEN {found} "
            f"BEGIN SELECT RAISE(ABORT, '{table}: this row is there already'); END"
        )


def _create_tables() -> None:
    op.create_table(
        "campaigns",
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("spec_text", sa.Text(), nullable=False),
        sa.Column("spec_sha256", sa.Text(), nullable=False),
        sa.Column("site_name", sa.Text(), nullable=False),
        sa.Column("site_text", sa.Text(), nullable=False),
        sa.Column("site_sha256", sa.Text(), nullable=False),
        sa.Column("rulebook", sa.Text(), nullable=False),
        sa.Column("run_class", sa.Text(), nullable=False),
        sa.Column("directory", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("stop_request", sa.Text(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_expires_us", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("campaign", name=op.f("pk_campaigns")),
        sa.UniqueConstraint("name", name=op.f("uq_campaigns_name")),
        sa.UniqueConstraint("uid", name=op.f("uq_campaigns_uid")),
    )
    op.create_table(
        "environments",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("environment", name=op.f("pk_environments")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "benchmarks",
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("workload", sa.Text(), nullable=False),
        sa.Column("instances", sa.Integer(), nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("timeout_seconds", sa.Float(), nullable=True),
        sa.Column("quality_metric", sa.Text(), nullable=True),
        sa.Column("quality_minimum", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.campaign"], name=op.f("fk_benchmarks_campaign")),
        sa.PrimaryKeyConstraint("campaign", "benchmark", name=op.f("pk_benchmarks")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "blocks",
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("executor", sa.Text(), nullable=False),
        sa.Column("block", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("requested_us", sa.BigInteger(), nullable=False),
        sa.Column("started_us", sa.BigInteger(), nullable=True),
        sa.Column("ended_us", sa.BigInteger(), nullable=True),
        sa.Column("nodes", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.campaign"], name=op.f("fk_blocks_campaign")),
        sa.PrimaryKeyConstraint("campaign", "session", "executor", "block", name=op.f("pk_blocks")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "events",
        sa.Column("event", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("instance", sa.Integer(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("from_state", sa.Text(), nullable=True),
        sa.Column("to_state", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.campaign"], name=op.f("fk_events_campaign")),
        sa.PrimaryKeyConstraint("event", name=op.f("pk_events")),
    )
    op.create_index(op.f("ix_events_campaign_instance"), "events", ["campaign", "instance"], unique=False)
    op.create_table(
        "instances",
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("instance", sa.Integer(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("accepted_attempt", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.campaign"], name=op.f("fk_instances_campaign")),
        sa.PrimaryKeyConstraint("campaign", "instance", name=op.f("pk_instances")),
        sa.UniqueConstraint(
            "campaign", "benchmark", "number", name=op.f("uq_instances_campaign_benchmark_number")
        ),
        sa.UniqueConstraint("campaign", "seed", name=op.f("uq_instances_campaign_seed")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_instances_campaign_state"), "instances", ["campaign", "state"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=True),
        sa.Column("started_us", sa.BigInteger(), nullable=False),
        sa.Column("ended_us", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.campaign"], name=op.f("fk_sessions_campaign")),
        sa.PrimaryKeyConstraint("campaign", "session", name=op.f("pk_sessions")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "attempts",
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("instance", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("executor", sa.Text(), nullable=True),
        sa.Column("block", sa.Text(), nullable=True),
        sa.Column("node", sa.Text(), nullable=True),
        sa.Column("slot", sa.Integer(), nullable=True),
        sa.Column("cores", sa.Text(), nullable=True),
        sa.Column("devices", sa.Text(), nullable=True),
        sa.Column("submitted_us", sa.BigInteger(), nullable=False),
        sa.Column("process_start_us", sa.BigInteger(), nullable=True),
        sa.Column("ready_us", sa.BigInteger(), nullable=True),
        sa.Column("run_start_us", sa.BigInteger(), nullable=True),
        sa.Column("window_start_us", sa.BigInteger(), nullable=True),
        sa.Column("window_stop_us", sa.BigInteger(), nullable=True),
        sa.Column("run_stop_us", sa.BigInteger(), nullable=True),
        sa.Column("process_stop_us", sa.BigInteger(), nullable=True),
        sa.Column("received_us", sa.BigInteger(), nullable=True),
        sa.Column("fom_seconds", sa.Float(), nullable=True),
        sa.Column("accuracy", sa.Float(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("signal", sa.Text(), nullable=True),
        sa.Column("peak_memory_bytes", sa.BigInteger(), nullable=True),
        sa.Column("cpu_seconds", sa.Float(), nullable=True),
        sa.Column("environment", sa.Text(), nullable=True),
        sa.Column("seen", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=True),
        sa.Column("stdout_path", sa.Text(), nullable=True),
        sa.Column("stderr_path", sa.Text(), nullable=True),
        sa.Column("stderr_tail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign", "instance"],
            ["instances.campaign", "instances.instance"],
            name=op.f("fk_attempts_campaign_instance"),
        ),
        sa.ForeignKeyConstraint(
            ["environment"], ["environments.environment"], name=op.f("fk_attempts_environment")
        ),
        sa.PrimaryKeyConstraint("campaign", "instance", "attempt", name=op.f("pk_attempts")),
        sa.UniqueConstraint("token", name=op.f("uq_attempts_token")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_attempts_campaign_state"), "attempts", ["campaign", "state"], unique=False)
    op.create_table(
        "metrics",
        sa.Column("campaign", sa.Integer(), nullable=False),
        sa.Column("instance", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign", "instance", "attempt"],
            ["attempts.campaign", "attempts.instance", "attempts.attempt"],
            name=op.f("fk_metrics_campaign_instance_attempt"),
        ),
        sa.PrimaryKeyConstraint("campaign", "instance", "attempt", "name", name=op.f("pk_metrics")),
        sqlite_with_rowid=False,
    )
