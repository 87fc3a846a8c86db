"""Nodes that are free now, as batch systems list them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.families import family_of
from orchestrator.schedulers.model import FreeNodes, Hole
from sites.schedulers import Batch, Flux, Lsf, PbsPro, Slurm, Torque
from tests.orchestrator.schedulers.test_client import Commands, site

NOW = datetime.fromisoformat("2026-11-28T12:00:00").timestamp()
NODES = {
    "a": {"state": "free", "jobs": []},
    "b": {"state": "free"},
    "c": {"state": "free", "jobs": ["1.server"]},
    "d": {"state": "offline"},
    "e": {"state": "free", "queue": "debug"},
    "f": {"state": "free", "queue": "batch"},
}
HOSTS = """\
HOST_NAME          STATUS       JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV
n1                 ok              -     42      0      0      0      0      0
n2                 closed_Full     -     42     42     42      0      0      0
n3                 ok              -     42      7      7      0      0      0
n4                 unavail         -     42      0      0      0      0      0
n5                 ok              -     42      0      0      0      0      0
"""
SAID = {
    "Slurm: idle, and planned until the first of the waiting jobs": (
        Slurm(walltime=60),
        "nodes|3|idle\nnodes|1|idle~\nnodes|2|idle*\nnodes|4|planned\n"
        "start|N/A|9\nstart|2026-11-28T13:00:00|5\nstart|2026-11-28T12:30:00|7\nstart|2026-11-28T11:59:00|6\n",
        FreeNodes((Hole(4), Hole(8, 1800.0)), {"7": 1800.0, "6": -60.0}),
    ),
    "Slurm: planned for jobs whose start is not told": (
        Slurm(walltime=60), "nodes|4|planned\nstart|N/A|9\n", FreeNodes()
    ),
    "Slurm: nothing": (Slurm(walltime=60), "", FreeNodes()),
    "PBS": (PbsPro(walltime=60, queue="batch"), json.dumps({"nodes": NODES}), FreeNodes.counted(3)),
    "LSF": (Lsf(walltime=60), HOSTS, FreeNodes.counted(2)),
    "Flux": (Flux(walltime=60), "12\n3\n", FreeNodes.counted(15)),
    "Flux: nothing": (Flux(walltime=60), "0\n", FreeNodes()),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_free_nodes_are_read(name: str) -> None:
    batch, printed, answer = SAID[name]
    assert family_of(batch).parse_free_nodes(printed, NOW) == answer


def test_partition_and_queue_are_asked_for() -> None:
    def words(batch: Batch) -> str:
        command = family_of(batch).free_nodes_command()
        return "" if command is None else " ".join(command.words)

    assert words(Slurm(walltime=60, partition="big one")).count("--partition='big one'") == 2
    assert "--partition" not in words(Slurm(walltime=60))
    assert words(Flux(walltime=60, queue="batch")).endswith("--queue=batch")
    assert words(Torque(walltime=60)) == ""


@pytest.mark.parametrize(
    "printed",
    [
        "nodes|many|idle",
        "nodes|1",
        "start|tomorrow|5",
        "start|N/A",
        '{"nodes": 3}',
        "[]",
        '{"nodes": {"a": 1}}',
        "?",
    ],
)
@pytest.mark.parametrize(
    "batch", [Slurm(walltime=60), PbsPro(walltime=60), Lsf(walltime=60), Flux(walltime=60)]
)
def test_an_answer_that_cannot_be_read_is_none(
    printed: str, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{commands.bin}:/bin:/usr/bin")
    for name in ("sinfo", "squeue", "pbsnodes", "bhosts", "flux"):
        commands.answers(name, printed)
    assert SchedulerClient(site().model_copy(update={"scheduler": batch})).free_nodes() is None


def test_a_command_that_fails_or_is_not_known_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{commands.bin}:/bin:/usr/bin")
    commands.answers("sinfo", "nodes|3|idle\n", code=1)
    assert SchedulerClient(site()).free_nodes() is None
    commands.answers("sinfo", "nodes|3|idle\n")
    assert SchedulerClient(site()).free_nodes() is None  # there is no squeue
    commands.answers("squeue", "start|N/A|9\n")
    assert SchedulerClient(site()).free_nodes() == FreeNodes.counted(3)
    assert SchedulerClient(site().model_copy(update={"scheduler": Torque(walltime=60)})).free_nodes() is None


def test_a_family_that_asks_must_read() -> None:
    made = family_of(Torque(walltime=60))
    with pytest.raises(NotImplementedError, match="TorqueFamily has a free_nodes_command"):
        made.parse_free_nodes("", NOW)
    with pytest.raises(NotImplementedError, match="TorqueFamily has a waits_command"):
        made.parse_waits("")
