"""Schema 1, of release 1.0.

`db.schema.upgrade` creates a new ledger as `db.tables` and `db.guards` have it, at the newest schema. A later
migration brings ledgers of the schema before it there.
"""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: no ledger is older."""
