"""Parsl's providers and launchers, without an executor, on each batch system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from parsl.jobs.states import JobState
from parsl.launchers import AprunLauncher, JsrunLauncher, MpiExecLauncher, SingleNodeLauncher, SrunLauncher
from parsl.providers import LSFProvider, PBSProProvider, SlurmProvider, TorqueProvider
from parsl.providers.errors import SubmitException

from tests.harness import wait_for
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow

FAMILIES = ("lsf", "pbspro", "torque")


def lsf(**extra: Any) -> LSFProvider:
    launcher = JsrunLauncher(overrides="-c 4 -g 2 -b none")
    extra = {"launcher": launcher, "bsub_redirection": True, "walltime": "00:10:00"} | extra
    return LSFProvider(nodes_per_block=2, project="project", queue="batch", **extra)


def pbspro(**extra: Any) -> PBSProProvider:
    launcher = MpiExecLauncher(bind_cmd="--cpu-bind", overrides="--depth=4 --ppn 1")
    extra = {"launcher": launcher, "walltime": "00:10:00", "queue": "workq"} | extra
    return PBSProProvider(
        account="project",
        nodes_per_block=2,
        cpus_per_node=4,
        select_options="ngpus=2",
        scheduler_options="#PBS -l filesystems=home:eagle",
        **extra,
    )


def torque(**extra: Any) -> TorqueProvider:
    launcher = AprunLauncher(overrides="-d 4 -cc none")
    extra = {"launcher": launcher, "walltime": "00:10:00", "queue": "batch"} | extra
    return TorqueProvider(account="project", nodes_per_block=2, **extra)


MAKERS: dict[str, Callable[..., Any]] = {"lsf": lsf, "pbspro": pbspro, "torque": torque}


@pytest.fixture(params=FAMILIES)
def machine(request: pytest.FixtureRequest) -> Machine:
    """Each machine with a fake."""
    made: Machine = request.getfixturevalue(f"{request.param}_machine")
    return made


@pytest.fixture
def make(machine: Machine, tmp_path: Path) -> Callable[..., Any]:
    """Return what makes a provider of the machine's kind."""

    def ready(**extra: Any) -> Any:
        provider = MAKERS[machine.family](**extra)
        provider.script_dir = str(tmp_path)
        return provider

    return ready


def state(provider: Any, job: str) -> JobState:
    """Return what the provider believes."""
    return provider.status([job])[0].state


def test_a_block_waits_runs_on_all_nodes_and_ends(
    machine: Machine, make: Callable[..., Any], tmp_path: Path
) -> None:
    machine.configure(dispatch=False)
    provider = make()
    command = f"touch {tmp_path}/on-\\$HOSTNAME; until test -e {tmp_path}/end; do sleep 0.05; done"
    job = provider.submit(command, 1)
    assert state(provider, job) is JobState.PENDING
    machine.configure(dispatch=True)
    wait_for(lambda: state(provider, job) is JobState.RUNNING, "the block to run")
    wait_for(lambda: all((tmp_path / f"on-node{n}").exists() for n in (1, 2)), "both nodes to work")
    (tmp_path / "end").touch()
    wait_for(lambda: state(provider, job) is JobState.COMPLETED, "the block to end")


def test_a_block_is_cancelled(machine: Machine, make: Callable[..., Any], tmp_path: Path) -> None:
    provider = make()
    job = provider.submit(f"touch {tmp_path}/on-\\$HOSTNAME; sleep 1000", 1)
    wait_for(lambda: (tmp_path / "on-node2").exists(), "the block to work")
    assert state(provider, job) is JobState.RUNNING
    assert provider.cancel([job]) == [True]
    machine.wait_job(job, "done")
    assert machine.processes(job) == []
    assert provider.cancel([job]) == [False]  # it has ended


