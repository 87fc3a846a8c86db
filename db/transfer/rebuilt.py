"""A new ledger of one campaign, from its saved rows and from what the reports in its journals add to them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Table

from db.connection.bulk_sql import insert_rows
from db.connection.connect import make_engine, parse_url, translated
from db.plain import Row
from db.records import LedgerReport
from db.rows import COMPARED
from db.schema import upgrade
from db.states import AttemptState
from db.tables import attempts, curves, events, metrics, samples
from db.transfer.saved_rows import FROM_JOURNALS, TABLES, SavedRow, SavedRows
from db.writing.reported_rows import CURVE, METRIC, SAMPLE, recorded_rows

CAMPAIGN = 1
"""Number of the campaign in the new ledger."""
_BATCH = 1_000


class RebuiltLedger:
    """A new SQLite ledger with the saved rows of a campaign; its attempts come with their reports.

    Parameters
    ----------
    url
        A file that is not there yet.
    run_directory
        Where it is now.
    """

    def __init__(self, url: str, saved: SavedRows, run_directory: str) -> None:
        self._url = parse_url(url)
        upgrade(self._url)
        self._engine = make_engine(self._url, read_only=False)
        self._waiting = {row["token"]: row for row in saved.rows[attempts.name].values()}
        self._states = {token: AttemptState(row["state"]) for token, row in self._waiting.items()}
        self._attempts: list[Row] = []
        self._metrics: list[Row] = []
        self._samples: list[Row] = []
        self._curves: list[Row] = []
        for row in saved.rows["campaigns"].values():
            # The driver that held it is gone with its lease.
            row |= {"run_directory": run_directory, "lease_expires_us": 0 if row["lease_owner"] else None}
        for table in TABLES:
            if table is not attempts:
                self._insert(table, saved.rows[table.name].values())

    def state_of(self, token: str) -> AttemptState | None:
        """Return the saved state of an attempt; None if no saved row has this token."""
        return self._states.get(token)

    def add(self, report: LedgerReport) -> None:
        """Take the final report of an attempt, if it is the one that its saved row was made from."""
        row = self._waiting.get(report.token)
        if row is None or report.state != row["state"]:
            return
        key = CAMPAIGN, row["instance_id"], row["attempt_number"]
        columns, measured, sampled, drawn = recorded_rows(report, key, row["cores"], row["devices"])
        if any(columns.get(name, row[name]) != row[name] for name in COMPARED):
            return
        del self._waiting[report.token]
        self._attempts.append(_values(row | {name: columns.get(name) for name in FROM_JOURNALS}))
        self._metrics += measured
        self._samples += sampled
        self._curves += drawn
        if len(self._attempts) >= _BATCH:
            self._write()

    def finish(self) -> int:
        """Write the attempts without a report too; return how many of them succeeded."""
        rest = list(self._waiting.values())
        self._attempts += [_values(row) for row in rest]
        self._write()
        self._engine.dispose()
        return sum(row["state"] == AttemptState.SUCCEEDED for row in rest)

    def _write(self) -> None:
        with translated(self._url), self._engine.begin() as connection:
            insert_rows(connection, attempts, attempts.columns.keys(), self._attempts)
            insert_rows(connection, metrics, METRIC, self._metrics)
            insert_rows(connection, samples, SAMPLE, self._samples)
            insert_rows(connection, curves, CURVE, self._curves)
        self._attempts, self._metrics, self._samples, self._curves = [], [], [], []

    def _insert(self, table: Table, rows: Iterable[SavedRow]) -> None:
        numbered = rows if table is not events else (row | {"event_id": k} for k, row in enumerate(rows, 1))
        content = [_values(row, table) for row in numbered]
        with translated(self._url), self._engine.begin() as connection:
            insert_rows(connection, table, table.columns.keys(), content)


def _values(row: SavedRow, table: Table = attempts) -> Row:
    """Return the values of a row in the order of the table's columns."""
    return tuple(CAMPAIGN if one.name == "campaign_id" else row.get(one.name) for one in table.columns)
