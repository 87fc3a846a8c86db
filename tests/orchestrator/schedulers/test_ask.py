"""Batch systems say when they would start a block, or refuse it, or cannot be asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import SchedulerError, StartAnswer
from tests.orchestrator.schedulers.test_client import REQUEST, Commands, site

START = "Job 7 to start at 2026-11-27T12:00:00 using 8 processors on nodes node[1-2] in partition main"


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    made = Commands(tmp_path)
    monkeypatch.setenv("PATH", str(made.bin))
    return made


def test_slurm_says_when_it_would_start_a_block_and_gets_the_script(
    commands: Commands, tmp_path: Path
) -> None:
    commands.does("sbatch", f'cat > "{tmp_path}/read"; echo "sbatch: {START}" >&2')
    system = SchedulerClient(site())
    assert system.ask(REQUEST) == StartAnswer(True, START)
    assert commands.called("sbatch") == ["--test-only"]
    assert (tmp_path / "read").read_text() == system.script(REQUEST)


def test_a_refusal_is_in_the_schedulers_own_words(commands: Commands) -> None:
    error = "allocation failure: Requested time limit is invalid (missing or exceeds some limit)"
    commands.answers("sbatch", stderr=f"sbatch: lua: no account\n{error}\n", code=1)
    assert SchedulerClient(site()).ask(REQUEST) == StartAnswer(False, f"lua: no account; {error}")


@pytest.mark.parametrize(
    "down",
    [
        "error: allocation failure: Unable to contact slurm controller (connect failure)",
        "fatal: Could not establish a configuration source",
    ],
)
def test_a_scheduler_that_does_not_answer_refuses_nothing(commands: Commands, down: str) -> None:
    commands.answers("sbatch", stderr=f"sbatch: {down}\n", code=1)
    with pytest.raises(SchedulerError, match=f"sbatch did not answer: {re.escape(down)}"):
        SchedulerClient(site()).ask(REQUEST)


@pytest.mark.parametrize("kind", ["lsf", "pbspro", "torque", "flux"])
def test_others_cannot_be_asked(commands: Commands, kind: str) -> None:
    found = SchedulerClient(site(kind)).ask(REQUEST)
    assert found.accepted is None
    assert found.words.endswith("has no command that tells this without a submission")
    assert not commands.calls.exists()


@pytest.mark.parametrize(
    ("kind", "command", "printed"),
    [
        ("lsf", "bhosts", "HOST_NAME STATUS JL/U MAX NJOBS\nn1 ok - 42 0\n"),
        ("pbspro", "pbsnodes", '{"nodes": {"n1": {"state": "free"}}}'),
        ("flux", "flux", "1\n"),
    ],
)
def test_others_tell_how_many_nodes_are_free(
    commands: Commands, kind: str, command: str, printed: str
) -> None:
    commands.answers(command, printed)
    assert SchedulerClient(site(kind)).ask(REQUEST).words.endswith("without a submission; 1 node is free now")
