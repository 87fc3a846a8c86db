"""What the orchestrator logs goes to the campaign's driver log, and nowhere else by itself."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from orchestrator.lifecycle.driver_process.log import driver_log
from orchestrator.rundir.layout import RunDirectory

LINE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO    orchestrator\.driver: node n1 is excluded"


def test_a_message_is_a_line_with_its_time_in_utc(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    logger = logging.getLogger("orchestrator.driver")
    with driver_log(directory):
        logger.info("node n1 is excluded")
        logging.getLogger("parsl").info("chatter of the engine")
    logger.info("after the session")
    (line,) = directory.driver_log.read_text().splitlines()
    assert re.fullmatch(LINE, line)


def test_sessions_append_to_one_log(tmp_path: Path) -> None:
    for number in (1, 2):
        with driver_log(RunDirectory(tmp_path)):
            logging.getLogger("orchestrator").warning("session %d", number)
    lines = RunDirectory(tmp_path).driver_log.read_text().splitlines()
    assert [line.rpartition("orchestrator: ")[2] for line in lines] == ["session 1", "session 2"]


def test_a_log_that_cannot_be_written_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with driver_log(RunDirectory(tmp_path / "gone")):
        logging.getLogger("orchestrator").warning("nowhere to write this")
    assert capsys.readouterr().err == ""
