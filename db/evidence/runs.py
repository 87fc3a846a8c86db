"""Every accepted attempt of each benchmark, and the ranges of their metrics."""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING

from db.evidence.ended import UNSUCCESSFUL
from db.evidence.superseded import counted_rows
from db.states import AttemptState

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from db.plain import Row, RowReader, Rows

    RunColumns = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[float], Sequence[float]]


def run_columns(reader: RowReader, campaign_id: int) -> dict[str, RunColumns]:
    """Return the columns of every accepted attempt of each benchmark, in the order of instances.

    Returns
    -------
    dict
        By benchmark, without those that have no accepted attempt (see `NO_RUNS`): start and stop of the run,
        UTC microseconds, both 0 where it was not measured; start of the first attempt of the instance that
        had begun its run and was ended, of a lost one the start of its process, 0 without one; FOM time, in
        seconds, and accuracy, NaN where not measured.
    """
    columns = ["benchmark", "instance_id", "run_start_us", "run_stop_us", "fom_seconds", "accuracy"]
    found: dict[str, list[Row]] = {}
    with reader.moment() as moment:
        began = _begun_before(moment, campaign_id)
        for benchmark, instance, start, stop, *figures in counted_rows(
            moment, "attempts", columns, campaign_id
        ):
            found.setdefault(benchmark, []).append((start, stop, began.get(instance, 0), *figures))
    return {benchmark: _columns(rows) for benchmark, rows in found.items()}


def _begun_before(moment: Rows, campaign_id: int) -> dict[int, int]:
    """Return, by instance, when the first attempt that was ended had begun; see `run_columns`."""
    states = [one.value for one in UNSUCCESSFUL]
    columns = ["instance_id", "state", "run_start_us", "process_start_us"]
    found: dict[int, int] = {}
    for instance, state, run, process in moment.rows("attempts", columns, campaign_id, state=states):
        began = process if run is None and state == AttemptState.LOST else run
        if began is not None:
            found[instance] = min(began, found.get(instance, began))
    return found


def _columns(rows: Sequence[Row]) -> RunColumns:
    starts, stops = (
        array("q", (row[number] if row[0] and row[1] else 0 for row in rows)) for number in (0, 1)
    )
    began_us = array("q", (row[2] for row in rows))
    seconds, accuracies = (_finite([row[number] for row in rows]) for number in (3, 4))
    return starts, stops, began_us, seconds, accuracies


def metric_columns(
    reader: RowReader, campaign_id: int, names: Sequence[str]
) -> tuple[dict[str, dict[str, array[float]]], dict[str, dict[str, frozenset[str]]]]:
    """Return metrics of every accepted attempt of each benchmark, in the order of `run_columns`.

    Returns
    -------
    tuple
        By benchmark, without those that have no accepted attempt: a column by each of `names`, NaN where an
        attempt did not report the metric, or no finite number; the units of each metric that some attempt
        reported.
    """
    if not names:
        return {}, {}
    found: dict[str, dict[str, array[float]]] = {}
    units: dict[str, dict[str, frozenset[str]]] = {}
    reported: dict[int, list[Row]] = {}
    with reader.moment() as moment:
        columns = ["instance_id", "name", "value", "unit"]
        for instance, *metric in moment.rows("metrics", columns, campaign_id, accepted=True, name=names):
            reported.setdefault(instance, []).append(tuple(metric))
        accepted = counted_rows(moment, "attempts", ["instance_id", "benchmark"], campaign_id)
        for instance, benchmark in accepted:
            mine = found.get(benchmark) or found.setdefault(benchmark, {one: array("d") for one in names})
            for column in mine.values():
                column.append(math.nan)
            for name, value, unit in reported.get(instance, ()):
                if value is not None and math.isfinite(value):
                    mine[name][-1] = value
                known = units.setdefault(benchmark, {})
                if unit not in known.get(name, ()):
                    known[name] = known.get(name, frozenset()) | {unit}
    return found, units


def metric_ranges(reader: RowReader, campaign_id: int) -> dict[str, dict[str, tuple[float, float, int]]]:
    """Return, by benchmark, lowest value, highest value and number of each metric of accepted attempts."""
    found: dict[tuple[str, str], tuple[float, float, int]] = {}
    with reader.moment() as moment:
        columns = ["benchmark", "name", "value"]
        for benchmark, name, value in counted_rows(moment, "metrics", columns, campaign_id, known=["value"]):
            low, high, number = found.get((benchmark, name), (value, value, 0))
            found[benchmark, name] = min(low, value), max(high, value), number + 1
    ranges: dict[str, dict[str, tuple[float, float, int]]] = {}
    for (benchmark, name), one in sorted(found.items()):
        ranges.setdefault(benchmark, {})[name] = one
    return ranges


def _finite(values: Sequence[float | None]) -> array[float]:
    """Return values as a column; NaN for those that are missing or not finite."""
    return array("d", (v if v is not None and math.isfinite(v) else math.nan for v in values))


NO_RUNS = _columns([])
"""The columns of a benchmark without accepted attempts."""


def lowest_metrics(
    reader: RowReader, campaign_id: int, names: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return the lowest value of metrics over accepted attempts, by metric, and by benchmark that has it."""
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    with reader.moment() as moment:
        columns = ["benchmark", "name", "value"]
        rows = moment.rows(
            "metrics", columns, campaign_id, accepted=True, name=names, known=["value"], order=()
        )
        for benchmark, name, value in rows:
            found[name][benchmark] = min(value, found[name].get(benchmark, value))
    return found
