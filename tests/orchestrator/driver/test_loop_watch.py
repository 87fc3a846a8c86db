"""A loop that stands still leaves the stacks of its threads, and says so once it turns again."""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.driver.loop_watch import loop_watch
from tests.harness import wait_for


def test_a_standstill_leaves_stacks_and_is_told_afterwards(tmp_path: Path) -> None:
    log, told = tmp_path / "driver.log", list[str]()
    log.write_text("before\n")
    with loop_watch(log, told.append, 0.2) as watch:
        watch.turned()
        assert told == []
        wait_for(lambda: "Timeout" in log.read_text(), "the stacks", 30)
        watch.turned()
        watch.turned()
    assert len(told) == 1
    assert told[0].startswith("the driver's loop stood still for ")
    text = log.read_text()
    assert text.startswith("before\n")
    assert f'File "{__file__}"' in text  # where this thread stood


def test_stacks_go_to_standard_error_where_the_log_cannot_be_opened(tmp_path: Path) -> None:
    # pytest's own capture loses what is written between its reading and its truncating
    errors, before = tmp_path / "errors", os.dup(2)
    with errors.open("w") as stream:
        os.dup2(stream.fileno(), 2)
        try:
            with loop_watch(tmp_path / "gone" / "driver.log", print, 0.2) as watch:
                watch.turned()
                wait_for(lambda: "Timeout" in errors.read_text(), "the stacks", 30)
        finally:
            os.dup2(before, 2)
            os.close(before)
