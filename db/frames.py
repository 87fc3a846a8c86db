"""Reading a ledger as pandas data frames, and with SQL of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select, text

from db.documents import read_documents
from db.errors import LedgerError
from db.open_ledger import OpenLedger
from db.rows import is_moment
from db.tables import attempts, instances, metrics

if TYPE_CHECKING:
    import pandas as pd


class Frames(OpenLedger):
    """Tables of a campaign as data frames; times are UTC timestamps, without ``_us`` in their names."""

    def instances(self, name: str, state: str | None = None) -> pd.DataFrame:
        """Return one row per instance with its last (or accepted) attempt's figures.

        Columns ``code`` and ``variables`` are keys of documents; see `db.documents`.
        """
        campaign = self.campaign(name).campaign
        last = (
            select(attempts.c.instance, func.max(attempts.c.attempt).label("attempt"))
            .where(attempts.c.campaign == campaign)
            .group_by(attempts.c.instance)
            .subquery()
        )
        chosen = func.coalesce(instances.c.accepted_attempt, last.c.attempt)
        statement = (
            select(
                instances.c.benchmark,
                instances.c.number,
                instances.c.seed,
                instances.c.state,
                func.coalesce(last.c.attempt, 0).label("attempts"),
                attempts.c.state.label("attempt_state"),
                attempts.c.fom_seconds,
                attempts.c.accuracy,
                attempts.c.node,
                attempts.c.slot,
                attempts.c.run_start_us,
                attempts.c.run_stop_us,
                attempts.c.peak_memory_bytes,
                attempts.c.reason,
                attempts.c.sighting,
            )
            .select_from(instances)
            .outerjoin(last, last.c.instance == instances.c.instance)
            .outerjoin(
                attempts,
                (attempts.c.campaign == instances.c.campaign)
                & (attempts.c.instance == instances.c.instance)
                & (attempts.c.attempt == chosen),
            )
            .where(instances.c.campaign == campaign)
            .order_by(instances.c.instance)
        )
        if state is not None:
            statement = statement.where(instances.c.state == state)
        frame = self._frame(statement)
        observed = frame.pop("sighting")
        known = read_documents(self, observed.dropna().unique().tolist())
        for name in ("code", "variables"):
            keys = {key: (one.get("seen") or {}).get(name) for key, one in known.items()}
            frame[name] = observed.map(keys).astype(object)
        return frame

    def attempts(self, name: str) -> pd.DataFrame:
        """Return every attempt of a campaign; times as UTC timestamps."""
        return self._frame(
            select(instances.c.benchmark, instances.c.number, instances.c.seed, attempts)
            .join(instances)
            .where(attempts.c.campaign == self.campaign(name).campaign)
            .order_by(attempts.c.instance, attempts.c.attempt)
        )

    def metrics(self, name: str) -> pd.DataFrame:
        """Return every metric of a campaign, one row each."""
        return self._frame(
            select(
                instances.c.benchmark,
                instances.c.number,
                metrics.c.attempt,
                metrics.c.name,
                metrics.c.value,
                metrics.c.unit,
            )
            .select_from(metrics)
            .join(
                instances,
                (instances.c.campaign == metrics.c.campaign) & (instances.c.instance == metrics.c.instance),
            )
            .where(metrics.c.campaign == self.campaign(name).campaign)
            .order_by(metrics.c.instance, metrics.c.attempt, metrics.c.name)
        )

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run one reading SQL statement of the user.

        Returns
        -------
        tuple
            Column names and rows.

        Raises
        ------
        LedgerError
            If the statement is wrong, or would write.
        """
        with self._connected() as connection, connection.begin() as transaction:
            result = connection.execute(text(sql.replace(":", r"\:")))
            try:
                if not result.returns_rows:
                    raise LedgerError("a query must return rows, as SELECT does")
                return list(result.keys()), [tuple(row) for row in result.all()]
            finally:
                transaction.rollback()

    def _frame(self, statement: Select[Any]) -> pd.DataFrame:
        import pandas as pd

        with self._connected() as connection, connection.begin():
            result = connection.execute(statement)
            frame = pd.DataFrame(result.all(), columns=list(result.keys()))
        moments = [column for column in frame.columns if is_moment(column)]
        for column in moments:
            frame[column] = pd.to_datetime(frame[column].astype("Int64"), unit="us", utc=True)
        return frame.rename(columns={column: column.removesuffix("_us") for column in moments})
