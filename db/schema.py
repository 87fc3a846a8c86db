"""Creating and upgrading a ledger's tables; the only part that needs Alembic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import inspect

from db import guards
from db.connection.connect import (
    SCHEMA,
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
    from sqlalchemy import Connection
    from sqlalchemy.engine import URL


def migrations() -> Config:
    """Return Alembic's settings for the migrations shipped with this package."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def _to_newest(connection: Connection, *, new: bool) -> None:
    """Create a new ledger's tables, or run the migrations that an older one lacks."""
    config = migrations()
    config.attributes["connection"] = connection
    if new:
        guards.create(connection)
        command.stamp(config, "head")
    else:
        command.upgrade(config, "head")


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
            new = MigrationContext.configure(connection).get_current_revision() is None
            if new and not create:
                raise no_ledger
            if new:
                refuse_foreign_tables(url, inspect(connection).get_table_names())
            _refuse_while_written(connection, redacted_url(url))
            try:
                _to_newest(connection, new=new)
            except CommandError as error:  # its revision is unknown here
                raise SchemaError(
                    f"{redacted_url(url)} was written by a newer version ({error}); "
                    "install the newer orchestrator"
                ) from error
        use_wal(engine, url)
    finally:
        engine.dispose()
    return redacted_url(url)


def _refuse_while_written(connection: Connection, ledger: str) -> None:
    """Refuse a ledger that a driver of an older version writes: it would go on with the old columns."""
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None or found >= SCHEMA:
        return
    if connection.dialect.name == "postgresql":  # no driver may start now; an SQLite file is locked already
        connection.exec_driver_sql("LOCK TABLE campaigns IN SHARE ROW EXCLUSIVE MODE")
    if (name := live_campaign(connection)) is not None:
        raise LedgerError(f"{ledger} is being written: a driver runs campaign {name}; stop it first")
