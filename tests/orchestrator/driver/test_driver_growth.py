"""What the driver does for an attempt does not grow with the campaign or with the machine."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import orchestrator.driver
from db.states import RunOutcome
from orchestrator.simulation.unrecorded import waiting
from tests.bench.growth import driver_of, made_plan

DRIVER = str(Path(orchestrator.driver.__file__).parent)


def calls_of_an_attempt(folder: Path, instances: int, slots: int, start: str) -> float:
    """Return how many functions and steps of loops the driver runs for an attempt."""
    plan = made_plan(instances, slots, start)
    folder.mkdir()
    driver, machine = driver_of(plan, str(folder))
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.startswith(DRIVER)

    pending, before = waiting(plan), sys.getprofile()
    sys.setprofile(count)
    try:
        outcome = driver.run(pending)
    finally:
        sys.setprofile(before)
    assert outcome is RunOutcome.COMPLETE
    assert machine.statistics.started == instances
    return calls / instances


def test_an_attempt_costs_the_same_in_large_campaigns_and_on_large_machines(tmp_path: Path) -> None:
    small = calls_of_an_attempt(tmp_path / "small", 100, 10, "independent")
    assert calls_of_an_attempt(tmp_path / "long", 2000, 10, "independent") < 1.3 * small
    assert calls_of_an_attempt(tmp_path / "wide", 2000, 1000, "independent") < 1.3 * small


def test_so_it_does_where_waves_start_together(tmp_path: Path) -> None:
    small = calls_of_an_attempt(tmp_path / "small", 100, 50, "synchronized")
    assert calls_of_an_attempt(tmp_path / "wide", 2000, 1000, "synchronized") < 1.3 * small
