"""What `context.measure` leaves of an attempt, and what its memory is."""

from __future__ import annotations

import os
from pathlib import Path

from db.states import AttemptState
from tests.orchestrator.node.supervised import Supervised


def test_files_of_measurements_outlive_the_scratch_directory(tmp_path: Path) -> None:
    checkpoint = tmp_path / "scratch" / "checkpoints" / "1.npz"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_bytes(b"state")
    old = tmp_path / "measured" / "scratch" / "old.npy"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"of an earlier accepted attempt")
    report = Supervised(tmp_path, workload="tests.workloads.metrics.measured_toy").report()
    assert report.state is AttemptState.SUCCEEDED, report.failure_message
    assert not (tmp_path / "scratch").exists()
    assert sorted(os.listdir(old.parent)) == ["difference_heatmap.npy", "difference_heatmap.png"]


def test_the_memory_of_an_attempt_is_the_highest_also_before_a_measured_part(tmp_path: Path) -> None:
    toy = "tests.workloads.metrics.measured_toy"
    sizes = [{"megabytes": size} for size in (0, 300, 0)]
    reports = [Supervised(tmp_path, workload=toy, parameters=size).report() for size in sizes]
    peaks = [one.peak_memory_bytes or 0 for one in reports]
    assert [one.state for one in reports] == [AttemptState.SUCCEEDED] * 3
    assert peaks[1] > 300 << 20
    assert max(peaks[0], peaks[2]) < 300 << 20
