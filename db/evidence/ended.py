"""Attempts that ended without being accepted, by benchmark: how many, why, and how long they ran."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from db.events import EventKind
from db.evidence.clocks import Spans
from db.evidence.superseded import superseded_ids
from db.states import AttemptState

if TYPE_CHECKING:
    from db.evidence.clocks import Place
    from db.plain import Row, RowReader, Rows

DRIVER_DIED = "driver died"
"""Reason of attempts that were lost with their driver."""
UNSUCCESSFUL = (
    AttemptState.FAILED,
    AttemptState.TIMED_OUT,
    AttemptState.LOST,
    AttemptState.CANCELLED,
)
"""Final states of attempts that do not count."""
_TIME = re.compile(r'"([a-z_]+_us)": ([0-9]{1,18})\b')
"""A time in the message of a late report."""


@dataclass(frozen=True, slots=True)
class EndedGroup:
    """Attempts with one final state and reason.

    Parameters
    ----------
    state, reason
        Their final state, and the short reason of a failure.
    number, timed
        How many, and how many of them had begun their timed part when they ended.
    longest_us, shortest_us
        The longest and the shortest of these timed parts until its end; None where none was timed.
    longest_process_us
        The longest time of the whole processes of these.
    unknown
        How many may have run and have no report of their end, not even a late one.
    most_unknown_us, least_unknown_us
        The longest time that any of them may have run: until the driver noticed. Where they were lost with
        their driver, it is not known; they ran until the last report that it received at least. None where
        no such time is known.
    """

    state: str
    reason: str
    number: int
    timed: int
    longest_us: int | None
    shortest_us: int | None = None
    longest_process_us: int | None = None
    unknown: int = 0
    most_unknown_us: int | None = None
    least_unknown_us: int | None = None


@dataclass(frozen=True, slots=True)
class UncountedTries:
    """The attempts of a benchmark that do not count, and had begun.

    Parameters
    ----------
    first_us
        When the first of them began its run, or ended without, UTC microseconds by the node's clock.
    sessions
        Numbers of the sessions that they are of.
    """

    first_us: int
    sessions: frozenset[int]


class _Ended(NamedTuple):
    """An attempt that ended without success."""

    instance_id: int
    attempt_number: int
    benchmark: str
    state: str
    failure_reason: str | None
    session_number: int
    node: str | None
    process_start_us: int | None
    process_stop_us: int | None
    received_us: int | None
    run_start_us: int | None
    run_stop_us: int | None
    timed_window_start_us: int | None
    timed_window_stop_us: int | None

    @property
    def died(self) -> bool:
        """True if it was lost with its driver."""
        return self.failure_reason == DRIVER_DIED

    def timed_us(self, *, window: bool) -> int | None:
        """Return how long its timed part ran until it ended; None where it was not timed."""
        start = self.timed_window_start_us if window else self.run_start_us
        stop = self.timed_window_stop_us if window else self.run_stop_us
        stop = self.process_stop_us if stop is None else stop
        return _less(stop, start)

    def lacks_end(self, late: Mapping[tuple[int, int], Sequence[str]]) -> bool:
        """Return whether no report says when it ended, though it may have run.

        Whether one that was lost with its driver ran is not known without a start: the driver may have died
        before it noted that.
        """
        may_have_run = self.died or self.process_start_us is not None
        return self.process_stop_us is None and may_have_run and self[:2] not in late


def ended_groups(reader: RowReader, campaign_id: int, *, window: bool) -> dict[str, list[EndedGroup]]:
    """Return the attempts of each benchmark that ended without success, by state and reason.

    Benchmarks without any are left out.

    Parameters
    ----------
    window
        Whether the timed part is the window of timed steps, and not the run.
    """
    alike: dict[tuple[str, str, str], list[_Ended]] = {}
    with reader.moment() as moment:
        for one in _unsuccessful(moment, campaign_id):
            alike.setdefault((one.benchmark, one.state, one.failure_reason or ""), []).append(one)
        if not alike:
            return {}
        messages = _late_messages(moment, campaign_id)
        until = _ends_of_drivers(moment, campaign_id, [one for some in alike.values() for one in some])
    late = _late_ends([one for some in alike.values() for one in some], messages)
    found: dict[str, list[EndedGroup]] = {}
    for (name, _, _), some in sorted(alike.items(), key=lambda one: (-len(one[1]), one[0][1:], one[0][0])):
        group = _ended_group(some, messages, until, window=window)
        found.setdefault(name, []).append(_with_late(group, late.get(name, []), window=window))
    return found


def _ended_group(
    some: Sequence[_Ended],
    messages: Mapping[tuple[int, int], Sequence[str]],
    until: Mapping[int, int],
    *,
    window: bool,
) -> EndedGroup:
    timed = [(one, us) for one in some if (us := one.timed_us(window=window)) is not None]
    lengths = [us for _, us in timed]
    processes = [_less(one.process_stop_us, one.process_start_us) for one, _ in timed]
    unknown = [one for one in some if one.lacks_end(messages)]
    noticed = [_less(one.received_us, one.process_start_us) for one in unknown if not one.died]
    died = [_less(until.get(one.session_number), one.process_start_us) for one in unknown if one.died]
    return EndedGroup(
        state=some[0].state,
        reason=some[0].failure_reason or "",
        number=len(some),
        timed=len(timed),
        longest_us=max(lengths, default=None),
        shortest_us=min(lengths, default=None),
        longest_process_us=max((us for us in processes if us is not None), default=None),
        unknown=len(unknown),
        most_unknown_us=max((us for us in noticed if us is not None), default=None),
        least_unknown_us=max((us for us in died if us is not None and us > 0), default=None),
    )


def _less(stop: int | None, start: int | None) -> int | None:
    return None if stop is None or start is None else stop - start


def _unsuccessful(moment: Rows, campaign_id: int) -> Iterator[_Ended]:
    states = [state.value for state in UNSUCCESSFUL]
    return map(_Ended._make, moment.rows("attempts", _Ended._fields, campaign_id, state=states))


@dataclass(frozen=True, slots=True)
class _LateEnd:
    """The end of an attempt by a report that came when the ledger had written the attempt off."""

    state: str
    reason: str
    session: int
    node: str | None
    times: Mapping[str, int]

    def timed_us(self, *, window: bool) -> int | None:
        """Return how long the timed part ran; None where it had not begun."""
        part = "timed_window" if window else "run"
        start = self.times.get(f"{part}_start_us")
        stop = self.times.get(f"{part}_stop_us", self.times.get("process_stop_us"))
        return None if start is None or stop is None else max(0, stop - start)


def _with_late(group: EndedGroup, late: list[_LateEnd], *, window: bool) -> EndedGroup:
    mine = [one for one in late if (one.state, one.reason) == (group.state, group.reason)]
    known = [timed for one in mine if (timed := one.timed_us(window=window)) is not None]
    if not known:
        return group
    longest = max(known) if group.longest_us is None else max(group.longest_us, *known)
    shortest = min(known) if group.shortest_us is None else min(group.shortest_us, *known)
    return replace(group, timed=group.timed + len(known), longest_us=longest, shortest_us=shortest)


def _late_messages(moment: Rows, campaign_id: int) -> dict[tuple[int, int], list[str]]:
    """Return the messages of late reports of an attempt's end, by instance and attempt."""
    found: dict[tuple[int, int], list[str]] = {}
    columns, kind = ["instance_id", "attempt_number", "message"], EventKind.LATE_REPORT.value
    for instance, attempt, message in moment.rows("events", columns, campaign_id, kind=kind):
        if '"process_stop_us": ' in (message or ""):
            found.setdefault((instance, attempt), []).append(message)
    return found


