"""The signals that end a supervisor, and the death of its worker among them."""

from __future__ import annotations

import signal
from collections.abc import Callable

from orchestrator.node.ranks.monitor import SignalWakeups

WORKER_DIED = signal.SIGUSR1
"""Signal that the kernel sends a supervisor when its worker dies."""
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, WORKER_DIED)


def without_false_death(wakeups: SignalWakeups, worker_lives: Callable[[], bool]) -> set[int]:
    """Return the signals by which a supervisor was asked to end, without `WORKER_DIED` of a living worker.

    The kernel sends that signal for data of the worker, too. Where the order was read before it was sent, it
    comes while the worker lives, and is forgotten here.
    """
    if WORKER_DIED in wakeups.received and worker_lives():
        wakeups.received.discard(WORKER_DIED)
    return wakeups.received
