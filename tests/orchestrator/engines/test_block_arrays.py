"""Blocks that are submitted together as the tasks of one job array."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.engines.block_arrays import JobArray, task_command
from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.schedulers.model import JobState, NoAnswerError, SchedulerError
from sites.schedulers import Batch
from tests.orchestrator.schedulers.test_client import Commands
from tests.orchestrator.simulation.simulated import made_plan

COMMAND = "worker_pool --block_id={} --max_workers_per_node=2"


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    made = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{made.bin}:/usr/bin:/bin")
    made.answers("sbatch", "77\n")
    return made


def made(folder: Path, **batch: object) -> BlockJobs:
    plan = made_plan({"instances": 8}, batch={"max_blocks": 4, **batch})
    settings = plan.site.scheduler
    assert isinstance(settings, Batch)
    return BlockJobs(plan.site, settings, "eto-1", folder / "blocks", plan.stages[0])


def test_each_task_runs_the_block_of_its_number() -> None:
    command = task_command(f"echo {COMMAND.format(7)}", "TASK")
    assert command is not None
    said = subprocess.run(
        ["bash", "-c", command], env={"TASK": "3"}, capture_output=True, text=True, check=True
    )
    assert said.stdout == "worker_pool --block_id=10 --max_workers_per_node=2\n"
    assert task_command("worker_pool", "TASK") is None
    assert task_command(f"{COMMAND.format(1)}; {COMMAND.format(2)}", "TASK") is None


def test_tasks_are_taken_in_order_by_the_blocks_they_run() -> None:
    array = JobArray(COMMAND.format(9), ["5_0", "5_1", "5_2"])
    assert array.take(COMMAND.format(11)) is None
    assert array.take(COMMAND.format(10)) == "5_1"
    assert array.left == ["5_2"]
    assert array.take(COMMAND.format(11)) == "5_2"
    assert array.take(COMMAND.format(12)) is None


def test_blocks_are_one_job_array(commands: Commands, tmp_path: Path) -> None:
    jobs = made(tmp_path, node_teardown=["true"])
    assert jobs.expect(3)
    ids = [jobs.submit(COMMAND.format(number), f"block-{number}") for number in range(3)]
    assert ids == ["77_0", "77_1", "77_2"]
    assert jobs.tasks_left == 0
    assert len(commands.called("sbatch")) == 1
    script = (tmp_path / "blocks" / "block-0.sh").read_text()
    assert "#SBATCH --array=0-2\n" in script
    assert f"#SBATCH --output={tmp_path}/blocks/block-0-%a.out\n" in script
    assert "--block_id=$((0 + SLURM_ARRAY_TASK_ID))" in script
    assert {one.state for one in jobs.known.values()} == {JobState.QUEUED}
    assert list(jobs.known) == ids
    jobs.expect(0)
    assert not (tmp_path / "scancel").exists()
    assert jobs.submit(COMMAND.format(3), "block-3") == "77"


def test_tasks_without_a_block_are_cancelled(commands: Commands, tmp_path: Path) -> None:
    commands.answers("scancel", "")
    jobs = made(tmp_path)
    jobs.expect(3)
    jobs.submit(COMMAND.format(0), "block-0")
    jobs.expect(0)
    assert commands.called("scancel") == ["77_1", "77_2"]
    assert list(jobs.known) == ["77_0"]


def test_a_block_that_no_task_runs_ends_the_array(commands: Commands, tmp_path: Path) -> None:
    commands.answers("scancel", "")
    jobs = made(tmp_path)
    jobs.expect(3)
    jobs.submit(COMMAND.format(0), "block-0")
    assert jobs.submit(COMMAND.format(2), "block-2") == "77"
    assert commands.called("scancel") == ["77_1", "77_2"]


def test_an_array_of_which_slurm_says_nothing_is_not_asked_for_again(
    commands: Commands, tmp_path: Path
) -> None:
    commands.answers("sbatch", stderr="sbatch: error: Socket timed out on send/recv operation\n", code=1)
    jobs = made(tmp_path)
    jobs.expect(3)
    with pytest.raises(NoAnswerError, match=r"did not answer: .*Socket timed out"):
        jobs.submit(COMMAND.format(0), "block-0")
    assert len(commands.called("sbatch")) == 1


def test_blocks_are_requested_one_by_one_once_an_array_was_refused(
    commands: Commands, tmp_path: Path
) -> None:
    commands.does(
        "sbatch", 'if grep -q -- --array "$2"; then echo "array too large" >&2; exit 1; fi; echo 78'
    )
    jobs = made(tmp_path)
    assert jobs.expect(3)
    assert jobs.submit(COMMAND.format(0), "block-0") == "78"
    assert jobs.tasks_left == 0
    assert not jobs.expect(3)
    commands.answers("sbatch", stderr="no such account", code=1)
    with pytest.raises(SchedulerError, match="no such account"):
        made(tmp_path / "other").submit(COMMAND.format(0), "block-0")


def test_a_batch_system_without_arrays_gets_one_block_at_a_time(commands: Commands, tmp_path: Path) -> None:
    jobs = made(tmp_path, type="torque")
    assert not jobs.expect(3)
    commands.answers("qsub", "12.server\n")
    assert jobs.submit(COMMAND.format(0), "block-0") == "12.server"
