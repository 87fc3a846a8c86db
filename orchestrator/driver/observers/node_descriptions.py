"""Carry the descriptions of nodes from the run directory to the ledger."""

from __future__ import annotations

import functools
import json
import logging

from db.states import InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory

_log = logging.getLogger(__name__)


class NodeDescriptions(DriverObserver):
    """Records each node's description when its first attempt of the session has ended.

    Parameters
    ----------
    directory, session
        Where nodes write their descriptions.
    """

    def __init__(self, directory: RunDirectory, session: int, writer: LedgerWriter) -> None:
        self._file = functools.cache(lambda node: str(directory.node_description(session, node)))
        self._writer = writer
        self._known: set[str] = set()

    def attempt_ended(
        self,
        attempt: InFlightAttempt,  # noqa: ARG002
        report: AttemptReport,
        instance: InstanceState,  # noqa: ARG002
    ) -> None:
        """Record the description of the attempt's nodes, if it is new."""
        if not report.nodes and report.node in self._known:
            return
        for node in {name for name in (report.node, *report.nodes) if name} - self._known:
            try:
                with open(self._file(node), "rb", 0) as stream:  # noqa: PTH123  a path takes thrice as long
                    facts = json.loads(stream.read())
            except (OSError, ValueError) as error:  # not written yet: the node's next attempt asks again
                _log.debug("no description of node %s: %s", node, error)
                continue
            self._known.add(node)
            self._writer.describe_node(node, facts)
