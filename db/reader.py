"""Reading a ledger: campaigns, counts, rows as data frames, and questions in SQL."""

from __future__ import annotations

import difflib
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Connection, Engine, Select, func, select, text

from db.connect import check_schema, make_engine, parse_url, shown, translated
from db.errors import LedgerError, UnknownCampaignError
from db.records import Campaign, OpenAttempt, Pending
from db.server_watchdog import Deadline
from db.states import OPEN_STATES, AttemptState, InstanceState
from db.tables import (
    JUDGED,
    JUDGED_ONLY,
    NOTED,
    attempts,
    benchmarks,
    blocks,
    campaigns,
    events,
    instances,
    is_moment,
    metrics,
    sessions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

_CHUNK = 10_000
_CAMPAIGN_COLUMNS = [campaigns.c[f.name] for f in fields(Campaign)]


class Reader:
    """A read-only view of a ledger; it can never hold up or disturb the driver that writes.

    Parameters
    ----------
    url
        Ledger URL; by default the environment's ``ORCHESTRATOR_LEDGER``, else
        ``sqlite:///ledger.sqlite``.

    Raises
    ------
    LedgerError
        If the ledger does not exist, cannot be reached, or has another schema.
    """

    def __init__(self, url: str | None = None) -> None:
        self.url = parse_url(url)
        if self.url.get_backend_name() == "sqlite":
            from pathlib import Path

            if not Path(str(self.url.database)).is_file():
                raise LedgerError(
                    f"no ledger at {self.url.database}; launch a campaign to make one, or give --ledger"
                )
        self._engine = self._make_engine()
        self._deadline = Deadline(self._engine)
        try:
            with self._deadline.lifeline():
                check_schema(self._engine, self.url)
        except LedgerError:
            self._engine.dispose()
            raise

    def _make_engine(self) -> Engine:
        return make_engine(self.url, read_only=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return shown(self.url)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Yield a new connection whose transactions see one moment of the ledger throughout."""
        with self._connected() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        with self._deadline.lifeline(), translated(self.url), self._engine.connect() as connection:
            yield connection

    def _rows(self, statement: Select[Any]) -> Sequence[Any]:
        with self._connected() as connection, connection.begin():
            return connection.execute(statement).all()

    def campaigns(self) -> list[Campaign]:
        """Return all campaigns, oldest first."""
        return [
            Campaign(*row) for row in self._rows(select(*_CAMPAIGN_COLUMNS).order_by(campaigns.c.campaign))
        ]

    def campaign(self, name: str) -> Campaign:
        """Return one campaign.

        Raises
        ------
        UnknownCampaignError
            If there is none of that name; the nearest name is suggested.
        """
        rows = self._rows(select(*_CAMPAIGN_COLUMNS).where(campaigns.c.name == name))
        if rows:
            return Campaign(*rows[0])
        known = [row.name for row in self._rows(select(campaigns.c.name))]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known) or 'none yet'}"
        raise UnknownCampaignError(f"{self} has no campaign {name!r}; {hint}")

    def benchmarks(self, campaign: int) -> list[Any]:
        """Return the campaign's benchmark rows, in the plan's order."""
        order = select(func.min(instances.c.instance)).where(
            instances.c.campaign == campaign, instances.c.benchmark == benchmarks.c.benchmark
        )
        return list(
            self._rows(
                select(benchmarks)
                .where(benchmarks.c.campaign == campaign)
                .order_by(order.scalar_subquery(), benchmarks.c.benchmark)
            )
        )

    def counts(self, campaign: int) -> dict[str, dict[str, int]]:
        """Return the number of instances per benchmark and instance state."""
        found: dict[str, dict[str, int]] = {}
        rows = self._rows(
            select(instances.c.benchmark, instances.c.state, func.count())
            .where(instances.c.campaign == campaign)
            .group_by(instances.c.state, instances.c.benchmark)  # as they stand in an index
        )
        for benchmark, state, number in sorted(map(tuple, rows)):
            found.setdefault(benchmark, {})[state] = number
        return found

    def instance_counts(self, campaign: int) -> dict[str, int]:
        """Return the number of instances per instance state."""
        total: dict[str, int] = {}
        for states in self.counts(campaign).values():
            for state, number in states.items():
                total[state] = total.get(state, 0) + number
        return total

    def attempt_counts(self, campaign: int) -> dict[str, int]:
        """Return the number of attempts per state."""
        rows = self._rows(
            select(attempts.c.state, func.count())
            .where(attempts.c.campaign == campaign)
            .group_by(attempts.c.state)
        )
        return {row[0]: row[1] for row in rows}

    def failure_counts(self, campaign: int, limit: int = 5) -> list[tuple[str, int]]:
        """Return the most frequent reasons of attempts that did not succeed."""
        number = func.count().label("number")
        return [
            (row.reason, row.number)
            for row in self._rows(
                select(attempts.c.reason, number)
                .where(attempts.c.campaign == campaign, attempts.c.reason.is_not(None))
                .group_by(attempts.c.reason)
                .order_by(number.desc(), attempts.c.reason)
                .limit(limit)
            )
        ]

    def pending(self, campaign: int) -> list[Pending]:
        """Return the instances that still need an accepted attempt, exhausted ones left out."""
        tried = (
            select(func.max(attempts.c.attempt))
            .where(attempts.c.campaign == campaign, attempts.c.instance == instances.c.instance)
            .scalar_subquery()
        )
        statement = (
            select(
                instances.c.instance,
                instances.c.benchmark,
                instances.c.number,
                instances.c.seed,
                func.coalesce(tried, 0),
            )
            .where(
                instances.c.campaign == campaign,
                instances.c.state.in_([InstanceState.PLANNED, InstanceState.IN_FLIGHT]),
            )
            .order_by(instances.c.instance)
            .execution_options(stream_results=True, yield_per=_CHUNK)
        )
        names: dict[str, str] = {}  # one text for a million instances
        with self._connected() as connection, connection.begin():
            return [
                Pending(instance, names.setdefault(name, name), number, seed, attempt)
                for instance, name, number, seed, attempt in connection.execute(statement)
            ]

    def attempt_states(self, campaign: int) -> dict[str, AttemptState]:
        """Return the state of every attempt by its token."""
        rows = self._rows(select(attempts.c.token, attempts.c.state).where(attempts.c.campaign == campaign))
        states = {state.value: state for state in AttemptState}
        return {token: states[state] for token, state in rows}

    def written_off(self, campaign: int) -> set[str]:
        """Return the tokens of attempts that ended by their driver's word, before a report of their own."""
        not_these = (*OPEN_STATES, AttemptState.SUCCEEDED)
        return {
            token
            for (token,) in self._rows(
                select(attempts.c.token).where(
                    attempts.c.campaign == campaign,
                    attempts.c.state.not_in(not_these),
                    attempts.c.process_stop_us.is_(None),
                )
            )
        }

    def open_attempts(self, campaign: int) -> list[OpenAttempt]:
        """Return the attempts that have no final state."""
        return [
            OpenAttempt(row.instance, row.attempt, row.token, row.benchmark, AttemptState(row.state))
            for row in self._rows(
                select(
                    attempts.c.instance,
                    attempts.c.attempt,
                    attempts.c.token,
                    instances.c.benchmark,
                    attempts.c.state,
                )
                .join(instances)
                .where(attempts.c.campaign == campaign, attempts.c.state.in_(OPEN_STATES))
                .order_by(attempts.c.instance, attempts.c.attempt)
            )
        ]

    def noted(self, campaign: int, kind: str) -> bool:
        """Tell whether an event of a kind was noted for a campaign as a whole."""
        return bool(
            self._rows(
                select(events.c.event)
                .where(events.c.campaign == campaign, events.c.instance.is_(None), events.c.kind == kind)
                .limit(1)
            )
        )

    def longest_seconds(self, campaign: int) -> dict[str, float]:
        """Return, by benchmark, the longest time that an accepted attempt's processes took, in seconds."""
        rows = self._rows(
            select(instances.c.benchmark, func.max(attempts.c.process_stop_us - attempts.c.process_start_us))
            .select_from(attempts)
            .join(instances)
            .where(instances.c.campaign == campaign, instances.c.accepted_attempt == attempts.c.attempt)
            .group_by(instances.c.benchmark)
        )
        return {row[0]: row[1] / 1e6 for row in rows if row[1] is not None}

    def lowest_metric(self, campaign: int, benchmark: str, name: str) -> float | None:
        """Return the lowest value of a metric over a benchmark's accepted attempts; None if none has it."""
        counted = (
            select(instances.c.instance)
            .where(
                instances.c.campaign == metrics.c.campaign,
                instances.c.instance == metrics.c.instance,
                instances.c.accepted_attempt == metrics.c.attempt,
                instances.c.benchmark == benchmark,
            )
            .exists()
        )
        statement = (
            select(metrics.c.value)
            .where(
                metrics.c.campaign == campaign, metrics.c.name == name, metrics.c.value.is_not(None), counted
            )
            .order_by(metrics.c.value)
            .limit(1)
        )
        if name in JUDGED:  # SQLite takes an index of some rows only where these are asked for in its words
            statement = statement.where(text(JUDGED_ONLY))
        rows = self._rows(statement)
        return float(rows[0][0]) if rows else None

    def find_instance(self, campaign: int, label: str) -> Any:
        """Return the instance row that ``benchmark/number`` names.

        Raises
        ------
        UnknownCampaignError
            If there is none.
        """
        benchmark, _, number = label.rpartition("/")
        rows = (
            self._rows(
                select(instances).where(
                    instances.c.campaign == campaign,
                    instances.c.benchmark == benchmark,
                    instances.c.number == int(number),
                )
            )
            if number.isdecimal()
            else []
        )
        if not rows:
            known = ", ".join(f"{name}/0" for name in sorted(self.counts(campaign)))
            raise UnknownCampaignError(f"no instance {label!r}; write benchmark/number, for example {known}")
        return rows[0]

    def attempts_of(self, campaign: int, instance: int) -> list[Any]:
        """Return all attempts of an instance, first to last."""
        return list(
            self._rows(
                select(attempts)
                .where(attempts.c.campaign == campaign, attempts.c.instance == instance)
                .order_by(attempts.c.attempt)
            )
        )

    def metrics_of(self, campaign: int, instance: int, attempt: int) -> list[Any]:
        """Return the metrics of one attempt by name."""
        return list(
            self._rows(
                select(metrics.c.name, metrics.c.value, metrics.c.unit)
                .where(
                    metrics.c.campaign == campaign,
                    metrics.c.instance == instance,
                    metrics.c.attempt == attempt,
                )
                .order_by(metrics.c.name)
            )
        )

    def events_of(self, campaign: int, instance: int | None = None, kind: str | None = None) -> list[Any]:
        """Return events, oldest first, of a campaign or of one of its instances."""
        statement = select(events).where(events.c.campaign == campaign).order_by(events.c.event)
        if instance is not None:
            statement = statement.where(events.c.instance == instance)
        if kind is not None:
            statement = statement.where(events.c.kind == kind)
            if kind != "transition":
                statement = statement.where(text(NOTED))
        return list(self._rows(statement))

    def sessions_of(self, campaign: int) -> list[Any]:
        """Return each launch and resume of a campaign."""
        return list(
            self._rows(select(sessions).where(sessions.c.campaign == campaign).order_by(sessions.c.session))
        )

    def open_blocks(self, campaign: int) -> int:
        """Return how many blocks have no end, of whatever session."""
        rows = self._rows(
            select(func.count())
            .select_from(blocks)
            .where(blocks.c.campaign == campaign, blocks.c.ended_us.is_(None))
        )
        return int(rows[0][0])

    def instances(self, name: str, state: str | None = None) -> pd.DataFrame:
        """Return one row per instance with its last (or accepted) attempt's figures."""
        campaign = self.campaign(name).campaign
        last = (
            select(attempts.c.instance, func.max(attempts.c.attempt).label("attempt"))
            .where(attempts.c.campaign == campaign)
            .group_by(attempts.c.instance)
            .subquery()
        )
        told = func.coalesce(instances.c.accepted_attempt, last.c.attempt)
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
            )
            .select_from(instances)
            .outerjoin(last, last.c.instance == instances.c.instance)
            .outerjoin(
                attempts,
                (attempts.c.campaign == instances.c.campaign)
                & (attempts.c.instance == instances.c.instance)
                & (attempts.c.attempt == told),
            )
            .where(instances.c.campaign == campaign)
            .order_by(instances.c.instance)
        )
        if state is not None:
            statement = statement.where(instances.c.state == state)
        return self._frame(statement)

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
        """Run one reading statement of the user's.

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
                    raise LedgerError("only statements that return rows can be asked, such as SELECT")
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
