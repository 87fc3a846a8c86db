"""Changes that users made to a campaign's plan after its launch, and whether they knew results by then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from db.events import SITE_CHANGES, Event, EventKind
from db.states import CANCELLED_BY_USER, Action, AttemptState, InstanceState

if TYPE_CHECKING:
    from db.plain import RowReader

STOPPED = "cancelled"
"""Reason of attempts that a stop of their campaign ended."""
CHANGES = (
    EventKind.CAMPAIGN_EXTENDED,
    EventKind.CAMPAIGN_CHANGED,
    *SITE_CHANGES,
    EventKind.INSTANCES_CHANGED,
    EventKind.EXHAUSTED_REOPENED,
    EventKind.INSTANCE_SUPERSEDED,
    EventKind.EXCLUDE_LIST,
)
"""Events that a user caused, and that change what runs or what counts."""


def plan_changes(reader: RowReader, campaign_id: int) -> dict[str, dict[str, int]]:
    """Return how many instances of each benchmark were added and cancelled, and how often it was paused.

    Keys are ``added``, ``cancelled``, and these with ``_knowing`` for those of which an instance of the
    benchmark had been accepted by then; ``cancelled_started`` where an attempt had started; ``rerun``, those
    that were planned again after a cancel had ended an attempt of them; ``stopped``, those of which a stop of
    the campaign ended an attempt that ran; ``reopened``, those planned again when they were out of retries;
    ``pauses``; ``excluded_knowing``, nodes that were excluded with results known; ``copied_knowing``,
    sessions that went on with a copy of ledger or run directory then. What is 0 is left out.
    """
    kinds = (
        EventKind.CAMPAIGN_EXTENDED,
        EventKind.INSTANCES_CHANGED,
        EventKind.EXHAUSTED_REOPENED,
        EventKind.EXCLUDE_LIST,
        EventKind.SESSION_PLACE,
    )
    found = [one for one in reader.events(campaign_id, kinds=kinds) if one.data]
    known = _first_results(reader, campaign_id) if found else {}
    counts: dict[str, Counter[str]] = {}
    for benchmark, what, number in (
        *_added_or_paused(found, known),
        *_cancelled(reader, campaign_id, found, known),
        *_rerun(reader, campaign_id, found),
        *_reopened(reader, campaign_id, found),
        *_excluded(found, known),
        *_copied(found, known),
    ):
        counts.setdefault(benchmark, Counter())[what] += number
    return {benchmark: dict(number) for benchmark, number in counts.items()}


def _added_or_paused(found: list[Event], known: Mapping[str, int]) -> Iterator[tuple[str, str, int]]:
    for event in found:
        data = event.data or {}
        if event.kind == EventKind.CAMPAIGN_EXTENDED:
            for benchmark, number in data["instances"].items():
                yield benchmark, "added", number
                if known.get(benchmark, event.at_us) < event.at_us:
                    yield benchmark, "added_knowing", number
        elif data.get("action") == Action.PAUSE and not data.get("pool"):  # a pool's pause chooses no runs
            yield data["benchmark"], "pauses", 1


def _cancelled(
    reader: RowReader, campaign_id: int, found: list[Event], known: Mapping[str, int]
) -> Iterator[tuple[str, str, int]]:
    asked = [one for one in found if (one.data or {}).get("action") == Action.CANCEL]
    if not asked:
        return
    moments = _moments(asked)
    state = InstanceState.CANCELLED.value
    with reader.moment() as moment:
        mine: dict[int, str] = dict(
            moment.rows("instances", ["instance_id", "benchmark"], campaign_id, state=state)
        )
        begun = moment.rows("attempts", ["instance_id"], campaign_id, known=["process_start_us"])
        started = {instance for (instance,) in begun if instance in mine}
    for instance, benchmark in mine.items():
        yield benchmark, "cancelled", 1
        if instance in started:
            yield benchmark, "cancelled_started", 1
        at_us = moments.get(instance)
        if at_us is None or known.get(benchmark, at_us) < at_us:
            yield benchmark, "cancelled_knowing", 1


def _rerun(reader: RowReader, campaign_id: int, found: list[Event]) -> Iterator[tuple[str, str, int]]:
    cancels = [one.data for one in found if one.data and one.data.get("action") == Action.CANCEL]
    asked = {number for data in cancels for number in _numbers(data["in_flight"])}
    state = AttemptState.CANCELLED.value
    with reader.moment() as moment:
        columns = ["instance_id", "benchmark", "failure_reason"]
        rows = moment.rows("attempts", columns, campaign_id, state=state, known=["process_start_us"])
        tried: dict[tuple[int, str], set[str | None]] = {}
        for instance, benchmark, reason in rows:
            tried.setdefault((instance, benchmark), set()).add(reason)
        numbers = [instance for instance, _ in tried]
        columns = ["instance_id", "state"]
        states: dict[int, str] = (
            dict(moment.rows("instances", columns, campaign_id, instance_id=numbers)) if tried else {}
        )
    for (instance, benchmark), reasons in tried.items():
        if states[instance] == InstanceState.CANCELLED:
            continue
        if instance in asked or CANCELLED_BY_USER in reasons:
            yield benchmark, "rerun", 1
        elif STOPPED in reasons:
            yield benchmark, "stopped", 1


def _reopened(reader: RowReader, campaign_id: int, found: list[Event]) -> Iterator[tuple[str, str, int]]:
    asked: set[int] = set()
    for event in found:
        data = event.data or {}
        if event.kind == EventKind.EXHAUSTED_REOPENED:
            for benchmark, number in data.get("benchmarks", {}).items():  # former versions did not keep them
                yield benchmark, "reopened", number
        elif data.get("action") == Action.RETRY:
            all_were = data["before"].keys() <= {InstanceState.EXHAUSTED.value}
            asked.update(_numbers(data.get("exhausted", data["changed"] if all_were else [])))
    if not asked:
        return
    numbers = range(min(asked), max(asked) + 1)
    with reader.moment() as moment:
        rows = moment.rows("instances", ["instance_id", "benchmark"], campaign_id, instance_id=numbers)
        reopened = [benchmark for instance, benchmark in rows if instance in asked]
    yield from ((benchmark, "reopened", 1) for benchmark in reopened)


def _excluded(found: list[Event], known: Mapping[str, int]) -> Iterator[tuple[str, str, int]]:
    nodes: set[str] = set()
    for event in found:
        if event.kind == EventKind.EXCLUDE_LIST:
            listed = set((event.data or {}).get("nodes", ()))
            for benchmark, at_us in known.items():
                if at_us < event.at_us and listed - nodes:
                    yield benchmark, "excluded_knowing", len(listed - nodes)
            nodes = listed


def _copied(found: list[Event], known: Mapping[str, int]) -> Iterator[tuple[str, str, int]]:
    for event in found:
        if event.kind == EventKind.SESSION_PLACE and (event.data or {}).get("copied"):
            for benchmark, at_us in known.items():
                if at_us < event.at_us:
                    yield benchmark, "copied_knowing", 1


def _numbers(ranges: Iterable[tuple[int, int]]) -> Iterator[int]:
    for first, last in ranges:
        yield from range(first, last + 1)


def _moments(asked: list[Event]) -> dict[int, int]:
    """Return, by instance, when it was cancelled last; UTC microseconds."""
    moments: dict[int, int] = {}
    for event in asked:
        data: Mapping[str, Any] = event.data or {}
        moments.update(dict.fromkeys(_numbers([*data["changed"], *data["in_flight"]]), event.at_us))
    return moments


def _first_results(reader: RowReader, campaign_id: int) -> dict[str, int]:
    """Return, by benchmark, when its first accepted attempt was received; UTC microseconds."""
    columns = ["benchmark", "received_us", "process_stop_us", "run_stop_us"]
    found: dict[str, int] = {}
    with reader.moment() as moment:
        for benchmark, *times in moment.rows("attempts", columns, campaign_id, accepted=True):
            at_us = next((one for one in times if one is not None), None)
            if at_us is not None:
                found[benchmark] = min(at_us, found.get(benchmark, at_us))
    return found
