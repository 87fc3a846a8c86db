"""Writing a ledger: registering campaigns, holding one by a lease, recording attempts in batches."""

from __future__ import annotations

import hashlib
import json
import math
import time
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, func, insert, literal_column, select, update
from sqlalchemy.exc import IntegrityError

from db.connect import check_place, parse_url, translated
from db.errors import CampaignExistsError, LeaseError, LedgerError
from db.reader import Reader
from db.records import AttemptReport, BlockRecord, NewAttempt, NewBenchmark, NewCampaign, NewInstance
from db.schema import upgrade
from db.states import AttemptState, InstanceState
from db.tables import (
    attempts,
    benchmarks,
    blocks,
    campaigns,
    environments,
    events,
    instances,
    metrics,
    sessions,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BATCH = 5_000
_TEXT_LIMIT = 8_192
_REPORTED = [
    "category",
    "reason",
    "message",
    "block",
    "node",
    "slot",
    "cores",
    "devices",
    "process_start_us",
    "ready_us",
    "run_start_us",
    "window_start_us",
    "window_stop_us",
    "run_stop_us",
    "process_stop_us",
    "received_us",
    "fom_seconds",
    "accuracy",
    "exit_code",
    "signal",
    "peak_memory_bytes",
    "cpu_seconds",
    "environment",
    "seen",
    "data",
    "stdout_path",
    "stderr_path",
    "stderr_tail",
]


class Ledger(Reader):
    """A ledger open for writing. One driver writes a campaign at a time; its lease says which.

    Raises
    ------
    LedgerError
        If the ledger cannot be reached, its place is unfit, or its schema is another one.
    """

    _read_only = False

    def __init__(self, url: str | None = None) -> None:
        check_place(parse_url(url))
        super().__init__(url)

    @classmethod
    def open(cls, url: str | None = None) -> Ledger:
        """Open a ledger, making an SQLite file with its tables where there is none yet."""
        parsed = parse_url(url)
        if parsed.get_backend_name() == "sqlite":
            from pathlib import Path

            file = Path(str(parsed.database))
            if not file.exists() or file.stat().st_size == 0:
                upgrade(parsed)
        return cls(url)

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with translated(self.url), self._engine.begin() as connection:
            yield connection

    def register(
        self, campaign: NewCampaign, rows: Sequence[NewBenchmark], planned: Iterable[NewInstance]
    ) -> int:
        """Register a campaign, its benchmarks and every planned instance, all or nothing.

        Raises
        ------
        CampaignExistsError
            If the name is taken.
        """
        try:
            with self._write() as connection:
                taken = select(campaigns.c.campaign).where(campaigns.c.name == campaign.name)
                if connection.execute(taken).first():
                    raise CampaignExistsError(campaign.name)
                key = connection.execute(
                    insert(campaigns),
                    {
                        **asdict(campaign),
                        "spec_sha256": sha256(campaign.spec_text),
                        "site_sha256": sha256(campaign.site_text),
                        "created_us": now_us(),
                    },
                ).inserted_primary_key
                number = int(key[0])  # type: ignore[index]
                connection.execute(insert(benchmarks), [{"campaign": number, **asdict(row)} for row in rows])
                source = iter(planned)
                while batch := [
                    {
                        "campaign": number,
                        "instance": one.instance,
                        "benchmark": one.benchmark,
                        "number": one.number,
                        "seed": one.seed,
                        "state": InstanceState.PLANNED,
                    }
                    for one in islice(source, _BATCH)
                ]:
                    connection.execute(insert(instances), batch)
                _event(connection, number, "campaign", detail="registered")
        except LedgerError as error:
            committed = isinstance(error.__cause__, IntegrityError)  # by another launch of the same name?
            if committed and any(row.name == campaign.name for row in self.campaigns()):
                raise CampaignExistsError(campaign.name) from error
            raise
        return number

    # -- the lease ---------------------------------------------------------------------------

    def begin_session(
        self, campaign: int, owner: str, lease_seconds: float, *, force: bool = False, **facts: Any
    ) -> int:
        """Take the campaign's lease and open a session (one launch or resume).

        Parameters
        ----------
        owner
            Text that names this driver uniquely.
        lease_seconds
            How long the lease holds without `renew`; measured by the database's clock.
        force
            Take the lease even if it has not run out: its owner is known to be dead.
        facts
            Columns of the sessions table: kind, host, pid, version, slots.

        Raises
        ------
        LeaseError
            If another driver holds it.
        """
        with self._write() as connection:
            now = self._clock_us(connection)
            row = connection.execute(
                select(campaigns.c.lease_owner, campaigns.c.lease_expires_us)
                .where(campaigns.c.campaign == campaign)
                .with_for_update()  # drivers that come at once take turns
            ).one()
            if row.lease_owner is not None and row.lease_expires_us > now and not force:
                raise LeaseError(
                    f"the campaign is being run by {row.lease_owner}; stop that one first, or wait "
                    f"{(row.lease_expires_us - now) / 1e6:.0f} s after it died"
                )
            connection.execute(
                update(campaigns)
                .where(campaigns.c.campaign == campaign)
                .values(
                    lease_owner=owner,
                    lease_expires_us=now + int(lease_seconds * 1e6),
                    stop_request=None,
                    outcome=None,
                )
            )
            connection.execute(
                update(sessions)
                .where(sessions.c.campaign == campaign, sessions.c.ended_us.is_(None))
                .values(ended_us=now, outcome="died")
            )
            last = connection.execute(
                select(func.max(sessions.c.session)).where(sessions.c.campaign == campaign)
            ).scalar()
            session = (last or 0) + 1
            connection.execute(
                insert(sessions), {"campaign": campaign, "session": session, "started_us": now, **facts}
            )
            _event(connection, campaign, "session", detail=f"{facts.get('kind')} {session} by {owner}")
        return session

    def renew(self, campaign: int, owner: str, lease_seconds: float) -> str | None:
        """Prolong the lease and return the stop request (``drain`` or ``cancel``), if there is one.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        with self._write() as connection:
            row = connection.execute(
                select(campaigns.c.lease_owner, campaigns.c.stop_request)
                .where(campaigns.c.campaign == campaign)
                .with_for_update()
            ).one()
            if row.lease_owner != owner:
                raise LeaseError(f"this driver lost the campaign to {row.lease_owner or 'nobody'}")
            connection.execute(
                update(campaigns)
                .where(campaigns.c.campaign == campaign)
                .values(lease_expires_us=self._clock_us(connection) + int(lease_seconds * 1e6))
            )
            return str(row.stop_request) if row.stop_request else None

    def end_session(self, campaign: int, session: int, owner: str, outcome: str) -> None:
        """Close the session and give the lease back."""
        with self._write() as connection:
            now = self._clock_us(connection)
            connection.execute(
                update(sessions)
                .where(
                    sessions.c.campaign == campaign,
                    sessions.c.session == session,
                    sessions.c.ended_us.is_(None),  # else it was closed as dead, and stays so
                )
                .values(ended_us=now, outcome=outcome)
            )
            connection.execute(
                update(campaigns)
                .where(campaigns.c.campaign == campaign, campaigns.c.lease_owner == owner)
                .values(lease_owner=None, lease_expires_us=None, stop_request=None, outcome=outcome)
            )
            _event(connection, campaign, "session", detail=f"session {session} ended: {outcome}")

    def request_stop(self, campaign: int, how: str) -> None:
        """Ask the driver that holds the campaign to ``drain`` or ``cancel``."""
        with self._write() as connection:
            connection.execute(
                update(campaigns).where(campaigns.c.campaign == campaign).values(stop_request=how)
            )
            _event(connection, campaign, "campaign", detail=f"stop requested: {how}")

    # -- attempts ----------------------------------------------------------------------------

    def submit(self, campaign: int, session: int, new: Sequence[NewAttempt]) -> None:
        """Record attempts before they are handed to the engine, so that no report comes from nowhere."""
        if not new:
            return
        with self._write() as connection:
            connection.execute(
                insert(attempts),
                [
                    {
                        "campaign": campaign,
                        "session": session,
                        "state": AttemptState.SUBMITTED,
                        "instance": one.instance,
                        "attempt": one.attempt,
                        "token": one.token,
                        "executor": one.executor,
                        "submitted_us": one.submitted_us,
                    }
                    for one in new
                ],
            )
            connection.execute(
                update(instances)
                .where(instances.c.campaign == campaign, instances.c.instance == bindparam("key"))
                .values(state=InstanceState.IN_FLIGHT),
                [{"key": one.instance} for one in new],
            )
            connection.execute(
                insert(events),
                [
                    _transition(campaign, one.submitted_us, one.instance, one.attempt, None, "submitted")
                    for one in new
                ],
            )

    def record(self, campaign: int, reports: Sequence[AttemptReport]) -> list[AttemptReport]:
        """Record changes of attempts' states in one transaction.

        The first final state of an attempt wins. A report that comes too late, or twice, or
        with an unknown token, becomes an ``evidence`` event and changes nothing else.

        Returns
        -------
        list of AttemptReport
            The reports that were kept as evidence only.
        """
        if not reports:
            return []
        with self._write() as connection:
            known = self._known(connection, campaign, [report.token for report in reports])
            rows: list[dict[str, Any]] = []
            log: list[dict[str, Any]] = []
            late: list[AttemptReport] = []
            values: list[dict[str, Any]] = []
            states: list[dict[str, Any]] = []
            accepted: list[dict[str, Any]] = []
            places: dict[str, str] = {}
            for report in reports:
                key = known.get(report.token)
                if key is None or not key[2].may_become(report.state):
                    late.append(report)
                    log.append(_evidence(campaign, report, key))
                    continue
                instance, attempt, before = key
                known[report.token] = (instance, attempt, report.state)
                row = {name: _stored(report.values.get(name)) for name in _REPORTED}
                if report.environment is not None:
                    content = json.dumps(report.environment, sort_keys=True)
                    row["environment"] = sha256(content)
                    places[row["environment"]] = content
                rows.append(
                    {"key_instance": instance, "key_attempt": attempt, "new_state": report.state, **row}
                )
                log.append(
                    _transition(
                        campaign, report.at_us, instance, attempt, before, report.state, row["reason"]
                    )
                )
                values.extend(
                    {
                        "campaign": campaign,
                        "instance": instance,
                        "attempt": attempt,
                        "name": _text(name),
                        "value": value if math.isfinite(value) else None,
                        "unit": _text(unit),
                    }
                    for name, value, unit in report.metrics
                )
                if report.state is AttemptState.SUCCEEDED:
                    accepted.append({"key": instance, "winner": attempt})
                elif report.instance_state is not None:
                    states.append({"key": instance, "becomes": report.instance_state})
            _keep_environments(connection, places)
            if rows:
                connection.execute(_close_statement(campaign), rows)
            if values:
                connection.execute(insert(metrics), values)
            if accepted:
                connection.execute(_ACCEPT, [{"campaign_key": campaign, **one} for one in accepted])
            if states:
                connection.execute(_BECOME, [{"campaign_key": campaign, **one} for one in states])
            connection.execute(insert(events), log)
        return late

    def reopen_exhausted(self, campaign: int) -> int:
        """Plan exhausted instances again and return how many there were."""
        with self._write() as connection:
            changed = connection.execute(
                update(instances)
                .where(instances.c.campaign == campaign, instances.c.state == InstanceState.EXHAUSTED)
                .values(state=InstanceState.PLANNED)
            ).rowcount
            if changed:
                _event(
                    connection, campaign, "campaign", detail=f"{changed} exhausted instances planned again"
                )
        return changed

    def record_blocks(self, campaign: int, session: int, rows: Sequence[BlockRecord]) -> None:
        """Insert or update blocks of this session."""
        with self._write() as connection:
            for row in rows:
                key = {
                    "campaign": campaign,
                    "session": session,
                    "executor": row.executor,
                    "block": row.block,
                }
                changed = connection.execute(
                    update(blocks)
                    .filter_by(**key)
                    .values(**{k: v for k, v in asdict(row).items() if k not in key})
                )
                if changed.rowcount == 0:
                    connection.execute(insert(blocks), {**key, **asdict(row)})

    def note(self, campaign: int, kind: str, detail: str) -> None:
        """Keep an event that is not a transition."""
        with self._write() as connection:
            _event(connection, campaign, kind, detail=detail)

    def _known(
        self, connection: Connection, campaign: int, tokens: Sequence[str]
    ) -> dict[str, tuple[int, int, AttemptState]]:
        found: dict[str, tuple[int, int, AttemptState]] = {}
        source = (token for token in tokens if token == _text(token))  # any other is not one of ours
        while batch := list(islice(source, 500)):
            statement = select(
                attempts.c.token, attempts.c.instance, attempts.c.attempt, attempts.c.state
            ).where(attempts.c.campaign == campaign, attempts.c.token.in_(batch))
            if self.url.get_backend_name() == "postgresql":
                statement = statement.with_for_update()
            for row in connection.execute(statement):
                found[row.token] = (row.instance, row.attempt, AttemptState(row.state))
        return found

    def _clock_us(self, connection: Connection) -> int:
        """Return the database's clock: drivers on several hosts must agree on a lease's age."""
        expression = (
            "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"
            if self.url.get_backend_name() == "postgresql"
            else "CAST((julianday('now') - 2440587.5) * 86400000000 AS integer)"
        )
        return int(connection.execute(select(literal_column(expression))).scalar_one())


_ACCEPT = (
    update(instances)
    .where(
        instances.c.campaign == bindparam("campaign_key"),
        instances.c.instance == bindparam("key"),
        instances.c.accepted_attempt.is_(None),
    )
    .values(accepted_attempt=bindparam("winner"), state=InstanceState.DONE)
)
_BECOME = (
    update(instances)
    .where(
        instances.c.campaign == bindparam("campaign_key"),
        instances.c.instance == bindparam("key"),
        instances.c.accepted_attempt.is_(None),
    )
    .values(state=bindparam("becomes"))
)


def _close_statement(campaign: int) -> Any:
    """Update an attempt; what an earlier report said stays where this one is silent."""
    return (
        update(attempts)
        .where(
            attempts.c.campaign == campaign,
            attempts.c.instance == bindparam("key_instance"),
            attempts.c.attempt == bindparam("key_attempt"),
        )
        .values(
            state=bindparam("new_state"),
            **{
                name: func.coalesce(bindparam(name, type_=attempts.c[name].type), attempts.c[name])
                for name in _REPORTED
            },
        )
    )


def _keep_environments(connection: Connection, places: dict[str, str]) -> None:
    if not places:
        return
    known = set(
        connection.execute(
            select(environments.c.environment).where(environments.c.environment.in_(list(places)))
        ).scalars()
    )
    new = [{"environment": key, "content": text} for key, text in places.items() if key not in known]
    if new:
        connection.execute(insert(environments), new)


def _stored(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, sort_keys=True)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _text(value: str) -> str:
    """Return a text that every database takes: zero bytes and half characters are written out."""
    return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def _transition(
    campaign: int,
    at_us: int,
    instance: int,
    attempt: int,
    before: str | None,
    after: str,
    detail: str | None = None,
) -> dict[str, Any]:
    return {
        "campaign": campaign,
        "at_us": at_us,
        "kind": "transition",
        "instance": instance,
        "attempt": attempt,
        "from_state": before,
        "to_state": after,
        "detail": detail,
    }


def _evidence(
    campaign: int, report: AttemptReport, key: tuple[int, int, AttemptState] | None
) -> dict[str, Any]:
    content = {
        "token": report.token,
        "values": {name: _stored(value) for name, value in report.values.items() if value is not None},
        "metrics": [metric for metric in report.metrics if math.isfinite(metric[1])],
    }
    return {
        "campaign": campaign,
        "at_us": report.at_us,
        "kind": "evidence",
        "instance": key[0] if key else None,
        "attempt": key[1] if key else None,
        "from_state": key[2] if key else None,
        "to_state": report.state,
        "detail": json.dumps(content, sort_keys=True)[:_TEXT_LIMIT],
    }


def _event(connection: Connection, campaign: int, kind: str, *, detail: str) -> None:
    connection.execute(
        insert(events), {"campaign": campaign, "at_us": now_us(), "kind": kind, "detail": _text(detail)}
    )


def sha256(content: str) -> str:
    """Return the hexadecimal SHA-256 of a text."""
    return hashlib.sha256(content.encode()).hexdigest()


def now_us() -> int:
    """Return this host's clock: microseconds since the Unix epoch, UTC."""
    return time.time_ns() // 1000
