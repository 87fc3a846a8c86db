"""A user's command fails and hangs for itself alone."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from orchestrator.host import processes, shell_hook
from orchestrator.host.shell_hook import run_hook


def test_it_reads_facts_as_json(tmp_path: Path) -> None:
    facts = {"campaign": "fr\x1bïday", "outcome": None, "long": "x" * 1_000_000}
    outcome = run_hook(f"cat > {tmp_path}/facts; echo written", facts, 60)
    assert (outcome.problem, outcome.output) == ("", "written")
    assert json.loads((tmp_path / "facts").read_text()) == facts


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("exit 3", "it ended with exit code 3"),
        ("nosuchcommand", "it ended with exit code 127"),
        ("kill -9 $$", "it ended with exit code -9"),
        ("a\0b", "it could not be started: embedded null byte"),
        ("", ""),
    ],
)
def test_how_it_ended(command: str, problem: str) -> None:
    assert run_hook(command, {}, 60).problem == problem


def test_one_that_hangs_is_killed_with_what_it_started() -> None:
    begin = time.monotonic()
    outcome = run_hook("trap '' TERM; sleep 3600 & echo before; sleep 3600", {}, 0.5)
    assert outcome.problem == "it did not end within 0.5 s (hook_timeout of the site) and was killed"
    assert outcome.output == "before"
    assert time.monotonic() - begin < 60


def test_one_that_sigkill_does_not_end_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[subprocess.Popen[bytes]] = []

    def kill_child(process: subprocess.Popen[bytes]) -> bool:
        left.append(process)
        return processes.kill_child(process, 0.1)

    with monkeypatch.context() as patch:  # as if it waited in the kernel
        patch.setattr(os, "killpg", lambda *_: None)
        patch.setattr(subprocess.Popen, "kill", lambda _: None)
        patch.setattr(shell_hook, "kill_child", kill_child)
        problem = run_hook("exec sleep 3600", {}, 0.1).problem
    assert problem.endswith(f"and was killed, which has not ended process {left[0].pid}")
    left[0].kill()
    left[0].wait(60)


def test_one_that_leaves_a_process_with_its_streams_holds_up_nothing() -> None:
    assert run_hook("setsid sleep 30 & echo gone", {}, 60).output == "gone"


def test_only_the_end_of_what_it_prints_is_kept() -> None:
    assert run_hook("yes | head -c 100000; echo -n end", {}, 60).output.endswith("y\nend")
    assert len(run_hook("yes | head -c 100000; echo -n end", {}, 60).output) <= 500
