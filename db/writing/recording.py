"""Recording attempts in bulk: one batch of the driver is one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection

from db.column_values import sanitize_text
from db.connection.bulk_sql import in_list, insert_rows, prepare_to_find, update_rows
from db.connection.locks import lock_events
from db.events import EventKind, late_report, rejected_values, transition
from db.records import LedgerReport, NewAttempt
from db.states import AttemptState, InstanceState
from db.tables import attempts, curves, documents, events, instances, metrics, samples
from db.writing.documents import write_documents
from db.writing.reported_rows import CURVE, METRIC, SAMPLE, Batch, Known

_SUBMITTED = [
    "campaign_id",
    "session_number",
    "state",
    "instance_id",
    "attempt_number",
    "token",
    "slot_shape",
    "submitted_us",
]
_EVENT = [
    "campaign_id",
    "at_us",
    "kind",
    "instance_id",
    "attempt_number",
    "from_state",
    "to_state",
    "message",
]
_AS_EVENT = itemgetter(*_EVENT)
_NOT_ACCEPTED = "mine.accepted_attempt IS NULL"
_STATES = {state.value: state for state in AttemptState}


def submit(connection: Connection, campaign_id: int, session: int, new: Sequence[NewAttempt]) -> None:
    """Insert new attempts and put their instances in flight.

    Attempts that are there already are left as they are: a commit may have succeeded although its
    answer was lost, and is then repeated.
    """
    prepare_to_find(connection)
    known = _states(connection, campaign_id, [one.token for one in new])
    new = [
        one for one in new if known.get(one.token, (None, None))[:2] != (one.instance_id, one.attempt_number)
    ]
    insert_rows(
        connection,
        attempts,
        _SUBMITTED,
        [
            (
                campaign_id,
                session,
                AttemptState.SUBMITTED.value,
                one.instance_id,
                one.attempt_number,
                one.token,
                one.slot_shape,
                one.submitted_us,
            )
            for one in new
        ],
    )
    # An accepted instance is not tried again: the database refuses.
    flying = dict.fromkeys(one.instance_id for one in new)
    rows = [(instance, InstanceState.IN_FLIGHT.value) for instance in flying]
    update_rows(connection, instances, campaign_id, ["instance_id"], ["state"], rows)
    _write_events(
        connection,
        campaign_id,
        [
            transition(
                campaign_id,
                one.submitted_us,
                one.instance_id,
                one.attempt_number,
                None,
                AttemptState.SUBMITTED,
            )
            for one in new
        ],
    )


def record(connection: Connection, campaign_id: int, reports: Sequence[LedgerReport]) -> list[LedgerReport]:
    """Write reports and return those that came too late, and were kept as evidence only."""
    prepare_to_find(connection)
    known = _states(connection, campaign_id, [report.token for report in reports])
    batch = Batch(campaign_id)
    late = []
    for report in reports:
        key = known.get(report.token)
        if key is None or not key[2].may_become(report.state):
            late.append(report)
            batch.events.append(late_report(campaign_id, report, key and key[:3]))
        else:
            batch.add(report, key)
            known[report.token] = key._replace(state=report.state)
    _write(connection, batch)
    return late


def record_rest(
    connection: Connection, campaign_id: int, report: LedgerReport, rest: LedgerReport, error: str
) -> list[LedgerReport]:
    """Write the rest of a report that the database refused, and an event of what was left out, and why."""
    late = record(connection, campaign_id, [rest])
    key = _states(connection, campaign_id, [report.token]).get(report.token)
    left_out: dict[str, Any] = {"error": error, "metrics": report.metrics}
    if not rest.values:
        left_out["values"] = dict(report.values)
    _write_events(connection, campaign_id, [rejected_values(campaign_id, report, key and key[:2], left_out)])
    return [report] if late else []


def _write(connection: Connection, batch: Batch) -> None:
    _write_documents(connection, batch.documents)
    write_documents(connection, batch.campaign, batch.listings)
    alike: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for key, row in batch.changes.items():
        names = tuple(sorted(row))
        alike.setdefault(names, []).append((*key, *map(row.__getitem__, names)))
    for values, rows in alike.items():
        update_rows(connection, attempts, batch.campaign, ["instance_id", "attempt_number"], values, rows)
    insert_rows(connection, metrics, METRIC, batch.metrics)
    insert_rows(connection, samples, SAMPLE, batch.samples)
    insert_rows(connection, curves, CURVE, batch.curves)
    done = [(instance, winner, InstanceState.DONE.value) for instance, winner in batch.accepted.items()]
    update_rows(
        connection,
        instances,
        batch.campaign,
        ["instance_id"],
        ["accepted_attempt", "state"],
        done,
        _NOT_ACCEPTED,
    )
    becoming = list(batch.becoming.items())
    update_rows(connection, instances, batch.campaign, ["instance_id"], ["state"], becoming, _NOT_ACCEPTED)
    _write_events(connection, batch.campaign, batch.events)


def _write_documents(connection: Connection, texts: Mapping[str, str]) -> None:
    if not texts:
        return
    condition, value = in_list(connection, "sha256", texts)
    found = connection.exec_driver_sql(f"SELECT sha256 FROM documents WHERE {condition}", (value,))
    known = set(found.scalars())
    new = [(key, content) for key, content in texts.items() if key not in known]
    insert_rows(connection, documents, ["sha256", "content"], new)


def _write_events(connection: Connection, campaign_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    if any(row["kind"] != EventKind.TRANSITION for row in rows):
        lock_events(connection, campaign_id)
    insert_rows(connection, events, _EVENT, [_AS_EVENT(row) for row in rows])


def _states(connection: Connection, campaign_id: int, tokens: Sequence[str]) -> dict[str, Known]:
    """Return the attempts with these tokens; their rows are locked until the transaction ends."""
    # A token that had to be escaped belongs to no attempt.
    ours = dict.fromkeys(token for token in tokens if token == sanitize_text(token))
    condition, value = in_list(connection, "token", ours)
    # SQLite has no row locks: its transaction holds the whole file.
    order = " ORDER BY campaign_id, instance_id, attempt_number FOR UPDATE"
    lock = order if connection.dialect.name == "postgresql" else ""
    found = connection.exec_driver_sql(
        "SELECT campaign_id, token, instance_id, attempt_number, state, cores, devices FROM attempts "
        f"WHERE {condition}{lock}",
        (value,),
    )
    return {
        token: Known(instance, attempt, _STATES[state], cores, devices)
        for mine, token, instance, attempt, state, cores, devices in found
        if mine == campaign_id
    }
