"""Rows of a report: what the ledger keeps of it, for its writers and for comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any, NamedTuple

from db.column_values import ColumnType, sanitize_name, sanitize_text, sha256, to_json
from db.columns import TABLES
from db.events import rejected_values, transition
from db.records import LedgerReport, NewCurve, NewSample
from db.rows import REPORTED
from db.states import AttemptState

_REPORTED = {name: ColumnType.of(TABLES["attempts"].column(name)) for name in REPORTED}
_NUMBER = ColumnType.of(TABLES["metrics"].column("value"))
METRIC = ["campaign_id", "instance_id", "attempt_number", "name", "value", "unit"]
SAMPLE = ["campaign_id", "instance_id", "attempt_number", *(one.name for one in fields(NewSample))]
CURVE = ["campaign_id", "instance_id", "attempt_number", *(one.name for one in fields(NewCurve))]
_SAMPLE_TYPES = [ColumnType.of(TABLES["samples"].column(one.name)) for one in fields(NewSample)]
# These differ between processes with the same observation. Without them, a million attempts have only as
# many distinct observations as there are slots.
_PROCESS_FACTS = frozenset({"host", "pid", "process_threads", "external"})
_Key = tuple[int, int]
_SLOT_FACTS = ("cores", "devices")


class Known(NamedTuple):
    """An attempt in the ledger: its key, its state, its cores and devices."""

    instance: int
    attempt: int
    state: AttemptState
    cores: str | None
    devices: str | None


class Batch:
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

    def add(self, report: LedgerReport, known: Known) -> None:
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
    batch = Batch(campaign)
    batch.add(report, Known(instance, attempt, report.state, cores, devices))
    return batch.changes[instance, attempt], batch.metrics, batch.samples, batch.curves


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
