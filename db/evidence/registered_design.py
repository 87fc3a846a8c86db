"""The registered order of a campaign's instances, and the registered questions that may end it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from db.events import EventKind

if TYPE_CHECKING:
    from db.plain import RowReader


def registered_order(reader: RowReader, campaign_id: int) -> Mapping[str, Any] | None:
    """Return the registered order of a campaign; None for that of its file.

    Keys are ``order``, ``seed``, ``widths`` (instances of each benchmark in a block), and ``groups``.
    """
    return _latest(reader, campaign_id, EventKind.ORDER_REGISTERED)


def registered_questions(reader: RowReader, campaign_id: int) -> Mapping[str, Any] | None:
    """Return the questions that may end a campaign before all its instances ran; None without any.

    Keys are ``questions``, a list, and ``budget``, a mapping of ``node_hours`` and ``walltime`` (seconds).
    """
    return _latest(reader, campaign_id, EventKind.QUESTIONS_REGISTERED)


def registered_searches(reader: RowReader, campaign_id: int) -> Sequence[Mapping[str, Any]]:
    """Return the searches of a campaign, each by its facts; empty where it has none."""
    found: Sequence[Mapping[str, Any]] = (
        _latest(reader, campaign_id, EventKind.SEARCH_REGISTERED) or {}
    ).get("searches", ())
    return found


def suggested_trials(reader: RowReader, campaign_id: int) -> list[tuple[str, Mapping[str, Any]]]:
    """Return trials with parameters that an optimizer chose, by benchmark, in the order of the choices.

    Keys are ``search`` and ``trial``, the name and the trial's number, ``parameters``, ``results``, values of
    the trials that had ended since the choice before, by number, ``sampler``, and ``optuna``, its version.
    """
    found = reader.events(campaign_id, kinds=[EventKind.TRIAL_SUGGESTED])
    return [(one.subject, one.data or {}) for one in found]


def times_asked(reader: RowReader, campaign_id: int) -> int:
    """Return how often questions were registered; above 1 they changed after the launch."""
    return len(list(reader.events(campaign_id, kinds=[EventKind.QUESTIONS_REGISTERED])))


def deviations(reader: RowReader, campaign_id: int) -> set[str]:
    """Return the labels of instances that were handed out outside of their block of the registered order."""
    return {event.subject for event in reader.events(campaign_id, kinds=[EventKind.ORDER_DEVIATED])}


def raised_timeouts(reader: RowReader, campaign_id: int) -> dict[str, float]:
    """Return the longest raised timeout in seconds of instances, by label, that were tried again with one."""
    found: dict[str, float] = {}
    for event in reader.events(campaign_id, kinds=[EventKind.TIMEOUT_RAISED]):
        seconds = float((event.data or {}).get("timeout_seconds", 0.0))
        found[event.subject] = max(seconds, found.get(event.subject, 0.0))
    return found


def raised_memory(reader: RowReader, campaign_id: int) -> dict[str, int]:
    """Return the most memory of a rank in bytes of instances, by label, that were tried again with more."""
    found: dict[str, int] = {}
    for event in reader.events(campaign_id, kinds=[EventKind.MEMORY_RAISED]):
        size = int((event.data or {}).get("memory_bytes", 0))
        found[event.subject] = max(size, found.get(event.subject, 0))
    return found


def raised_disk(reader: RowReader, campaign_id: int) -> dict[str, tuple[float, float]]:
    """Return the largest slot of instances, by label, that were tried again with more disk.

    Of a slot these are bytes of disk, 0 where the site file stated no size, and the share of its node's disk.
    """
    found: dict[str, tuple[float, float]] = {}
    for event in reader.events(campaign_id, kinds=[EventKind.DISK_RAISED]):
        data = event.data or {}
        size = float(data.get("disk_bytes") or 0), float(data.get("disk_share", 0))
        found[event.subject] = max(size, found.get(event.subject, (0.0, 0.0)))
    return found


def larger_slots(reader: RowReader, campaign_id: int) -> dict[str, tuple[int, int]]:
    """Return, by slot shape, slots of a node and nodes of an instance that was retried in a larger slot."""
    return {
        str(event.data["slot_shape"]): (int(event.data["slots"]), int(event.data["nodes"]))
        for event in reader.events(campaign_id, kinds=[EventKind.MEMORY_RAISED, EventKind.DISK_RAISED])
        if event.data
    }


class HandedOut(NamedTuple):
    """The first attempt of an instance."""

    benchmark: str
    benchmark_index: int
    session_number: int
    slot_shape: str | None
    submitted_us: int


def handed_out(reader: RowReader, campaign_id: int) -> list[HandedOut]:
    """Return the first attempt of each instance, in the order of submission."""
    with reader.moment() as moment:
        rows = moment.rows("attempts", HandedOut._fields, campaign_id, attempt_number=1)
        return sorted((HandedOut(*row) for row in rows), key=lambda one: one.submitted_us)


def _latest(reader: RowReader, campaign_id: int, kind: EventKind) -> Mapping[str, Any] | None:
    found = list(reader.events(campaign_id, kinds=[kind]))
    return found[-1].data if found else None
