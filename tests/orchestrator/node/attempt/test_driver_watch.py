"""Whether a driver is gone is known from its clock file alone, never from comparing clocks."""

from __future__ import annotations

from pathlib import Path

from orchestrator.node.attempt.driver_watch import SILENCE_SECONDS, DriverWatch
from orchestrator.rundir.signal_files import write_driver_time


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_driver_that_writes_is_there_one_that_is_silent_is_gone(tmp_path: Path) -> None:
    file, clock = tmp_path / "clock-1", Clock()
    write_driver_time(file, 1)
    watch = DriverWatch(file, clock)
    assert watch.is_lost() is None
    clock.now += SILENCE_SECONDS - 1
    assert watch.is_lost() is None
    clock.now += 1
    assert watch.is_lost() is True
    write_driver_time(file, 2)  # it was busy, or its network is back
    assert watch.is_lost() is False


def test_a_driver_that_ended_by_itself_is_not_lost(tmp_path: Path) -> None:
    file, clock = tmp_path / "clock-1", Clock()
    write_driver_time(file, 1)
    watch = DriverWatch(file, clock)
    file.unlink()
    clock.now += 100 * SILENCE_SECONDS
    assert watch.is_lost() is False
    assert DriverWatch(file, clock).is_lost() is False


def test_a_file_that_cannot_be_read_says_nothing_for_a_while(tmp_path: Path) -> None:
    file, clock = tmp_path / "clock-1", Clock()
    file.mkdir()  # reading it fails as on a file system that is away
    watch = DriverWatch(file, clock)
    assert watch.is_lost() is None
    file.rmdir()
    write_driver_time(file, 1)
    assert watch.is_lost() is None  # first seen, and not known to change
    write_driver_time(file, 2)
    assert watch.is_lost() is False
