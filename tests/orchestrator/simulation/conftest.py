"""Fixtures for simulated campaigns."""

from __future__ import annotations

import pytest

from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import SchedulerError, StartAnswer


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


@pytest.fixture
def no_survey(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batch systems list neither queues nor ended jobs."""

    def waits(_: SchedulerClient) -> None:
        raise SchedulerError("no list of jobs")

    monkeypatch.setattr("orchestrator.simulation.block_changes.ask_survey", lambda _: None)
    monkeypatch.setattr(SchedulerClient, "waits", waits)
