"""Counts of a running campaign's attempts for displays, made by the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Select, and_, case, func, select

from db.states import OPEN_STATES, AttemptState, InstanceState
from db.tables import ACCEPTED, attempts, instances

if TYPE_CHECKING:
    from collections.abc import Collection

    from db.reader import Reader

_FAILED = (AttemptState.FAILED, AttemptState.TIMED_OUT, AttemptState.LOST)
_ALL = 2**62
_MOST_FAILURES = 5
_LARGEST = 1.7976931348623157e308


@dataclass(frozen=True, slots=True)
class Durations:
    """How long accepted attempts of a benchmark took, in seconds; superseded instances are left out.

    Parameters
    ----------
    mean, longest
        From the start of their processes to the end; None where no attempt has both.
    longest_fom
        The longest FOM time, in the unit of the benchmark; None where none has one.
    """

    mean: float | None
    longest: float | None
    longest_fom: float | None


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that failed, timed out or was lost.

    Parameters
    ----------
    instance
        ``benchmark/number``.
    at_us
        When the driver received its report; UTC microseconds.
    """

    instance: str
    attempt: int
    state: str
    reason: str
    message: str | None
    node: str | None
    at_us: int | None


def durations(reader: Reader, campaign_id: int) -> dict[str, Durations]:
    """Return how long accepted attempts took, by benchmark; benchmarks without one are left out.

    Those of superseded instances are among them, as their times count.
    """
    a = attempts.c
    microseconds = case((a.process_stop_us > a.process_start_us, a.process_stop_us - a.process_start_us))
    statement = (
        select(
            instances.c.benchmark,
            func.avg(microseconds),
            func.max(microseconds),
            func.max(case((a.fom_seconds.between(0, _LARGEST), a.fom_seconds))),
        )
        .select_from(ACCEPTED)
        .where(instances.c.campaign_id == campaign_id)
        .group_by(instances.c.benchmark)
    )
    with reader.connection() as connection, connection.begin():
        return {
            name: Durations(
                mean=None if mean is None else float(mean) / 1e6,
                longest=None if longest is None else longest / 1e6,
                longest_fom=fom,
            )
            for name, mean, longest, fom in connection.execute(statement)
        }


@dataclass(frozen=True, slots=True)
class Open:
    """An attempt that has not ended.

    Parameters
    ----------
    since_us
        When it began, UTC microseconds; None if it is submitted and does not run. A start that was not
        reported is that of the submission.
    slot_shape
        Label of the stage that runs it.
    """

    since_us: int | None
    slot_shape: str


def open_by_instance(reader: Reader, campaign_id: int) -> dict[tuple[str, int], Open]:
    """Return the attempts that have not ended, by benchmark and number of their instance."""
    a, i = attempts.c, instances.c
    since = case((a.state == AttemptState.RUNNING, func.coalesce(a.process_start_us, a.submitted_us)))
    columns = (i.benchmark, i.benchmark_index, since, func.coalesce(a.slot_shape, ""))
    statement = _in_states(campaign_id, OPEN_STATES, *columns)
    with reader.connection() as connection, connection.begin():
        return {(name, index): Open(*found) for name, index, *found in connection.execute(statement)}


def any_succeeded(reader: Reader, campaign_id: int, session: int) -> bool:
    """Return whether any attempt of a session succeeded."""
    a = attempts.c
    statement = (
        select(a.instance_id)
        .where(a.campaign_id == campaign_id, a.session_number == session, a.state == AttemptState.SUCCEEDED)
        .limit(1)
    )
    with reader.connection() as connection, connection.begin():
        return connection.execute(statement).first() is not None


def failures_of_open(
    reader: Reader, campaign_id: int, session: int
) -> list[tuple[int, AttemptState, str | None]]:
    """Return instance, state and failure category of the attempts of a session that failed, in their order.

    Those of instances that have ended are left out.
    """
    a, i = attempts.c, instances.c
    columns = (a.instance_id, a.state, a.failure_category, a.attempt_number)
    statement = (
        _in_states(campaign_id, _FAILED, *columns)
        .where(a.session_number == session, i.state.in_([InstanceState.PLANNED, InstanceState.IN_FLIGHT]))
        .order_by(a.instance_id, a.attempt_number)
    )
    with reader.connection() as connection, connection.begin():
        return [
            (instance, AttemptState(state), category)
            for instance, state, category, _ in connection.execute(statement)
        ]


def failed_attempts(reader: Reader, campaign_id: int) -> dict[str, int]:
    """Return how many attempts of each benchmark failed; benchmarks without one are left out."""
    statement = _in_states(campaign_id, _FAILED, instances.c.benchmark, func.count())
    with reader.connection() as connection, connection.begin():
        rows = connection.execute(statement.group_by(instances.c.benchmark))
        return {name: number for name, number in rows}  # noqa: C416 - rows are no tuples for dict()


def accepted_in_session(reader: Reader, campaign_id: int, session: int) -> int:
    """Return how many attempts succeeded that a session started itself."""
    statement = (
        select(func.count())
        .select_from(attempts)
        .where(
            attempts.c.campaign_id == campaign_id,
            attempts.c.state == AttemptState.SUCCEEDED,
            attempts.c.session_number == session,
        )
    )
    with reader.connection() as connection, connection.begin():
        return int(connection.execute(statement).scalar_one())


def in_flight_by_benchmark(reader: Reader, campaign_id: int) -> dict[str, dict[str, int]]:
    """Return how many attempts of each benchmark are submitted and running."""
    statement = (
        select(instances.c.benchmark, attempts.c.state, func.count())
        .join_from(attempts, instances)
        .where(attempts.c.campaign_id == campaign_id, attempts.c.state.in_(OPEN_STATES))
        .group_by(instances.c.benchmark, attempts.c.state)
    )
    numbers: dict[str, dict[str, int]] = {}
    with reader.connection() as connection, connection.begin():
        for benchmark, state, number in connection.execute(statement):
            numbers.setdefault(benchmark, {})[state] = number
    return numbers


def last_failures(reader: Reader, campaign_id: int) -> list[Failure]:
    """Return the attempts that failed last, the latest first."""
    a, i = attempts.c, instances.c
    at = func.coalesce(a.received_us, a.process_stop_us, a.submitted_us)
    columns = (a.attempt_number, a.state, a.failure_reason, a.failure_message, a.node, at)
    statement = (
        _in_states(campaign_id, _FAILED, i.benchmark, i.benchmark_index, *columns)
        .order_by(at.desc(), a.instance_id, a.attempt_number)
        .limit(_MOST_FAILURES)
    )
    with reader.connection() as connection, connection.begin():
        return [
            Failure(f"{name}/{index}", attempt, state, reason or state, message, node, when)
            for name, index, attempt, state, reason, message, node, when in connection.execute(statement)
        ]


def _in_states(campaign_id: int, states: Collection[str], *columns: ColumnElement[Any]) -> Select[Any]:
    """Return a selection from the attempts in some states and their instances.

    SQLite, whose statistics are never made, would read all attempts for them; a limit keeps it from looking
    beyond the index of states first.
    """
    a = attempts.c
    keys = (
        select(a.campaign_id, a.instance_id, a.attempt_number)
        .where(a.campaign_id == campaign_id, a.state.in_(states))
        .limit(_ALL)
        .subquery()
    )
    return (
        select(*columns)
        .select_from(keys)
        .join(attempts, and_(*(a[key.name] == key for key in keys.c)))
        .join(
            instances,
            and_(
                instances.c.campaign_id == keys.c.campaign_id, instances.c.instance_id == keys.c.instance_id
            ),
        )
    )
