from __future__ import annotations

import pytest

from workloads.data.read_times import ReadTimes


def test_metrics_are_those_of_the_files_that_were_read(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b"x" * 1000)
    times = ReadTimes()
    with times.file("train", file) as one:
        one.rows = 10
    found = {metric.name: metric for metric in times.metrics()}
    seconds = found["train_file_seconds"].value
    assert seconds > 0
    assert found["train_file_rows_per_second"].value == pytest.approx(10 / seconds)
    assert found["train_file_mb_per_second"].value == pytest.approx(1e-3 / seconds)
    assert found["train_file_mb_per_second"].unit == "MB/s"


def test_a_file_that_cannot_be_read_has_no_times(tmp_path):
    times = ReadTimes()
    with pytest.raises(OSError, match="broken"), times.file("train", tmp_path / "a.csv"):
        raise OSError("broken")
    assert times.metrics() == ()
