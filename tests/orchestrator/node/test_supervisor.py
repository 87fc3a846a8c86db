"""What a supervisor does with processes that do not end."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

from orchestrator.node import supervisor


def ending() -> SimpleNamespace:
    """Return as much of a supervisor as ending everything needs."""
    wakeups, _ = os.pipe()
    return SimpleNamespace(wakeups=wakeups, _signal=lambda processes, number: None)


def test_what_sigkill_does_not_end_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    stuck = SimpleNamespace(kill=lambda: asked.append(1))  # in the kernel, waiting for a dead file server
    monkeypatch.setattr(supervisor, "descendants", lambda pid: [stuck])
    monkeypatch.setattr(supervisor, "_UNKILLABLE_SECONDS", 0.3)
    supervisor.Supervisor._end_all(ending(), [])  # type: ignore[arg-type]
    assert asked


def test_all_that_can_be_ended_is_ended_and_reaped(monkeypatch: pytest.MonkeyPatch) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    process = psutil.Process(child.pid)
    monkeypatch.setattr(supervisor, "descendants", lambda pid: [process] if process.is_running() else [])
    monkeypatch.setattr(supervisor, "_reap", child.poll)  # and no child of another test
    supervisor.Supervisor._end_all(ending(), [])  # type: ignore[arg-type]
    assert child.returncode == -9
