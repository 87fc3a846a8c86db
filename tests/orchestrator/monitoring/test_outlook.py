"""What runs, what waits and why, as the ledger and the run directory of a campaign have it."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text, update
from typer.testing import CliRunner

from db.connection.connect import make_engine, parse_url
from db.events import EventKind
from db.ledger import Ledger
from db.records import BlockRecord
from db.states import Action, InstanceState
from db.tables import campaigns
from orchestrator.cli import app
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.lifecycle.driver_process.place import (
    JOB_VARIABLE,
    note_driver,
    note_driver_job,
    variable_of_job,
)
from orchestrator.lifecycle.requests.instances import change_instances, pause
from orchestrator.monitoring.outlook import explain_campaign, explain_instance, outlook
from tests.db import rows
from tests.db.rows import T0, attempt, report

SITE = """
site: ours
interface: lo
node: {cores: 0-3, memory: 4 GiB}
scheduler: {type: slurm, walltime: 1 h}
"""


class Watched:
    """A campaign of three instances on a batch system, run by this process."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.ledger = Ledger(url)
        row = replace(rows.campaign(), site_yaml=SITE, run_directory=str(folder))
        self.number = self.ledger.register(row, [rows.benchmark()], rows.planned(3))
        self.session = rows.begin(self.ledger, self.number, this_driver())
        self.started = self.ledger.sessions_of(self.number)[-1].started_us

    def explained(self, instance: str | None = None, after: float = 60.0) -> str:
        row, now = self.ledger.campaign("toy"), self.started + int(after * 1e6)
        if instance is None:
            return "\n".join(explain_campaign(self.ledger, row, now))
        return "\n".join(explain_instance(self.ledger, row, instance, now))

    def label(self, number: int) -> str:
        return f"{rows.benchmark().benchmark}/{number}"

    def command(self, *words: str) -> Any:
        return CliRunner().invoke(app, [*words, "--ledger", self.url])


@pytest.fixture
def watched(sqlite_url: str, tmp_path: Path) -> Watched:
    return Watched(sqlite_url, tmp_path / "runs" / "toy")


def test_a_whole_benchmark_is_explained(watched: Watched) -> None:
    name = rows.benchmark().benchmark
    assert watched.explained(name).startswith("of its instances, 3 planned\n")
    watched.ledger.submit(watched.number, watched.session, [attempt(0), attempt(1)])
    assert f"{name}: 0 run, and 2 wait for a free slot" in watched.explained(name)


def test_a_raised_timeout_is_that_of_the_instance(watched: Watched) -> None:
    watched.ledger.submit(watched.number, watched.session, [attempt(0), attempt(1)])
    for number in range(2):
        watched.ledger.record(
            watched.number, [report(f"t{number}.1", "running", process_start_us=watched.started, node="n1")]
        )
    watched.ledger.note(
        watched.number, EventKind.TIMEOUT_RAISED, "longer", subject=watched.label(0),
        data={"timeout_seconds": 240.0},
    )  # fmt: skip
    assert "runs on node n1 for 60 s, and may run 240 s" in watched.explained(watched.label(0))
    assert "and may run 240 s" not in watched.explained(watched.label(1))


def test_blocks_with_their_reason_and_walltime(watched: Watched) -> None:
    waits = BlockRecord("c1", "1", "76", "queued", T0, None, None, 2, "PENDING (Priority)")
    runs = BlockRecord("c1", "0", "75", "running", T0, watched.started, None, 2, None)
    over = BlockRecord("c1", "2", "77", "failed", T0, T0, T0 + 1, 2, "FAILED")
    watched.ledger.record_blocks(watched.number, watched.session, [waits, runs, over])
    now = outlook(watched.ledger, watched.ledger.campaign("toy"), watched.started + 600_000_000)
    assert [(one.job, one.left_seconds) for one in now.blocks] == [("75", 3000.0), ("76", None)]
    said = watched.explained(after=600)
    assert "block 0 (job 75) of 2 nodes is running, 50 min 00 s of its walltime are left" in said
    assert "block 1 (job 76) of 2 nodes is queued: PENDING (Priority)" in said
    assert "77" not in said
    shown = watched.command("status", "toy").output
    table = [line.split() for line in shown.splitlines()]
    assert ["0", "75", "running", "2"] in [line[:4] for line in table]
    assert ["1", "76", "queued", "2"] in [line[:4] for line in table]
    assert "PENDING (Priority)" in shown


def test_a_block_has_the_walltime_of_its_pool(watched: Watched) -> None:
    with rows.raw(watched.url) as connection:
        pools = "pools: {a: {}, b: {scheduler: {walltime: 3 h}}}"
        connection.execute(text("UPDATE campaigns SET site_yaml = site_yaml || :pools"), {"pools": pools})
    runs = [
        BlockRecord(f"{pool}.c1", "0", "75", "running", T0, watched.started, None, 2, None, pool)
        for pool in ("a", "b")
    ]
    watched.ledger.record_blocks(watched.number, watched.session, runs)
    said = watched.explained(after=600)
    assert "block 0 (job 75) of 2 nodes of pool a is running, 50 min 00 s" in said
    assert "block 0 (job 75) of 2 nodes of pool b is running, 2 h 50 min" in said


