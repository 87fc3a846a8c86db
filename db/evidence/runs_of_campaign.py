"""The accepted runs of a whole campaign, what they observed, and why other instances have none."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from db.documents import read_texts
from db.evidence.superseded import counted_rows, superseded_ids
from db.states import InstanceState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from db.plain import Readable, Row

_NAMES: Mapping[str, str] = {
    InstanceState.PLANNED.value: "not run yet",
    InstanceState.IN_FLIGHT.value: "running",
    InstanceState.NOT_NEEDED.value: "not needed",
    InstanceState.PRUNED.value: "pruned",
}


ACCURACY = "accuracy"
"""Metric that is the accuracy of a run."""


class AcceptedRun(NamedTuple):
    """An accepted attempt that is not superseded; `data_facts` are JSON."""

    instance_id: int
    benchmark: str
    fom_seconds: float | None
    accuracy: float | None
    process_start_us: int | None
    run_start_us: int | None
    data_facts: str | None


def accepted_runs(reader: Readable, campaign_id: int) -> list[AcceptedRun]:
    """Return each accepted attempt that is not superseded, in the order of instances."""
    with reader.moment() as moment:
        rows = counted_rows(moment, "attempts", AcceptedRun._fields, campaign_id)
        return [AcceptedRun(*row) for row in rows]


def accepted_metrics(reader: Readable, campaign_id: int) -> list[Row]:
    """Return ``instance_id``, ``name``, ``value`` and ``unit`` of each metric of the accepted attempts."""
    columns = ["instance_id", "name", "value", "unit"]
    with reader.moment() as moment:
        return list(moment.rows("metrics", columns, campaign_id, accepted=True, known=["value"]))


class InstanceValue(NamedTuple):
    """A value of an instance, and the node of its accepted attempt; see `instance_values`."""

    benchmark: str
    benchmark_index: int
    state: str
    value: float | None
    node: str | None


def instance_values(reader: Readable, campaign_id: int, metric: str | None) -> Sequence[InstanceValue]:
    """Return a value of each instance, in the order of benchmarks and numbers.

    Instances that have not run are among them, and those without success.

    Parameters
    ----------
    metric
        Name of the metric; None for the FOM time, accuracy for the accuracy. Instances without an accepted
        attempt, attempts without the metric, and superseded instances have None.
    """
    with reader.moment() as moment:
        gone = superseded_ids(moment, campaign_id)
        columns = ["instance_id", "node", "fom_seconds", "accuracy"]
        accepted = {row[0]: row for row in moment.rows("attempts", columns, campaign_id, accepted=True)}
        values: dict[int, float | None] = {key: row[2] for key, row in accepted.items() if metric is None}
        if metric == ACCURACY:
            values = {key: row[3] for key, row in accepted.items()}
        if metric is not None:
            columns = ["instance_id", "value"]
            rows = moment.rows("metrics", columns, campaign_id, accepted=True, name=metric, known=["value"])
            values.update(rows)
        columns = ["instance_id", "benchmark", "benchmark_index", "state"]
        instances = sorted(moment.rows("instances", columns, campaign_id), key=lambda row: (row[1], row[2]))
    nodes = {key: row[1] for key, row in accepted.items()}
    return [
        InstanceValue(benchmark, index, state, None if key in gone else values.get(key), nodes.get(key))
        for key, benchmark, index, state in instances
    ]


def seconds_by_benchmark(reader: Readable, campaign_id: int) -> dict[str, float]:
    """Return the mean seconds of the processes of accepted attempts, by benchmark."""
    columns = ["benchmark", "process_start_us", "process_stop_us"]
    found: dict[str, list[int]] = {}
    with reader.moment() as moment:
        rows = moment.rows("attempts", columns, campaign_id, accepted=True, known=columns[1:])
        for benchmark, start, stop in rows:
            found.setdefault(benchmark, []).append(stop - start)
    return {benchmark: math.fsum(times) / len(times) / 1e6 for benchmark, times in found.items()}


def accepted_observations(reader: Readable, campaign_id: int) -> dict[str, list[dict[str, Any]]]:
    """Return what accepted attempts of each benchmark observed of their node and of themselves.

    Each distinct observation is there once, with the facts that `Observed` has no field for.
    """
    columns = ["benchmark", "environment_sha256", "observation_sha256"]
    with reader.moment() as moment:
        distinct = dict.fromkeys(map(tuple, counted_rows(moment, "attempts", columns, campaign_id)))
        texts = read_texts(moment, {key for _, *keys in distinct for key in keys if key is not None})
    found: dict[str, list[dict[str, Any]]] = {}
    for benchmark, environment, own in distinct:
        seen = json.loads(texts.get(own, "{}")).get("seen")
        known = json.loads(texts.get(environment, "{}")) | (seen if isinstance(seen, dict) else {})
        found.setdefault(benchmark, []).append(known)
    return found


def unaccepted(reader: Readable, campaign_id: int) -> dict[str, Counter[str]]:
    """Return, for each benchmark, how many instances have no accepted attempt, by the reason.

    The reason is that of the last attempt where the retries are used up, and otherwise the instance's state.
    """
    states = [one.value for one in InstanceState if one is not InstanceState.DONE]
    found: dict[str, Counter[str]] = {}
    with reader.moment() as moment:
        columns = ["instance_id", "benchmark", "state"]
        instances = list(moment.rows("instances", columns, campaign_id, state=states))
        ended = [instance for instance, _, state in instances if state == InstanceState.EXHAUSTED]
        last: dict[int, str | None] = {}
        if ended:
            columns = ["instance_id", "failure_reason"]
            last.update(moment.rows("attempts", columns, campaign_id, instance_id=ended))
    for instance, benchmark, state in instances:
        reason = last.get(instance) if state == InstanceState.EXHAUSTED else None
        why: str = reason or _NAMES.get(state, state)
        found.setdefault(benchmark, Counter())[why] += 1
    return found
