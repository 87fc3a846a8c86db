"""What ends a node: the lines run after the pool, however it ended, and their outcome is written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness import wait_for


def start(folder: Path, lines: list[str], *command: str, timeout: float = 30.0) -> subprocess.Popen[bytes]:
    order = folder / "teardown.json"
    order.write_text(json.dumps({"lines": lines, "timeout": timeout, "folder": str(folder / "hooks")}))
    return subprocess.Popen([sys.executable, "-m", "orchestrator.node.worker.teardown", str(order), *command])


def outcomes(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in (folder / "hooks").glob("*.json")]


@pytest.mark.parametrize("code", [0, 7])
def test_the_lines_run_after_the_command_and_its_exit_code_stays(code: int, tmp_path: Path) -> None:
    process = start(tmp_path, ["cat", "false", "echo never"], "bash", "-c", f"exit {code}")
    assert process.wait(300) == code
    [found] = outcomes(tmp_path)
    assert found["problem"] == "it ended with exit code 1"
    assert "never" not in found["output"]


def test_lines_without_a_command(tmp_path: Path) -> None:
    assert start(tmp_path, ["echo swept"]).wait(300) == 0
    [found] = outcomes(tmp_path)
    assert (found["problem"], found["output"]) == ("", "swept")


def test_a_signal_reaches_the_command_and_the_lines_run_all_the_same(tmp_path: Path) -> None:
    script = f"trap 'touch {tmp_path}/asked; exit 3' TERM; touch {tmp_path}/up; sleep 3600 & wait"
    process = start(tmp_path, [f"touch {tmp_path}/swept"], "bash", "-c", script)
    wait_for((tmp_path / "up").exists, "the command")
    [waiting] = outcomes(tmp_path)
    assert "problem" not in waiting
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == 0  # mpiexec would end the other nodes
    assert (tmp_path / "asked").exists()
    assert (tmp_path / "swept").exists()


def test_lines_that_hang_are_ended(tmp_path: Path) -> None:
    assert start(tmp_path, ["sleep 3600"], "true", timeout=0.2).wait(300) == 0
    [found] = outcomes(tmp_path)
    assert "did not end within 0.2 s" in found["problem"]


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "hooks").write_text("a file")
    assert start(tmp_path, [f"touch {tmp_path}/swept"], "false").wait(300) == 1
    assert (tmp_path / "swept").exists()
