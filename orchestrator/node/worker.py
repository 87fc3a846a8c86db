"""What the engine runs on a worker: one attempt on the worker's own slot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from orchestrator.node.admission import refusal
from orchestrator.protocol.block_environment import block_window, node_name, own_nodes, own_temporary_files
from orchestrator.protocol.order import unpack_slots
from orchestrator.protocol.time_budget import seconds_left

_worked = False  # whether this worker process has run an attempt


def run_attempt(order: dict[str, Any]) -> dict[str, Any]:
    """Run one attempt and return its final report; never raises.

    Parameters
    ----------
    order
        What to run and how: token, label, workload, parameters, seed, data, limits, slots,
        directory, session and log policy; all JSON-ready.
    """
    rank = int(os.environ.get("PARSL_WORKER_RANK", "0"))
    block = os.environ.get("PARSL_WORKER_BLOCK_ID", "0")
    directory = Path(order["directory"])
    window = block_window()
    global _worked
    first, _worked = not _worked, True
    if (why := refusal(order, window, time.time(), first=first)) is not None:
        _worked = not first
        left = {} if window is None else {"left_seconds": seconds_left(order, window, time.time())}
        return _report(order, "cancelled", "neutral", *why) | left
    from orchestrator.host.processes import SLOT_MARK, carrying, end
    from orchestrator.node.exit_classification import signal_name
    from orchestrator.rundir import journal  # here, so that this module stays light to unpickle

    mark = f"{order['campaign']}:{order['executor']}:{node_name()}:{rank}"
    name = f"{order['executor']}-{block}-{node_name()}-{rank}-{os.getpid()}"
    file = journal.journal_file(directory, order["session"], node_name(), name)
    completed = order | {
        "worker_pid": os.getpid(),
        "slot": rank,
        "places": unpack_slots(order["slots"])[rank if order["nodes"] == 1 else 0],
        "hosts": own_nodes(rank, order["nodes"]),
        "block": block,
        "pool": os.environ.get("PARSL_WORKER_POOL_ID"),
        "window": window,
        "first": first,
        "journal": str(file),
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        process = subprocess.Popen(
            [sys.executable, "-m", "orchestrator.node.supervisor"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=order["working_directory"],
            env=own_temporary_files(os.environ) | {SLOT_MARK: mark},
            start_new_session=True,
        )
        told = _talk(process, json.dumps(completed).encode(), order["longest_seconds"])
        if told is not None and told.endswith(b"\n"):  # or it died in the middle of its report
            return dict(json.loads(told))
        end(carrying(SLOT_MARK, mark), order["grace_seconds"])
        if (report := journal.final_report(file, order["token"])) is not None:
            return report  # it died between the journal and us
        if told is None:
            why = "supervisor hung", f"its supervisor was silent for {order['longest_seconds']:.0f} s"
        else:
            code = process.returncode
            ended = signal_name(-code) if code < 0 else f"exit code {code}"
            why = "supervisor died", f"its supervisor died: {ended}"
        report = _report(order, "lost", "infrastructure", *why)
        journal.append(file, report)
    except Exception as error:  # noqa: BLE001  nothing may cross to the driver but a report
        return _report(order, "lost", "infrastructure", "worker failed", f"{type(error).__name__}: {error}")
    return report


def _talk(process: subprocess.Popen[bytes], order: bytes, seconds: float) -> bytes | None:
    """Hand a supervisor its order and return what it said; None if it hangs, and is not waited for then."""
    try:
        return process.communicate(order, timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return None


def _report(order: dict[str, Any], state: str, category: str, reason: str, message: str) -> dict[str, Any]:
    return {
        "token": order["token"],
        "label": order["label"],
        "state": state,
        "at_us": time.time_ns() // 1000,
        "category": category,
        "reason": reason,
        "message": message,
        "node": node_name(),
        "block": os.environ.get("PARSL_WORKER_BLOCK_ID", "0"),
        "pool": os.environ.get("PARSL_WORKER_POOL_ID"),
    }
