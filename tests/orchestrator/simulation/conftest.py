"""Fixtures for simulated campaigns."""

from __future__ import annotations

import pytest

from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import StartAnswer


@pytest.fixture
def batch_system(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let a batch system take all blocks; return where the pools will stand that it was asked about."""
    asked: list[str] = []

    def ask(client: SchedulerClient, _: object) -> StartAnswer:
        asked.append(client._site.pool or "")
        return StartAnswer(True, "")

    monkeypatch.setattr(SchedulerClient, "check", lambda _: None)
    monkeypatch.setattr(SchedulerClient, "ask", ask)
    return asked
