"""Samples of power and load of attempts, and the pool that a block belongs to."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

KEY = ("campaign_id", "instance_id", "attempt_number", "quantity", "node", "device")
GUARDS = {
    "samples_unchanged": ("UPDATE", "samples are never changed"),
    "samples_kept": ("DELETE", "samples are never deleted"),
}


def upgrade() -> None:
    op.execute("ALTER TABLE blocks ADD COLUMN pool TEXT")
    op.create_table(
        "samples",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("instance_id", sa.Integer(), nullable=False),
        sa.Column("attempt_number", sa.Integer(), nullable=False),
        sa.Column("quantity", sa.Text(), nullable=False),
        sa.Column("node", sa.Text(), nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("begin_us", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id", "instance_id", "attempt_number"],
            ["attempts.campaign_id", "attempts.instance_id", "attempts.attempt_number"],
            name=op.f("fk_samples_campaign_id_instance_id_attempt_number"),
        ),
        sa.PrimaryKeyConstraint(*KEY, name=op.f("pk_samples")),
        sqlite_with_rowid=False,
    )
    _guard(sqlite=op.get_bind().dialect.name == "sqlite")


def _guard(*, sqlite: bool) -> None:
    """Refuse changes of samples, as those of metrics."""
    for name, (action, message) in GUARDS.items():
        if sqlite:
            op.execute(
                f"CREATE TRIGGER {name} BEFORE {action} ON samples WHEN 1 = 1 "
                f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
            continue
        op.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{message}'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {action} ON samples FOR EACH ROW "
            f"WHEN (1 = 1) EXECUTE FUNCTION {name}()"
        )
        if action == "DELETE":
            op.execute(f"CREATE TRIGGER {name}_whole BEFORE TRUNCATE ON samples EXECUTE FUNCTION {name}()")
    if sqlite:  # whose REPLACE deletes a row without asking the triggers above
        same = " AND ".join(f"{column} = NEW.{column}" for column in KEY)
        op.execute(
            "CREATE TRIGGER samples_not_replaced BEFORE INSERT ON samples "
            f"WHEN EXISTS (SELECT 1 FROM samples WHERE {same}) "
            "BEGIN SELECT RAISE(ABORT, 'samples: this row is there already'); END"
        )
