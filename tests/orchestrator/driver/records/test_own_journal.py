"""Results that workers could not journal stand in the driver's own journal once there is room."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from db.events import EventKind
from orchestrator.driver.records.journal_reader import JournalReader
from orchestrator.driver.records.own_journal import OwnJournal
from orchestrator.rundir.journal import Tail, append, final_report
from orchestrator.rundir.layout import RunDirectory
from tests.orchestrator.driver.fakes import ManualClock, RecordedEvents, succeeded


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file of this process grow, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


class Scene:
    def __init__(self, folder: Path) -> None:
        self.clock, self.events = ManualClock(), RecordedEvents()
        directory = RunDirectory(folder)
        self.file = directory.session_journals(1) / "driver.journal"
        self.worker = directory.journal(1, "n1", "w1")
        self.worker.parent.mkdir(parents=True)
        self.journals = JournalReader(Tail(directory.session_journals(1)), self.clock)
        self.own = OwnJournal(folder, 1, self.journals, self.events)  # type: ignore[arg-type]

    @property
    def kinds(self) -> list[EventKind]:
        return [kind for kind, _, _ in self.events.found]


def test_a_result_is_written_once_there_is_room(tmp_path: Path, info_log: pytest.LogCaptureFixture) -> None:
    scene = Scene(tmp_path)
    scene.journals.expect(succeeded())
    scene.own.write_late()
    assert not scene.file.exists()  # the worker's may be shown late
    scene.clock.at += 31
    with full_disk():
        scene.own.write_late()
        scene.own.write_late()
    assert final_report(scene.file, "t") is None
    assert [one.message.count("once there is room") for one in info_log.records] == [1]
    scene.own.write_last()
    assert final_report(scene.file, "t") == succeeded()
    assert scene.kinds == [EventKind.RESULTS_JOURNALLED]
    assert [one.token for one in Tail(tmp_path / "journals").read()] == ["t"]


def test_a_result_that_its_worker_journalled_is_not_written_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.journals.expect(succeeded())
    append(scene.worker, succeeded())
    scene.own.write_last()
    assert not scene.file.exists()
    assert scene.kinds == []


def test_what_could_not_be_written_at_all_is_said(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.journals.expect(succeeded())
    with full_disk():
        scene.own.write_last()
    [(kind, _, message)] = scene.events.found
    assert kind is EventKind.RESULTS_NOT_JOURNALLED
    assert message.startswith("1 accepted result stands in no journal")