def test_trouble_is_named_while_it_lasts(watched: Watched) -> None:
    note = watched.ledger.note
    note(watched.number, EventKind.SCHEDULER_AWAY, "squeue does not answer")
    note(watched.number, EventKind.NODE_EXCLUDED, "3 failures in a row", subject="n7")
    said = watched.explained()
    assert "squeue does not answer" in said
    assert "node n7 gets no more work: 3 failures in a row" in said
    note(watched.number, EventKind.SCHEDULER_BACK, "the scheduler answers again")
    assert "squeue" not in watched.explained()
    assert "no block has been requested yet" in watched.explained()


def test_the_wave_at_the_barrier(watched: Watched) -> None:
    barriers = watched.folder / "barriers"
    barriers.mkdir(parents=True)
    (barriers / f"{watched.session}-1").write_text("123")
    assert "barrier" not in watched.explained()
    (barriers / f"{watched.session}-2").touch()
    assert "wave 2 waits at the start barrier" in watched.explained()
    assert "wave 2 waits at the start barrier" in watched.command("status", "toy").output


def test_an_instance_in_every_state(watched: Watched) -> None:
    watched.ledger.submit(watched.number, watched.session, [attempt(0), attempt(1)])
    assert "attempt 1 was handed out and waits for a free slot" in watched.explained(watched.label(0))
    begun = report("t0.1", "running", None, node="n1", process_start_us=watched.started)
    watched.ledger.record(watched.number, [begun])
    assert "attempt 1 runs on node n1 for 60 s" in watched.explained(watched.label(0))
    failed = report("t1.1", "failed", InstanceState.EXHAUSTED, failure_message="NaN")
    watched.ledger.record(watched.number, [failed])
    assert "out of retries after 1 attempt" in watched.explained(watched.label(1))
    assert "NaN" in watched.explained(watched.label(1))
    assert "1 instance waits for its turn" in watched.explained(watched.label(2))
    watched.ledger.record(watched.number, [report("t0.1", "succeeded", InstanceState.DONE)])
    assert watched.explained(watched.label(0)) == "nothing: attempt 1 was accepted"


def test_without_a_driver_it_waits_for_one(watched: Watched) -> None:
    runs = BlockRecord("c1", "0", "75", "running", T0, watched.started, None, 2, None)
    watched.ledger.record_blocks(watched.number, watched.session, [runs])
    watched.ledger.end_session(watched.number, watched.session, this_driver(), "aborted")
    said = watched.explained()
    assert said.startswith("no driver runs it, and 3 instances are not done: `orchestrator resume toy`")
    assert "attempts that outlived the driver may still run" in said


def test_the_command(watched: Watched) -> None:
    label = watched.label(2)
    shown = watched.command("explain", "toy", label)
    assert shown.exit_code == 0
    assert shown.output.startswith(f"toy {label} waits for:\n")
    facts = json.loads(watched.command("explain", "toy", "--json").stdout)
    assert facts["waits_for"] == watched.explained().splitlines()
    for wrong in (["explain", "nobody"], ["explain", "toy", "x"], ["explain", "toy", "\x1b/3"]):
        assert watched.command(*wrong).exit_code != 0


def test_paused_and_cancelled_instances_are_named_and_no_stop_is_made_up(watched: Watched) -> None:
    change_instances("toy", Action.CANCEL, [watched.label(0)], ledger=watched.url)
    pause("toy", [rows.benchmark().benchmark], ledger=watched.url)
    watched.ledger.begin_requests(watched.number, watched.session)
    told = watched.explained()
    assert "being cancelled" not in told
    assert "paused; `orchestrator instance unpause toy BENCHMARK` goes on" in told
    assert "it was cancelled; `orchestrator instance retry toy" in watched.explained(watched.label(0))


def finish(watched: Watched, outcome: str) -> None:
    watched.ledger.end_session(watched.number, watched.session, this_driver(), outcome)


def test_what_is_over_says_what_became_of_it(watched: Watched) -> None:
    watched.ledger.submit(watched.number, watched.session, [attempt(0)])
    watched.ledger.record(watched.number, [report("t0.1", "succeeded", InstanceState.DONE)])
    finish(watched, "drained")
    change_instances("toy", Action.CANCEL, [watched.label(1)], ledger=watched.url)
    assert watched.explained().startswith("no driver runs it, and 1 instance is not done: ")
    change_instances("toy", Action.CANCEL, [watched.label(2)], ledger=watched.url)
    again = "`orchestrator instance retry toy --where state=cancelled` plans them again"
    assert watched.explained() == f"nothing: 1 instance has an accepted attempt, 2 were cancelled; {again}"
    assert "toy: drained; nothing is left to run\n" in watched.command("status", "toy").output


