"""How far the reading of a data set has come, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from orchestrator.lifecycle.data.progress import log_read_progress, read_progress
from tests.harness import wait_for


def test_share_rate_and_time_left() -> None:
    assert read_progress(Path("d"), 250_000_000, 1_000_000_000, 5.0) == (
        "d: 25% of 1,000 MB read, 50 MB/s, about 15 s left"
    )
    assert read_progress(Path("d"), 1_200_000, 1_000_000, 2.0) == "d: 100% of 1 MB read, 1 MB/s"
    assert read_progress(Path("d"), 0, 1_000_000, 0.0) == "d: 0% of 1 MB read, 0 MB/s"
    assert read_progress(Path("d"), 0, 0, 3.0) == "d: 100% of 0 MB read, 0 MB/s"


def test_what_this_process_reads_is_told_while_it_reads(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "big"
    file.write_bytes(bytes(40_000_000))
    with log_read_progress(tmp_path, first=0.0, period=0.01):
        file.read_bytes()
        wait_for(lambda: info_log.messages and "100% of 40 MB read" in info_log.messages[-1], "the end")
    count = len(info_log.messages)
    assert count >= 1
    with log_read_progress(tmp_path, first=60.0):
        pass
    assert len(info_log.messages) == count  # what is soon over needs no words


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_link_to_nowhere_is_no_part_of_what_is_read(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "a").write_bytes(bytes(1_000_000))
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with log_read_progress(tmp_path, first=0.0, period=0.01):
        wait_for(lambda: info_log.messages, "a line")
    assert "of 2 MB read" in info_log.messages[0]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("error", [psutil.AccessDenied(1), PermissionError(13, "Permission denied")])
@pytest.mark.parametrize("good", [0, 1])
def test_where_it_is_not_known_what_is_read_nothing_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    good: int,
    info_log: pytest.LogCaptureFixture,
) -> None:
    class Hidden(psutil.Process):
        asked = 0

        def io_counters(self) -> Any:
            Hidden.asked += 1
            if Hidden.asked > good:
                raise error
            return super().io_counters()

    monkeypatch.setattr(psutil, "Process", Hidden)
    with log_read_progress(tmp_path, first=0.0, period=0.01):
        wait_for(lambda: Hidden.asked == good + 1, "the question")
    assert info_log.messages == []
