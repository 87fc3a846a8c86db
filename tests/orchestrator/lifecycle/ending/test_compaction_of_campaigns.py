"""When a campaign may be compacted, what instances go on from, and what is reported."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import socket
import subprocess
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from db.ledger import Ledger
from db.records import BlockRecord
from db.states import AttemptState, InstanceState
from orchestrator.diagnostics.ledger_verification import audit
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.ending import compaction
from orchestrator.lifecycle.ending.compaction import pack, pack_at_end
from orchestrator.lifecycle.recovery.adopt_reports import adopt
from orchestrator.rundir import journal
from orchestrator.rundir.packed_reader import archive_of
from orchestrator.rundir.packed_writer import pack_files
from orchestrator.schedulers import client
from orchestrator.schedulers.client import job_name
from orchestrator.schedulers.model import SchedulerError
from sites import Site, load
from tests.db import rows
from tests.db.rows import attempt
from tests.harness import CampaignSandbox
from tests.orchestrator.diagnostics.test_ledger_verification import GONE, final
from tests.orchestrator.lifecycle.ending.test_compaction import grown, names, worker

# -- when it may be --------------------------------------------------------------------------


class Ended:
    """A campaign of two instances, one accepted and one exhausted, whose driver has ended."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        with Ledger(url) as ledger:
            campaign = replace(rows.campaign(), run_directory=str(folder))
            self.number = ledger.register(campaign, [rows.benchmark(instances=2)], rows.planned(2))
            rows.begin(ledger, self.number, GONE)
            ledger.submit(self.number, 1, [attempt(k) for k in range(2)])
        (folder / "logs" / "1" / "0000").mkdir(parents=True)
        (folder / "logs" / "1" / "0000" / "toy-1.1.err").write_bytes(b"trouble")
        for k, state in ((0, "succeeded"), (1, "failed")):
            file = worker(folder, k)
            file.parent.mkdir(parents=True, exist_ok=True)
            running = msgspec.structs.replace(final(f"t{k}.1", state), state=AttemptState.RUNNING)
            journal.append(file, running)
            journal.append(file, final(f"t{k}.1", state))
        with Ledger(url) as ledger:
            adopt(ledger, ledger.campaign("toy"))
            ledger.end_session(self.number, 1, GONE, "complete")


@pytest.fixture
def toy(ledger_url: str, tmp_path: Path) -> Ended:
    return Ended(ledger_url, tmp_path / "toy")


def test_a_packed_campaign_is_checked_and_adopted_as_before(toy: Ended) -> None:
    before = audit(toy.url)
    with Ledger(toy.url) as ledger:
        assert pack(ledger, "toy").after == 2
        assert audit(toy.url) == before
        assert (before.findings, before.notes, before.reports) == ([], [], 2)
        adopt(ledger, ledger.campaign("toy"))
    assert audit(toy.url) == before


def test_a_damaged_line_is_found_in_a_packed_journal_and_noted_once(toy: Ended) -> None:
    with worker(toy.folder, 0).open("ab") as stream:
        stream.write(b"nonsense\n")
    with Ledger(toy.url) as ledger:
        pack(ledger, "toy")
        done = audit(toy.url)
        where = f"{worker(toy.folder, 0)}: nonsense (packed in {toy.folder}/journals/1.zip)"
        assert done.notes == [f"toy: damaged journal line in {where}; it changes nothing"]
        assert done.findings == []
        for _ in range(2):
            adopt(ledger, ledger.campaign("toy"))
            assert len([*ledger.events(toy.number, kinds=["journal_damaged"])]) == 1
    assert not [note for note in audit(toy.url).notes if "damaged journal line" in note]


def test_a_result_that_only_a_packed_journal_has_is_adopted(toy: Ended) -> None:
    with Ledger(toy.url) as ledger:
        ledger.reopen_exhausted(toy.number)
        rows.begin(ledger, toy.number, GONE)
        ledger.submit(toy.number, 2, [attempt(1, 2)])
        ledger.end_session(toy.number, 2, GONE, "drained")
        journal.append(worker(toy.folder, 7), final("t1.2"))
        pack(ledger, "toy")
        assert names(toy.folder) == {"journals/1.zip", "logs/1.zip"}
        said = [one.message for one in audit(toy.url).findings]
        assert "toy/1 attempt 2 is submitted, its journal has a final report, succeeded" in said
        rows.begin(ledger, toy.number, GONE)
        adopt(ledger, ledger.campaign("toy"))
        assert ledger.instance_counts(toy.number) == {InstanceState.DONE: 2}
        ledger.end_session(toy.number, 3, GONE, "complete")
    assert audit(toy.url).findings == []


