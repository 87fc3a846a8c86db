"""What the engine runs on a worker: one attempt on the worker's own slot."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_worked = False  # whether this worker process has run an attempt
_TMPDIR_VARIABLE = "ORCHESTRATOR_TMPDIR"
SHORT_TMPDIR = (
    f'[ "$(printf %s "$TMPDIR" | wc -c)" -lt 60 ] || export {_TMPDIR_VARIABLE}="$TMPDIR" TMPDIR=/tmp;'
)
"""Shell command before a worker pool: it makes a socket in $TMPDIR, whose path may have 108 bytes."""
STARTED_VARIABLE = "ORCHESTRATOR_BLOCK_STARTED"
ENDS_VARIABLE = "ORCHESTRATOR_BLOCK_ENDS"
NODES_VARIABLE = "ORCHESTRATOR_BLOCK_NODES"
_SPARE_SECONDS = 180.0
BLOCK_END_SECONDS = 5.0  # between the last process of an attempt and the end of its block


def stopping(order: Mapping[str, Any]) -> bool:
    """Tell whether an attempt's session keeps its attempts from starting; no if a file system stumbles."""
    try:
        return stop_file(Path(order["directory"]), order["session"]).exists()
    except OSError:
        return False


def stop_file(directory: Path, session: int) -> Path:
    """Return the file that keeps a session's attempts from starting while it exists."""
    return directory / f"stop-{session}"


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
    from orchestrator import journal  # here, so that this module stays light to unpickle
    from orchestrator.outcome import signal_name
    from orchestrator.processes import SLOT_MARK, carrying, end

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
            [sys.executable, "-m", "orchestrator.supervisor"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=order["working_directory"],
            env=_own_temporary_files(os.environ) | {SLOT_MARK: mark},
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


def _own_temporary_files(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with the ``TMPDIR`` that the engine could not use."""
    own = dict(environment)
    if _TMPDIR_VARIABLE in own:
        own["TMPDIR"] = own.pop(_TMPDIR_VARIABLE)
    return own


def _talk(process: subprocess.Popen[bytes], order: bytes, seconds: float) -> bytes | None:
    """Hand a supervisor its order and return what it said; None if it hangs, and is not waited for then."""
    try:
        return process.communicate(order, timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return None


def longest_seconds(timeout: float, gate: float, grace: float) -> float:
    """Return after how long a supervisor that says nothing hangs: it ends its attempt long before."""
    return timeout + gate + 2 * grace + _SPARE_SECONDS


def pack_slots(slots: Sequence[object]) -> str:
    """Return the slots of a node, JSON-ready, as short text."""
    return base64.b85encode(zlib.compress(json.dumps(slots, separators=(",", ":")).encode())).decode()


def unpack_slots(text: str) -> list[Any]:
    """Return what `pack_slots` was given."""
    return list(json.loads(zlib.decompress(base64.b85decode(text))))


def refusal(
    order: Mapping[str, Any], window: tuple[float, float] | None, now: float, *, first: bool = False
) -> tuple[str, str] | None:
    """Return reason and message why an attempt must not start, or None.

    Parameters
    ----------
    window, now
        When its block began and ends, if it ends, and the time; seconds since the epoch.
    first
        It would be the first of its worker. Then it starts: no other block has more time for it.
    """
    if stopping(order):
        return "not started", "the campaign was stopping"
    needed = order["expected_seconds"]
    if window is None or not needed or first:
        return None
    left = seconds_left(order, window, now)
    if left >= needed:
        return None
    return "walltime", f"not started: {max(left, 0):.0f} s of its block are left, {needed:.0f} s needed"


def seconds_left(order: Mapping[str, Any], window: tuple[float, float], now: float) -> float:
    """Return how long an attempt may run before it must be ended for its block's end."""
    return float(window[1] - now - order["grace_seconds"] - BLOCK_END_SECONDS)


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


def node_name() -> str:
    """Return this node's name, by which the batch system knows it where that tells."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def own_nodes(rank: int, nodes: int) -> list[str]:
    """Return the nodes of the block that belong to a worker whose instances span several."""
    return os.environ.get(NODES_VARIABLE, "").split()[rank * nodes : (rank + 1) * nodes]


def block_window() -> tuple[float, float] | None:
    """Return when this process's block began and ends, in seconds since the epoch; None without an end."""
    try:
        return float(os.environ[STARTED_VARIABLE]), float(os.environ[ENDS_VARIABLE])
    except (KeyError, ValueError):
        return None
