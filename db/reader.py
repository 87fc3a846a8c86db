"""Reading a ledger: counts, pending instances, and rows with types."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

from sqlalchemy import Select, func, select, text

from db.connection.open_ledger import select_rows
from db.errors import UnknownCampaignError
from db.events import Event, EventKind
from db.frames import Frames
from db.records import OpenAttempt, Pending
from db.rows import Attempt, BenchmarkRow, Instance, Point, Session
from db.states import OPEN_STATES, AttemptState, InstanceState
from db.tables import (
    NOTED,
    attempts,
    benchmarks,
    campaigns,
    events,
    instances,
    points,
    sessions,
)
from db.writing import requests
from db.writing.requests import AppliedRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

_CHUNK = 10_000
_EVENTS_AT_ONCE = 1_000
_NAMES_SHOWN = 5
_DIGITS = 9
"""Of the largest number of an instance; longer ones do not fit the column."""
_EVENTS = (
    select(events, instances.c.benchmark, instances.c.benchmark_index)
    .select_from(events)
    .outerjoin(
        instances,
        (instances.c.campaign_id == events.c.campaign_id) & (instances.c.instance_id == events.c.instance_id),
    )
    .order_by(events.c.event_id)
)


class Reader(Frames):
    """A read-only view of a ledger; it never blocks the driver that writes.

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

    def benchmarks(self, campaign_id: int) -> list[BenchmarkRow]:
        """Return the campaign's benchmark rows, in the plan's order."""
        order = (
            select(instances.c.instance_id)
            .where(instances.c.campaign_id == campaign_id, instances.c.benchmark == benchmarks.c.benchmark)
            # By an index; for the lowest number of an instance SQLite would read all that come before it.
            .order_by(instances.c.benchmark_index)
            .limit(1)
        )
        return self._read(
            BenchmarkRow,
            select_rows(BenchmarkRow)
            .where(benchmarks.c.campaign_id == campaign_id)
            .order_by(order.scalar_subquery(), benchmarks.c.benchmark),
        )

    def axes(self, campaign_id: int, benchmark: str | None = None) -> list[Point]:
        """Return the axes of a campaign's points, or of one, in the order of names and of the file."""
        statement = select_rows(Point).where(points.c.campaign_id == campaign_id)
        if benchmark is not None:
            statement = statement.where(points.c.benchmark == benchmark)
        return self._read(Point, statement.order_by(points.c.benchmark, points.c.place))

    def sweeps(self, campaign_id: int) -> dict[str, str]:
        """Return the name of its sweep for each benchmark that is a point of one."""
        rows = self._rows(
            select(points.c.benchmark, points.c.sweep).distinct().where(points.c.campaign_id == campaign_id)
        )
        return {row.benchmark: row.sweep for row in rows}

    def select_benchmarks(self, campaign_id: int, name: str) -> list[str]:
        """Return the benchmarks that a name means: one, or all points of a sweep, in the plan's order.

        Raises
        ------
        UnknownCampaignError
            If it is neither; the nearest name is suggested.
        """
        sweeps = self.sweeps(campaign_id)
        names = [one.benchmark for one in self.benchmarks(campaign_id)]
        found = [one for one in names if name in (one, sweeps.get(one))]
        if not found:
            known = list(dict.fromkeys(sweeps.get(one, one) for one in names))
            near = difflib.get_close_matches(name, [*known, *names], n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {_few(known)}"
            raise UnknownCampaignError(f"no benchmark or sweep {name!r}; {hint}")
        return found

    def counts(self, campaign_id: int) -> dict[str, dict[str, int]]:
        """Return the number of instances per benchmark and instance state."""
        found: dict[str, dict[str, int]] = {}
        rows = self._rows(
            select(instances.c.benchmark, instances.c.state, func.count())
            .where(instances.c.campaign_id == campaign_id)
            .group_by(instances.c.state, instances.c.benchmark)  # the order of an index
        )
        for benchmark, state, number in sorted(map(tuple, rows)):
            found.setdefault(benchmark, {})[state] = number
        return found

    def instance_counts(self, campaign_id: int) -> dict[str, int]:
        """Return the number of instances per instance state."""
        total: dict[str, int] = {}
        for states in self.counts(campaign_id).values():
            for state, number in states.items():
                total[state] = total.get(state, 0) + number
        return total

    def attempt_counts(self, campaign_id: int) -> dict[str, int]:
        """Return the number of attempts per state."""
        rows = self._rows(
            select(attempts.c.state, func.count())
            .where(attempts.c.campaign_id == campaign_id)
            .group_by(attempts.c.state)
        )
        return {row[0]: row[1] for row in rows}

    def failure_counts(self, campaign_id: int, limit: int = 5) -> list[tuple[str, int]]:
        """Return the most frequent reasons of attempts that did not succeed."""
        number = func.count().label("number")
        return [
            (row.failure_reason, row.number)
            for row in self._rows(
                select(attempts.c.failure_reason, number)
                .where(attempts.c.campaign_id == campaign_id, attempts.c.failure_reason.is_not(None))
                .group_by(attempts.c.failure_reason)
                .order_by(number.desc(), attempts.c.failure_reason)
                .limit(limit)
            )
        ]

    def pending(self, campaign_id: int) -> list[Pending]:
        """Return the instances that still need an accepted attempt, exhausted ones left out."""
        tried = (
            select(func.max(attempts.c.attempt_number))
            .where(attempts.c.campaign_id == campaign_id, attempts.c.instance_id == instances.c.instance_id)
            .scalar_subquery()
        )
        statement = (
            select(
                instances.c.instance_id,
                instances.c.benchmark,
                instances.c.benchmark_index,
                instances.c.seed,
                func.coalesce(tried, 0),
            )
            .where(
                instances.c.campaign_id == campaign_id,
                instances.c.state.in_([InstanceState.PLANNED, InstanceState.IN_FLIGHT]),
            )
            .order_by(instances.c.instance_id)
            .execution_options(stream_results=True, yield_per=_CHUNK)
        )
        limits = ("timeout", "out of memory", "out of disk")
        ended = (
            select(attempts.c.failure_reason, attempts.c.instance_id, func.count())
            .where(attempts.c.campaign_id == campaign_id, attempts.c.failure_reason.in_(limits))
            .group_by(attempts.c.failure_reason, attempts.c.instance_id)
        )
        names: dict[str, str] = {}  # one text for a million instances
        with self._connected() as connection, connection.begin():
            at_limit = {(reason, instance): times for reason, instance, times in connection.execute(ended)}
            return [
                Pending(
                    instance,
                    names.setdefault(name, name),
                    number,
                    seed,
                    attempt,
                    *(at_limit.get((reason, instance), 0) for reason in limits),
                )
                for instance, name, number, seed, attempt in connection.execute(statement)
            ]

    def attempt_states(self, campaign_id: int) -> dict[str, AttemptState]:
        """Return the state of every attempt by its token."""
        rows = self._rows(
            select(attempts.c.token, attempts.c.state).where(attempts.c.campaign_id == campaign_id)
        )
        states = {state.value: state for state in AttemptState}
        return {token: states[state] for token, state in rows}

    def open_attempts(self, campaign_id: int) -> list[OpenAttempt]:
        """Return the attempts that have no final state."""
        return [
            OpenAttempt(
                row.instance_id, row.attempt_number, row.token, row.benchmark, AttemptState(row.state)
            )
            for row in self._rows(
                select(
                    attempts.c.instance_id,
                    attempts.c.attempt_number,
                    attempts.c.token,
                    instances.c.benchmark,
                    attempts.c.state,
                )
                .join(instances)
                .where(attempts.c.campaign_id == campaign_id, attempts.c.state.in_(OPEN_STATES))
                .order_by(attempts.c.instance_id, attempts.c.attempt_number)
            )
        ]

    def campaigns_of_workloads(self, rulebook: str, numbers: Sequence[int]) -> list[str]:
        """Return names of other campaigns under a rulebook that ran a workload of these, oldest first."""
        ours = select(benchmarks.c.workload).where(benchmarks.c.campaign_id.in_(numbers))
        alike = select(benchmarks.c.campaign_id).where(benchmarks.c.workload.in_(ours))
        found = (
            select(campaigns.c.name)
            .where(
                campaigns.c.rulebook == rulebook,
                campaigns.c.campaign_id.not_in(numbers),
                campaigns.c.campaign_id.in_(alike),
            )
            .order_by(campaigns.c.campaign_id)
        )
        return [str(row.name) for row in self._rows(found)]

    def find_instance(self, campaign_id: int, label: str) -> Instance:
        """Return the instance row that ``benchmark/number`` names.

        Raises
        ------
        UnknownCampaignError
            If there is none.
        """
        benchmark, _, number = label.rpartition("/")
        rows = (
            self._read(
                Instance,
                select_rows(Instance).where(
                    instances.c.campaign_id == campaign_id,
                    instances.c.benchmark == benchmark,
                    instances.c.benchmark_index == int(number),
                ),
            )
            if number.isdecimal() and len(number) <= _DIGITS
            else []
        )
        if not rows:
            names = sorted(self.counts(campaign_id))
            near = difflib.get_close_matches(benchmark, names, n=1) if len(names) > _NAMES_SHOWN else []
            known = _few([f"{name}/0" for name in near or names])
            raise UnknownCampaignError(f"no instance {label!r}; write benchmark/number, for example {known}")
        return rows[0]

    def attempts_of(self, campaign_id: int, instance: int) -> list[Attempt]:
        """Return all attempts of an instance, first to last."""
        return self._read(
            Attempt,
            select_rows(Attempt)
            .where(attempts.c.campaign_id == campaign_id, attempts.c.instance_id == instance)
            .order_by(attempts.c.attempt_number),
        )

    def events(
        self, campaign_id: int, *, after: int = 0, kinds: Collection[str] | None = None
    ) -> Iterator[Event]:
        """Yield a campaign's events in the order in which they were written.

        An index finds the events that are new, so that asking again every second costs nothing. No
        transaction is open while the caller handles an event. On PostgreSQL, an event that another process
        commits after a later one was read is not found by a question that starts after the later one.

        Parameters
        ----------
        after
            `Event.event_id` of the last event that is known; 0 for all.
        kinds
            Kinds to yield; None for all but transitions.
        """
        statement = _EVENTS.where(events.c.campaign_id == campaign_id).limit(_EVENTS_AT_ONCE)
        if kinds is not None:
            statement = statement.where(events.c.kind.in_([str(kind) for kind in kinds]))
        if kinds is None or EventKind.TRANSITION not in kinds:
            statement = statement.where(text(NOTED))
        found = self._events(statement.where(events.c.event_id > after))
        while found:
            yield from found
            full = len(found) == _EVENTS_AT_ONCE
            found = self._events(statement.where(events.c.event_id > found[-1].event_id)) if full else []

    def applied_requests(self, campaign_id: int, after: int = 0) -> list[AppliedRequest]:
        """Return the requests of users that were applied, those after an event."""
        with self.connection() as connection, connection.begin():
            return requests.applied(connection, campaign_id, after)

    def instance_labels(self, campaign_id: int) -> list[tuple[int, str, int]]:
        """Return number, benchmark and number in the benchmark of every instance."""
        columns = instances.c.instance_id, instances.c.benchmark, instances.c.benchmark_index
        statement = select(*columns).where(instances.c.campaign_id == campaign_id)
        return [tuple(row) for row in self._rows(statement.order_by(instances.c.instance_id))]

    def events_of(self, campaign_id: int, instance: int) -> list[Event]:
        """Return all events of one instance, oldest first."""
        return self._events(
            _EVENTS.where(events.c.campaign_id == campaign_id, events.c.instance_id == instance)
        )

    def _events(self, statement: Select[Any]) -> list[Event]:
        return [
            Event(
                event_id=row.event_id,
                at_us=row.at_us,
                kind=row.kind,
                subject=row.subject or (f"{row.benchmark}/{row.benchmark_index}" if row.benchmark else ""),
                message=row.message or "",
                data=json.loads(row.data) if row.data else None,
                instance_id=row.instance_id,
                attempt_number=row.attempt_number,
                from_state=row.from_state,
                to_state=row.to_state,
            )
            for row in self._rows(statement)
        ]

    def sessions_of(self, campaign_id: int) -> list[Session]:
        """Return each launch and resume of a campaign."""
        return self._read(
            Session,
            select_rows(Session)
            .where(sessions.c.campaign_id == campaign_id)
            .order_by(sessions.c.session_number),
        )


def _few(names: Sequence[str]) -> str:
    """Return the first names; a sweep has thousands."""
    rest = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
