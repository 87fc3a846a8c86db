"""What batch systems, submit scripts and the engine say to workers through their environment."""

from __future__ import annotations

import pytest

from orchestrator.protocol.block_environment import (
    BlockEnvironment,
    node_name,
    process_number,
    restored_tmpdir,
)


def test_a_worker_of_a_block_with_an_end() -> None:
    found = BlockEnvironment.from_variables({
        "PARSL_WORKER_RANK": "3",
        "PARSL_WORKER_BLOCK_ID": "7",
        "PARSL_WORKER_POOL_ID": "ab12",
        "ORCHESTRATOR_BLOCK_STARTED": "1700000000",
        "ORCHESTRATOR_BLOCK_ENDS": "1700003600.5",
        "ORCHESTRATOR_BLOCK_NODES": "n1 n2  n3\nn4",
    })  # fmt: skip
    assert found == BlockEnvironment(3, "7", "ab12", (1700000000.0, 1700003600.5), ("n1", "n2", "n3", "n4"))


def test_without_any_variables() -> None:
    assert BlockEnvironment.from_variables({}) == BlockEnvironment(0, "0", None, None, ())


@pytest.mark.parametrize(
    "variables",
    [
        {"ORCHESTRATOR_BLOCK_STARTED": "1"},
        {"ORCHESTRATOR_BLOCK_ENDS": "1"},
        {"ORCHESTRATOR_BLOCK_STARTED": "1", "ORCHESTRATOR_BLOCK_ENDS": ""},
        {"ORCHESTRATOR_BLOCK_STARTED": "soon", "ORCHESTRATOR_BLOCK_ENDS": "2"},
    ],
)
def test_a_block_whose_end_is_not_stated_has_none(variables: dict[str, str]) -> None:
    assert BlockEnvironment.from_variables(variables).window is None


def test_each_worker_has_its_own_nodes_of_the_block() -> None:
    nodes = ("n1", "n2", "n3", "n4", "n5")
    workers = [BlockEnvironment(number, "0", None, None, nodes) for number in range(3)]
    assert [worker.nodes_of_worker(2) for worker in workers] == [("n1", "n2"), ("n3", "n4"), ("n5",)]


@pytest.mark.parametrize(
    "name",
    ["SLURM_PROCID", "PALS_RANKID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "ALPS_APP_PE"],
)
def test_every_launcher_numbers_its_processes(name: str) -> None:
    assert process_number({name: "5", "HOME": "/root"}) == 5


def test_the_batch_systems_own_number_comes_first() -> None:
    assert process_number({"PMI_RANK": "1", "SLURM_PROCID": "2"}) == 2


def test_a_process_without_a_number_is_an_error_that_names_the_variables() -> None:
    with pytest.raises(ValueError, match=r"SLURM_PROCID, PALS_RANKID, .*ALPS_APP_PE"):
        process_number({"HOME": "/root"})


def test_a_shortened_tmpdir_is_restored_and_any_other_stays() -> None:
    pool = {"TMPDIR": "/tmp", "ORCHESTRATOR_TMPDIR": "/scratch/deep", "HOME": "/root"}
    assert restored_tmpdir(pool) == {"TMPDIR": "/scratch/deep", "HOME": "/root"}
    assert pool["TMPDIR"] == "/tmp"
    assert restored_tmpdir({"TMPDIR": "/tmp"}) == {"TMPDIR": "/tmp"}


def test_a_node_has_the_batch_systems_name_or_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURMD_NODENAME", "cn0042")
    assert node_name() == "cn0042"
    monkeypatch.delenv("SLURMD_NODENAME")
    monkeypatch.setattr("socket.gethostname", lambda: "here")
    assert node_name() == "here"
