"""Recording attempts in bulk: one batch of the driver is one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection

from db.column_values import ColumnType, sanitize_name, sanitize_text, sha256, to_json
from db.columns import TABLES
from db.connection.bulk_sql import in_list, insert_rows, prepare_to_find, update_rows
from db.connection.locks import lock_events
from db.events import EventKind, late_report, rejected_values, transition
from db.records import LedgerReport, NewAttempt, NewCurve, NewSample
from db.rows import REPORTED
from db.states import AttemptState, InstanceState
from db.tables import attempts, curves, documents, events, instances, metrics, samples
from db.writing.documents import write_documents

_REPORTED = {name: ColumnType.of(TABLES["attempts"].column(name)) for name in REPORTED}
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
_NUMBER = ColumnType.of(TABLES["metrics"].column("value"))
METRIC = ["campaign_id", "instance_id", "attempt_number", "name", "value", "unit"]
SAMPLE = ["campaign_id", "instance_id", "attempt_number", *(one.name for one in fields(NewSample))]
CURVE = ["campaign_id", "instance_id", "attempt_number", *(one.name for one in fields(NewCurve))]
_SAMPLE_TYPES = [ColumnType.of(TABLES["samples"].column(one.name)) for one in fields(NewSample)]
# These differ between processes with the same observation. Without them, a million attempts have only as
# many distinct observations as there are slots.
_PROCESS_FACTS = frozenset({"host", "pid", "process_threads", "external"})
_NOT_ACCEPTED = "mine.accepted_attempt IS NULL"
_Key = tuple[int, int]
_SLOT_FACTS = ("cores", "devices")
_STATES = {state.value: state for state in AttemptState}


class _Known(NamedTuple):
    """An attempt in the ledger: its key, its state, its cores and devices."""

    instance: int
    attempt: int
    state: AttemptState
    cores: str | None
    devices: str | None


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
    batch = _Batch(campaign_id)
    late = []
    for report in reports:
        key = known.get(report.token)
        if key is None or not key[2].may_become(report.state):
            late.append(report)
            batch.events.append(late_report(campaign_id, report, key and key[:3]))
        else:
            batch.add(report, key)
            known[report.token] = key._replace(state=report.state)
    batch.write(connection)
    return late


def rows_of(
    report: LedgerReport, cores: str | None, devices: str | None
) -> tuple[dict[str, Any], dict[str, tuple[Any, ...]]]:
    """Return the columns of an attempt, and what it measured, as `record` would write a report.

    Metrics, samples and curves are by the names of `db.verification.measured_by_attempt`.

    Parameters
    ----------
    cores, devices
        What the attempt was given, where the report does not have it.
    """
    columns, found, series, drawn = recorded_rows(report, (0, 0, 0), cores, devices)
    measured = {f"metric {name}": tuple(values) for name, *values in (one[3:] for one in found)}
    for quantity, node, device, *values in (one[3:] for one in series):
        measured[f"samples of {quantity} {device} on {node}"] = tuple(values)
    measured |= {f"curve {name}": tuple(values) for name, *values in (one[3:] for one in drawn)}
    return columns, measured


def recorded_rows(
    report: LedgerReport, key: tuple[int, int, int], cores: str | None, devices: str | None
) -> tuple[dict[str, Any], list[tuple[Any, ...]], list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return an attempt's columns, and rows of metrics, samples and curves, as `record` would write them.

    Parameters
    ----------
    key
        Campaign, instance and number of the attempt.
    cores, devices
        As of `rows_of`.
    """
    campaign, instance, attempt = key
    batch = _Batch(campaign)
    batch.add(report, _Known(instance, attempt, report.state, cores, devices))
    return batch.changes[instance, attempt], batch.metrics, batch.samples, batch.curves


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


