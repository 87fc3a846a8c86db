"""`instance show NAME INSTANCE --timeline`: drawn from a file, and what is missing in a line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from orchestrator.cli.instance.timeline import drawn
from orchestrator.rundir.layout import RunDirectory, recording_name
from tests.workloads.runtime.test_horovod_timeline import TWO_TENSORS


def test_blocks_are_as_high_as_the_share_of_time() -> None:
    line = drawn([(0, 60), (90, 120), (590, 600)], 0, 600)
    assert line == "█" * 6 + " " * 3 + "█" * 3 + " " * 47 + "█"
    assert drawn([(0, 5)], 0, 600)[:2] == "▄ "
    assert drawn([], 3, 3) == " " * 60


def test_it_is_drawn_and_what_is_missing_is_said(shown: Callable[..., str], tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)

    def show(*words: str) -> str:
        return shown("toy/0", "--timeline", *words)

    assert f"no timeline of toy/0, attempt 1, is in {directory.timelines}; `timeline: true`" in show()
    directory.slowest_timelines.mkdir(parents=True)
    file = directory.slowest_timelines / recording_name("toy", 0, 1)
    file.write_bytes(b"not a gzip file")
    assert f"error: {file} cannot be read as a timeline" in show()
    file.write_bytes(gzip.compress(json.dumps(TWO_TENSORS).encode()))
    drawing = show()
    assert "negotiate allreduce" in drawing
    assert "rank 1: 100% of the operations" in drawing
    facts = json.loads(show("--json"))
    assert facts["activities"]["ALLREDUCE"]["bytes"] == 2402
    assert facts["last_ranks"] == {"1": 2}