def test_when_all_are_cancelled_none_is_said_to_be_accepted(watched: Watched) -> None:
    finish(watched, "drained")
    change_instances("toy", Action.CANCEL, [rows.benchmark().benchmark], ledger=watched.url)
    assert watched.explained().startswith("nothing: all 3 instances were cancelled; ")


def test_a_resume_is_not_advised_where_all_is_paused(watched: Watched) -> None:
    pause("toy", [rows.benchmark().benchmark], ledger=watched.url)
    watched.ledger.begin_requests(watched.number, watched.session)
    finish(watched, "drained")
    first, *rest = watched.explained().splitlines()
    assert first == (
        "no driver runs it, and 3 instances are not done, all of paused benchmarks: unpause them, then resume"
    )
    assert rest == [
        "its last session ended: drained",
        "toy: paused; `orchestrator instance unpause toy BENCHMARK` goes on",
    ]


def test_a_dead_driver_is_named_and_what_it_ran_is_not_said_to_run(watched: Watched) -> None:
    note_driver(watched.ledger, watched.number, watched.session, Path("/runs/driver.log"), None)
    watched.ledger.submit(watched.number, watched.session, [attempt(0)])
    begun = report("t0.1", "running", None, node="n1", process_start_us=watched.started)
    watched.ledger.record(watched.number, [begun])
    dead = this_driver().replace(f"pid {os.getpid()} ", "pid 4194304 ")
    with make_engine(parse_url(watched.url), read_only=False).begin() as connection:
        connection.execute(update(campaigns).values(lease_owner=dead))
    said = watched.explained()
    assert "pid 4194304, died" in said
    said = watched.explained(watched.label(0))
    assert said.startswith("attempt 1 ran on node n1 when its driver was lost\nno driver runs it")
    shown = watched.command("status", "toy").output
    assert f"driver:   was process {os.getpid()} on {socket.gethostname()}, log /runs/driver.log" in shown
    assert " to an end that was not recorded\n" in shown


def test_why_the_last_session_ended_is_said(watched: Watched) -> None:
    watched.ledger.note(watched.number, EventKind.BLOCK_WAITING, "block 0 will never start")
    watched.ledger.note(watched.number, EventKind.ENGINE_FAILED, "3 blocks failed; giving up")
    finish(watched, "engine_failed")
    said = watched.explained()
    assert "its last session ended: engine failed\nlast trouble, " in said
    assert said.endswith(" before it ended: 3 blocks failed; giving up")


def test_where_the_driver_runs_and_the_job_that_goes_on(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = variable_of_job({"SLURM_JOB_ID": "70"}, Path("/runs/toy.driver/job.out"))
    monkeypatch.setattr(os, "environ", {**os.environ, **given})
    note_driver(watched.ledger, watched.number, watched.session, Path("/runs/driver.log"), None)
    assert JOB_VARIABLE not in os.environ
    place = f"job 70 (process {os.getpid()} on {socket.gethostname()}), prints to /runs/toy.driver/job.out"
    assert f"its driver is {place}, log /runs/driver.log" in watched.explained()
    assert f"driver:   {place}, log /runs/driver.log\n" in watched.command("status", "toy").output
    note_driver_job(watched.ledger, watched.number, "71", Path("/runs/toy.driver/job.out"))
    finish(watched, "aborted")
    assert "it goes on once the scheduler starts job 71, which prints to /runs" in watched.explained()
    shown = watched.command("status", "toy").output
    assert "next driver: job 71 was submitted at 20" in shown
    facts = json.loads(watched.command("status", "toy", "--json").stdout)
    assert (facts["driver_place"]["job"], facts["driver_job"]["job"]) == ("70", "71")
    monkeypatch.setattr(os, "environ", {**os.environ, JOB_VARIABLE: given[JOB_VARIABLE].replace("70", "71")})
    session = rows.begin(watched.ledger, watched.number, this_driver())
    note_driver(watched.ledger, watched.number, session, Path("/runs/driver.log"), None)
    assert "driver_job" not in json.loads(watched.command("status", "toy", "--json").stdout)


def test_many_blocks_are_cut_short(watched: Watched) -> None:
    blocks = [
        BlockRecord("c1", str(k), str(k), "queued", T0, None, None, 2, "PENDING (\x1b[31mü)")
        for k in range(300)
    ]
    watched.ledger.record_blocks(watched.number, watched.session, blocks)
    assert "and 280 more blocks; `orchestrator status --json` lists all" in watched.explained()
    assert "and 280 more blocks; --json lists all" in watched.command("status", "toy").output
