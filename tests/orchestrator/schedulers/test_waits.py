"""How long jobs waited in the queue, as batch systems remember them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.families import family_of
from orchestrator.schedulers.model import QueueWait, SchedulerError
from sites.schedulers import Batch, Flux, PbsPro, Slurm
from tests.orchestrator.schedulers.test_client import Commands, site

NOON = datetime.fromisoformat("2026-11-28T12:00:00").timestamp()
JOBS = {
    "1.s": {"etime": "Sat Nov 28 12:00:00 2026", "stime": "Sat Nov 28 13:30:00 2026",
            "Resource_List": {"nodect": 4}, "queue": "batch"},
    "2.s": {"etime": "Sat Nov 28 12:00:00 2026", "Resource_List": {"nodect": 4}, "queue": "batch"},
    "3.s": {"etime": "Sat Nov 28 12:00:00 2026", "stime": "Sat Nov 28 12:00:01 2026",
            "Resource_List": {}, "queue": "debug"},
}  # fmt: skip
SAID = {
    "Slurm": (
        Slurm(walltime=60),
        "2026-11-28T12:00:00|2026-11-28T13:30:00|4\n2026-11-28T12:00:00|Unknown|4\n"
        "Unknown|2026-11-28T13:30:00|4\n2026-11-28T12:00:00|None|0\n2026-11-28T12:00:01|2026-11-28T12:00:00|1\n",
        [QueueWait(4, NOON, 5400.0), QueueWait(1, NOON + 1, 0.0)],
    ),
    "PBS": (
        PbsPro(walltime=60),
        json.dumps({"Jobs": JOBS}),
        [QueueWait(4, NOON, 5400.0), QueueWait(1, NOON, 1.0)],
    ),
    "PBS, of a queue": (
        PbsPro(walltime=60, queue="batch"), json.dumps({"Jobs": JOBS}), [QueueWait(4, NOON, 5400.0)]
    ),
    "PBS: nothing": (PbsPro(walltime=60), "", []),
    "Flux": (
        Flux(walltime=60),
        f"{NOON}|{NOON + 90.5}|2\n{NOON}|0.0|\n{NOON}|0.0|2\n",
        [QueueWait(2, NOON, 90.5)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_waits_are_read(name: str) -> None:
    batch, printed, waits = SAID[name]
    assert family_of(batch).parse_waits(printed) == waits


@pytest.mark.parametrize("printed", ["a|b", "a|b|c", "[]", '{"Jobs": 3}', "2026|1|x"])
@pytest.mark.parametrize("batch", [kind(walltime=60) for kind in (Slurm, PbsPro, Flux)])
def test_a_list_that_cannot_be_read_is_an_error(
    printed: str, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{commands.bin}:/bin:/usr/bin")
    for name in ("sacct", "qstat", "flux"):
        commands.answers(name, printed)
    commands.answers("qselect", "1.s\n")
    with pytest.raises(SchedulerError, match="printed a list of jobs that cannot be read"):
        SchedulerClient(site().model_copy(update={"scheduler": batch})).waits()


def test_a_user_without_jobs_has_no_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{commands.bin}:/bin:/usr/bin")
    commands.answers("qselect")
    assert SchedulerClient(site("pbspro")).waits() == []
    commands.answers("qselect", stderr="no server\n", code=1)
    with pytest.raises(SchedulerError, match="qstat lists no ended jobs: no server"):
        SchedulerClient(site("pbspro")).waits()


def test_a_batch_system_that_tells_none_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", str(commands.bin))
    commands.answers("sacct", stderr="Slurm accounting storage is disabled\n", code=1)
    with pytest.raises(
        SchedulerError, match="sacct lists no ended jobs: Slurm accounting storage is disabled"
    ):
        SchedulerClient(site()).waits()
    with pytest.raises(SchedulerError, match="LSF has no command that lists the waits of ended jobs"):
        SchedulerClient(site("lsf")).waits()
