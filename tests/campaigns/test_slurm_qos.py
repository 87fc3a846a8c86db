"""Campaigns on a real Slurm with accounts: blocks take the quality of service in which they start first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.schedulers.client import SchedulerClient
from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.harness import wait_for
from tests.orchestrator.schedulers.test_client import site as scheduler_site
from tests.schedulers.accounted_slurm import AccountedSlurm, accounting_obstacles
from tests.schedulers.fixtures import missing

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[AccountedSlurm]:
    missing(accounting_obstacles())
    with AccountedSlurm({"debug": "MaxWall=2 MaxJobsPU=1 MaxTRES=node=1", "regular": "MaxWall=60"}) as made:
        yield made


@pytest.fixture
def slurm(cluster: AccountedSlurm, monkeypatch: pytest.MonkeyPatch) -> AccountedSlurm:
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    cluster.reset()
    return cluster


def test_each_block_takes_a_quality_of_service_with_room(slurm: AccountedSlurm, tmp_path: Path) -> None:
    place = SlurmSandbox(
        tmp_path, qos="debug,regular", nodes_per_block="1..1", walltime="1 min..2 min", blocks=2
    )
    place.campaign(16, parameters={"seconds": 4.0})
    asked = place.run("plan", "toy.yaml", "--site", "site.yaml", "--ask")
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert "qos debug" in asked.stdout
    driver = place.launch()
    where = "squeue", "--noheader", "--states=RUNNING", "--format=%q"
    wait_for(lambda: sorted(slurm.run(*where).split()) == ["debug", "regular"], "a block in each")
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(16)
    assert "is submitted to qos debug" in out + err
    assert "is submitted to qos regular" in out + err
    wait_for(lambda: not active(slurm), "the blocks to be gone")
    waits = SchedulerClient(scheduler_site()).waits()
    assert {one.nodes for one in waits} == {1, len(slurm.names)}  # the cluster's own first step had all
    assert all(0 <= one.seconds < 600 for one in waits)


def test_a_block_that_no_quality_of_service_takes_is_refused_with_the_limits(
    slurm: AccountedSlurm, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, qos="debug,regular", nodes_per_block=2, walltime="2 h")
    place.campaign(2, parameters={"seconds": 1.0})
    driver = place.launch()
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 1, out + err
    limits = "debug: at most 00:02:00; regular: at most 01:00:00"
    assert f"no qos takes 1 node for 02:00:00: {limits}" in out + err
