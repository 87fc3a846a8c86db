"""Documents with published numbers: the model of their files, and the numbers one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, model_validator

from sites import parse, read_text

Obtained = Literal["read", "plot"]


class Frozen(BaseModel):
    """A part of a document's file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class AtLeast(Frozen):
    """A condition that a parameter has some value or a larger one."""

    at_least: float


Conditions = dict[str, str | int | float | AtLeast]


class _Comparable(Frozen):
    # With `workload` and `metric` (of the ledger, `accuracy` or `time`), numbers stand beside those of runs.
    unit: str = ""
    workload: str = ""
    where: Conditions = {}
    metric: str = ""


class Row(_Comparable):
    """Numbers of one kind, one for each column of the table; None where the table has no number."""

    values: tuple[float | None, ...]


class Table(Frozen):
    """A table, or the part of one of which the rows share their columns; numbers of one unit make a row.

    `axis` says of what the columns are values: a parameter, axis or `ranks` of runs where rows have a metric.
    """

    title: str
    machine: str = ""
    axis: str
    columns: tuple[str | int, ...]
    rows: dict[str, Row]
    obtained: Obtained = "read"
    note: str = ""

    @model_validator(mode="after")
    def _rows_fit(self) -> Table:
        for label, row in self.rows.items():
            if len(row.values) != len(self.columns):
                raise ValueError(f"{label} has {len(row.values)} values for {len(self.columns)} columns")
            if bool(row.metric) != bool(row.workload and self.machine):
                raise ValueError(f"{label}: give machine, workload and metric together, or none")
        return self


class Statement(_Comparable):
    """A number, or a failure, that the text or the caption of a figure states."""

    place: str
    says: str
    machine: str = ""
    value: float | None = None
    failure: str = ""
    obtained: Obtained = "read"
    note: str = ""

    @model_validator(mode="after")
    def _is_one(self) -> Statement:
        if (self.value is None) == (not self.failure):
            raise ValueError("give value or failure")
        if self.metric and not (self.workload and self.machine and self.value is not None):
            raise ValueError("a metric needs machine, workload and value")
        return self


class Machine(Frozen):
    """A machine of a document, of which some numbers can stand beside those of runs."""

    title: str
    note: str = ""


class Document(Frozen):
    """A published document with numbers.

    `data` has sizes of the data set of each workload, as the ledger calls them; `absent` says what the text
    that was read lacks.
    """

    title: str
    source: str
    absent: str = ""
    machines: dict[str, Machine] = {}
    data: dict[str, dict[str, int]] = {}
    tables: dict[str, Table] = {}
    statements: tuple[Statement, ...] = ()

    def numbers(self) -> Iterator[Number]:
        """Yield every number and failure: those of the tables, then those of the text."""
        for place, table in self.tables.items():
            for label, row in table.rows.items():
                for column, value in zip(table.columns, row.values, strict=True):
                    if value is not None:
                        where = {**row.where, table.axis: column} if row.metric else row.where
                        yield Number(
                            place, label, str(column), value, row.unit, table.obtained,
                            table.machine, row.workload, where, row.metric,
                        )  # fmt: skip
        for one in self.statements:
            yield Number(
                one.place, one.says, "", one.value, one.unit, one.obtained,
                one.machine, one.workload, one.where, one.metric, one.failure,
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """One published number, or failure.

    Parameters
    ----------
    place
        Table, figure or section.
    row, column
        As the table names them; a number of the text has what it says as row, and no column.
    obtained
        Whether the number was read, or measured from a plot.
    workload, where, metric
        The runs and the figure of theirs beside which it can stand; empty where there are none.
    failure
        Reason of the verdict, where a failure was published.
    """

    place: str
    row: str
    column: str
    value: float | None
    unit: str
    obtained: Obtained
    machine: str
    workload: str
    where: Conditions
    metric: str
    failure: str = ""


@cache
def documents() -> Mapping[str, Document]:
    """Return the documents with published numbers, by name."""
    files = sorted(Path(__file__).parent.glob("*.yaml"))
    return {file.stem: parse(read_text(file, "document"), Document, str(file)) for file in files}