class _Batch:
    """Rows of one transaction, collected so that each table is written once."""

    def __init__(self, campaign_id: int) -> None:
        self.campaign = campaign_id
        self.changes: dict[_Key, dict[str, Any]] = {}
        self.accepted: dict[int, int] = {}
        self.becoming: dict[int, str] = {}
        self.metrics: list[tuple[Any, ...]] = []
        self.samples: list[tuple[Any, ...]] = []
        self.curves: list[tuple[Any, ...]] = []
        self.events: list[dict[str, Any]] = []
        self.documents: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.listings: list[Mapping[str, Any]] = []

    def add(self, report: LedgerReport, known: _Known) -> None:
        """Add a report whose state transition is valid."""
        instance, attempt, before = known[:3]
        rejected: dict[str, Any] = {}
        row = {
            name: value
            for name, given in report.values.items()
            if given is not None
            and name in _REPORTED
            and (value := _REPORTED[name].coerce(name, given, rejected)) is not None
        }
        self.listings.extend(one for one in report.documents if one not in self.listings)
        if report.environment is not None:
            row["environment_sha256"] = self._document(report.environment)
        # Values of an earlier report of this batch stay where the later one has none.
        values = self.changes.setdefault((instance, attempt), {})
        values.update(row, state=report.state.value)
        if report.state.final:
            seen = report.values.get("observed") if "observed" in row else None
            given = [values.get(name, getattr(known, name)) for name in _SLOT_FACTS]
            values["observation_sha256"] = self._document(observation(seen, values.get("data_facts"), *given))
        if report.state is AttemptState.SUCCEEDED:
            self.accepted.setdefault(instance, attempt)
        elif report.instance_state is not None:
            self.becoming[instance] = report.instance_state.value
        named = {}
        for name, value, unit in report.metrics:
            number = _NUMBER.coerce(f"metric {name}", value, rejected)
            column = sanitize_name(name)
            named[column] = (self.campaign, instance, attempt, column, number, sanitize_name(unit))
        self.metrics.extend(named.values())
        self._add_samples(report.samples, (instance, attempt), rejected)
        drawn = {sanitize_name(curve.name): curve for curve in report.curves}
        self.curves.extend(
            (self.campaign, instance, attempt, name, curve.axis, curve.points)
            for name, curve in drawn.items()
        )
        self.events.append(
            transition(
                self.campaign,
                report.at_us,
                instance,
                attempt,
                before,
                report.state,
                row.get("failure_reason"),
            )
        )
        if rejected:
            self.events.append(rejected_values(self.campaign, report, (instance, attempt), rejected))

    def _add_samples(self, given: Sequence[NewSample], key: _Key, rejected: dict[str, Any]) -> None:
        """Add samples, the last of each quantity and device, without rows that do not fit their columns."""
        rows = {}
        for one in given:
            row = tuple(
                kind.coerce(f"samples {one.quantity}", value, rejected)
                for kind, value in zip(_SAMPLE_TYPES, astuple(one), strict=True)
            )
            if None not in row:
                rows[row[:3]] = (self.campaign, *key, *row)
        self.samples.extend(rows.values())

    def _document(self, content: Mapping[str, Any]) -> str:
        """Return the key under which a content is stored once."""
        stored = sanitize_text(to_json(content))
        key = self.keys.get(stored)
        if key is None:
            key = self.keys[stored] = sha256(stored)
            self.documents[key] = stored
        return key

    def write(self, connection: Connection) -> None:
        """Write everything."""
        self._write_documents(connection)
        write_documents(connection, self.campaign, self.listings)
        alike: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
        for key, row in self.changes.items():
            names = tuple(sorted(row))
            alike.setdefault(names, []).append((*key, *map(row.__getitem__, names)))
        for values, rows in alike.items():
            update_rows(connection, attempts, self.campaign, ["instance_id", "attempt_number"], values, rows)
        insert_rows(connection, metrics, METRIC, self.metrics)
        insert_rows(connection, samples, SAMPLE, self.samples)
        insert_rows(connection, curves, CURVE, self.curves)
        done = [(instance, winner, InstanceState.DONE.value) for instance, winner in self.accepted.items()]
        update_rows(
            connection,
            instances,
            self.campaign,
            ["instance_id"],
            ["accepted_attempt", "state"],
            done,
            _NOT_ACCEPTED,
        )
        becoming = list(self.becoming.items())
        update_rows(connection, instances, self.campaign, ["instance_id"], ["state"], becoming, _NOT_ACCEPTED)
        _write_events(connection, self.campaign, self.events)

    def _write_documents(self, connection: Connection) -> None:
        if not self.documents:
            return
        condition, value = in_list(connection, "sha256", self.documents)
        found = connection.exec_driver_sql(f"SELECT sha256 FROM documents WHERE {condition}", (value,))
        known = set(found.scalars())
        new = [(key, content) for key, content in self.documents.items() if key not in known]
        insert_rows(connection, documents, ["sha256", "content"], new)


def observation(seen: Any, data: str | None, cores: str | None, devices: str | None) -> dict[str, Any]:
    """Return an attempt's observation: what its process saw, read and was given, without process facts."""
    return {"seen": _in_common(seen), "data": data, "cores": cores, "devices": devices}


def _in_common(seen: Any) -> Any:
    if not isinstance(seen, Mapping):
        return seen
    kept: dict[str, Any] = {name: value for name, value in seen.items() if name not in _PROCESS_FACTS}
    ranks = kept.get("ranks")
    if isinstance(ranks, list):
        kept["ranks"] = [_in_common(one) for one in ranks]
    return kept


def _write_events(connection: Connection, campaign_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    if any(row["kind"] != EventKind.TRANSITION for row in rows):
        lock_events(connection, campaign_id)
    insert_rows(connection, events, _EVENT, [_AS_EVENT(row) for row in rows])


def _states(connection: Connection, campaign_id: int, tokens: Sequence[str]) -> dict[str, _Known]:
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
        token: _Known(instance, attempt, _STATES[state], cores, devices)
        for mine, token, instance, attempt, state, cores, devices in found
        if mine == campaign_id
    }
