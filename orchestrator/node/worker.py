"""The function that the engine runs on a worker: one attempt on the worker's slot."""

from __future__ import annotations

import json
import logging
import os
import pickle
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec.structs

from orchestrator.node.admission import reject_reason
from orchestrator.protocol.block_environment import BlockEnvironment, node_name, restored_tmpdir
from orchestrator.protocol.order import AttemptOrder, SlotOrder, unpack_slots
from orchestrator.protocol.time_budget import seconds_left
from orchestrator.rundir.signal_files import EXCLUDED, excluded_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.states import AttemptState
    from orchestrator.node.fork_client import ForkClient
    from orchestrator.node.kept_supervisor import KeptSupervisor
    from orchestrator.protocol.report import AttemptReport, Category

_log = logging.getLogger(__name__)
_worked = False  # whether this process has started an attempt
_forks: ForkClient | None = None  # its connections to fork servers
_kept: KeptSupervisor | None = None  # which waits for its next attempt


def run_packed(order: bytes) -> bytes:
    """Run the attempt of a pickled order and return its pickled report.

    Parsl reads results in a thread that one which cannot be read would end. As bytes, such a report is an
    error of its order alone.
    """
    return pickle.dumps(run_attempt(pickle.loads(order)))  # noqa: S301  from our own driver


def run_attempt(order: AttemptOrder) -> AttemptReport:
    """Run one attempt and return its final report; never raises."""
    from db.states import AttemptState  # imported here, so that unpickling this function loads little
    from orchestrator.host.processes import SLOT_MARK, terminate, with_mark
    from orchestrator.node.node_description import describe_once
    from orchestrator.protocol.codec import to_json
    from orchestrator.protocol.report import AttemptReport
    from orchestrator.rundir import journal
    from orchestrator.rundir.layout import RunDirectory

    block = BlockEnvironment.from_variables(os.environ)
    global _worked
    first, _worked = not _worked, True
    nodes = (node_name(), *(block.nodes_of_worker(order.nodes) if order.nodes > 1 else ()))
    if (why := reject_reason(order, block.window, time.time(), first=first, nodes=nodes)) is not None:
        _worked = not first
        left = block.window and seconds_left(block.window, time.time(), order.grace_seconds)
        listed = excluded_of(order, nodes) if why[0] == EXCLUDED else ()
        refused = _report(order, block, AttemptState.CANCELLED, "neutral", *why, left_seconds=left)
        return msgspec.structs.replace(refused, nodes=listed)
    mark = f"{order.campaign}:{order.executor}:{node_name()}:{block.worker}"
    name = f"{order.executor}-{block.block}-{node_name()}-{block.worker}-{os.getpid()}"
    file = RunDirectory(Path(order.directory)).journal(order.session, node_name(), name)
    try:
        if first:
            describe_once(order, restored_tmpdir(os.environ))
        slot = _slot_order(order, block, first=first, journal=file)
        file.parent.mkdir(parents=True, exist_ok=True)
        slot, supervisor = _start(slot, restored_tmpdir(os.environ) | {SLOT_MARK: mark})
        answer = supervisor.exchange(json.dumps(to_json(slot)).encode(), order.longest_seconds)
        if answer is not None and answer.endswith(b"\n"):  # else it died while it wrote its report
            return AttemptReport.from_json(json.loads(answer))
        close_kept()
        terminate(with_mark(SLOT_MARK, mark), order.grace_seconds)
        if (report := journal.final_report(file, order.token)) is not None:
            return report  # the supervisor died after it wrote its journal
        if answer is None:
            why = "supervisor hung", f"its supervisor sent no report within {order.longest_seconds:.0f} s"
        else:
            why = "supervisor died", f"its supervisor died: {_ending(supervisor.exit_code())}"
        report = _report(order, block, AttemptState.LOST, "infrastructure", *why)
        journal.append(file, report)
    except Exception as error:  # noqa: BLE001  the engine must get a report, never an exception
        _log.debug("the worker failed", exc_info=True)
        message = f"{type(error).__name__}: {error}"
        return _report(order, block, AttemptState.LOST, "infrastructure", "worker failed", message)
    return report


def _slot_order(order: AttemptOrder, block: BlockEnvironment, *, first: bool, journal: Path) -> SlotOrder:
    return SlotOrder(
        order=order,
        worker_pid=os.getpid(),
        slot=block.worker,
        places=unpack_slots(order.slots)[block.worker if order.nodes == 1 else 0],
        hosts=block.nodes_of_worker(order.nodes),
        block=block.block,
        pool=block.pool,
        window=block.window,
        first=first,
        journal=str(journal),
    )


class _Supervisor:
    """A supervisor in an interpreter of its own."""

    def __init__(self, directory: str, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "orchestrator.node.supervisor"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=directory,
            env=environment,
            start_new_session=True,
        )

    def exchange(self, order: bytes, seconds: float) -> bytes | None:
        """Return its answer to its order; None if none comes in time, and the process still runs."""
        return _exchange(self._process, order, seconds)

    def exit_code(self) -> int:
        """Return how it ended."""
        return self._process.returncode


def _start(slot: SlotOrder, environment: Mapping[str, str]) -> tuple[SlotOrder, _Supervisor | KeptSupervisor]:
    """Start a supervisor, or take the one that is kept.

    Its order says why it is a new process where the campaign asks for another one.
    """
    global _forks, _kept
    if slot.order.processes == "fresh":
        close_kept()
        return slot, _Supervisor(slot.order.working_directory, environment)
    from orchestrator.node.fork_client import ForkClient, ForkError  # which few campaigns need
    from orchestrator.node.kept_supervisor import KeptSupervisor, must_be_new

    _forks = _forks or ForkClient()
    if slot.order.processes == "reused" and (why := must_be_new(slot)) is not None:
        slot = replace(slot, order=msgspec.structs.replace(slot.order, processes="warm"), fresh_because=why)
    if _kept is not None and _kept.takes(slot, environment):
        return slot, _kept
    close_kept()
    try:
        _kept = KeptSupervisor(_forks, slot, environment)
    except ForkError as error:
        slot = replace(slot, fresh_because=slot.fresh_because or str(error))
        return slot, _Supervisor(slot.order.working_directory, environment)
    return slot, _kept


def close_kept() -> None:
    """Let the supervisor that is kept for further attempts end, if there is one."""
    global _kept
    if _kept is not None:
        _kept.close()
        _kept = None


def _exchange(process: subprocess.Popen[bytes], order: bytes, seconds: float) -> bytes | None:
    """Return a supervisor's answer to its order; None if none comes in time, and the process still runs."""
    try:
        return process.communicate(order, timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return None


def _ending(code: int | None) -> str:
    from workloads.runtime.host_facts import signal_name

    if code is None:
        return "its fork server, which knew how, has died, too"
    return signal_name(-code) if code < 0 else f"exit code {code}"


def _report(
    order: AttemptOrder,
    block: BlockEnvironment,
    state: AttemptState,
    category: Category,
    reason: str,
    message: str,
    left_seconds: float | None = None,
) -> AttemptReport:
    from orchestrator.protocol.report import AttemptReport

    return AttemptReport(
        token=order.token,
        label=order.label,
        state=state,
        at_us=time.time_ns() // 1000,
        category=category,
        reason=reason,
        message=message,
        node=node_name(),
        block=block.block,
        pool=block.pool,
        left_seconds=left_seconds,
    )