def test_a_campaign_that_is_held_is_not_packed(toy: Ended, info_log: pytest.LogCaptureFixture) -> None:
    before = names(toy.folder)
    with Ledger(toy.url) as ledger:
        for owner, why in (
            (GONE, "resume toy"),
            ("elsewhere pid 1 started 1.00", "being run by elsewhere pid 1"),
        ):
            rows.begin(ledger, toy.number, owner, 3600)
            with pytest.raises(CampaignError, match=why):
                pack(ledger, "toy")
            pack_at_end(ledger, "toy")  # another driver's now
            assert info_log.messages == []
            ledger.end_session(toy.number, 2, owner, "drained")
    assert names(toy.folder) == before


def test_a_campaign_whose_processes_live_is_not_packed(toy: Ended) -> None:
    before = names(toy.folder)
    uid = uuid.uuid4().hex  # other tests' campaigns share theirs, and may be packed at the same time
    with rows.raw(toy.url) as connection:
        connection.exec_driver_sql(f"UPDATE campaigns SET uid = '{uid}'")
    with Ledger(toy.url) as ledger:
        mark = {"ORCHESTRATOR_CAMPAIGN": uid}
        with subprocess.Popen(["sleep", "600"], env=os.environ | mark) as process:
            try:
                with pytest.raises(CampaignError, match=f"processes {process.pid} of toy still run"):
                    pack(ledger, "toy")
            finally:
                process.kill()
        assert names(toy.folder) == before
        assert pack(ledger, "toy").after == 2


def test_a_campaign_with_an_open_block_is_not_packed(toy: Ended) -> None:
    with Ledger(toy.url) as ledger:
        ledger.record_blocks(toy.number, 1, [BlockRecord("c1", "0", "7", "running", 1, 2, None, 1, None)])
        with pytest.raises(CampaignError, match="blocks without an end"):
            pack(ledger, "toy")
        ledger.end_blocks(toy.number)
        assert pack(ledger, "toy").after == 2


