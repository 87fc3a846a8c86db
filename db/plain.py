"""Plain rows: what judging reads, from a ledger or from the files of a package alike.

Functions that judge take a `RowReader`, ask it for rows of some columns, and do the rest in Python. Reading
takes the standard library alone; `db.connection.ledger_rows` asks a database, `db.transfer.package_rows`
has a package's tables in memory.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from db.columns import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from db.events import Event
    from db.records import CampaignRow
    from db.rows import BenchmarkRow, Point, Session

Row = tuple[Any, ...]
OWNERS = {
    "attempts": ("instances",),
    "metrics": ("attempts", "instances"),
    "samples": ("attempts", "instances"),
    "curves": ("attempts", "instances"),
}
"""By table, those to one row of which each of its rows belongs, the nearest first."""
OWNER_KEYS = {
    "instances": ("campaign_id", "instance_id"),
    "attempts": ("campaign_id", "instance_id", "attempt_number"),
}
"""Key of each table of owners, which the rows that belong to it have too."""


@dataclass(frozen=True, slots=True)
class Except:
    """Condition that a column has none of some values; see `Rows.rows`."""

    values: Collection[Any]


class Rows(Protocol):
    """The rows of a ledger, or of a package, at one moment."""

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        campaign_id: int | None = None,
        *,
        accepted: bool = False,
        known: Sequence[str] = (),
        order: Sequence[str] | None = None,
        distinct: bool = False,
        **values: Any,
    ) -> Iterator[Row]:
        """Return columns of a table's rows.

        Columns that the table lacks are those of its `OWNERS`: a metric's ``benchmark`` is its instance's.

        Parameters
        ----------
        campaign_id
            The only campaign; None for all.
        accepted
            Whether only rows of accepted attempts are wanted.
        known
            Columns that must not be NULL.
        order
            Columns of the table by which they are sorted; by default those of its key, ``()`` for any order.
        distinct
            Whether equal rows are there once; in any order.
        values
            By column, the value, or a collection of the values, of wanted rows; None for NULL, and `Except`
            for all but some.
        """

    def highest(self, table: str, column: str, campaign_id: int) -> int:
        """Return the highest number in a column of a campaign's rows; 0 without any."""

    def clock_us(self) -> int:
        """Return the present by the database's clock, UTC microseconds."""

    def lost_parents(self) -> dict[tuple[str, str], int]:
        """Return the number of rows that refer to rows that are not there, by table and table of these."""

    def lost_guards(self) -> list[str]:
        """Return the names of triggers that are gone, so that rows may have been changed."""


class Readable(Protocol):
    """A ledger, or a package."""

    def moment(self) -> AbstractContextManager[Rows]:
        """Return the rows at one moment."""


class RowReader(Readable, Protocol):
    """A ledger, or a package, that is only read; `db.reader.Reader` documents the methods."""

    def damage(self) -> list[str]:
        """Return what is wrong with the file itself, so that no answer of it means anything."""

    def campaign(self, name: str) -> CampaignRow:
        """Return a campaign."""

    def campaigns(self) -> list[CampaignRow]:
        """Return all campaigns."""

    def campaigns_of_workloads(self, rulebook: str, numbers: Sequence[int]) -> list[str]:
        """Return names of other campaigns under a rulebook that ran a workload of these."""

    def benchmarks(self, campaign_id: int) -> list[BenchmarkRow]:
        """Return the benchmarks of a campaign."""

    def axes(self, campaign_id: int, benchmark: str | None = None) -> list[Point]:
        """Return the axes of a campaign's points."""

    def sweeps(self, campaign_id: int) -> dict[str, str]:
        """Return the sweep of each point."""

    def counts(self, campaign_id: int) -> dict[str, dict[str, int]]:
        """Return the number of instances per benchmark and state."""

    def instance_counts(self, campaign_id: int) -> dict[str, int]:
        """Return the number of instances per state."""

    def attempt_counts(self, campaign_id: int) -> dict[str, int]:
        """Return the number of attempts per state."""

    def sessions_of(self, campaign_id: int) -> list[Session]:
        """Return the sessions of a campaign."""

    def events(
        self, campaign_id: int, *, after: int = 0, kinds: Collection[str] | None = None
    ) -> Iterator[Event]:
        """Yield the events of a campaign."""


def owner_of(table: str, column: str) -> str:
    """Return the table that has a column: the table itself, or the nearest of its owners."""
    return next(one for one in (table, *OWNERS.get(table, ())) if column in TABLES[one].names)


def wanted(value: Any) -> Collection[Any]:
    """Return the values of a condition as a collection."""
    return value if isinstance(value, Collection) and not isinstance(value, str) else [value]