def _late_ends(
    ended: Sequence[_Ended], messages: Mapping[tuple[int, int], Sequence[str]]
) -> dict[str, list[_LateEnd]]:
    """Return, by benchmark, the late reports of attempts whose end the ledger does not have otherwise."""
    found: dict[str, list[_LateEnd]] = {}
    for one in ended:
        for message in messages.get(one[:2], ()) if one.process_stop_us is None else ():
            times = _times_of(message)
            late = _LateEnd(one.state, one.failure_reason or "", one.session_number, one.node, times)
            found.setdefault(one.benchmark, []).append(late)
    return found


def _ends_of_drivers(moment: Rows, campaign_id: int, ended: Sequence[_Ended]) -> dict[int, int]:
    """Return, by session, when its driver received the last report; empty where none died."""
    if not any(one.died for one in ended):
        return {}
    sessions = list(moment.rows("sessions", ["session_number", "started_us", "ended_us"], campaign_id))
    numbers = [number for number, _, _ in sessions]
    found: dict[int, int] = {}
    columns = ["session_number", "failure_reason", "received_us"]
    until: dict[int, int | None] = {}
    for number, _, end in sessions:
        # The end of an earlier session is in no hash of rows, the start of the next one is.
        later = [started for _, started, _ in sessions[bisect_right(numbers, number) :]]
        until[number] = min(later, default=end)
    for session, reason, received in moment.rows("attempts", columns, campaign_id, known=["received_us"]):
        end = until.get(session)
        # A later session dates what it adopts by its own clock.
        if reason != DRIVER_DIED and end is not None and received < end:
            found[session] = max(received, found.get(session, received))
    return found


