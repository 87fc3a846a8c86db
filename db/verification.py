"""Check the promises of a ledger on its rows: each rule finds the rows that break it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from db.column_values import sha256
from db.documents import noted_keys, read_texts
from db.event_chain import check_events
from db.events import EventKind
from db.evidence.superseded import superseded_ids
from db.plain import Except
from db.records import CampaignRow
from db.states import FINAL_STATES, OPEN_STATES, AttemptState, InstanceState

if TYPE_CHECKING:
    from db.plain import Row, RowReader, Rows
    from db.records import CampaignRow

_SHOWN = 10
FINISHED = ("complete", "exhausted")
"""Outcomes of a campaign of which every instance has ended."""
_CHANGED = "rows were changed from outside: import the last export, or restore the last backup"


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise.

    Parameters
    ----------
    campaign
        Its name; empty if it concerns the whole ledger.
    note
        Whether it is only worth knowing: a campaign that is through is not changed by it.
    """

    campaign: str
    message: str
    remedy: str = ""
    note: bool = False


@dataclass(frozen=True, slots=True)
class _Rule:
    """A promise; values of a row that breaks it fill the places of `message`, by the first two it is sorted.

    Rules with `always` hold at every moment, the others only while no driver writes the campaign. What a
    `note` finds breaks no promise. `quick` rules are read with each verdict: they find what bends one.
    """

    message: str
    remedy: str = _CHANGED
    always: bool = True
    note: bool = False
    quick: bool = False


_RESUME = "run: orchestrator resume {campaign}"
_NOT_ACCEPTABLE = _Rule("{}/{} is accepted by attempt {}, which {}", quick=True)
_NONE_ACCEPTED = _Rule("{}/{} has a succeeded attempt {} and accepted none", quick=True)
_NOT_DONE = _Rule("{}/{} is {}, with {} accepted attempt", quick=True)
_ATTEMPTS_MISSING = _Rule("{}/{} has attempts numbered up to {}; in the ledger: {}")
_INSTANCES_MISSING = _Rule("its instances are numbered 0 to {}, and {} are there")
_SESSIONS_MISSING = _Rule("its sessions are numbered 1 to {}, and {} are there", quick=True)
_INSTANCE_STATE = _Rule("{}/{} is in an unknown state, {}")
_ATTEMPT_STATE = _Rule("{}/{} attempt {} is in an unknown state, {}")
_STILL_OPEN = _Rule("{}/{} is {}, and its attempt {} is still open")
_NONE_OPEN = _Rule("{}/{} is in flight without an open attempt")
_SEVERAL_OPEN = _Rule("{}/{} has {} open attempts at once")
_LACKS = _Rule("{}/{} attempt {} is {} and lacks {}")
_PLANNED = _Rule("{}: instances planned: {}, in the ledger: {}", quick=True)
_NOT_PLANNED = _Rule("of a benchmark {} that was not planned, instances: {}", quick=True)
_SHARED_SEED = _Rule("{1} instances share seed {0}", quick=True)
_EVENTS_END = _Rule("{}/{} attempt {} is {}, its events end with {}", quick=True)
_EVENT_FROM = _Rule("instance {} attempt {} has an event from {} where it was {}")
_EVENT_OF_NONE = _Rule("an event names instance {} attempt {}, which is not there")
_ATTEMPTS_OF_NONE = _Rule("attempts of session {}, which is not there: {}")
_BLOCKS_OF_NONE = _Rule("blocks of session {}, which is not there: {}")
_NO_END = _Rule("session {} has no end, and no driver holds the campaign")
_OPEN_AFTER_END = _Rule("{}/{} attempt {} is open, and its session {} has ended", _RESUME, always=False)
_BLOCK_OPEN = _Rule(
    "block {1} of session {0} (job {2}) has no end, and its session has ended",
    "if the job is still there, this ends it: orchestrator node leftovers {campaign} --fix",
    always=False,
)
_BLOCK_LEFT = _Rule(
    "block {1} of session {0} (job {2}) has no end; later sessions ended what they found of it",
    remedy="",
    always=False,
    note=True,
)
_RULES = (
    _NOT_ACCEPTABLE, _NONE_ACCEPTED, _NOT_DONE, _ATTEMPTS_MISSING, _INSTANCES_MISSING, _SESSIONS_MISSING,
    _INSTANCE_STATE, _ATTEMPT_STATE, _STILL_OPEN, _NONE_OPEN, _SEVERAL_OPEN, _LACKS, _PLANNED, _NOT_PLANNED,
    _SHARED_SEED, _EVENTS_END, _EVENT_FROM, _EVENT_OF_NONE, _ATTEMPTS_OF_NONE, _BLOCKS_OF_NONE, _NO_END,
    _OPEN_AFTER_END, _BLOCK_OPEN, _BLOCK_LEFT,
)  # fmt: skip
_Key = tuple[int, int]


