"""A session whose run directory is gone drains, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.driver.stop_requests import StopLevel, StopRequests
from orchestrator.lifecycle.session.run_directory_watch import RunDirectoryWatch


@pytest.mark.parametrize("anew", [False, True])
def test_a_directory_that_is_gone_drains_the_session(
    anew: bool, tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    path, stops = tmp_path / "toy", StopRequests()
    path.mkdir()
    watch = RunDirectoryWatch(path, stops)
    watch.check()
    assert stops.level is StopLevel.NONE
    path.rename(tmp_path / "elsewhere")
    if anew:
        path.mkdir()
    watch.check()
    watch.check()
    assert stops.level is StopLevel.DRAIN
    what = "was removed and made anew" if anew else "is gone"
    assert stops.source == f"the run directory {path}, which {what}"
    assert len(info_log.records) == 1


def test_one_that_cannot_be_read_now_may_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stops = StopRequests()
    watch = RunDirectoryWatch(tmp_path, stops)

    def stale(*_: object, **__: object) -> None:
        raise OSError(116, "Stale file handle")

    with monkeypatch.context() as context:
        context.setattr("os.stat", stale)
        watch.check()
    assert stops.level is StopLevel.NONE
