"""Pages of a campaign's instances, each read alone: a page far down costs as much as the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Select, select, tuple_, union

from db.states import InstanceState
from db.tables import attempts, instances, points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from db.reader import Reader


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of a list of instances; None leaves a filter out.

    Parameters
    ----------
    state
        An `InstanceState`.
    benchmark
        A benchmark, or a sweep for all of its points.
    node
        One that runs, or reported the end of, any of the instance's attempts.
    reason
        Why any of the instance's attempts failed.
    """

    state: str | None = None
    benchmark: str | None = None
    node: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class InstanceLine:
    """An instance with the figures of its accepted, or else last, attempt; None without one."""

    instance_id: int
    label: str
    seed: int
    state: str
    attempts: int
    fom_seconds: float | None
    accuracy: float | None
    node: str | None
    slot_index: int | None
    failure_reason: str | None


@dataclass(frozen=True, slots=True)
class InstancePage:
    """Some instances in the order of benchmark and number, and whether there are others on either side."""

    lines: Sequence[InstanceLine]
    has_earlier: bool
    has_later: bool


class _Key(NamedTuple):
    """The place of an instance in the list."""

    benchmark: str
    benchmark_index: int
    instance_id: int


def instance_page(
    reader: Reader,
    campaign_id: int,
    wanted: Wanted,
    *,
    after: str | None = None,
    before: str | None = None,
    limit: int = 100,
) -> InstancePage:
    """Return the instances that follow, or come before, one of the campaign.

    Parameters
    ----------
    after, before
        Label of that instance, ``benchmark/number``; one of both, or neither for the first page. It need not
        be one of those that are wanted, so that a page stays where it is while states change.

    Raises
    ------
    UnknownCampaignError
        If there is no such instance.
    """
    label = after or before
    key = None
    if label is not None:
        found = reader.find_instance(campaign_id, label)
        key = _Key(found.benchmark, found.benchmark_index, found.instance_id)
    backwards = before is not None and after is None
    with reader.connection() as connection, connection.begin():
        names = None if wanted.benchmark is None else _benchmarks(connection, campaign_id, wanted.benchmark)
        numbers = _page(campaign_id, wanted, names, key, backwards).limit(limit + 1)
        rows = connection.execute(_rows(campaign_id, numbers)).all()
        more = len(rows) > limit
        rows = rows[-limit:] if backwards else rows[:limit]
        figures = _figures(connection, campaign_id, [row.instance_id for row in rows])
    lines = [_line(row, figures.get(row.instance_id, ())) for row in rows]
    other_side = key is not None
    return InstancePage(
        lines,
        has_earlier=more if backwards else other_side,
        has_later=other_side if backwards else more,
    )


def _benchmarks(connection: Connection, campaign_id: int, name: str) -> list[str]:
    """Return the points of a sweep; if there is no such sweep, the name."""
    of_sweep = select(points.c.benchmark).distinct()
    of_sweep = of_sweep.where(points.c.campaign_id == campaign_id, points.c.sweep == name)
    return [row.benchmark for row in connection.execute(of_sweep)] or [name]


def _page(
    campaign_id: int, wanted: Wanted, names: Sequence[str] | None, key: _Key | None, backwards: bool
) -> Select[Any]:
    i = instances.c
    statement = select(i.instance_id).where(i.campaign_id == campaign_id)
    # Numbers within a benchmark grow with those of the campaign, so that both orders are the same; each is
    # the order of an index, one of them with the state.
    filtered = wanted.state is not None or wanted.node is not None or wanted.reason is not None
    second = i.instance_id if filtered else i.benchmark_index
    if wanted.state is not None:
        statement = statement.where(i.state == wanted.state)
    if names is not None:
        statement = statement.where(i.benchmark.in_(names))
    if wanted.node is not None:
        statement = statement.where(i.instance_id.in_(_on_node(campaign_id, wanted.node)))
    if wanted.reason is not None:
        failed = select(attempts.c.instance_id).where(
            attempts.c.campaign_id == campaign_id, attempts.c.failure_reason == wanted.reason
        )
        statement = statement.where(i.instance_id.in_(failed))
    if key is not None:
        number = key.instance_id if filtered else key.benchmark_index
        if names == [key.benchmark]:  # SQLite sorts all of a benchmark for a comparison of pairs
            statement = statement.where(second < number if backwards else second > number)
        else:
            pair, ours = tuple_(i.benchmark, second), (key.benchmark, number)
            statement = statement.where(pair < ours if backwards else pair > ours)
    order = (i.benchmark, second)
    return statement.order_by(*(one.desc() for one in order) if backwards else order)


def _rows(campaign_id: int, numbers: Select[Any]) -> Select[Any]:
    """Return a statement for the rows of some instances; their numbers alone come from an index."""
    i, page = instances.c, numbers.subquery()
    return (
        select(i.instance_id, i.benchmark, i.benchmark_index, i.seed, i.state, i.accepted_attempt)
        .join(page, page.c.instance_id == i.instance_id)
        .where(i.campaign_id == campaign_id)
        .order_by(i.benchmark, i.benchmark_index)
    )


def _on_node(campaign_id: int, node: str) -> Any:
    """Return a statement for the instances of a node, in two parts that an index each answers."""
    a, i = attempts.c, instances.c
    ended = select(a.instance_id).where(
        a.campaign_id == campaign_id, a.node == node, a.received_us.is_not(None)
    )
    flying = select(i.instance_id).where(
        i.campaign_id == campaign_id, i.state == InstanceState.IN_FLIGHT.value
    )
    runs = select(a.instance_id).where(
        a.campaign_id == campaign_id, a.node == node, a.instance_id.in_(flying)
    )
    return union(ended, runs)


def _figures(connection: Connection, campaign_id: int, chosen: Sequence[int]) -> dict[int, list[Any]]:
    """Return the figures of all attempts of some instances, first to last."""
    a = attempts.c
    statement = (
        select(
            a.instance_id,
            a.attempt_number,
            a.fom_seconds,
            a.accuracy,
            a.node,
            a.slot_index,
            a.failure_reason,
        )
        .where(a.campaign_id == campaign_id, a.instance_id.in_(chosen))
        .order_by(a.instance_id, a.attempt_number)
    )
    found: dict[int, list[Any]] = {}
    for row in connection.execute(statement):
        found.setdefault(row.instance_id, []).append(row)
    return found


def _line(row: Any, tried: Sequence[Any]) -> InstanceLine:
    shown = next((one for one in tried if one.attempt_number == row.accepted_attempt), None)
    shown = shown or (tried[-1] if tried else None)
    return InstanceLine(
        row.instance_id,
        f"{row.benchmark}/{row.benchmark_index}",
        row.seed,
        row.state,
        len(tried),
        *(
            (None, None, None, None, None)
            if shown is None
            else (shown.fom_seconds, shown.accuracy, shown.node, shown.slot_index, shown.failure_reason)
        ),
    )
