"""What users ask of instances while the driver runs: it changes queues and counts as the ledger changed."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from db.requests import Action, AppliedRequest
from db.states import InstanceState
from orchestrator.driver.ledger_writer import LedgerWriter
from orchestrator.driver.pending_queue import PendingQueue
from orchestrator.driver.progress import Snapshot

_log = logging.getLogger(__name__)


class RequestedChanges:
    """Applies requests to a running campaign.

    Parameters
    ----------
    queues
        Those of all stages.
    paused
        Benchmarks of which none starts; changed in place.
    cancelled
        Instances in flight that are not tried again; changed in place.
    """

    def __init__(
        self,
        writer: LedgerWriter,
        snapshot: Snapshot,
        queues: Sequence[PendingQueue],
        paused: set[str],
        cancelled: set[int],
    ) -> None:
        self._writer = writer
        self._snapshot = snapshot
        self._queues = queues
        self._paused = paused
        self._cancelled = cancelled

    def take(self) -> None:
        """Apply what was asked since the last call."""
        found, again = self._writer.requests()
        for one in found:
            _log.info("%s", one.message)
            self._apply(one)
        waiting = {one.instance_id for one in again}
        for queue in self._queues:
            queue.remove(waiting)
            queue.add(again)

    def _apply(self, one: AppliedRequest) -> None:
        if one.action is Action.PAUSE:
            self._paused.add(one.benchmark)
        elif one.action is Action.UNPAUSE:
            self._paused.discard(one.benchmark)
        elif one.action is Action.CANCEL:
            self._cancelled |= one.in_flight
            self._snapshot.total -= len(one.changed)
            for queue in self._queues:
                queue.remove(one.changed)
        else:
            self._cancelled -= one.asked
            self._snapshot.total += one.before.get(InstanceState.CANCELLED, 0)
        self._snapshot.exhausted -= one.before.get(InstanceState.EXHAUSTED, 0)
