"""Instances that start together wait for each other, and for nobody for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.driver.start_barrier import Gate
from orchestrator.rundir.barrier_file import LEAD_SECONDS, announced, gate_file
from tests.harness import Place

NOW = 1_700_000_000_000_000


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(tmp_path: Path, clock: Clock) -> Gate:
    return Gate(tmp_path, 7, 60.0, clock, lambda: NOW)


def test_it_opens_when_all_of_a_whole_wave_are_there(gate: Gate, tmp_path: Path) -> None:
    gate.arrived("a")
    assert gate.try_open({"a", "b"}, complete=True) is None
    assert announced(gate_file(tmp_path, 7, 1)) is None
    gate.arrived("b")
    assert gate.try_open({"a", "b"}, complete=False) is None  # more may join
    assert gate.try_open({"a", "b"}, complete=True) == ""
    assert announced(gate_file(tmp_path, 7, 1)) == NOW + LEAD_SECONDS * 1e6
    assert gate.try_open({"a", "b"}, complete=True) is None  # once


def test_one_that_died_on_the_way_is_not_waited_for(gate: Gate) -> None:
    gate.arrived("a")
    assert gate.try_open({"a"}, complete=True) == ""


def test_nobody_waits_longer_than_the_campaign_says(gate: Gate, clock: Clock) -> None:
    gate.arrived("a")
    clock.seconds += 59
    assert gate.try_open({"a", "b", "c"}, complete=True) is None
    clock.seconds += 1
    said = gate.try_open({"a", "b", "c"}, complete=True)
    assert said is not None
    assert "wave 1 starts with 1 instances that waited 60 s" in said


def test_an_empty_gate_stays_shut(gate: Gate, clock: Clock) -> None:
    clock.seconds += 1000
    assert gate.try_open(set(), complete=True) is None
    assert gate.try_open({"a"}, complete=True) is None


def test_the_next_wave_has_a_gate_of_its_own(gate: Gate, tmp_path: Path) -> None:
    gate.next_wave()
    assert gate.wave == 1  # nobody has passed yet
    gate.arrived("a")
    gate.try_open({"a"}, complete=True)
    gate.next_wave()
    assert (gate.wave, gate.open) == (2, False)
    assert not gate_file(tmp_path, 7, 1).exists()
    assert gate.try_open({"b"}, complete=True) is None
    gate.arrived("b")
    assert gate.try_open({"b"}, complete=True) == ""


def test_a_disk_that_takes_no_announcement_is_told_once_and_tried_again(gate: Gate, tmp_path: Path) -> None:
    gate.arrived("a")
    (tmp_path / "gates").write_text("in the way")
    said = gate.try_open({"a"}, complete=True)
    assert said is not None
    assert "wave 1 waits until it can be written" in said
    assert gate.try_open({"a"}, complete=True) is None
    assert not gate.open
    (tmp_path / "gates").unlink()
    assert gate.try_open({"a"}, complete=True) == ""
    assert gate.open


def test_half_an_announcement_is_none(tmp_path: Path) -> None:
    file = tmp_path / "gate"
    file.write_text("")
    assert announced(file) is None


@pytest.mark.slow
def test_windows_overlap_where_a_campaign_starts_together(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.campaign(6, start="synchronized", parameters={"seconds": 2.0, "behaviour": "fail_first"})
    ended = place.launch()
    out, err = ended.communicate(timeout=120)
    assert ended.returncode == 0, out + err
    runs = place.rows("SELECT run_start_us, run_stop_us FROM accepted ORDER BY 1")
    assert len(runs) == 6
    # Two slots: instances start in pairs, each while the other runs.
    pairs = [(runs[k], runs[k + 1]) for k in range(0, 6, 2)]
    assert all(other[0] < one[1] for one, other in pairs), pairs
    fom = json.loads(place.run("fom", "toy", "--json").stdout)
    assert fom["benchmarks"][0]["instances"] == 2
    assert not list((tmp_path / "runs" / "toy" / "gates").glob("1-[12]"))
