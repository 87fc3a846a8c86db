"""What runs, what waits and why, as the ledger and the run directory of a campaign have it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from db.events import EventKind
from db.ledger import Ledger
from db.records import BlockRecord
from db.requests import Action
from db.states import InstanceState
from orchestrator.cli import app
from orchestrator.lifecycle.driver_identity import this_driver
from orchestrator.lifecycle.instance_requests import change_instances, pause
from orchestrator.lifecycle.outlook import explain_campaign, explain_instance, outlook
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


def test_blocks_with_their_reason_and_walltime(watched: Watched) -> None:
    waits = BlockRecord("c1", "1", "76", "queued", T0, None, None, 2, "PENDING (Priority)")
    runs = BlockRecord("c1", "0", "75", "running", T0, watched.started, None, 2, None)
    over = BlockRecord("c1", "2", "77", "failed", T0, T0, T0 + 1, 2, "FAILED")
    watched.ledger.record_blocks(watched.number, watched.session, [waits, runs, over])
    now = outlook(watched.ledger, watched.ledger.campaign("toy"), watched.started + 600_000_000)
    assert [(one.job, one.left_seconds) for one in now.blocks] == [("75", 3000.0), ("76", None)]
    said = watched.explained(after=600)
    assert "block 0 (job 75) of 2 nodes is running, 3000 s of its walltime are left" in said
    assert "block 1 (job 76) of 2 nodes is queued: PENDING (Priority)" in said
    assert "77" not in said
    shown = watched.command("status", "toy").output
    assert "block 0 (job 75) is running on 2 nodes, " in shown
    assert "block 1 (job 76) is queued since" in shown


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
    assert "block 0 (job 75) of 2 nodes of pool a is running, 3000 s" in said
    assert "block 0 (job 75) of 2 nodes of pool b is running, 10200 s" in said


def test_rate_and_time_left(watched: Watched) -> None:
    watched.ledger.submit(watched.number, watched.session, [attempt(0)])
    given = report("t0.1", "succeeded", InstanceState.DONE, received_us=watched.started + 30_000_000)
    watched.ledger.record(watched.number, [given])
    now = outlook(watched.ledger, watched.ledger.campaign("toy"), watched.started + 60_000_000)
    assert (now.per_minute, now.seconds_left) == (1.0, 120.0)


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
    gates = watched.folder / "gates"
    gates.mkdir(parents=True)
    (gates / f"{watched.session}-1").write_text("123")
    assert "barrier" not in watched.explained()
    (gates / f"{watched.session}-2").touch()
    assert "wave 2 waits at the start barrier" in watched.explained()
    assert "wave 2 waits at the start barrier" in watched.command("status", "toy").output


def test_an_instance_in_every_state(watched: Watched) -> None:
    watched.ledger.submit(watched.number, watched.session, [attempt(0), attempt(1)])
    assert "attempt 1 was handed out and waits for a free slot" in watched.explained(watched.label(0))
    begun = report("t0.1", "running", None, node="n1", process_start_us=watched.started)
    watched.ledger.record(watched.number, [begun])
    assert "attempt 1 runs on node n1 since 60 s" in watched.explained(watched.label(0))
    failed = report("t1.1", "failed", InstanceState.EXHAUSTED, failure_message="NaN")
    watched.ledger.record(watched.number, [failed])
    assert "out of retries after 1 attempts" in watched.explained(watched.label(1))
    assert "NaN" in watched.explained(watched.label(1))
    assert "1 instances wait for their turn" in watched.explained(watched.label(2))
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
    assert "paused; `orchestrator unpause toy BENCHMARK` goes on" in told
    assert "it was cancelled; `orchestrator retry toy" in watched.explained(watched.label(0))
