"""The function that the engine runs on a worker: one attempt on the worker's slot."""

from __future__ import annotations

import json
import logging
import os
import pickle
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec.structs

from orchestrator.node.worker.admission import reject_reason
from orchestrator.node.worker.fresh_supervisor import FreshSupervisor
from orchestrator.node.worker.patience import FailedStarts, Patience
from orchestrator.protocol.block_environment import BlockEnvironment, node_name, restored_tmpdir
from orchestrator.protocol.order import AttemptOrder, SlotOrder, unpack_slots
from orchestrator.protocol.time_budget import seconds_left
from orchestrator.rundir.signal_files import EXCLUDED, excluded_of, stop_requested

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.states import AttemptState
    from orchestrator.node.warm.fork_client import ForkClient
    from orchestrator.node.warm.kept_supervisor import KeptSupervisor
    from orchestrator.protocol.report import AttemptReport, Category

_log = logging.getLogger(__name__)
_HUNG_GRACE_SECONDS = 5.0
_REFUSED = b'{"refused"'  # by a kept supervisor that takes no further order
_worked = False  # whether this process has started an attempt
_starts = FailedStarts()
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
    _starts.pause(lambda: stop_requested(order))
    report = _run_attempt(order)
    _starts.note(report)
    return report


def _run_attempt(order: AttemptOrder) -> AttemptReport:
    from db.states import AttemptState  # imported here, so that unpickling this function loads little
    from orchestrator.host.processes import SLOT_MARK, terminate, with_mark
    from orchestrator.node.ranks.node_description import describe_once
    from orchestrator.protocol.codec import to_json
    from orchestrator.protocol.report import AttemptReport
    from orchestrator.rundir import journal
    from orchestrator.rundir.layout import RunDirectory, journal_name

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
    mark = f"{order.campaign}:{order.slot_shape}:{node_name()}:{block.worker}"
    name = f"{journal_name(order.slot_shape, block.block)}{node_name()}-{block.worker}-{os.getpid()}"
    file = RunDirectory(Path(order.directory)).journal(order.session, node_name(), name)
    try:
        if first:
            describe_once(order, restored_tmpdir(os.environ))
        slot = _slot_order(order, block, first=first, journal=file)
        file.parent.mkdir(parents=True, exist_ok=True)
        environment = restored_tmpdir(os.environ) | {SLOT_MARK: mark}
        slot, supervisor = _start(slot, environment)
        patience = Patience(order, file)
        answer = supervisor.exchange(json.dumps(to_json(slot)).encode(), patience)
        died = supervisor is _kept and answer == b"" and journal.process_start_us(file, order.token) is None
        if died or (answer is not None and answer.startswith(_REFUSED)):  # before it had begun the attempt
            close_kept()
            slot, supervisor = _start(slot, environment)
            answer = supervisor.exchange(json.dumps(to_json(slot)).encode(), patience)
        if answer is not None and answer.endswith(b"\n"):  # else it died while it wrote its report
            return AttemptReport.from_json(json.loads(answer))
        close_kept()
        # One that stands still takes no SIGTERM, and its attempt's grace period is over.
        grace = order.grace_seconds if answer is not None else min(order.grace_seconds, _HUNG_GRACE_SECONDS)
        terminate(with_mark(SLOT_MARK, mark), grace)
        if (report := journal.final_report(file, order.token)) is not None:
            return report  # the supervisor died after it wrote its journal
        if answer is None:
            timeout = f"with a timeout of {order.timeout_seconds:g} s"
            why = "supervisor hung", f"its supervisor sent no report in {patience.waited:.0f} s, {timeout}"
        else:
            why = _death(supervisor.exit_code(), supervisor.last_words)
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


def _start(
    slot: SlotOrder, environment: Mapping[str, str]
) -> tuple[SlotOrder, FreshSupervisor | KeptSupervisor]:
    """Start a supervisor, or take the one that is kept.

    Its order says why the training is a new process where the campaign asks for another one.
    """
    global _forks, _kept
    from orchestrator.node.warm.fork_client import ForkClient, ForkError, must_be_fresh

    if slot.is_warm:
        slot = replace(slot, fresh_because=must_be_fresh(slot))
    _forks = _forks or ForkClient()
    if _kept is not None and _kept.takes(slot, environment):
        return slot, _kept
    close_kept()
    try:
        _kept = _forks.fork(slot, environment)
    except ForkError as error:
        if slot.is_warm:
            return _start(replace(slot, fresh_because=str(error)), environment)
        _log.info("a supervisor starts in an interpreter of its own: %s", error)
        return slot, FreshSupervisor(slot.order.working_directory, environment)
    return slot, _kept


def close_kept() -> None:
    """Let the supervisor that is kept for further attempts end, if there is one."""
    global _kept
    if _kept is not None:
        _kept.close()
        _kept = None


def _death(code: int | None, words: str) -> tuple[str, str]:
    """Return reason and message of an attempt whose supervisor ended without a report."""
    from orchestrator.protocol.report import SUPERVISOR_FAILED
    from workloads.runtime.host_facts import signal_name

    if code is None:
        return "supervisor died", "its supervisor died: its fork server, which knew how, has died, too"
    wrote = f"; it wrote: {words}" if words else ""
    if code < 0:
        return "supervisor died", f"its supervisor died: {signal_name(-code)}{wrote}"
    return SUPERVISOR_FAILED, f"its supervisor died: exit code {code}{wrote}"


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
        failure_category=category,
        failure_reason=reason,
        failure_message=message,
        node=node_name(),
        block_id=block.block,
        pool=block.pool,
        left_seconds=left_seconds,
    )