class Queue:
    """A batch system that lists a job as long as it is told to, and then answers no more."""

    answers: ClassVar[list[list[str]]] = []

    def __init__(self, site: object) -> None:
        assert isinstance(site, Site)

    def find(self, name: str) -> list[str]:
        assert name == job_name("uid-toy")
        if not self.answers:
            raise SchedulerError("squeue did not answer in 60 s")
        return self.answers.pop(0)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([["7"], ["7"], [], []], ""),
        ([["7"]], "whether the blocks of toy have ended is not known: slurm: squeue did not answer in 60 s"),
        ([[], ["7", "8"]], "jobs 7, 8 of toy have not ended yet"),
    ],
)
def test_the_end_of_the_blocks_is_waited_for(
    toy: Ended,
    monkeypatch: pytest.MonkeyPatch,
    answers: list[list[str]],
    why: str,
    info_log: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(client, "SchedulerClient", Queue)
    monkeypatch.setattr(compaction.time, "sleep", lambda _: None)
    monkeypatch.setattr(Queue, "answers", list(answers))
    with Ledger(toy.url) as ledger:
        row = replace(ledger.campaign("toy"), site_name="slurm", site_yaml=load("slurm")[1])
        monkeypatch.setattr(ledger, "campaign", lambda _: row)
        pack_at_end(ledger, "toy")
    late = f"its files are not all packed: {why}; later: orchestrator ledger compact toy"
    assert info_log.messages == ([late] if why else [])
    assert Queue.answers == []
    assert (toy.folder / "journals" / "1.zip").exists() == (not why)


def test_two_do_not_pack_at_once(toy: Ended) -> None:
    lock = toy.folder / "packing.lock"
    with Ledger(toy.url) as ledger:
        with lock.open("ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with pytest.raises(CampaignError, match="another process is packing"):
                pack(ledger, "toy")
        assert pack(ledger, "toy").after == 2
    assert not lock.exists()


def begun(folder: Path, name: str, days: float = 0) -> Path:
    """Make what a packer began to write, some days ago."""
    file = folder / "journals" / f"1.zip.{name}.partial"
    file.write_bytes(b"half")
    os.utime(file, (time.time() - days * 86_400,) * 2)
    return file


def test_what_a_dead_packer_began_is_removed_and_what_another_writes_is_not(toy: Ended) -> None:
    here = socket.gethostname()
    with subprocess.Popen(["true"]) as dead:
        pass
    with Ledger(toy.url) as ledger:
        stale = [begun(toy.folder, f"{here}-{dead.pid}-0a"), begun(toy.folder, "there-1-0a", 1.1)]
        others = [begun(toy.folder, f"{here}-{os.getpid()}-0a"), begun(toy.folder, "there-1-0b", 0.9)]
        assert pack(ledger, "toy").after == 2 + len(others)
    assert [file.exists() for file in stale + others] == [False, False, True, True]


# -- trouble at the end of a campaign --------------------------------------------------------


def test_a_full_disk_is_told_in_one_line_and_fails_nothing(
    toy: Ended, monkeypatch: pytest.MonkeyPatch, info_log: pytest.LogCaptureFixture
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = names(toy.folder)
    with Ledger(toy.url) as ledger:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            pack_at_end(ledger, "toy")
        assert names(toy.folder) == before
        assert info_log.messages == [
            f"its files are not all packed: {toy.folder}/journals/1: No space left on device; and 1 more; "
            "later: orchestrator ledger compact toy"
        ]
        pack_at_end(ledger, "toy")
    assert len(info_log.messages) == 1
    assert names(toy.folder) == {"journals/1.zip", "logs/1.zip"}


def test_ctrl_c_while_it_packs_leaves_all_as_it_was(
    toy: Ended, monkeypatch: pytest.MonkeyPatch, info_log: pytest.LogCaptureFixture
) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    before = names(toy.folder)
    monkeypatch.setattr(os, "fsync", interrupted)
    with Ledger(toy.url) as ledger:
        pack_at_end(ledger, "toy")
    assert names(toy.folder) == before
    assert info_log.messages == [
        "its files are not all packed: it was interrupted; later: orchestrator ledger compact toy"
    ]


# -- what instances go on from ---------------------------------------------------------------


def test_checkpoints_stay_for_instances_that_were_not_accepted(toy: Ended) -> None:
    for name in ("toy-0", "toy-1", "toy-7", "notes"):
        file = toy.folder / "scratch" / name / "checkpoints" / "checkpoint-000001.npz"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"state")
    with Ledger(toy.url) as ledger:
        assert pack(ledger, "toy").problems == ()
        assert sorted(os.listdir(toy.folder / "scratch")) == ["notes", "toy-1", "toy-7"]
        assert (toy.folder / "scratch/toy-1/checkpoints/checkpoint-000001.npz").read_bytes() == b"state"
        ledger.reopen_exhausted(toy.number)  # it goes on from there, and is accepted
        rows.begin(ledger, toy.number, GONE)
        ledger.submit(toy.number, 2, [attempt(1, 2)])
        ledger.end_session(toy.number, 2, GONE, "complete")
        journal.append(worker(toy.folder, 7), final("t1.2"))
        adopt(ledger, ledger.campaign("toy"))
        for name in ("toy-7", "notes"):
            shutil.rmtree(toy.folder / "scratch" / name)
        assert pack(ledger, "toy").problems == ()
    assert not (toy.folder / "scratch").exists()


def test_a_folder_that_cannot_be_removed_is_told(toy: Ended) -> None:
    (toy.folder / "scratch").mkdir()
    (toy.folder / "scratch" / "toy-0").write_bytes(b"no folder")
    with Ledger(toy.url) as ledger:
        assert pack(ledger, "toy").problems == (f"{toy.folder}/scratch/toy-0: Not a directory",)
    assert names(toy.folder) == {"journals/1.zip", "logs/1.zip", "scratch/toy-0"}


# -- what is told of it ----------------------------------------------------------------------


def test_where_a_log_is_packed_is_known_once_it_is(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    log = folder / "logs" / "1" / "0000" / "toy-0.1.err"
    assert archive_of(log) is None
    pack_files(folder, [1, 2])
    assert archive_of(log) == folder / "logs" / "1.zip"
    assert archive_of(log.with_name("toy-9.1.err")) is None
    (folder / "logs" / "1.zip").write_bytes(b"no zip")
    assert archive_of(log) is None


# -- a real campaign -------------------------------------------------------------------------


@pytest.mark.slow
def test_a_real_campaign_is_packed_when_it_ends(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(
        6, parameters={"behaviour": "fail_first"}, retries={"benchmark": 1}, logs="all", start="synchronized"
    )
    folder = tmp_path / "runs" / "toy"
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert (ended.returncode, "not all packed" in ended.stdout) == (0, False), ended.stderr
    left = names(folder)
    assert left == {
        "journals/1.zip",
        "logs/1.zip",
        "parsl/1.zip",
        "driver.log",
        "rows/rows-1.gz",
        "rows/saved.json",
        *(n for n in left if n.startswith("barriers/")),
    }
    assert len(left) <= 7
    one = json.loads(place.run("instance", "show", "toy", "behave/3", "--json").stdout)["attempts"]
    assert ["trouble ahead" in attempt["stderr_tail"] for attempt in one] == [True, True]
    shown = place.run("instance", "show", "toy", "behave/3").stdout
    assert f"{one[0]['stderr_path']} (packed in logs/1.zip)\n" in shown
    checked = place.run("ledger", "verify", "toy")
    assert (checked.returncode, checked.stdout) == (
        0,
        "1 campaign, 12 final reports in journals: all is well\n",
    )
    assert place.run("resume", "toy").returncode == 0
    assert place.run("node", "leftovers", "toy").stdout == "nothing is left behind\n"
    assert json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"][0]["instances"] == 2
    assert names(folder) == left
    packed = json.loads(place.run("ledger", "compact", "toy", "--json").stdout)
    assert packed == {"before": len(left), "after": len(left), "problems": []}
