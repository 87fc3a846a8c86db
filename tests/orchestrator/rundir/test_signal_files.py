"""How far a node's clock is ahead of the driver's at most, from a file."""

from __future__ import annotations

from pathlib import Path

from orchestrator.driver.periodic import PeriodicTask
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import max_offset_us, write_driver_time
from tests.messages import order


def test_the_bound_is_this_clock_less_what_the_driver_told(tmp_path: Path) -> None:
    ordered = order(directory=str(tmp_path), session=3)
    assert max_offset_us(ordered, lambda: 5) is None
    write_driver_time(RunDirectory(tmp_path).clock_file(3), 1_000_000)
    assert max_offset_us(ordered, lambda: 1_700_000) == 700_000
    write_driver_time(RunDirectory(tmp_path).clock_file(3), 2_000_000)
    assert max_offset_us(ordered, lambda: 1_700_000) == -300_000
    RunDirectory(tmp_path).clock_file(3).write_text("")
    assert max_offset_us(ordered, lambda: 5) is None


def test_this_clock_is_read_after_the_drivers(tmp_path: Path) -> None:
    """Or a time that the driver writes in between would make this clock seem behind."""
    file = RunDirectory(tmp_path).clock_file(1)
    write_driver_time(file, 100)
    ordered = order(directory=str(tmp_path), session=1)

    def clock() -> int:
        write_driver_time(file, 200)
        return 150

    assert max_offset_us(ordered, clock) == 50


def test_a_clock_that_cannot_be_told_is_an_older_one(tmp_path: Path) -> None:
    file = RunDirectory(tmp_path / "gone").clock_file(1)
    write_driver_time(file, 100)
    assert max_offset_us(order(directory=str(tmp_path / "gone")), lambda: 5) is None


def test_a_chore_is_done_at_once_and_then_now_and_then() -> None:
    done: list[float] = []
    now = 0.0
    chore = PeriodicTask(10.0, lambda: done.append(now))
    for now in (0.0, 1.0, 9.9, 10.0, 19.0, 25.0, 35.0):
        chore.run_if_due(now)
    assert done == [0.0, 10.0, 25.0, 35.0]