def check(reader: RowReader, names: Sequence[str] = ()) -> list[Finding]:
    """Return the broken promises of a ledger and of its campaigns (without names: all), at one moment.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    """
    if found := reader.damage():  # answers of a damaged file mean nothing
        remedy = "restore the last backup or export"
        return [Finding("", f"the file is damaged: {message}", remedy) for message in found]
    with _at_a_moment(reader, names) as (moment, rows):
        strays = [
            f"rows of {table} that refer to rows of {parent} that are not there: {number}"
            for (table, parent), number in moment.lost_parents().items()
        ]
        documents = moment.rows("documents", ["sha256", "content"])
        return [
            *(Finding("", message, _CHANGED) for message in strays),
            *_lost_guards(moment),
            *_changed_documents(documents),
            *_changed_events(moment, rows),
            *_findings(moment, rows, _RULES),
        ]


def quick_check(reader: RowReader, names: Sequence[str]) -> list[Finding]:
    """Return the broken promises of campaigns that can bend a verdict, also while drivers write.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    """
    column = "observation_sha256"
    with _at_a_moment(reader, names) as (moment, rows):
        keys: set[str] = set()
        for row in rows:
            keys.update(noted_keys(moment, row.campaign_id))
            seen = moment.rows(
                "attempts", [column], row.campaign_id, known=[column, "received_us"], distinct=True
            )
            keys.update(key for (key,) in seen)
        return [
            *_lost_guards(moment),
            *_changed_documents(read_texts(moment, keys).items()),
            *_changed_events(moment, rows),
            *_findings(moment, rows, [rule for rule in _RULES if rule.quick]),
        ]


@contextmanager
def _at_a_moment(reader: RowReader, names: Sequence[str]) -> Iterator[tuple[Rows, list[CampaignRow]]]:
    """Give rows and campaigns (without names: all) of one moment: drivers change their leases meanwhile."""
    for name in names:
        reader.campaign(name)  # suggests the nearest name
    columns = [one.name for one in fields(CampaignRow)]
    with reader.moment() as moment:
        chosen: dict[str, Any] = {"name": names} if names else {}
        yield moment, [CampaignRow(*row) for row in moment.rows("campaigns", columns, **chosen)]


def broken(moment: Rows, rows: Sequence[CampaignRow]) -> list[Finding]:
    """Return the broken promises that hold at every moment, even while drivers write."""
    return list(_findings(moment, rows, [rule for rule in _RULES if rule.always]))


def _lost_guards(moment: Rows) -> list[Finding]:
    return [
        Finding("", f"the trigger {name} is gone, so rows can be changed", "copy it all into a new ledger")
        for name in moment.lost_guards()
    ]


def _changed_documents(contents: Iterable[Sequence[str]]) -> list[Finding]:
    return [
        Finding("", f"document {key[:12]} is not what its checksum says", _CHANGED)
        for key, content in contents
        if sha256(content) != key
    ]


def _changed_events(moment: Rows, rows: Sequence[CampaignRow]) -> Iterator[Finding]:
    for row in rows:
        for problem in check_events(moment, row.campaign_id).problems[:_SHOWN]:
            yield Finding(row.name, problem, _CHANGED)


def _findings(moment: Rows, rows: Sequence[CampaignRow], rules: Sequence[_Rule]) -> Iterator[Finding]:
    now = moment.clock_us()
    for row in rows:
        for what, content, digest in (
            ("campaign file", row.campaign_yaml, row.campaign_sha256),
            ("site file", row.site_yaml, row.site_sha256),
        ):
            if sha256(content) != digest:
                yield Finding(row.name, f"its {what} is not what its checksum says", _CHANGED)
        found = _Campaign(moment, row, now).broken()
        for rule in rules:
            yield from _shown(row.name, rule, found.get(rule, []))


def _shown(campaign: str, rule: _Rule, found: list[tuple[Any, ...]]) -> Iterator[Finding]:
    """Yield the first rows that break a rule; the last one says how many there are."""
    found.sort(key=lambda values: [(value is not None, value) for value in values[:2]])
    for place, values in enumerate(found[:_SHOWN], start=1):
        message = rule.message.format(*values)
        if place == _SHOWN < len(found):
            message += f" (the last of {_SHOWN} shown; {len(found)} are like it)"
        yield Finding(campaign, message, rule.remedy.replace("{campaign}", campaign), rule.note)


class _Instance(NamedTuple):
    instance_id: int
    benchmark: str
    benchmark_index: int
    seed: int
    state: str
    accepted_attempt: int | None


