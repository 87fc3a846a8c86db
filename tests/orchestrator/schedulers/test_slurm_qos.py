"""Blocks take the quality of service of several in which they start first, within its limits."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.schedulers import slurm_qos
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.families import keep_their_place
from orchestrator.schedulers.model import SchedulerError
from sites.schedulers import Slurm
from tests.orchestrator.schedulers.test_client import REQUEST, Commands, site

HOUR = 3600.0
LIMITS = """debug|00:30:00|node=4|1|node=4|5
regular|1-00:00:00|cpu=128,node=64||cpu=512|
preempt|||||
"""
NAMES = ["debug", "regular", "preempt", "unlisted"]


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    made = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{made.bin}:/usr/bin:/bin")
    made.answers("sacctmgr", LIMITS)
    made.answers("squeue", "")
    return made


@pytest.mark.parametrize(
    ("nodes", "walltime", "jobs", "found"),
    [
        (2, 1800.0, "", NAMES),
        (2, 1801.0, "", NAMES[1:]),
        (5, 600.0, "", NAMES[1:]),
        (65, HOUR, "", NAMES[2:]),
        (2, 600.0, "|debug|1\n", NAMES[1:]),  # it may run one job of a user
        (2, 600.0, "|regular|60\n|preempt|2\n", NAMES),
        (2, 600.0, "|debug|1-2\nslurm_load_jobs error: nothing\n", NAMES),
    ],
)
def test_those_with_room_take_a_block(nodes: int, walltime: float, jobs: str, found: list[str]) -> None:
    assert slurm_qos.choose(NAMES, LIMITS + jobs, nodes, walltime) == found


def test_a_block_waits_where_none_has_room() -> None:
    assert slurm_qos.choose(["debug"], LIMITS + "|debug|1\n", 2, 600.0) == ["debug"]
    held = slurm_qos.choose(["debug"], LIMITS.replace("|1|node=4", "|9|node=4") + "|debug|3\n", 2, 600.0)
    assert held == ["debug"]


def test_the_blocks_of_an_array_have_room_together() -> None:
    two = LIMITS.replace("|1|node=4", "|2|node=4")
    assert slurm_qos.choose(NAMES, two, 2, 600.0, jobs=2) == NAMES
    assert slurm_qos.choose(NAMES, two, 2, 600.0, jobs=3) == NAMES[1:]
    assert slurm_qos.choose(NAMES, two, 3, 600.0, jobs=2) == NAMES[1:]  # six nodes of four


def test_without_an_answer_no_limit_is_known() -> None:
    assert slurm_qos.choose(NAMES, "", 9999, 1e9) == NAMES


def test_a_block_that_none_takes_is_refused_with_the_limits() -> None:
    words = "no qos takes 65 nodes for 48:00:00: debug: at most 00:30:00; regular: at most 24:00:00"
    with pytest.raises(SchedulerError, match=f"^{re.escape(words)}$"):
        slurm_qos.choose(["debug", "regular"], LIMITS, 65, 48 * HOUR)
    with pytest.raises(SchedulerError, match="debug: at most 4 nodes"):
        slurm_qos.choose(["debug"], LIMITS, 5, 60.0)


def starts(commands: Commands, **times: str) -> None:
    """Let sbatch tell when a job of each quality of service starts, refuse others, and submit."""
    cases = "".join(
        f"  *--qos={name}*) echo 'sbatch: Job 7 to start at 2026-11-27T{time}:00 using 8 processors' >&2 ;;\n"
        for name, time in times.items()
    )
    commands.does(
        "sbatch",
        'if [ "$1" != --test-only ]; then echo 42; exit 0; fi\n'
        f'case "$(cat)" in\n{cases}  *) echo "sbatch: error: Invalid qos" >&2; exit 1 ;;\nesac',
    )


@pytest.mark.parametrize(
    ("times", "taken"),
    [
        ({"debug": "12:00", "regular": "11:00"}, "regular"),
        ({"debug": "12:00", "regular": "12:00"}, "debug"),
        ({"regular": "12:00"}, "regular"),
        ({}, "debug"),
    ],
)
def test_a_block_takes_the_one_in_which_it_starts_first(
    commands: Commands, tmp_path: Path, times: dict[str, str], taken: str
) -> None:
    starts(commands, **times)
    system = SchedulerClient(site(scheduler={"qos": "debug,regular"}))
    file = tmp_path / "block.sh"
    assert system.submit(replace(REQUEST, walltime_seconds=600.0), file) == ("42", f"qos {taken}")
    assert f"#SBATCH --qos={taken}\n" in file.read_text()


def test_a_refused_block_tries_the_next(commands: Commands, tmp_path: Path) -> None:
    text = 'if [ "$1" = --test-only ]; then exit 0; fi\n'
    refusal = 'if grep -q qos=debug "$2"; then echo "submit limit" >&2; exit 1; fi\n'
    commands.does("sbatch", f"{text}{refusal}echo 43")
    request = replace(REQUEST, walltime_seconds=600.0)
    system = SchedulerClient(site(scheduler={"qos": "debug,regular"}))
    assert system.submit(request, tmp_path / "block.sh").choice == "qos regular"
    commands.answers("sbatch", stderr="submit limit", code=1)
    words = (
        "refused the block in qos debug: submit limit; sbatch refused the block in qos regular: submit limit"
    )
    with pytest.raises(SchedulerError, match=words):
        system.submit(request, tmp_path / "block.sh")


def test_one_that_fits_needs_no_question(commands: Commands, tmp_path: Path) -> None:
    commands.answers("sbatch", "44\n")
    system = SchedulerClient(site(scheduler={"qos": "debug,regular"}))
    request = replace(REQUEST, walltime_seconds=HOUR)
    assert system.submit(request, tmp_path / "block.sh") == ("44", "qos regular")
    assert "--test-only" not in commands.called("sbatch")


def test_the_question_when_a_block_starts_has_an_answer_for_each(commands: Commands) -> None:
    starts(commands, debug="12:00")
    system = SchedulerClient(site(scheduler={"qos": "debug,regular"}))
    answer = system.ask(replace(REQUEST, walltime_seconds=600.0))
    assert answer.accepted
    assert re.fullmatch(
        "qos debug: Job 7 to start at .* using 8 processors; qos regular: error: Invalid qos", answer.words
    )


def test_jobs_that_wait_keep_their_place_only_with_one() -> None:
    one, several = Slurm(walltime=60.0, qos="a"), Slurm(walltime=60.0, qos="a,b")
    assert keep_their_place(one, Slurm(walltime=60.0, qos="b"))
    assert not keep_their_place(one, several)
