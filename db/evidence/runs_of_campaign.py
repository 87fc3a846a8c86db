"""The accepted runs of a whole campaign, what they observed, and why other instances have none."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, null, select

from db.counted import counted, superseded_ids
from db.states import InstanceState
from db.tables import ACCEPTED, attempts, documents, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.reader import Reader

_NAMES = {
    InstanceState.PLANNED.value: "not run yet",
    InstanceState.IN_FLIGHT.value: "running",
    InstanceState.NOT_NEEDED.value: "not needed",
    InstanceState.PRUNED.value: "pruned",
}


ACCURACY = "accuracy"
"""Metric that is the accuracy of a run."""


def accepted_runs(reader: Reader, campaign_id: int) -> Sequence[Any]:
    """Return a row of each accepted attempt that is not superseded, in the order of instances.

    Rows have ``instance_id``, ``benchmark``, ``fom_seconds``, ``accuracy``, ``process_start_us``,
    ``run_start_us`` and ``data_facts`` (JSON).
    """
    a, i = attempts.c, instances.c
    statement = (
        select(
            i.instance_id,
            i.benchmark,
            a.fom_seconds,
            a.accuracy,
            a.process_start_us,
            a.run_start_us,
            a.data_facts,
        )
        .select_from(ACCEPTED)
        .where(counted(campaign_id))
        .order_by(i.instance_id)
    )
    with reader.connection() as connection:
        return connection.execute(statement).all()


def accepted_metrics(reader: Reader, campaign_id: int) -> Sequence[Any]:
    """Return ``instance_id``, ``name``, ``value`` and ``unit`` of each metric of the accepted attempts."""
    i, m = instances.c, metrics.c
    statement = (
        select(m.instance_id, m.name, m.value, m.unit)
        .join_from(
            instances,
            metrics,
            (m.campaign_id == i.campaign_id)
            & (m.instance_id == i.instance_id)
            & (m.attempt_number == i.accepted_attempt),
        )
        .where(i.campaign_id == campaign_id, m.value.is_not(None))
        .order_by(m.instance_id, m.name)
    )
    with reader.connection() as connection:
        return connection.execute(statement).all()


def instance_values(reader: Reader, campaign_id: int, metric: str | None) -> Sequence[Any]:
    """Return benchmark, ``benchmark_index``, ``state``, ``value`` and ``node`` of each instance, in order.

    Instances that have not run are among them, and those without success.

    Parameters
    ----------
    metric
        Name of the metric; None for the FOM time, accuracy for the accuracy. Instances without an accepted
        attempt, attempts without the metric, and superseded instances have NULL.
    """
    i, a, m = instances.c, attempts.c, metrics.c
    accepted = (a.campaign_id == i.campaign_id) & (a.instance_id == i.instance_id)
    table = instances.outerjoin(attempts, accepted & (a.attempt_number == i.accepted_attempt))
    if metric is not None:
        table = table.outerjoin(
            metrics,
            (m.campaign_id == a.campaign_id)
            & (m.instance_id == a.instance_id)
            & (m.attempt_number == a.attempt_number)
            & (m.name == metric),
        )
    superseded = i.instance_id.in_(superseded_ids(campaign_id))
    found = func.coalesce(m.value, a.accuracy) if metric == ACCURACY else m.value
    value = case((superseded, null()), else_=a.fom_seconds if metric is None else found)
    statement = (
        select(i.benchmark, i.benchmark_index, i.state, value.label("value"), a.node)
        .select_from(table)
        .where(i.campaign_id == campaign_id)
        .order_by(i.benchmark, i.benchmark_index)
    )
    with reader.connection() as connection:
        return connection.execute(statement).all()


def seconds_by_benchmark(reader: Reader, campaign_id: int) -> dict[str, float]:
    """Return the mean seconds of the processes of accepted attempts, by benchmark."""
    i, a = instances.c, attempts.c
    statement = (
        select(i.benchmark, func.avg(a.process_stop_us - a.process_start_us).label("mean_us"))
        .select_from(ACCEPTED)
        .where(i.campaign_id == campaign_id, a.process_stop_us.is_not(None))
        .group_by(i.benchmark)
    )
    with reader.connection() as connection:
        found = connection.execute(statement).all()
    return {row.benchmark: float(row.mean_us) / 1e6 for row in found if row.mean_us is not None}


def accepted_observations(reader: Reader, campaign_id: int) -> dict[str, list[dict[str, Any]]]:
    """Return what accepted attempts of each benchmark observed of their node and of themselves.

    Each distinct observation is there once, with the facts that `Observed` has no field for.
    """
    i, a = instances.c, attempts.c
    environment, own = documents.alias(), documents.alias()
    statement = (
        select(i.benchmark, environment.c.content.label("environment"), own.c.content.label("own"))
        .select_from(
            ACCEPTED.outerjoin(environment, environment.c.sha256 == a.environment_sha256).outerjoin(
                own, own.c.sha256 == a.observation_sha256
            )
        )
        .where(counted(campaign_id))
        .distinct()
    )
    found: dict[str, list[dict[str, Any]]] = {}
    with reader.connection() as connection:
        for benchmark, facts, observation in connection.execute(statement):
            seen = json.loads(observation or "{}").get("seen")
            known = json.loads(facts or "{}") | (seen if isinstance(seen, dict) else {})
            found.setdefault(benchmark, []).append(known)
    return found


def unaccepted(reader: Reader, campaign_id: int) -> dict[str, Counter[str]]:
    """Return, for each benchmark, how many instances have no accepted attempt, by the reason.

    The reason is that of the last attempt where the retries are used up, and otherwise the instance's state.
    """
    i, a = instances.c, attempts.c
    last = (
        select(a.instance_id, func.max(a.attempt_number).label("number"))
        .where(a.campaign_id == campaign_id)
        .group_by(a.instance_id)
        .subquery()
    )
    statement = (
        select(i.benchmark, i.state, a.failure_reason, func.count())
        .select_from(instances)
        .outerjoin(last, last.c.instance_id == i.instance_id)
        .outerjoin(
            attempts,
            (a.campaign_id == i.campaign_id)
            & (a.instance_id == i.instance_id)
            & (a.attempt_number == last.c.number),
        )
        .where(i.campaign_id == campaign_id, i.state != InstanceState.DONE.value)
        .group_by(i.benchmark, i.state, a.failure_reason)
    )
    found: dict[str, Counter[str]] = {}
    with reader.connection() as connection:
        for benchmark, state, reason, number in connection.execute(statement):
            why = reason if state == InstanceState.EXHAUSTED and reason else _NAMES.get(state, state)
            found.setdefault(benchmark, Counter())[why] += number
    return found
