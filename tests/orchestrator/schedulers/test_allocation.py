"""The allocation around the driver: what is found of it, and what is wrong with it in one line."""

from __future__ import annotations

import os
import re
import shutil
import socket
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.errors import CampaignError
from orchestrator.host.processes import SESSION_MARK, runs, with_mark
from orchestrator.schedulers import allocation as allocation_module
from orchestrator.schedulers.allocation import (
    CLOSING_SECONDS,
    Allocation,
    AllocationClient,
    find_allocation,
    with_allocation,
)
from orchestrator.schedulers.model import JobRequest, JobState
from sites import Site
from tests.harness import wait_for
from tests.orchestrator.simulation.simulated import made_plan


def site(**scheduler: Any) -> Site:
    return Site.model_validate(
        {
            "site": "test",
            "scheduler": {"type": "slurm", "walltime": "2 h", **scheduler},
            "node": {"cores": "0-1", "memory": "1 GiB"},
            "address": "127.0.0.1",
        }
    )


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Commands of Slurm whose text is as a test sets it, and an allocation that lasts an hour."""
    texts = {"squeue": "echo 'RUNNING|1:00:00'", "scontrol": "printf 'n1\\nn2\\n'", "srun": "true"}

    class Commands(dict[str, str]):
        def __setitem__(self, name: str, text: str) -> None:
            file = tmp_path / name
            file.unlink(missing_ok=True)
            if text:
                file.write_text(f"#!/bin/sh\n{text}\n")
                file.chmod(0o755)

    made = Commands()
    for name, text in texts.items():
        made[name] = text
    for name in ("bash", "sh", "sort", "sleep", "date"):  # a real squeue may be there too
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    return made


def test_nodes_and_end_are_the_batch_systems(commands: dict[str, str]) -> None:
    ranges = {"nodes_per_block": "4..9", "walltime": "1 h..2 h", "max_blocks": 5}
    found, allocation = with_allocation(site(**ranges), here=True)
    assert allocation is not None
    assert (allocation.job, allocation.nodes, allocation.limited) == ("77", ("n1", "n2"), True)
    assert allocation.ends == pytest.approx(time.time() + 3600, abs=30)
    scheduler: Any = found.scheduler
    assert (scheduler.nodes_per_block, scheduler.max_blocks) == (2, 1)
    assert scheduler.walltime == pytest.approx(3600 - CLOSING_SECONDS, abs=30)
    assert not scheduler.has_ranges
    assert scheduler.launcher.options == ["--overlap"]
    assert not allocation.holds_driver
    assert Allocation("1", (f"{socket.gethostname()}.cluster",), 0.0).holds_driver


def test_an_allocation_is_of_one_pool(commands: dict[str, str]) -> None:
    pools = {"gpu": {"scheduler": {"partition": "g"}}, "cpu": {"node": {"cores": "0-7"}}}
    made = Site.model_validate(site().model_dump(exclude_unset=True) | {"pools": pools})
    with pytest.raises(CampaignError, match=r"has pools gpu, cpu, .* --here --pool gpu"):
        with_allocation(made, here=True)
    assert with_allocation(made, here=False) == (made, None)
    found, allocation = with_allocation(made.model_copy(update={"pool": "cpu"}), here=True)
    assert allocation is not None
    assert (found.pool, found.node.cores) == ("cpu", "0-7")
    assert list(found.pooled()) == ["cpu"]
    scheduler: Any = found.scheduler
    assert scheduler.nodes_per_block == 2
    assert with_allocation(made, here=True, pool="cpu")[0].pool == "cpu"
    assert made.pool is None


@pytest.mark.parametrize(
    ("here", "pool", "message"),
    [
        (True, "cpuu", "--pool cpuu: site test has no pool of that name; did you mean cpu?"),
        (False, "cpu", "--pool cpu names the pool of an allocation that is used; add --here, or "),
        (None, "cpu", "--pool cpu names the pool of an allocation that is used; add --here, or "),
    ],
)
def test_a_pool_is_one_of_the_site_and_of_an_allocation(
    commands: dict[str, str], here: bool | None, pool: str, message: str
) -> None:
    made = Site.model_validate(site().model_dump(exclude_unset=True) | {"pools": {"gpu": {}, "cpu": {}}})
    with pytest.raises(CampaignError, match=re.escape(message)):
        with_allocation(made, here, pool)


def test_a_site_without_pools_has_none_to_name(commands: dict[str, str]) -> None:
    with pytest.raises(CampaignError, match="has no pool of that name; leave out --pool"):
        with_allocation(site(), True, "gpu")


def test_without_a_limit_the_sites_walltime_counts(commands: dict[str, str]) -> None:
    commands["squeue"] = "echo 'RUNNING|UNLIMITED'"
    allocation = find_allocation(site())
    assert not allocation.limited
    assert allocation.ends == pytest.approx(time.time() + 7200, abs=30)


def test_an_instance_of_flux_ends_with_the_allocation_that_it_was_started_in(
    commands: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLUX_URI", "local:///tmp/flux-1/local-0")
    monkeypatch.setenv("PBS_JOBID", "gone")
    (Path(os.environ["PATH"]) / "env").symlink_to(str(shutil.which("env", path="/usr/bin:/bin")))
    commands["flux"] = 'case "$*" in *timeleft) echo 4294967295;; *) echo n1; echo n2;; esac'
    commands["qstat"] = "echo 'Unknown Job Id' >&2; exit 153"
    allocation = find_allocation(site(type="flux"))
    assert (allocation.nodes, allocation.limited) == (("n1", "n2"), True)
    assert allocation.ends == pytest.approx(time.time() + 3600, abs=30)
    monkeypatch.delenv("SLURM_JOB_ID")
    assert not find_allocation(site(type="flux")).limited


@pytest.mark.parametrize(
    ("inside_allocation", "here", "used"),
    [
        ("submit", None, False),
        ("submit", True, True),
        ("use", None, True),
        ("use", False, False),
    ],
)
def test_the_site_or_the_user_says_whether_it_is_used(
    commands: dict[str, str], inside_allocation: str, here: bool | None, used: bool
) -> None:
    _, allocation = with_allocation(site(inside_allocation=inside_allocation), here)
    assert (allocation is not None) == used


def test_outside_of_an_allocation_blocks_are_submitted_unless_here_is_asked_for(
    commands: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SLURM_JOB_ID")
    assert with_allocation(site(inside_allocation="use"), None)[1] is None
    with pytest.raises(CampaignError, match="this is no allocation, SLURM_JOB_ID is not set; get one first"):
        with_allocation(site(), here=True)


def test_a_local_site_has_no_allocation() -> None:
    local = Site.model_validate({"site": "mine"})
    assert with_allocation(local, None) == (local, None)
    with pytest.raises(CampaignError, match="site mine has no batch system, and so no allocation"):
        with_allocation(local, here=True)


def test_of_several_pools_one_of_a_batch_system_is_named(commands: dict[str, str]) -> None:
    facts = site(inside_allocation="use").model_dump(exclude_unset=True)
    own = {"scheduler": {"type": "local"}}
    mixed = Site.model_validate(facts | {"pools": {"own": own, "cluster": {}}})
    used, allocation = with_allocation(mixed, None)
    assert (used.pool, used.pools) == ("cluster", {})
    assert allocation is not None
    with pytest.raises(CampaignError, match="pool own of site test has no batch system, and so"):
        with_allocation(mixed, here=True, pool="own")
    with pytest.raises(CampaignError, match="--pool own names the pool of an allocation that is used"):
        with_allocation(mixed, here=False, pool="own")
    other = {
        "scheduler": {"type": "pbspro", "walltime": "1 h", "inside_allocation": "use"},
        "node": {"cores": "0-1", "memory": "1 GiB"},
        "address": "127.0.0.1",
    }
    two = Site.model_validate(facts | {"pools": {"own": own, "far": other, "cluster": {}}})
    assert with_allocation(two, None)[0].pool == with_allocation(two, here=True)[0].pool == "cluster"
    for pool in ("own", "far"):
        with pytest.raises(
            CampaignError, match=f"--pool {pool} names the pool of an allocation that is used"
        ):
            with_allocation(two, None, pool)
    several = Site.model_validate(facts | {"pools": {"own": own, "cluster": {}, "more": {}}})
    with pytest.raises(CampaignError, match="has pools cluster, more, and an allocation is of one"):
        with_allocation(several, here=True)


@pytest.mark.parametrize(
    ("command", "text", "message"),
    [
        (
            "squeue",
            "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1",
            "SLURM_JOB_ID is 77, which squeue does not know: slurm_load_jobs error: Invalid job id",
        ),
        ("squeue", "true", "SLURM_JOB_ID is 77, which squeue does not know: exit code 0"),
        ("squeue", "", "no command squeue here"),
        ("squeue", "echo 'TIMEOUT|0:00'", "allocation 77 has ended; get another one"),
        ("squeue", "echo 'RUNNING|0:12'", "allocation 77 has only 12 s left"),
        ("squeue", "echo 'RUNNING|soon'", "squeue does not state when allocation 77 ends: 'RUNNING|soon'"),
        ("scontrol", "echo 'Invalid hostlist' >&2; exit 1", "cannot be read: Invalid hostlist"),
        ("scontrol", "true", "the nodes of the allocation cannot be read: the list is empty"),
        ("srun", "", "no command srun here, which starts the workers on the nodes"),
    ],
)
def test_what_is_wrong_with_an_allocation_is_said_in_one_line(
    commands: dict[str, str], command: str, text: str, message: str
) -> None:
    commands[command] = text
    with pytest.raises(CampaignError) as error:
        with_allocation(site(), here=True)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unreadable_list_of_nodes_is_named(
    commands: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands["qstat"] = """echo '{"Jobs": {"7.pbs": {"job_state": "R"}}}'"""
    monkeypatch.setenv("PBS_JOBID", "7.pbs")
    monkeypatch.setenv("PBS_NODEFILE", str(tmp_path / "gone"))
    with pytest.raises(CampaignError, match=r"the nodes of the allocation cannot be read: .*gone"):
        with_allocation(site(type="pbspro"), here=True)


def block(tmp_path: Path, commands: dict[str, str], srun: str) -> tuple[AllocationClient, str]:
    """Start a block whose launcher is a text of a shell."""
    commands["srun"] = srun
    found, allocation = with_allocation(site(), here=True)
    assert allocation is not None
    client = AllocationClient(found, allocation)
    request = JobRequest("eto-1", 2, 60.0, tmp_path / "out", "worker")
    return client, client.submit(request, tmp_path / "block.sh").job


def state(client: AllocationClient, job: str) -> JobState:
    (found,) = client.status([job])
    return found.state


def test_a_block_is_a_process_that_ends_when_it_is_cancelled(
    commands: dict[str, str], tmp_path: Path
) -> None:
    client, job = block(tmp_path, commands, 'echo $ORCHESTRATOR_BLOCK_STARTED "$@"; sleep 600')
    allocation, _, pid = job.partition("/")
    assert allocation == "77"
    wait_for(lambda: (tmp_path / "out").read_text(), "the launcher")
    assert (tmp_path / "out").read_text().startswith("0 --nodes=2 --ntasks=2")
    assert state(client, job) is JobState.RUNNING
    client.cancel([job])
    client.cancel([job])
    assert state(client, job) is JobState.CANCELLED
    assert not Path(f"/proc/{pid}").exists()


def test_what_a_driver_ends_at_its_end_leaves_the_lines_of_a_node_alone(
    commands: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SESSION_MARK, mark := f"{uuid.uuid4().hex}:1")
    monkeypatch.setattr(allocation_module, "_KILL_SECONDS", 0.1)
    worker = tmp_path / "worker"
    worker.write_text(f"#!/bin/sh\n: > {tmp_path}/up\nexec sleep 600\n")
    worker.chmod(0o755)
    commands["srun"] = 'while [ "$1" != bash ]; do shift; done; exec "$@"'
    lines = ["sleep 1", f": > {tmp_path}/swept"]
    found, allocation = with_allocation(site(node_teardown=lines), here=True)
    plan = made_plan({"instances": 1}, batch={"node_teardown": lines})
    jobs = BlockJobs(found, plan.site.scheduler, "c", tmp_path / "blocks", plan.stages[0], allocation)
    job = jobs.submit(str(worker), "b")
    wait_for((tmp_path / "up").exists, "the worker", 60)
    marked = with_mark(SESSION_MARK, mark)
    assert [process.name() for process in marked] == ["sleep"]
    jobs.cancel([job])
    assert (tmp_path / "swept").exists()
    assert not any(map(runs, marked))


def test_a_block_that_fails_in_an_allocation_that_goes_on_has_failed(
    commands: dict[str, str], tmp_path: Path
) -> None:
    client, job = block(tmp_path, commands, "exit 3")
    wait_for(lambda: state(client, job).ended, "its end")
    assert [(one.state, one.reason) for one in client.status([job])] == [(JobState.FAILED, "exit code 3")]


def test_a_block_that_ends_with_its_allocation_has_not_failed(
    commands: dict[str, str], tmp_path: Path
) -> None:
    client, job = block(tmp_path, commands, "exit 143")
    commands["squeue"] = "echo 'CANCELLED|0:00'"
    wait_for(lambda: state(client, job).ended, "its end")
    assert [(one.state, one.reason) for one in client.status([job])] == [
        (JobState.TIMEOUT, "allocation 77 ended")
    ]