def _uncounted(moment: Rows, campaign_id: int) -> list[_Ended]:
    """Return the attempts that do not count: without success, or of superseded instances."""
    gone = superseded_ids(moment, campaign_id)
    rows: list[Row] = list(_unsuccessful(moment, campaign_id))
    if gone:
        known = {row[:2] for row in rows}
        others = moment.rows("attempts", _Ended._fields, campaign_id, instance_id=gone)
        rows += [row for row in others if tuple(row[:2]) not in known]
    return list(map(_Ended._make, rows))


def uncounted_tries(reader: RowReader, campaign_id: int) -> dict[str, UncountedTries]:
    """Return the attempts that do not count by benchmark; benchmarks without any are left out."""
    first: dict[str, int] = {}
    sessions: dict[str, set[int]] = {}
    with reader.moment() as moment:
        messages = _late_messages(moment, campaign_id)
        for one in _uncounted(moment, campaign_id):
            if (at_us := _begun_us(one, messages.get(one[:2], ()))) is not None:
                first[one.benchmark] = min(at_us, first.get(one.benchmark, at_us))
                sessions.setdefault(one.benchmark, set()).add(one.session_number)
    return {name: UncountedTries(first[name], frozenset(sessions[name])) for name in sorted(first)}


def _begun_us(one: _Ended, messages: Sequence[str]) -> int | None:
    """Return when an attempt began its run, or ended without, as far as that is known; None without a start.

    Of a lost one a late report may tell; else the start of its processes stands for it.
    """
    late = [] if one.process_stop_us is not None else [_times_of(message) for message in messages]
    starts = [one.process_start_us, *(times.get("process_start_us") for times in late)]
    reported = [times.get(name) for name in ("run_start_us", "process_stop_us") for times in late]
    known = (one.run_start_us, one.process_stop_us, *reported, *starts)
    return next((at_us for at_us in known if at_us is not None), None) if any(starts) else None


def _times_of(message: str) -> dict[str, int]:
    """Return the times in the message of a late report, UTC microseconds."""
    return {name: int(value) for name, value in reversed(_TIME.findall(message))}


def ended_runs(reader: RowReader, campaign_id: int) -> dict[str, dict[Place, Spans]]:
    """Return when processes of attempts that do not count ran, by benchmark, and by session and node.

    Returns
    -------
    dict
        Starts and stops by the node's clock; benchmarks without any are left out.
    """
    found: dict[str, dict[Place, tuple[list[int], list[int]]]] = {}

    def add(benchmark: str, place: Place, start: int, stop: int) -> None:
        times = found.setdefault(benchmark, {}).setdefault(place, ([], []))
        times[0].append(start)
        times[1].append(stop)

    with reader.moment() as moment:
        ended = _uncounted(moment, campaign_id)
        messages = _late_messages(moment, campaign_id)
        unsuccessful = list(_unsuccessful(moment, campaign_id))
    for one in ended:
        start, stop = one.process_start_us, one.process_stop_us
        if start is not None and stop is not None and stop >= start:
            add(one.benchmark, (one.session_number, one.node), start, stop)
    for benchmark, late in _late_ends(unsuccessful, messages).items():
        for end in late:
            start, stop = (end.times.get(f"process_{what}_us", 0) for what in ("start", "stop"))
            if 0 < start <= stop:
                add(benchmark, (end.session, end.node), start, stop)
    return {
        benchmark: {place: Spans(*times) for place, times in places.items()}
        for benchmark, places in found.items()
    }
