"""Fixtures for tests of batch systems: a real Slurm, and machines with fakes of LSF, PBS and Torque."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.schedulers.machines import Machine, own_names
from tests.schedulers.slurm import SlurmCluster, obstacles


def missing(reasons: list[str]) -> None:
    """Skip a test that cannot run here; in continuous integration that is a failure."""
    if reasons and os.environ.get("CI") == "true":
        pytest.fail("; ".join(reasons), pytrace=False)
    if reasons:
        pytest.skip("; ".join(reasons))


@pytest.fixture(scope="session")
def slurm_cluster() -> Iterator[SlurmCluster]:
    """One Slurm of three nodes for the whole session; tests take `slurm`."""
    missing(obstacles())
    with SlurmCluster() as cluster:
        yield cluster


@pytest.fixture
def slurm(slurm_cluster: SlurmCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlurmCluster]:
    """Slurm with all nodes idle and no jobs; this process and its children find its commands."""
    for name, value in slurm_cluster.environment.items():
        monkeypatch.setenv(name, value)
    for name in list(os.environ):
        if name.startswith("SLURM_") and name != "SLURM_CONF":
            monkeypatch.delenv(name)
    slurm_cluster.reset()
    yield slurm_cluster
    slurm_cluster.reset()


@pytest.fixture
def torque_on_slurm(slurm: SlurmCluster) -> SlurmCluster:
    """Slurm that Torque's commands, as Debian wraps them, submit to."""
    qsub = shutil.which("qsub")
    wrapped = qsub is not None and b"Slurm" in Path(qsub).read_bytes()
    missing([] if wrapped else ["apt-get install slurm-wlm-torque"])
    return slurm


@pytest.fixture(scope="session")
def named_nodes() -> None:
    """Virtual nodes have host names of their own."""
    missing([] if own_names() else ["virtual nodes need host names of their own, which root may give"])


def machine(
    family: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: object
) -> Iterator[Machine]:
    """Make a machine whose commands this process and its children find."""
    made = Machine(family, folder, **settings)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def lsf_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """LSF 10.1 with jsrun: a launch node `batch1` and compute nodes `node1` to `node3`."""
    yield from machine("lsf", tmp_path, monkeypatch, server="summit", launch_node="batch1")


@pytest.fixture
def pbspro_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """PBS Professional 2022 with mpiexec: nodes `node1` to `node3`."""
    yield from machine(
        "pbspro", tmp_path, monkeypatch, server="polaris-pbs-01", queues={"workq": {}, "debug": {}}
    )


@pytest.fixture
def torque_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Torque 6.1 with aprun, mpiexec and pbsdsh: nodes `node1` to `node3`."""
    yield from machine("torque", tmp_path, monkeypatch, server="sdb")


@pytest.fixture
def flux_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Flux, its system instance: nodes `node1` to `node3`."""
    yield from machine("flux", tmp_path, monkeypatch)
