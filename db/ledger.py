"""Writing a ledger: registering campaigns, holding one by a lease, recording attempts in batches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Engine, insert, update
from sqlalchemy.exc import IntegrityError

from db.column_values import now_us
from db.connection.connect import check_place, make_engine, parse_url, translated, use_wal
from db.connection.locks import limit_waits, repeated_after_deadlock
from db.errors import CampaignExistsError, LedgerError, RefusedError
from db.events import EventKind
from db.evidence.content_hash import ends_sha256, open_blocks, row_parts, rows_sha256
from db.reader import Reader
from db.records import (
    BlockRecord,
    LedgerReport,
    NewAttempt,
    NewBenchmark,
    NewCampaign,
    NewEvent,
    NewInstance,
    NewPoint,
    SettledBenchmark,
    SuggestedTrial,
)
from db.tables import benchmarks, blocks
from db.writing import changes, lease, recording, requests
from db.writing.changes import Change
from db.writing.documents import describe_node, write_documents
from db.writing.links import next_link
from db.writing.noting import note
from db.writing.requests import Request, StandingRequests
from db.writing.settling import reopen_settled, settle
from db.writing.superseding import Missed, Replacement, supersede

_STATEMENT_SECONDS = 120.0
_ANSWER_SECONDS = 150.0
"""Longest wait of the driver: for a statement, which the server then ends, and for a transaction."""


class Ledger(Reader):
    """A ledger open for writing. One driver writes a campaign at a time; its lease says which.

    Raises
    ------
    LedgerError
        If the ledger cannot be reached, its place is unfit, or its schema is another one.
    """

    def __init__(self, url: str | None = None) -> None:
        check_place(parse_url(url))
        super().__init__(url)
        try:
            use_wal(self._engine, self.url)
        except LedgerError:
            self.close()
            raise

    def _make_engine(self) -> Engine:
        return make_engine(self.url, read_only=False)

    @classmethod
    def open(cls, url: str | None = None) -> Ledger:
        """Open a ledger, making an SQLite file with its tables where there is none yet."""
        if not cls.exists(url):
            from db.schema import upgrade  # here: most ledgers exist

            upgrade(parse_url(url))
        return cls(url)

    @staticmethod
    def exists(url: str | None = None) -> bool:
        """Return whether there is a ledger to open; always True for PostgreSQL, where none is created.

        Raises
        ------
        LedgerError
            If there is none and its place is unfit for one.
        """
        parsed = parse_url(url)
        check_place(parsed)
        file = Path(str(parsed.database))
        return parsed.get_backend_name() != "sqlite" or (file.exists() and file.stat().st_size > 0)

    @contextmanager
    def _transaction(self, statement_seconds: float | None = None) -> Iterator[Connection]:
        with translated(self.url), self._engine.begin() as connection:
            limit_waits(connection, statement_seconds)
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._watchdog.liveness(), self._transaction() as connection:
            yield connection

    @contextmanager
    def _write_soon(self) -> Iterator[Connection]:
        """Write with a time limit: for the driver an error after some time is better than no answer."""
        with self._watchdog.timeout(_ANSWER_SECONDS), self._transaction(_STATEMENT_SECONDS) as connection:
            yield connection

    def register(
        self,
        campaign: NewCampaign,
        rows: Sequence[NewBenchmark],
        planned: Iterable[NewInstance],
        points: Sequence[NewPoint] = (),
        descriptions: Mapping[str, Mapping[str, Any]] | None = None,
        facts: Mapping[str, Any] | None = None,
        further: Sequence[NewEvent] = (),
    ) -> int:
        """Register a campaign, its benchmarks, points and every planned instance, all or nothing.

        Parameters
        ----------
        descriptions
            Document that describes the workload of each benchmark.
        facts, further
            Facts of the plan, for the event of the registration, and events that follow it.

        Raises
        ------
        CampaignExistsError
            If the name is taken.
        """
        try:
            with self._write() as connection:
                number = changes.insert_campaign(connection, campaign)
                connection.execute(
                    insert(benchmarks), [{"campaign_id": number, **asdict(row)} for row in rows]
                )
                changes.insert_points(connection, number, points)
                changes.insert_planned(connection, number, planned)
                note(connection, number, EventKind.CAMPAIGN_REGISTERED, "campaign registered", data=facts)
                for one in further:
                    note(connection, number, one.kind, one.message, subject=one.subject, data=one.data)
                changes.describe_workloads(connection, number, descriptions or {})
            self._analyze("instances")
        except LedgerError as error:
            committed = isinstance(error.__cause__, IntegrityError)  # another launch took the name
            if committed and any(row.name == campaign.name for row in self.campaigns()):
                raise CampaignExistsError(campaign.name) from error
            raise
        return number

    # -- the lease ---------------------------------------------------------------------------

    @repeated_after_deadlock
    def begin_session(
        self, campaign_id: int, owner: str, lease_seconds: float, *, dead: str | None = None, **facts: Any
    ) -> int:
        """Take the campaign's lease, open a session (one launch or resume), and return its number.

        Parameters
        ----------
        owner
            Text that names this driver uniquely.
        lease_seconds
            How long the lease holds without `renew`; measured by the database's clock.
        dead
            An owner that is known to be dead: its lease is taken even if it has not expired.
        facts
            Columns of the sessions table: kind, host, pid, version, slots.

        Raises
        ------
        LeaseError
            If another driver holds it.
        """
        with self._write() as connection:
            return lease.begin_session(connection, campaign_id, owner, lease_seconds, dead=dead, facts=facts)

    @repeated_after_deadlock
    def renew(self, campaign_id: int, owner: str, lease_seconds: float) -> str | None:
        """Prolong the lease and return the stop request (``drain`` or ``cancel``), if there is one.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        with self._write_soon() as connection:
            return lease.renew(connection, campaign_id, owner, lease_seconds)

    @repeated_after_deadlock
    def end_session(self, campaign_id: int, session: int, owner: str, outcome: str) -> None:
        """Close the session, keep hashes of the campaign's rows, and return the lease."""
        with self.moment() as moment:
            left = open_blocks(moment, campaign_id)
            parts = row_parts(moment, campaign_id)
            hashes = {
                "rows_sha256": rows_sha256(parts),
                "row_parts": parts,
                "ends_sha256": ends_sha256(moment, campaign_id, left),
                "open_blocks": left,
            }
        with self._write_soon() as connection:
            lease.end_session(connection, campaign_id, session, owner, outcome, hashes)
        self._analyze("instances", "attempts", "metrics", "samples", "curves", "events")

    def _analyze(self, *tables: str) -> None:
        """Update PostgreSQL's statistics; otherwise it plans queries for empty tables, which are slower."""
        if self.url.get_backend_name() == "postgresql":
            with suppress(LedgerError), self._write() as connection:
                connection.exec_driver_sql(f"ANALYZE {', '.join(tables)}")

    @repeated_after_deadlock
    def request_stop(self, campaign_id: int, how: str, source: str = "") -> None:
        """Ask the driver that holds the campaign to ``drain`` or ``cancel``; `source` is who asks."""
        with self._write() as connection:
            requests.request_stop(connection, campaign_id, how, source)

    @repeated_after_deadlock
    def change(
        self, campaign_id: int, change: Change, *, session: int | None = None, dead: str | None = None
    ) -> None:
        """Change a registered campaign, all or nothing.

        Parameters
        ----------
        session
            The session of the driver that asks; without one, no driver may hold the campaign.
        dead
            An owner that is known to be dead.

        Raises
        ------
        LeaseError
            If another driver holds the campaign.
        """
        with self._write() as connection:
            if session is None:
                lease.require_free(connection, campaign_id, dead)
            else:
                lease.require_open_session(connection, campaign_id, session)
            changes.apply_change(connection, campaign_id, change)

    # -- requests ----------------------------------------------------------------------------

    @repeated_after_deadlock
    def request(self, campaign_id: int, asked: Request, source: str, *, dead: str | None = None) -> bool:
        """Ask by `source`, `dead` being a dead owner; True if it is applied, False if a driver will do so."""
        with self._write() as connection:
            free = lease.is_free(connection, campaign_id, dead)
            requests.ask(connection, campaign_id, asked, source, free=free)
            return free

    @repeated_after_deadlock
    def apply_left_requests(self, campaign_id: int, dead: str | None) -> None:
        """Apply what a dead driver left; nothing while a driver other than `dead` holds the campaign."""
        with self._write() as connection:
            if lease.is_free(connection, campaign_id, dead):
                requests.apply_waiting(connection, campaign_id)

    @repeated_after_deadlock
    def begin_requests(self, campaign_id: int, session: int) -> StandingRequests:
        """Apply what was asked before this session, and return what still holds."""
        with self._write() as connection:
            lease.require_open_session(connection, campaign_id, session)
            return requests.begin(connection, campaign_id)

    @repeated_after_deadlock
    def apply_requests(self, campaign_id: int, session: int) -> None:
        """Apply what was asked since, as the driver that holds the campaign.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        with self._write_soon() as connection:
            requests.set_flag(connection, campaign_id, wanted=False)
            lease.require_open_session(connection, campaign_id, session)
            requests.apply_waiting(connection, campaign_id)

    @repeated_after_deadlock
    def settle(self, campaign_id: int, session: int, settled: SettledBenchmark) -> None:
        """Let no waiting instance of some benchmarks run, as the driver that holds the campaign."""
        with self._write_soon() as connection:
            lease.require_open_session(connection, campaign_id, session)
            settle(connection, campaign_id, settled)

    @repeated_after_deadlock
    def reopen_settled(
        self, campaign_id: int, benchmarks: Collection[str] | None = None, *, session: int | None = None
    ) -> None:
        """Plan again what was not needed or pruned of all benchmarks or some, as the driver in a session."""
        with self._write() as connection:
            reopen_settled(connection, campaign_id, benchmarks, session)

    @repeated_after_deadlock
    def suggest(self, campaign_id: int, session: int, chosen: Sequence[SuggestedTrial]) -> None:
        """Write parameters that an optimizer chose, as the driver that holds the campaign."""
        with self._write_soon() as connection:
            lease.require_open_session(connection, campaign_id, session)
            changes.suggest(connection, campaign_id, chosen)

    # -- attempts ----------------------------------------------------------------------------

    @repeated_after_deadlock
    def submit(self, campaign_id: int, session: int, new: Sequence[NewAttempt]) -> None:
        """Record attempts before they are handed to the engine, so that every report has its attempt.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        if new:
            with self._write_soon() as connection:
                lease.require_open_session(connection, campaign_id, session)
                recording.submit(connection, campaign_id, session, new)

    @repeated_after_deadlock
    def record(self, campaign_id: int, reports: Sequence[LedgerReport]) -> list[LedgerReport]:
        """Record changes of attempts' states in one transaction.

        The first final state of an attempt wins. A report that comes too late, or twice, or
        with an unknown token, becomes an ``evidence`` event and changes nothing else. What no
        column takes of a report that counts is left out and becomes a ``refused`` event. Should
        the database refuse a report all the same, the others are recorded without it, and this
        one without its metrics, samples and curves, or if need be with nothing but the new state. All are
        recorded or none, so that they can be recorded again after an error.

        Returns
        -------
        list of LedgerReport
            The reports that were kept as evidence only.
        """
        if not reports:
            return []
        try:
            with self._write_soon() as connection:
                return recording.record(connection, campaign_id, reports)
        except RefusedError as error:
            refused = str(error)
        with self._write_soon() as connection:
            return self._record_parts(connection, campaign_id, reports, refused)

    def _record_parts(
        self, connection: Connection, campaign_id: int, reports: Sequence[LedgerReport], error: str
    ) -> list[LedgerReport]:
        if len(reports) == 1:
            return self._record_rest(connection, campaign_id, reports[0], error)
        late = []
        half = len(reports) // 2
        for part in (reports[:half], reports[half:]):
            try:
                with self._part(connection):
                    late += recording.record(connection, campaign_id, part)
            except RefusedError as refused:
                late += self._record_parts(connection, campaign_id, part, str(refused))
        return late

    def _record_rest(
        self, connection: Connection, campaign_id: int, report: LedgerReport, error: str
    ) -> list[LedgerReport]:
        without_metrics = replace(report, metrics=(), samples=(), curves=(), environment=None)
        try:
            with self._part(connection):
                return recording.record_rest(connection, campaign_id, report, without_metrics, error)
        except RefusedError as again:
            bare = replace(without_metrics, values={})
            return recording.record_rest(connection, campaign_id, report, bare, str(again))

    @contextmanager
    def _part(self, connection: Connection) -> Iterator[None]:
        """Open a savepoint: a refused row undoes only this part of the transaction."""
        with translated(self.url), connection.begin_nested():
            yield

    @repeated_after_deadlock
    def reopen_exhausted(self, campaign_id: int) -> int:
        """Plan exhausted instances again and return how many there were."""
        with self._write() as connection:
            return requests.reopen_exhausted(connection, campaign_id)

    @repeated_after_deadlock
    def supersede(
        self, campaign_id: int, benchmark: str, missed: Sequence[Missed], owner: str | None
    ) -> list[Replacement]:
        """Plan a new instance, with a new seed, in place of each accepted one that missed its target.

        Parameters
        ----------
        owner
            The campaign's lease as the caller saw it, of no driver or of a dead one.

        Raises
        ------
        LeaseError
            If a driver has taken the campaign since, or an instance was superseded.
        """
        with self._write() as connection:
            return supersede(connection, campaign_id, benchmark, missed, owner)

    # -- the rest ----------------------------------------------------------------------------

    @repeated_after_deadlock
    def record_blocks(self, campaign_id: int, session: int, rows: Sequence[BlockRecord]) -> None:
        """Insert or update blocks of this session."""
        with self._write_soon() as connection:
            for row in rows:
                key = {
                    "campaign_id": campaign_id,
                    "session_number": session,
                    "slot_shape": row.slot_shape,
                    "block_id": row.block_id,
                }
                values = asdict(row)
                changed = connection.execute(update(blocks).filter_by(**key).values(**values))
                if changed.rowcount == 0:
                    connection.execute(insert(blocks), {**key, **values})

    @repeated_after_deadlock
    def end_blocks(
        self, campaign_id: int, unseen: Mapping[tuple[int, str, str], int] = MappingProxyType({})
    ) -> int:
        """Mark the blocks of ended sessions as released, and return their number.

        Parameters
        ----------
        unseen
            UTC microseconds of ends that no driver saw, by session, slot shape and number of the block; the
            others end now.
        """
        with self._write() as connection:
            return lease.end_blocks(connection, campaign_id, unseen)

    @repeated_after_deadlock
    def close_dead_session(self, campaign_id: int, owner: str) -> bool:
        """Close the session of a driver that is known to be dead, and release its lease.

        Returns
        -------
        bool
            False if another driver holds the campaign by now; nothing is changed then.
        """
        with self._write() as connection:
            return lease.close_dead_session(connection, campaign_id, owner)

    @repeated_after_deadlock
    def store_documents(self, campaign_id: int | None, contents: Sequence[Mapping[str, Any]]) -> list[str]:
        """Store documents of a campaign, or of none, once per distinct content, and return their keys."""
        with self._write_soon() as connection:
            return write_documents(connection, campaign_id, contents)

    @repeated_after_deadlock
    def describe_node(self, campaign_id: int, session: int, node: str, facts: Mapping[str, Any]) -> None:
        """Store a node's description; see `db.queries.node_descriptions`."""
        with self._write_soon() as connection:
            describe_node(connection, campaign_id, session, node, facts, now_us())

    @repeated_after_deadlock
    def note(
        self,
        campaign_id: int,
        kind: str,
        message: str,
        *,
        subject: str = "",
        data: Mapping[str, Any] | None = None,
        at_us: int | None = None,
    ) -> None:
        """Append an event that is no transition.

        Heads of journals also get the chain of the events before them; see `db.event_chain`.

        Parameters
        ----------
        kind
            An `EventKind`.
        message
            One sentence for people.
        subject
            What it is about: a node, a block, an instance's label, a session; empty for the campaign.
        data
            Facts for programs; anything that JSON can hold.
        at_us
            When it happened, UTC microseconds; now by default.
        """
        with self._write_soon() as connection:
            if kind == EventKind.JOURNAL_HEADS:
                data = {**(data or {}), "events": next_link(connection, campaign_id)}
            note(connection, campaign_id, kind, message, subject=subject, data=data, at_us=at_us)
