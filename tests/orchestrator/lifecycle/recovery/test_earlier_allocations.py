"""Attempts that outlive a driver inside of an allocation are waited for, wherever the campaign is resumed."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.diagnostics import leftovers
from orchestrator.driver.progress import NoDisplay, Snapshot
from orchestrator.lifecycle.recovery import driver_loss
from orchestrator.lifecycle.recovery.driver_loss import wait_for_attempts
from orchestrator.lifecycle.recovery.earlier_allocations import EarlierAllocation, earlier_allocations
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from orchestrator.schedulers.model import Job, JobState, SchedulerError
from sites import Site, parse
from tests import messages
from tests.db import rows
from tests.db.rows import attempt
from tests.orchestrator.monitoring.test_outlook import SITE


class Client:
    """A batch system that knows one allocation and no blocks."""

    def __init__(self, state: JobState | None) -> None:
        self.state = state

    def find(self, name: str) -> list[str]:
        return []

    def cancel(self, ids: Sequence[str]) -> None:
        assert not ids

    def status(self, ids: Sequence[str]) -> list[Job]:
        if ids and self.state is None:
            raise SchedulerError("squeue does not answer")
        return [Job(one, self.state or JobState.UNKNOWN) for one in ids]


class Lost:
    """A campaign whose driver died in an allocation while an attempt ran."""

    def __init__(self, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.book = Ledger(url)
        row = replace(rows.campaign(), site_yaml=SITE, run_directory=str(folder))
        self.number = self.book.register(row, [rows.benchmark()], rows.planned(3))
        session = rows.begin(self.book, self.number, "node1 pid 1 started 1.00", -1)
        self.book.submit(self.number, session, [attempt(0)])
        data = {"scheduler": "slurm", "job": "77", "nodes": ["n1"], "ends": time.time() + 3600}
        subject = f"session {session}"
        self.book.note(self.number, EventKind.ALLOCATION_USED, "has 77", subject=subject, data=data)
        self.row = self.book.campaign("toy")
        self.directory = RunDirectory(folder)
        self.file = self.directory.journal(session, "n1", "a")
        self.file.parent.mkdir(parents=True)
        journal.append(self.file, messages.report("t0.1", "running", label="toy/0"))
        self.client = Client(JobState.RUNNING)
        for module in (driver_loss, leftovers):
            monkeypatch.setattr(module, "campaign_systems", lambda book, row, site: {"slurm": self.client})
        monkeypatch.setattr(driver_loss, "_SETTLING_SECONDS", 0.0)

    def die(self) -> None:
        self.directory.clock_file(1).write_text("1")

    def wait(self, *, end_running: bool = False, asked: str | None = None) -> int:
        """Wait for the attempt, whose end is in its journal at the third look; return the number of looks."""
        looks = 0

        def renew() -> str | None:
            nonlocal looks
            looks += 1
            if looks == 3:
                journal.append(self.file, messages.report("t0.1", "succeeded", label="toy/0"))
            assert looks < 9
            return asked

        wait_for_attempts(
            self.book,
            self.row,
            parse(SITE, Site, "ours"),
            NoDisplay(),
            renew=renew,
            session=2,
            snapshot=Snapshot(3),
            end_running=end_running,
        )
        return looks

    @property
    def cancelled(self) -> list[str]:
        return [file.name for file in self.directory.cancel_files.glob("*")]


@pytest.fixture
def lost(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lost:
    return Lost(sqlite_url, tmp_path, monkeypatch)


def test_only_a_driver_that_died_leaves_an_allocation(lost: Lost) -> None:
    assert earlier_allocations(lost.book, lost.row) == []
    lost.die()
    [found] = earlier_allocations(lost.book, lost.row)
    assert (found.scheduler, found.job, found.here) == ("slurm", "77", False)


def test_on_its_own_host_its_processes_tell_until_the_host_starts_anew(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "node1")
    lost = Lost(sqlite_url, tmp_path, monkeypatch)
    lost.die()
    assert [one.here for one in earlier_allocations(lost.book, lost.row)] == [True]
    one = EarlierAllocation("slurm", "77", 0.0, True)
    assert not one.may_hold(lost.row.uid, {"slurm": lost.client})  # type: ignore[dict-item]
    monkeypatch.setattr(psutil, "boot_time", lambda: time.time() + 1)
    assert [one.here for one in earlier_allocations(lost.book, lost.row)] == [False]


@pytest.mark.parametrize(
    ("left", "state", "holds"),
    [
        (60, JobState.RUNNING, True),
        (60, JobState.QUEUED, True),
        (60, JobState.COMPLETED, False),
        (60, JobState.UNKNOWN, False),
        (60, None, True),
        (-1, JobState.RUNNING, False),
        (-1, None, False),
    ],
)
def test_elsewhere_the_batch_system_tells(left: float, state: JobState | None, holds: bool) -> None:
    one = EarlierAllocation("slurm", "77", time.time() + left, False)
    clients = {"lsf": Client(JobState.COMPLETED), "slurm": Client(state)}
    assert one.may_hold("uid", clients) is holds  # type: ignore[arg-type]


def test_an_allocation_of_a_batch_system_that_the_site_has_no_more_counts_until_its_end() -> None:
    clients = {"lsf": Client(JobState.COMPLETED)}
    assert EarlierAllocation("slurm", "77", time.time() + 60, False).may_hold("uid", clients)  # type: ignore[arg-type]
    assert not EarlierAllocation("slurm", "77", time.time() - 1, False).may_hold("uid", clients)  # type: ignore[arg-type]


def test_it_is_waited_for(lost: Lost) -> None:
    lost.die()
    assert lost.wait() >= 3
    [event] = lost.book.events(lost.number, kinds=(EventKind.ATTEMPTS_OUTLIVE,))
    assert event.message.startswith("1 attempt of a dead driver still runs in allocation 77; ")
    assert lost.cancelled == []


def test_an_allocation_that_has_ended_is_not_waited_for(lost: Lost) -> None:
    lost.die()
    lost.client.state = JobState.COMPLETED
    assert lost.wait() == 1


@pytest.mark.parametrize(("end_running", "asked"), [(True, None), (False, "cancel")])
def test_what_cannot_be_killed_from_here_is_asked_to_end(
    lost: Lost, end_running: bool, asked: str | None
) -> None:
    lost.die()
    assert lost.wait(end_running=end_running, asked=asked) >= 3
    assert lost.cancelled == ["t0.1"]


def test_stop_ends_it_too(lost: Lost) -> None:
    lost.die()
    lost.book.end_session(lost.number, 1, "node1 pid 1 started 1.00", "aborted")
    found = leftovers.find_leftovers(str(lost.book), "toy", finish=True).leftovers
    assert [(one.kind, one.ended) for one in found if one.kind == "allocation"] == [("allocation", True)]
    assert lost.cancelled == ["t0.1"]
