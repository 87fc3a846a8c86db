"""How far the writing of synthetic data has come, in words; nothing half written is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.catalog.registry import describe
from orchestrator.lifecycle.data.files import make_data
from orchestrator.lifecycle.data.progress import log_write_progress, write_progress
from tests.harness import ROOT, wait_for
from workloads.data.synthetic import writing_synthetic


def test_size_rate_and_time_left() -> None:
    assert write_progress(Path("d"), 250_000_000, 1_000_000_000, 5.0) == (
        "d: 250.0 MB of at least 1,000.0 MB written, 50.0 MB/s, at least 15 s left"
    )
    assert write_progress(Path("d"), 2_500_000, 1_000_000, 5.0) == "d: 2.5 MB written, 0.5 MB/s"
    assert write_progress(Path("d"), 0, 1_000_000, 0.0) == "d: 0.0 MB of at least 1.0 MB written, 0.0 MB/s"


def test_the_size_comes_first_and_then_the_progress(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    with (
        log_write_progress(tmp_path / "d", first=0.0, period=0.01),
        writing_synthetic(tmp_path / "d", ["a"], {"maker": "m", "seed": 1, "sizes": {}}, 8_000_000),
    ):
        (tmp_path / "d" / "a").write_bytes(bytes(4_000_000))
        wait_for(lambda: info_log.messages and "4.0 MB of" in info_log.messages[-1], "progress")
    assert info_log.messages[0] == f"{tmp_path}/d: at least 8.0 MB are to be written"


def test_the_finished_data_say_nothing_of_it(tmp_path: Path) -> None:
    sizes = {"train_rows": 6, "test_rows": 4, "features": 6, "cancer_types": 2}
    make_data(describe("p1b1"), tmp_path / "d", sizes)
    assert "least_bytes" not in "".join(file.read_text() for file in (tmp_path / "d").iterdir())


def test_a_command_that_is_ended_says_the_size_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    words = ["data", "generate", "p1b1", "--output", "d"]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "orchestrator", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "d: at least 483.9 MB are to be written\n"
        wait_for(lambda: list((tmp_path / "d").glob(".*.partial")), "a file that is half written")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    assert not list(tmp_path.glob("d/.*.partial"))
