"""Nodes on which attempts only fail: found, and given no more work."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass

from db.events import EventKind
from db.states import AttemptState, InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.event_log import EventLog
from orchestrator.engines.base import WorkerPools
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.signal_files import EXCLUDED

FAILURES_OF_A_NODE = 4
"""Failures of the machine in a row after which a node is excluded."""


@dataclass(frozen=True, slots=True)
class FailingNode:
    """A node on which attempts only fail."""

    name: str
    pool: str
    failures: int
    message: str

    def __str__(self) -> str:
        return f"node {self.name} is excluded after {self.failures} failures in a row: {self.message}"


class NodeHealth(DriverObserver):
    """Counts failures of the machine by node; a success clears a node.

    Parameters
    ----------
    local_pools
        Pools of the site that are the driver's own machine, which no other node replaces: it is not excluded.
    """

    def __init__(self, events: EventLog, local_pools: Collection[str] = ()) -> None:
        self._events = events
        self._local_pools = frozenset(local_pools)
        self._failures: dict[str, int] = {}
        self._failing: dict[str, FailingNode] = {}
        self._excluded_pools: set[str] = set()
        self._listed: dict[str, tuple[str, ...]] = {}
        self._handed_out: dict[str, int] = {}

    def attempt_ended(
        self,
        attempt: InFlightAttempt,
        report: AttemptReport,
        instance: InstanceState,  # noqa: ARG002
    ) -> None:
        """Count how an attempt ended on its node."""
        if attempt.queue.pool in self._local_pools:
            return
        pool = report.pool or ""
        node = report.node or pool
        if report.failure_reason == EXCLUDED and pool and pool not in self._excluded_pools:
            self._excluded_pools.add(pool)
            self._listed[pool] = report.nodes or (node,)
            for name in self._listed[pool]:
                self._handed_out[name] = self._handed_out.get(name, 0) + 1
        elif report.state is AttemptState.SUCCEEDED:
            self._failures.pop(node, None)
        elif pool and report.failure_category == "infrastructure":
            # By node: another block may get the same one, and then its first failure is enough.
            failures = self._failures[node] = self._failures.get(node, 0) + 1
            if failures >= FAILURES_OF_A_NODE and pool not in self._excluded_pools:
                self._failing[pool] = FailingNode(node, pool, failures, report.failure_message or "")

    def newly_failing(self) -> list[FailingNode]:
        """Return nodes on which attempts only fail, each of their worker pools once."""
        found, self._failing = list(self._failing.values()), {}
        self._excluded_pools.update(one.pool for one in found)
        return found

    def tick(self, engine: WorkerPools) -> None:
        """Exclude the nodes that were found failing, or on the exclude list, since the last call."""
        for pool, names in self._listed.items():
            for name in names:
                times = self._handed_out[name]
                message = (
                    f"node {name} is on the campaign's exclude list, and a block has it ({times} "
                    f"time{'s'[: times != 1]}); it gets no work, and is paid for until its block ends"
                )
                self._events.record(EventKind.NODE_EXCLUDED, message, subject=name, level=logging.WARNING)
            engine.drain_pool(pool)
        self._listed = {}
        for node in self.newly_failing():
            self._events.record(EventKind.NODE_EXCLUDED, str(node), subject=node.name, level=logging.WARNING)
            engine.exclude_node(node.pool, node.name)
