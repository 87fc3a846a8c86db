"""Creating and upgrading a ledger's tables; upgrading alone needs Alembic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, MetaData, PrimaryKeyConstraint, String, Table, inspect, select

from db import guards
from db.columns import SCHEMA
from db.connection.connect import (
    check_place,
    make_engine,
    redacted_url,
    refuse_foreign_tables,
    translated,
    use_wal,
)
from db.connection.server_watchdog import ServerWatchdog
from db.errors import LedgerError, SchemaError
from db.writing.lease import live_campaign

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection
    from sqlalchemy.engine import URL


_VERSION = Table(  # as Alembic has it
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def migrations() -> Config:
    """Return Alembic's settings for the migrations shipped with this package."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def _revision(connection: Connection) -> str | None:
    """Return the schema of a ledger; None without one."""
    if not inspect(connection).has_table(_VERSION.name):
        return None
    return connection.scalar(select(_VERSION.c.version_num))


def _create(connection: Connection) -> None:
    """Create a new ledger's tables, without Alembic, which takes a tenth of a second to import."""
    guards.create(connection)
    _VERSION.create(connection, checkfirst=True)
    connection.execute(_VERSION.insert().values(version_num=SCHEMA))


def _migrate(connection: Connection, ledger: str) -> None:
    """Run the migrations that an older ledger lacks."""
    from alembic import command
    from alembic.util import CommandError

    config = migrations()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:  # its revision is unknown here
        raise SchemaError(
            f"{ledger} was written by a newer version ({error}); install the newer orchestrator"
        ) from error


def upgrade(url: URL, *, create: bool = True) -> str:
    """Create the tables, or bring older ones to this program's schema, in one transaction.

    Parameters
    ----------
    create
        If False, refuse a database without ledger tables.

    Returns
    -------
    str
        The ledger's URL without its password.

    Raises
    ------
    LedgerError
        If the place is unfit, the tables are those of a newer or another program, a driver writes them,
        or the database refuses.
    """
    check_place(url)
    no_ledger = LedgerError(f"{redacted_url(url)} is no ledger; `orchestrator ledger init` makes one")
    if not create and url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        raise no_ledger
    engine = make_engine(url, read_only=False)
    try:
        with ServerWatchdog(engine).liveness(), translated(url), engine.begin() as connection:
            found = _revision(connection)
            if found is None:
                if not create:
                    raise no_ledger
                refuse_foreign_tables(url, inspect(connection).get_table_names())
                _create(connection)
            elif found != SCHEMA:
                _refuse_while_written(connection, found, redacted_url(url))
                _migrate(connection, redacted_url(url))
        use_wal(engine, url)
    finally:
        engine.dispose()
    return redacted_url(url)


def _refuse_while_written(connection: Connection, found: str, ledger: str) -> None:
    """Refuse a ledger that a driver of an older version writes: it would go on with the old columns."""
    if found > SCHEMA:
        return
    if connection.dialect.name == "postgresql":  # no driver may start now; an SQLite file is locked already
        connection.exec_driver_sql("LOCK TABLE campaigns IN SHARE ROW EXCLUSIVE MODE")
    if (name := live_campaign(connection)) is not None:
        raise LedgerError(f"{ledger} is being written: a driver runs campaign {name}; stop it first")
