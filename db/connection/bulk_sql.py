"""Insert and update many rows with one statement, in the fastest way of each database.

Values are checked before: `db.column_values.ColumnType`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Table,
    Text,
    any_,
    cast,
    func,
    literal,
    select,
)

from db.connection.connect import is_deadlock
from db.errors import DeadlockError, LedgerError, RefusedError
from db.tables import documents

Row = Sequence[Any]


def insert_rows(connection: Connection, table: Table, names: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows; the values of each stand in the order of `names`.

    Documents that exist already are left as they are.

    Raises
    ------
    RefusedError
        If PostgreSQL refuses a row; errors of SQLite are raised as they are.
    """
    if not rows:
        return
    columns = ", ".join(f'"{name}"' for name in names)
    if connection.dialect.name == "postgresql" and table is not documents:
        _copy(connection, f"COPY {table.name} ({columns}) FROM STDIN", rows)
        return
    mark = "%s" if connection.dialect.name == "postgresql" else "?"
    connection.exec_driver_sql(
        f"INSERT INTO {table.name} ({columns}) VALUES ({', '.join([mark] * len(names))})"
        # Another driver on this ledger may insert the same document at the same time.
        + (" ON CONFLICT DO NOTHING" if table is documents else ""),
        # In the order of their keys: see `db.connection.locks`.
        sorted(rows, key=lambda row: str(row[0])) if table is documents else list(rows),
    )


def update_rows(
    connection: Connection,
    table: Table,
    campaign_id: int,
    keys: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Row],
    condition: str = "1 = 1",
) -> None:
    """Set columns of a campaign's rows.

    Parameters
    ----------
    keys, names
        Columns that find a row, and columns that are set. No two rows have the same keys.
    rows
        Values of the keys, then of `names`.
    condition
        What must be true of a row to be changed, in SQL that calls it ``mine``.
    """
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        # The campaign is a column of the given rows. As a constant, statistics from before the campaign would
        # estimate no rows for it, and PostgreSQL would read all of them for each changed one.
        keys = ["campaign_id", *keys]
        named = [*keys, *names]
        arrays = ", ".join(f"%s::{_type(table, name)}[]" for name in named)
        listed = ", ".join(f'"{name}"' for name in named)
        setting = ", ".join(f'"{name}" = given."{name}"' for name in names)
        where = " AND ".join(f'mine."{name}" = given."{name}"' for name in keys)
        connection.exec_driver_sql(
            f"UPDATE {table.name} AS mine SET {setting} FROM unnest({arrays}) AS given ({listed}) "
            f"WHERE {where} AND {condition}",
            tuple(map(_array, [[campaign_id] * len(rows), *zip(*rows, strict=True)])),
        )
        return
    setting = ", ".join(f'"{name}" = ?' for name in names)
    where = " AND ".join(f'"{name}" = ?' for name in keys)
    count = len(keys)
    connection.exec_driver_sql(
        f"UPDATE {table.name} AS mine SET {setting} WHERE campaign_id = ? AND {where} AND {condition}",
        [(*row[count:], campaign_id, *row[:count]) for row in rows],
    )


def in_list(connection: Connection, column: str, values: Iterable[str]) -> tuple[str, Any]:
    """Return a condition that a column has one of these texts, and the one value that it needs."""
    if connection.dialect.name == "postgresql":
        return f"{column} = ANY(%s::text[])", _array(values)
    return f"{column} IN (SELECT value FROM json_each(?))", json.dumps(list(values))


def in_values(
    connection: Connection, column: ColumnElement[Any], values: Iterable[str | float]
) -> ColumnElement[bool]:
    """Return the condition that a column has one of these texts or numbers, which are given as one value."""
    if connection.dialect.name == "postgresql":
        return column == any_(cast(literal(_array(values), Text), ARRAY(column.type)))
    listed = func.json_each(literal(json.dumps(list(values)), Text)).table_valued("value")
    return column.in_(select(listed.c.value))


def prepare_to_find(connection: Connection) -> None:
    """Let PostgreSQL find rows by their keys, for this transaction.

    It keeps the plans that it made while the tables had few rows, and would read all rows of a growing table
    for each batch until it next looks at its statistics.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")


def _array(values: Iterable[str | float | None]) -> str:
    """Return values as the text of a PostgreSQL array; psycopg takes ten times as long for a list."""
    return "{" + ",".join(map(_element, values)) + "}"


def _element(value: str | float | None) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return "NULL" if value is None else str(value)


def _type(table: Table, name: str) -> str:
    kind = table.c[name].type
    if isinstance(kind, BigInteger):
        return "bigint"
    if isinstance(kind, Integer):
        return "integer"
    return "double precision" if isinstance(kind, Float) else "text"


def _copy(connection: Connection, statement: str, rows: Sequence[Row]) -> None:
    """Stream rows into PostgreSQL, several times as fast as inserting them."""
    import psycopg

    raw = connection.connection.driver_connection
    assert isinstance(raw, psycopg.Connection)  # noqa: S101
    try:
        with raw.cursor() as cursor, cursor.copy(statement.encode()) as stream:
            for row in rows:
                stream.write_row(row)
    except psycopg.Error as error:
        cause = str(error).strip().splitlines()
        of_a_row = isinstance(error, psycopg.DataError | psycopg.IntegrityError)
        kind = RefusedError if of_a_row else DeadlockError if is_deadlock(error) else LedgerError
        raise kind(f"the ledger refused a row: {cause[0] if cause else error!r}") from error
