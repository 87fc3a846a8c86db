"""The driver's own job: when it hands over, what it keeps of its environment, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from db.ledger import Ledger
from db.reader import Reader
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process import place
from orchestrator.lifecycle.driver_process.job import (
    driver_settings,
    handover_seconds,
    is_registered,
    main,
    record_launch_job,
    submit_driver_job,
    without_job,
)
from orchestrator.lifecycle.driver_process.place import launch_jobs
from orchestrator.monitoring.watched import Watched
from sites import FileError, Site, parse
from tests.db import rows

SITE = """
site: ours
interface: lo
node: {cores: 0-3, memory: 4 GiB}
scheduler: {type: slurm, walltime: 1 h, nodes_per_block: 8, max_blocks: 4, node_prologue: [mkdir /x]}
"""


def site(more: str = "") -> Site:
    return parse(SITE + more, Site, "ours.yaml")


def test_a_driver_job_needs_a_batch_system_outside_of_pools_and_no_pool_on_its_own_machine() -> None:
    facts = "\n    address: 127.0.0.1\n    node: {cores: 0-1, memory: 1 GiB}\n"
    far = "  far:\n    scheduler: {type: slurm, walltime: 1 h}" + facts
    outside = parse(f"site: x\npools:\n{far}", Site, "x")
    with pytest.raises(CampaignError, match="site x writes no batch system in `scheduler` outside of pools"):
        submit_driver_job(outside, "", "toy", None, [], [])
    slurm = "scheduler: {type: slurm, walltime: 1 h}\n"
    own = "  own: {scheduler: {type: local}}\n"
    mixed = parse(f"site: x\n{slurm}pools:\n{own}{far}", Site, "x")
    with pytest.raises(
        CampaignError, match="pool own of site x is the driver's machine, which a driver's job"
    ):
        submit_driver_job(mixed, "", "toy", None, [], [])


def test_its_settings_are_the_sites_with_changes() -> None:
    settings = driver_settings(site("driver_job: {partition: small, walltime: 24 h, exclusive: false}"))
    assert (settings.nodes_per_block, settings.max_blocks, settings.node_prologue) == (1, 1, [])
    assert (settings.walltime, settings.model_dump()["partition"]) == (86400.0, "small")
    assert driver_settings(site()).walltime == 3600.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ("{queue: x}", "driver_job.*queue"),
        ("{walltime: soon}", "driver_job.*walltime"),
        ("[1]", "driver_job"),
    ],
)
def test_wrong_settings_are_refused_with_the_site(changes: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        site(f"driver_job: {changes}")
    with pytest.raises(FileError, match="needs a batch system"):
        parse("site: x\ndriver_job: {walltime: 1 h}", Site, "x")


@pytest.mark.parametrize(
    ("ends", "seconds"), [("4600", 3480.0), ("1040", 30.0), ("900", 0.0), ("", None), ("never", None)]
)
def test_it_hands_over_before_its_end(ends: str, seconds: float | None) -> None:
    found = handover_seconds({"ORCHESTRATOR_BLOCK_ENDS": ends}, 1000.0)
    assert found == seconds
    assert handover_seconds({}, 1000.0) is None


def test_the_driver_does_not_know_its_job() -> None:
    given = {"SLURM_JOB_ID": "1", "SLURM_CONF": "/c", "PBS_NODEFILE": "/n", "LSB_JOBID": "2", "HOME": "/h"}
    assert without_job(given | {"ORCHESTRATOR_BLOCK_ENDS": "3"}) == {"SLURM_CONF": "/c", "HOME": "/h"}


def test_where_no_job_makes_sense(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="has no batch system; --as-job needs one"):
        submit_driver_job(parse("site: x", Site, "x"), "", "friday", None, [], [])
    with pytest.raises(CampaignError, match="on_driver_loss is stop"):
        submit_driver_job(site("on_driver_loss: stop"), "", "friday", None, [], [])


def test_a_campaign_in_the_ledger_is_resumed(sqlite_url: str) -> None:
    assert not is_registered("toy", sqlite_url)
    with Ledger(sqlite_url) as ledger:
        rows.register(ledger)
    assert is_registered("toy", sqlite_url)
    assert not is_registered("other", sqlite_url)


def test_a_launch_job_that_registers_nothing_is_no_longer_waited_for(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, output = tmp_path / "job.json", tmp_path / "job.out"
    words = ["launch", str(tmp_path / "none.yaml")]
    file.write_text(json.dumps({"name": "toy", "ledger": sqlite_url, "first": words}))
    record_launch_job("toy", sqlite_url, "98", output)
    record_launch_job("other", sqlite_url, "98", output)
    monkeypatch.setattr(sys, "argv", ["driver_job", str(file)])
    monkeypatch.setattr(os, "environ", os.environ | {"SLURM_JOB_ID": "98"})
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert main() != 0
    finally:
        signal.signal(signal.SIGTERM, before)
    with Reader(sqlite_url) as reader:
        assert launch_jobs(reader).keys() == {"other"}
    record_launch_job("toy", sqlite_url, "99", output)
    with Reader(sqlite_url) as reader:
        assert launch_jobs(reader)["toy"].job == "99"


def test_a_launch_job_of_two_days_ago_is_no_longer_waited_for(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_launch_job("toy", sqlite_url, "98", tmp_path / "job.out")
    hours = 3_600_000_000
    with Reader(sqlite_url) as reader:
        since = launch_jobs(reader)["toy"].since_us
        monkeypatch.setattr(place, "now_us", lambda: since + 47 * hours)
        assert launch_jobs(reader)
        monkeypatch.setattr(place, "now_us", lambda: since + 49 * hours)
        assert not launch_jobs(reader)


def test_launch_jobs_are_read_once_in_a_minute(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_launch_job("toy", sqlite_url, "98", tmp_path / "job.out")
    read: list[object] = []
    monkeypatch.setattr(place, "launch_jobs", lambda reader: read.append(reader) or launch_jobs(reader))
    with Reader(sqlite_url) as reader:
        watched = Watched(reader, "toy", None, log=False)
        for _ in range(3):
            job = watched.launch_job()
            assert job is not None
            assert job.job == "98"
    assert len(read) == 1
