"""Tables as files that other tools read: CSV, and Parquet where pyarrow is installed.

In CSV an empty field is NULL, or an empty text where the column has no NULL. A text that starts
with a backslash has one more in front; a lone backslash is an empty text. Numbers are written so
that they are read back to the last bit.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from db.columns import ColumnFacts, TableFacts
from db.errors import LedgerError
from db.plain import Row
from db.rows import is_moment
from db.transfer.source import CHUNK

KINDS = ("csv", "parquet")
Write = Callable[[Sequence[Row]], None]


@contextmanager
def writer(kind: str, file: Path, table: TableFacts) -> Iterator[Write]:
    """Open a new file for the rows of a table; yields a function that appends rows.

    Raises
    ------
    LedgerError
        If the kind is ``parquet`` and pyarrow is not installed.
    """
    with (_csv_writer if kind == "csv" else _parquet_writer)(file, table) as write:
        yield write


def read(kind: str, file: Path, table: TableFacts) -> Iterator[list[Row]]:
    """Yield the rows of a file in chunks.

    Raises
    ------
    LedgerError
        If the file is not of this kind, or does not have the table's columns.
    """
    return (_read_csv if kind == "csv" else _read_parquet)(file, table)


# -- CSV -------------------------------------------------------------------------------------


@contextmanager
def _csv_writer(file: Path, table: TableFacts) -> Iterator[Write]:
    nullable = [column.nullable for column in table.columns]
    with file.open("x", encoding="utf-8", newline="") as stream:
        lines = csv.writer(stream, lineterminator="\r\n")  # what ends lines is quoted where it is in a text
        lines.writerow(table.names)
        yield lambda rows: lines.writerows(map(_cell, row, nullable) for row in rows)


def _cell(value: Any, nullable: bool) -> Any:
    if isinstance(value, str) and (value.startswith("\\") or (nullable and not value)):
        return f"\\{value}"
    return value  # the writer leaves None empty, and writes numbers with repr


def _read_csv(file: Path, table: TableFacts) -> Iterator[list[Row]]:
    csv.field_size_limit(sys.maxsize)  # a campaign file is one field
    makers = [_maker(column) for column in table.columns]
    with file.open(encoding="utf-8", newline="") as stream:
        lines = csv.reader(stream)
        try:
            _check_columns(file, table, next(lines, []))
            rows = (tuple(make(cell) for make, cell in zip(makers, line, strict=True)) for line in lines)
            while part := list(islice(rows, CHUNK)):
                yield part
        except (ValueError, csv.Error) as error:
            raise LedgerError(f"{file}: line {lines.line_num}: {error}") from None


def _maker(column: ColumnFacts) -> Callable[[str], Any]:
    kind = column.type

    def make(cell: str) -> Any:
        if not cell and column.nullable:
            return None
        value = cell[1:] if kind is str and cell.startswith("\\") else kind(cell)
        if str(_cell(value, column.nullable)) != cell:  # which others might read as another value
            raise ValueError(f"{column.name} is {cell[:40]!r}, which no export writes")
        return value

    return make


# -- Parquet ---------------------------------------------------------------------------------


def _arrow(file: Path) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise LedgerError(
            f"{file.name}: Parquet needs pyarrow; install it with pip install pyarrow, or take --format csv"
        ) from None
    return pa, parquet


def _arrow_type(arrow: Any, column: ColumnFacts) -> Any:
    if is_moment(column.name):
        return arrow.timestamp("us", tz="UTC")
    return {int: arrow.int64, float: arrow.float64, str: arrow.string}[column.type]()


@contextmanager
def _parquet_writer(file: Path, table: TableFacts) -> Iterator[Write]:
    arrow, parquet = _arrow(file)
    schema = arrow.schema(
        [
            arrow.field(column.name, _arrow_type(arrow, column), nullable=column.nullable)
            for column in table.columns
        ]
    )

    def append(rows: Sequence[Row]) -> None:
        columns = [
            arrow.array(values, type=field.type)
            for values, field in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        lines.write_table(arrow.Table.from_arrays(columns, schema=schema))

    try:
        with file.open("xb") as stream, parquet.ParquetWriter(stream, schema, compression="zstd") as lines:
            yield append
    except (arrow.ArrowException, OverflowError) as error:  # SQLite keeps any value in any column
        raise LedgerError(f"{file}: {str(error).splitlines()[0]}") from None


def _read_parquet(file: Path, table: TableFacts) -> Iterator[list[Row]]:
    arrow, parquet = _arrow(file)
    try:
        with parquet.ParquetFile(file) as content:
            _check_columns(file, table, content.schema_arrow.names)
            for batch in content.iter_batches(batch_size=CHUNK):
                columns = [
                    column.cast(arrow.int64()) if name.endswith("_us") else column
                    for name, column in zip(batch.schema.names, batch.columns, strict=True)
                ]
                yield list(zip(*(column.to_pylist() for column in columns), strict=True))
    except arrow.ArrowException as error:
        raise LedgerError(f"{file}: {str(error).splitlines()[0]}") from None


def _check_columns(file: Path, table: TableFacts, found: Sequence[str]) -> None:
    if list(found) != table.names:
        strange = sorted(set(found) ^ set(table.names)) or list(found)
        raise LedgerError(
            f"{file} has other columns than the ledger's table {table.name}: {', '.join(strange[:5])}"
        )
