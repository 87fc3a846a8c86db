"""Points of sweeps: the value of each axis of a benchmark that a matrix made."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "points",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("axis", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("sweep", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("number", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id", "benchmark"],
            ["benchmarks.campaign_id", "benchmarks.benchmark"],
            name=op.f("fk_points_campaign_id_benchmark"),
        ),
        sa.PrimaryKeyConstraint("campaign_id", "benchmark", "axis", name=op.f("pk_points")),
        sqlite_with_rowid=False,
    )
