"""Plain rows of a database, by one simple query for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, FromClause, TextClause, and_, func, select, text

from db.columns import RULE_METRICS
from db.connection.bulk_sql import in_values
from db.events import EventKind
from db.guards import GUARDS
from db.plain import OWNER_KEYS, Except, owner_of, wanted
from db.tables import NOTED, RULE_METRICS_ONLY, metadata

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from db.plain import Row

_AT_ONCE = 1_000
_FEW = 10
"""Up to as many values are given one by one, so that a database can look each up in an index."""
# Drivers on several hosts must agree on the age of a lease, so the database's clock counts.
CLOCK_US = {
    "sqlite": "CAST((julianday('now') - 2440587.5) * 86400000000 AS integer)",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)",
}
"""The clock in SQL of each dialect: microseconds since the Unix epoch, UTC."""


class LedgerRows:
    """Rows that a connection's transaction sees; see `db.plain.Rows`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

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
        """Return columns of a table's rows."""
        own = metadata.tables[table]
        at = {name: owner_of(table, name) for name in (*columns, *known, *values)}
        joined = dict.fromkeys(at.values())
        source: FromClause = own
        conditions: list[ColumnElement[bool] | TextClause] = []
        if accepted:
            joined["instances"] = None
            conditions.append(own.c.attempt_number == metadata.tables["instances"].c.accepted_attempt)
        for other in (one for one in joined if one != table):
            there = metadata.tables[other]
            source = source.join(there, and_(*(own.c[key] == there.c[key] for key in OWNER_KEYS[other])))
        if campaign_id is not None:
            conditions.append(own.c.campaign_id == campaign_id)
        found = {name: metadata.tables[place].c[name] for name, place in at.items()}
        conditions += [found[name].is_not(None) for name in known]
        conditions += [self._has(found[name], value) for name, value in values.items()]
        conditions += _repeated(table, values)
        statement = select(*(found[name] for name in columns)).select_from(source).where(*conditions)
        if distinct:
            statement = statement.distinct()
        elif order is None:
            statement = statement.order_by(*own.primary_key.columns)
        else:
            statement = statement.order_by(*(own.c[name] for name in order))
        streamed = statement.execution_options(stream_results=True, yield_per=_AT_ONCE)
        return iter(self._connection.execute(streamed))

    def highest(self, table: str, column: str, campaign_id: int) -> int:
        """Return the highest number in a column of a campaign's rows; 0 without any."""
        own = metadata.tables[table].c
        highest = select(func.max(own[column])).where(own.campaign_id == campaign_id)
        return int(self._connection.execute(highest).scalar() or 0)

    def _has(self, column: Any, value: Any) -> ColumnElement[bool]:
        if isinstance(value, range):
            return column.between(value.start, value.stop - 1)  # type: ignore[no-any-return]
        if isinstance(value, Except):
            return column.not_in(list(value.values))  # type: ignore[no-any-return]
        some = list(wanted(value))
        if len(some) == 1:
            found: ColumnElement[bool] = column == some[0]  # IS NULL for None
            return found
        if len(some) > _FEW:
            return in_values(self._connection, column, some)
        return column.in_(some)  # type: ignore[no-any-return]

    def clock_us(self) -> int:
        """Return the present by the database's clock, UTC microseconds."""
        return clock_us(self._connection)

    def lost_parents(self) -> dict[tuple[str, str], int]:
        """Return the number of rows that refer to rows that are not there; PostgreSQL has none."""
        found: dict[tuple[str, str], int] = {}
        if self._connection.dialect.name == "sqlite":
            for table, _, parent, _ in self._connection.exec_driver_sql("PRAGMA foreign_key_check"):
                found[table, parent] = found.get((table, parent), 0) + 1
        return found

    def lost_guards(self) -> list[str]:
        """Return the names of triggers that are gone."""
        if self._connection.dialect.name == "sqlite":
            names = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        else:
            names = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
        there = set(self._connection.execute(text(names)).scalars())
        return [name for name in sorted(GUARDS) if name not in there]


def clock_us(connection: Connection) -> int:
    """Return the database's clock: microseconds since the Unix epoch, UTC."""
    return int(connection.exec_driver_sql(f"SELECT {CLOCK_US[connection.dialect.name]}").scalar_one())


def _repeated(table: str, values: dict[str, Any]) -> list[ColumnElement[bool] | TextClause]:
    """Return conditions of partial indexes, which a query has to repeat."""
    asked = values.get("kind" if table == "events" else "name")
    if isinstance(asked, Except):
        return [text(NOTED)] if EventKind.TRANSITION in asked.values else []
    some = wanted(asked)
    if table == "events" and None not in some and EventKind.TRANSITION not in some:
        return [text(NOTED)]
    if table == "metrics" and some and set(some) <= set(RULE_METRICS):
        return [text(RULE_METRICS_ONLY)]
    return []
