"""Processes that write one SQLite file at the same time take turns; none fails."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest

from db.ledger import Ledger
from db.reader import Reader
from db.states import InstanceState
from tests.db import rows

WRITERS = 2
BATCHES = 25
_shared: dict[str, Any] = {}


def _take(barrier: Barrier) -> None:
    _shared["barrier"] = barrier


def _campaign(url: str, name: str) -> int:
    """Register and finish a campaign of our own, in many small transactions."""
    with Ledger(url) as ledger:
        _shared["barrier"].wait(300)
        number = rows.started(ledger, BATCHES, name)
        for k in range(BATCHES):
            ledger.record(number, [rows.report(f"{name}-t{k}.1", "running")])
            done = rows.report(f"{name}-t{k}.1", "succeeded", InstanceState.DONE, fom_seconds=1.0)
            assert ledger.record(number, [done]) == []
            ledger.renew(number, "me", 60)
        return len(rows.accepted(ledger, number, "toy"))


def _open(urls: list[str]) -> int:
    """Open ledgers that do not exist yet, each at the same moment as the other process."""
    for url in urls:
        _shared["barrier"].wait(300)
        with Ledger.open(url) as ledger:
            ledger.campaigns()
    return len(urls)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    spawn = get_context("spawn")
    with ProcessPoolExecutor(WRITERS, spawn, _take, (spawn.Barrier(WRITERS),)) as workers:
        yield workers


def test_two_processes_write_one_file(pool: ProcessPoolExecutor, sqlite_url: str) -> None:
    names = [f"writer{k}" for k in range(WRITERS)]
    futures = [pool.submit(_campaign, sqlite_url, name) for name in names]
    assert [future.result(60) for future in futures] == [BATCHES] * WRITERS
    with Reader(sqlite_url) as reader:
        for name in names:
            assert reader.counts(reader.campaign(name).campaign_id) == {"toy": {"done": BATCHES}}


def test_two_processes_make_one_file(pool: ProcessPoolExecutor, tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path}/{k}.sqlite" for k in range(8)]
    futures = [pool.submit(_open, urls) for _ in range(WRITERS)]
    assert [future.result(60) for future in futures] == [len(urls)] * WRITERS
    for url in urls:
        with Reader(url) as reader:
            assert reader.campaigns() == []