def test_a_block_that_fails(machine: Machine, make: Callable[..., Any]) -> None:
    provider = make(launcher=SingleNodeLauncher())
    job = provider.submit("exit 3", 1)
    expected = JobState.FAILED if machine.family == "lsf" else JobState.COMPLETED
    wait_for(lambda: state(provider, job) is expected, "the block to end")


def test_a_block_that_is_refused(machine: Machine, make: Callable[..., Any]) -> None:
    if machine.family == "pbspro":
        with pytest.raises(SubmitException):
            make(queue="nowhere").submit("true", 1)
        return
    machine.configure(accounts=["another"])
    assert make().submit("true", 1) is None


def test_a_server_that_is_down(machine: Machine, make: Callable[..., Any]) -> None:
    provider = make()
    job = provider.submit("sleep 1000", 1)
    wait_for(lambda: state(provider, job) is JobState.RUNNING, "the block to run")
    machine.fail("bjobs" if machine.family == "lsf" else "qstat", times=-1)
    # Without an answer Torque's provider takes every job for ended.
    expected = JobState.COMPLETED if machine.family == "torque" else JobState.RUNNING
    assert state(provider, job) is expected
    assert machine.job(job).state == "running"


def test_directives_in_a_file_given_to_bsub(lsf_machine: Machine, tmp_path: Path) -> None:
    lsf_machine.configure(parse_script=True)
    provider = lsf(bsub_redirection=False)
    provider.script_dir = str(tmp_path)
    job = provider.submit("true", 1)
    assert lsf_machine.job(job).nodes == 2
    assert lsf_machine.job(job).walltime == 600
    wait_for(lambda: state(provider, job) is JobState.COMPLETED, "the end")


def test_blocks_by_cores(lsf_machine: Machine, tmp_path: Path) -> None:
    provider = LSFProvider(
        request_by_nodes=False,
        cores_per_block=8,
        cores_per_node=4,
        bsub_redirection=True,
        walltime="00:10:00",
    )
    provider.script_dir = str(tmp_path)
    job = provider.submit("true", 1)
    assert (lsf_machine.job(job).nodes, lsf_machine.job(job).ranks) == (2, 4)


def test_blocks_of_slurm(slurm: SlurmCluster, tmp_path: Path) -> None:
    provider = SlurmProvider(
        "main",
        nodes_per_block=2,
        cores_per_node=2,
        gpus_per_node=2,
        exclusive=False,
        walltime="00:10:00",
        launcher=SrunLauncher(overrides="--ntasks-per-node=1 -c 2 --gpus-per-node=2"),
        cmd_timeout=60,
    )
    provider.script_dir = str(tmp_path)
    ended = provider.submit(f"touch {tmp_path}/on-\\$SLURMD_NODENAME-\\$CUDA_VISIBLE_DEVICES", 1)
    slurm.wait_job(ended, "COMPLETED")
    assert len(list(tmp_path.glob("on-node?-0,1"))) == 2
    assert state(provider, ended) is JobState.COMPLETED
    job = provider.submit("sleep 1000", 1)
    slurm.wait_job(job, "RUNNING")
    assert state(provider, job) is JobState.RUNNING
    assert provider.cancel([job]) == [True]
    slurm.wait_job(job, "CANCELLED")
    with pytest.raises(SubmitException):
        refused = SlurmProvider("nowhere", walltime="00:10:00", cmd_timeout=60)
        refused.script_dir = str(tmp_path)
        refused.submit("true", 1)


def test_blocks_of_torque_on_slurm(
    torque_on_slurm: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where Debian's qsub leaves the output
    provider = TorqueProvider(launcher=SingleNodeLauncher(), walltime="00:10:00", cmd_timeout=60)
    provider.script_dir = str(tmp_path)
    job = provider.submit("sleep 1000", 1)
    torque_on_slurm.wait_job(job, "RUNNING")
    assert state(provider, job) is JobState.RUNNING
    assert provider.cancel([job]) == [True]
    torque_on_slurm.wait_job(job, "CANCELLED")
