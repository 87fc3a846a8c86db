"""Tasks that do nothing; a worker imports little to run them."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path

from db.states import AttemptState
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport, TrainingResult
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory

NODE = "here"


def report_at_once(packed: bytes) -> bytes:
    """Return the pickled report of an attempt that did nothing."""
    order: AttemptOrder = pickle.loads(packed)
    now = time.time_ns() // 1000
    report = AttemptReport(
        token=order.token,
        label=order.label,
        state=AttemptState.SUCCEEDED,
        at_us=now,
        node=NODE,
        pool="pool",
        slot_index=0,
        process_start_us=now,
        process_stop_us=now,
        run_start_us=now,
        run_stop_us=now,
        result=TrainingResult(fom_seconds=1e-6, accuracy=1.0),
    )
    return pickle.dumps(report)


def journal_at_once(packed: bytes) -> bytes:
    """Return the pickled report of an attempt that did nothing, once it stands in the worker's journal."""
    order: AttemptOrder = pickle.loads(packed)
    answer = report_at_once(packed)
    file = RunDirectory(Path(order.directory)).journal(order.session, NODE, str(os.getpid()))
    file.parent.mkdir(parents=True, exist_ok=True)
    journal.append(file, pickle.loads(answer))
    return answer


def nothing(number: int) -> int:
    """Return a number: the task of bare Parsl."""
    return number
