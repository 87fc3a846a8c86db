"""Follows users' requests while the driver runs: changes queues and counts as the ledger changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from db.states import Action, InstanceState
from db.writing.requests import AppliedRequest
from orchestrator.driver.lane import Lane
from orchestrator.driver.observers.answers import AnswerWatch
from orchestrator.driver.observers.nodes import NodeWatch
from orchestrator.driver.observers.suggestions import SuggestionWatch
from orchestrator.driver.observers.trials import TrialWatch
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.queue.pending import pool_entry
from orchestrator.driver.queue.resource_levels import ResourceLevels
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel, write_exclude_list

_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class RequestedChanges:
    """Applies requests to a running campaign.

    Parameters
    ----------
    paused
        Benchmarks of which none starts, and entries of paused pools; changed in place.
    levels
        The queues, and in which of them an instance waits.
    cancelled
        Instances in flight that are not tried again; changed in place.
    in_flight
        Attempts in flight, by token.
    directory
        Where nodes see which attempts are to end.
    withdraw
        Takes back what waits for a slot of a pool.
    change_pool
        Goes on with the settings that a text of the site gives a pool.
    follow_pools
        Goes on with the pools that the campaign has now; False while that has to be asked again.
    lanes
        Ask for further blocks, without the nodes that users exclude.
    """

    writer: LedgerWriter
    snapshot: Snapshot
    paused: set[str]
    levels: ResourceLevels
    cancelled: set[int]
    in_flight: Mapping[str, InFlightAttempt]
    directory: RunDirectory
    session: int
    withdraw: Callable[[str], None]
    change_pool: Callable[[str, str], None]
    follow_pools: Callable[[], bool]
    lanes: Sequence[Lane]
    watches: Sequence[AnswerWatch | NodeWatch | TrialWatch | SuggestionWatch] = ()
    _ending: set[str] = field(default_factory=set, init=False)
    _other_pools: bool = field(default=False, init=False)
    _unlisted: tuple[str, ...] | None = field(default=None, init=False)
    _problems: set[str] = field(default_factory=set, init=False)

    def take(self) -> None:
        """Apply what was asked since the last call."""
        found, again = self.writer.requests()
        for one in found:
            _log.info("%s", one.message)
            self._apply(one)
        self.levels.add(again)
        for watch in self.watches:
            watch.planned_again(again)
        if self._other_pools:
            self._other_pools = not self.follow_pools()
        self._end_attempts()
        self._list_excluded()

    def _apply(self, one: AppliedRequest) -> None:
        if one.action in (Action.CHANGE, Action.ADD, Action.REMOVE):
            if one.site_text:
                self._change_site(one)
        elif one.action in (Action.EXCLUDE, Action.INCLUDE):
            self._leave_out(one.nodes)
        elif one.pool:
            entry = pool_entry(one.pool)
            if one.action is Action.PAUSE:
                self.paused.add(entry)
                self.withdraw(one.pool)
            else:
                self.paused.discard(entry)
        elif one.action is Action.PAUSE:
            self.paused.add(one.benchmark)
        elif one.action is Action.UNPAUSE:
            self.paused.discard(one.benchmark)
        elif one.action is Action.CANCEL:
            self.cancelled |= one.in_flight
            if one.ends_running:
                self._ending |= {
                    token
                    for token, attempt in self.in_flight.items()
                    if attempt.pending.instance_id in one.in_flight
                }
            self.snapshot.total -= len(one.changed)
            removed = [pending for queue in self.levels.queues for pending in queue.remove(one.changed)]
            for watch in self.watches:
                watch.cancelled(removed)
        else:
            self.cancelled -= one.asked
            self.snapshot.total += one.before.get(InstanceState.CANCELLED, 0)
        self.snapshot.exhausted -= one.before.get(InstanceState.EXHAUSTED, 0)

    def _change_site(self, one: AppliedRequest) -> None:
        """Go on with a pool's other settings, or with other pools; what ends on a removed pool runs again."""
        if one.action is Action.CHANGE:
            self.change_pool(one.pool, one.site_text)
            return
        self._other_pools = True
        self.paused.discard(pool_entry(one.pool))
        if one.ends_running:
            attempts = self.in_flight.items()
            self._ending |= {token for token, it in attempts if it.running and it.queue.pool == one.pool}

    def _leave_out(self, nodes: tuple[str, ...]) -> None:
        """Ask for no further blocks with these nodes, and start nothing more on them."""
        for lane in self.lanes:
            lane.leave_out(nodes)
        self._unlisted = nodes

    def _list_excluded(self) -> None:
        """List the excluded nodes where workers look; where that fails, again at the next call."""
        if self._unlisted is None:
            return
        try:
            write_exclude_list(self.directory, self.session, self._unlisted)
        except OSError as error:
            file = self.directory.excluded_nodes(self.session)
            self._warn(f"{file}: {error.strerror}; excluded nodes still get work")
        else:
            self._unlisted = None
            self._problems.clear()

    def _end_attempts(self) -> None:
        """Let the supervisors of cancelled attempts end them; where that fails, again at the next call."""
        self._ending &= self.in_flight.keys()
        if not self._ending:
            return
        try:
            request_cancel(self.directory, self._ending)
        except OSError as error:
            self._warn(f"{self.directory.cancel_files}: {error.strerror}; cancelled attempts still go on")
        else:
            self._ending.clear()
            self._problems.clear()

    def _warn(self, problem: str) -> None:
        """Log a problem that comes again at each call once."""
        if problem not in self._problems:
            _log.warning("%s", problem)
        self._problems.add(problem)