class _Attempt(NamedTuple):
    instance_id: int
    attempt_number: int
    state: str
    session_number: int
    received_us: int | None
    fom_seconds: float | None
    run_start_us: int | None
    run_stop_us: int | None

    def lacks(self) -> str:
        """Return what an ended attempt should have and lacks."""
        if self.state not in FINAL_STATES:
            return ""
        if self.received_us is None:
            return "the time when its report came"
        if self.state != AttemptState.SUCCEEDED:
            return ""
        if self.fom_seconds is None:
            return "its FOM seconds"
        return "the times of its run" if None in (self.run_start_us, self.run_stop_us) else ""


class _Groups:
    """Rows in the order of instances, whose number is the first value of each."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._groups = groupby(rows, itemgetter(0))
        self._next: tuple[int, Iterator[Row]] | None = next(self._groups, None)

    def at(self, instance: int) -> list[Row]:
        """Return the rows of the next instance, if it has this number."""
        if self._next is None or self._next[0] != instance:
            return []
        found = list(self._next[1])
        self._next = next(self._groups, None)
        return found

    def before(self, instance: float) -> list[Row]:
        """Return the rows of earlier instances that were not asked for, which are not there."""
        found: list[Row] = []
        while self._next is not None and self._next[0] < instance:
            found += self._next[1]
            self._next = next(self._groups, None)
        return found


class _Campaign:
    """One campaign, whose instances, attempts and transitions are read side by side."""

    def __init__(self, moment: Rows, row: CampaignRow, now: int) -> None:
        self._moment = moment
        self._row = row
        self._held = (row.lease_expires_us or 0) >= now
        self._sessions: dict[int, int | None] = dict(self._rows("sessions", ["session_number", "ended_us"]))
        self._found: dict[_Rule, list[tuple[Any, ...]]] = {}

    def broken(self) -> dict[_Rule, list[tuple[Any, ...]]]:
        """Return values of the rows that break each rule."""
        sessions = self._sessions
        if sessions and len(sessions) != max(sessions):
            self._note(_SESSIONS_MISSING, max(sessions), len(sessions))
        for number, ended in sessions.items():
            if ended is None and self._row.lease_owner is None:
                self._note(_NO_END, number)
        self._check_instances()
        self._check_blocks()
        return self._found

    def _rows(self, table: str, columns: Sequence[str], **conditions: Any) -> Iterator[Row]:
        return self._moment.rows(table, columns, self._row.campaign_id, **conditions)

    def _note(self, rule: _Rule, *values: Any) -> None:
        self._found.setdefault(rule, []).append(values)

    def _check_instances(self) -> None:
        kind = EventKind.TRANSITION.value
        columns = ["instance_id", "attempt_number", "from_state", "to_state"]
        # In the order of instances, so that not all of a million attempts are kept.
        order = ["campaign_id", "instance_id", "event_id"]
        known = ["instance_id"]
        moves = _Groups(self._rows("events", columns, kind=kind, known=known, order=order))
        attempts = _Groups(self._rows("attempts", _Attempt._fields))
        named = self._named_elsewhere()
        gone = superseded_ids(self._moment, self._row.campaign_id)
        there, counted, seeds = Counter[str](), Counter[str](), Counter[int]()
        of_sessions: Counter[int] = Counter()
        highest = -1
        lost: list[Row] = []
        lost_moves = list(self._rows("events", columns, kind=kind, instance_id=None))
        for one in map(_Instance._make, self._rows("instances", _Instance._fields)):
            highest = one.instance_id
            lost += attempts.before(highest)
            lost_moves += moves.before(highest)
            tried = list(map(_Attempt._make, attempts.at(highest)))
            there[one.benchmark] += 1
            counted[one.benchmark] += highest not in gone
            seeds[one.seed] += 1
            of_sessions.update([attempt.session_number for attempt in tried])
            self._check_instance(one, tried)
            ends = self._check_moves(moves.at(highest))
            for attempt in tried:
                self._check_attempt(one, attempt, ends)
            named_here = {key for key in ends if key[1] is not None} | named.pop(highest, set())
            for key in named_here - {attempt[:2] for attempt in tried}:
                self._note(_EVENT_OF_NONE, *key)
        lost += attempts.before(math.inf)
        ends = self._check_moves([*lost_moves, *moves.before(math.inf)])
        named_elsewhere = {key for keys in named.values() for key in keys}
        for key in ({key for key in ends if key[1] is not None} | named_elsewhere) - {
            one[:2] for one in lost
        }:
            self._note(_EVENT_OF_NONE, *key)
        of_sessions.update(one[3] for one in lost)
        if there and there.total() != highest + 1:
            self._note(_INSTANCES_MISSING, highest, there.total())
        self._check_sums(there, counted, seeds, of_sessions)

    def _named_elsewhere(self) -> dict[int | None, set[_Key]]:
        """Return, by instance, the attempts that events name which are no transitions."""
        other = Except([EventKind.TRANSITION.value])
        found: dict[int | None, set[_Key]] = {}
        for key in self._rows(
            "events", ["instance_id", "attempt_number"], kind=other, known=["attempt_number"]
        ):
            found.setdefault(key[0], set()).add((key[0], key[1]))
        return found

    def _check_sums(
        self, there: Counter[str], counted: Counter[str], seeds: Counter[int], of_sessions: Counter[int]
    ) -> None:
        for seed, number in seeds.items():
            if number > 1:
                self._note(_SHARED_SEED, seed, number)
        for session, number in of_sessions.items():
            if session not in self._sessions:
                self._note(_ATTEMPTS_OF_NONE, session, number)
        planned: dict[str, int] = dict(self._rows("benchmarks", ["benchmark", "instances"]))
        for benchmark, number in planned.items():
            if number != counted[benchmark]:
                self._note(_PLANNED, benchmark, number, counted[benchmark])
        for benchmark, number in there.items():
            if benchmark not in planned:
                self._note(_NOT_PLANNED, benchmark, number)

    def _check_moves(self, moves: Sequence[Row]) -> dict[_Key, str | None]:
        """Return the last state of each attempt by the transitions of an instance."""
        ends: dict[_Key, str | None] = {}
        for instance, attempt, origin, state in moves:
            key = instance, attempt
            before = ends.get(key)
            if (origin != before and (origin or "") != (before or "")) or before in FINAL_STATES:
                self._note(_EVENT_FROM, *key, _text(origin, "nothing"), _text(before, "nothing"))
            ends[key] = state
        return ends

    def _check_instance(self, one: _Instance, tried: Sequence[_Attempt]) -> None:
        name, accepted = one[1:3], one.accepted_attempt
        states = {attempt.attempt_number: attempt.state for attempt in tried}
        state = states.get(accepted) if accepted is not None else None
        succeeded = [number for number, state in states.items() if state == AttemptState.SUCCEEDED]
        if accepted is not None and state != AttemptState.SUCCEEDED:
            self._note(_NOT_ACCEPTABLE, *name, accepted, "is not there" if state is None else f"is {state}")
        if accepted is None and succeeded:
            self._note(_NONE_ACCEPTED, *name, min(succeeded))
        if (one.state == InstanceState.DONE) != (accepted is not None):
            self._note(_NOT_DONE, *name, one.state, "no" if accepted is None else "an")
        if states and len(states) != max(states):
            self._note(_ATTEMPTS_MISSING, *name, max(states), len(states))
        if one.state not in _INSTANCE_STATES:
            self._note(_INSTANCE_STATE, *name, one.state)
        still = [number for number, state in states.items() if state in OPEN_STATES]
        if one.state == InstanceState.IN_FLIGHT:
            if not still:
                self._note(_NONE_OPEN, *name)
        else:
            for number in still:
                self._note(_STILL_OPEN, *name, one.state, number)
        if len(still) > 1:
            self._note(_SEVERAL_OPEN, *name, len(still))

    def _check_attempt(self, one: _Instance, attempt: _Attempt, ends: Mapping[_Key, str | None]) -> None:
        name, number, state = one[1:3], attempt.attempt_number, attempt.state
        if state not in _ATTEMPT_STATES:
            self._note(_ATTEMPT_STATE, *name, number, state)
        if lacking := attempt.lacks():
            self._note(_LACKS, *name, number, state, lacking)
        end = _text(ends.get(attempt[:2]), "none")
        if end != state:
            self._note(_EVENTS_END, *name, number, state, end)
        has_ended = self._sessions.get(attempt.session_number) is not None
        if state in OPEN_STATES and has_ended and not self._held:
            self._note(_OPEN_AFTER_END, *name, number, attempt.session_number)

    def _check_blocks(self) -> None:
        sessions, lost = self._sessions, Counter[int]()
        columns = ["session_number", "block_id", "job_id", "ended_us"]
        for session, block, job, ended in self._rows("blocks", columns):
            if session not in sessions:
                lost[session] += 1
            elif ended is None and sessions[session] is not None and not self._held:
                # A resume ends the jobs of earlier sessions before it starts any.
                cleaned = self._row.outcome in FINISHED and session < max(sessions)
                self._note(_BLOCK_LEFT if cleaned else _BLOCK_OPEN, session, block, _text(job, "unknown"))
        for session, number in lost.items():
            self._note(_BLOCKS_OF_NONE, session, number)


_INSTANCE_STATES = frozenset(state.value for state in InstanceState)
_ATTEMPT_STATES = frozenset(state.value for state in AttemptState)


def _text(value: str | None, absent: str) -> str:
    return absent if value is None else value
