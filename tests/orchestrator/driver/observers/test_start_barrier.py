"""Instances that start together wait for each other, and for nobody for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.observers.start_barrier import StartBarrier
from orchestrator.protocol.order import LEAD_SECONDS
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import announced_start
from tests.harness import CampaignSandbox
from tests.messages import report
from tests.orchestrator.driver.fakes import NOW_US, ManualClock, RecordedEvents, attempt


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def events() -> RecordedEvents:
    return RecordedEvents()


@pytest.fixture
def barrier(tmp_path: Path, clock: ManualClock, events: Any) -> StartBarrier:
    return StartBarrier(RunDirectory(tmp_path), 7, 60.0, LEAD_SECONDS, clock, events)


def arrive(barrier: StartBarrier, token: str) -> None:
    barrier.attempt_at_barrier(attempt(token))


def test_it_opens_when_all_of_a_whole_wave_are_there(barrier: StartBarrier, tmp_path: Path) -> None:
    arrive(barrier, "a")
    assert not barrier.try_open(2, complete=True)
    assert announced_start(RunDirectory(tmp_path).barrier_file(7, 1)) is None
    arrive(barrier, "b")
    assert not barrier.try_open(2, complete=False)  # more may join
    assert barrier.try_open(2, complete=True)
    assert announced_start(RunDirectory(tmp_path).barrier_file(7, 1)) == NOW_US + LEAD_SECONDS * 1e6
    assert not barrier.try_open(2, complete=True)  # once


def test_one_that_died_on_the_way_is_not_waited_for(barrier: StartBarrier) -> None:
    arrive(barrier, "a")
    arrive(barrier, "b")
    barrier.attempt_ended(attempt("b"), report("b", "failed"), InstanceState.PLANNED)
    assert not barrier.try_open(2, complete=True)
    assert barrier.try_open(1, complete=True)


def test_no_instance_waits_longer_than_the_campaign_allows(
    barrier: StartBarrier, clock: ManualClock, events: RecordedEvents
) -> None:
    arrive(barrier, "a")
    clock.at += 59
    assert not barrier.try_open(3, complete=True)
    clock.at += 1
    assert barrier.try_open(3, complete=True)
    ((kind, subject, message),) = events.found
    assert (kind, subject) == (EventKind.WAVE_SHORT, "wave 1")
    assert "wave 1 starts with 1 instance that waited 60 s" in message


def test_an_empty_gate_stays_shut(barrier: StartBarrier, clock: ManualClock) -> None:
    clock.at += 1000
    assert not barrier.try_open(0, complete=True)
    assert not barrier.try_open(1, complete=True)


def test_the_next_wave_has_a_gate_of_its_own(barrier: StartBarrier, tmp_path: Path) -> None:
    barrier.next_wave()
    assert barrier.wave == 1  # nobody has passed yet
    arrive(barrier, "a")
    barrier.try_open(1, complete=True)
    barrier.next_wave()
    assert (barrier.wave, barrier.open) == (2, False)
    assert not RunDirectory(tmp_path).barrier_file(7, 1).exists()
    assert not barrier.try_open(1, complete=True)
    arrive(barrier, "b")
    assert barrier.try_open(1, complete=True)


def test_a_disk_that_takes_no_announcement_is_logged_once_and_tried_again(
    barrier: StartBarrier, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    arrive(barrier, "a")
    (tmp_path / "barriers").write_text("in the way")
    assert not barrier.try_open(1, complete=True)
    assert not barrier.try_open(1, complete=True)
    (line,) = caplog.messages
    assert "wave 1 waits until it can be written" in line
    assert not barrier.open
    (tmp_path / "barriers").unlink()
    assert barrier.try_open(1, complete=True)
    assert barrier.open


def test_half_an_announcement_is_none(tmp_path: Path) -> None:
    file = tmp_path / "barrier"
    file.write_text("")
    assert announced_start(file) is None


@pytest.mark.slow
def test_windows_overlap_where_a_campaign_starts_together(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(6, start="synchronized", parameters={"seconds": 2.0, "behaviour": "fail_first"})
    ended = place.launch()
    out, err = ended.communicate(timeout=600)
    assert ended.returncode == 0, out + err
    runs = place.rows("SELECT run_start_us, run_stop_us FROM accepted ORDER BY 1")
    assert len(runs) == 6
    # Two slots: instances start in pairs, each while the other runs.
    pairs = [(runs[k], runs[k + 1]) for k in range(0, 6, 2)]
    assert all(other[0] < one[1] for one, other in pairs), pairs
    fom = json.loads(place.run("fom", "toy", "--json").stdout)
    assert fom["benchmarks"][0]["instances"] == 2
    assert not list((tmp_path / "runs" / "toy" / "barriers").glob("1-[12]"))
