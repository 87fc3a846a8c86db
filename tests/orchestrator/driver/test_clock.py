"""A wait for reports ends in time, whatever signals come."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from orchestrator.driver.clock import WallClock


@pytest.fixture
def late_signal() -> Iterator[None]:
    """Send a signal before the deadline of a wait whose handler returns after it; end a wait that hangs."""

    def handle(*_: object) -> None:
        signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, 20)
        time.sleep(0.3)

    def give_up(*_: object) -> None:
        raise TimeoutError("the wait had no end")

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("late_signal")
def test_a_wait_ends_though_a_signal_handler_returns_after_its_deadline() -> None:
    mailbox: queue.Queue[int] = queue.Queue()
    assert WallClock().take(mailbox, 0.2) == []


def test_all_that_is_there_is_taken() -> None:
    mailbox: queue.Queue[int] = queue.Queue()
    for number in range(3):
        mailbox.put(number)
    assert WallClock().take(mailbox, 0.2) == [0, 1, 2]


def test_the_queue_that_a_signal_can_stop_for_ever_is_refused() -> None:
    code = "import queue\n\nqueue.SimpleQueue[int]().get(timeout=1)\n"
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--stdin-filename",
        "orchestrator/x.py",
        "-",
    ]
    found = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "TID251" in found.stdout
