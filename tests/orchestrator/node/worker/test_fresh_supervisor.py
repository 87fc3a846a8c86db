"""How a worker exchanges an order for an answer with a supervisor, and for how long it waits."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from orchestrator.node.worker.fresh_supervisor import FreshSupervisor
from orchestrator.node.worker.patience import Patience
from orchestrator.protocol.time_budget import longest_after_start, supervisor_timeout
from orchestrator.rundir import journal
from tests.messages import order, report


def supervisor(*command: str) -> FreshSupervisor:
    return FreshSupervisor("/", os.environ, command)


def test_one_that_says_nothing_is_not_waited_for_for_ever() -> None:
    found = supervisor("sleep", "3600")
    left = iter([0.1, 0.1, 0.0])
    try:
        assert found.exchange(b"{}", lambda: next(left)) is None
    finally:
        found._process.kill()
        found._process.communicate()


def test_what_it_says_is_taken_to_the_end() -> None:
    assert supervisor("cat").exchange(b"order\n", lambda: 60.0) == b"order\n"


def test_what_it_wrote_before_its_death_is_kept() -> None:
    found = supervisor(sys.executable, "-c", "import no_such_module")
    assert found.exchange(b"{}", lambda: 60.0) == b""
    assert found.exit_code() == 1
    assert found.last_words.endswith("ModuleNotFoundError: No module named 'no_such_module'")


def test_it_has_its_timeout_and_grace_from_the_start_of_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("time.time_ns", lambda: int(now * 1e9))
    longest = supervisor_timeout(15.0, 0.0, 2.0)
    file = tmp_path / "w.journal"
    late, early = (
        Patience(order(token=token, longest_seconds=longest, grace_seconds=2.0), file)
        for token in ("late", "early")
    )
    bound = longest_after_start(longest, 2.0)
    assert 15.0 + 2.0 < bound < 60.0
    assert early() == bound
    journal.append(file, report(token="early", state="running", process_start_us=1_004_000_000))
    now += bound
    assert early() == pytest.approx(4.0)
    assert late() == pytest.approx(longest - bound)  # which has started no process yet
    now += 5.0
    assert early() < 0


@pytest.mark.slow
def test_one_that_is_stopped_takes_no_answer(tmp_path: Path) -> None:
    found = supervisor("cat")
    os.kill(found._process.pid, signal.SIGSTOP)
    left = iter([0.2, 0.0])
    try:
        assert found.exchange(b"{}", lambda: next(left)) is None
    finally:
        found._process.kill()
        found._process.communicate()
