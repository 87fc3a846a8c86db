"""What Slurm accounts to blocks is noted once for each, and why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.events import EventKind
from db.evidence.block_energy import block_energy
from db.ledger import Ledger
from db.records import BlockRecord
from orchestrator.cli import app
from orchestrator.lifecycle.ending import block_energy as block_energies
from orchestrator.lifecycle.ending.block_energy import note_block_energy
from orchestrator.schedulers.model import SchedulerError
from orchestrator.schedulers.slurm import SlurmFamily
from sites import Site
from sites.schedulers import Slurm
from tests.db import rows

MEASURED = """AccountingStorageType   = accounting_storage/slurmdbd
AcctGatherEnergyType    = acct_gather_energy/rapl
JobAcctGatherType       = jobacct_gather/cgroup"""
SITE = Site.model_validate(
    {
        "site": "test",
        "scheduler": {"type": "slurm", "walltime": "1 h"},
        "node": {"cores": "0-1", "memory": "1 GiB"},
        "address": "127.0.0.1",
    }
)


def parsed(stdout: str, code: int = 0, stderr: str = "") -> Any:
    return SlurmFamily(Slurm(walltime=60)).parse_energy(code, stdout, stderr)


def test_the_joules_of_ended_jobs() -> None:
    lines = [
        "7|COMPLETED|123456",
        "8|CANCELLED by 0|99",
        "9|RUNNING|5",
        "10|TIMEOUT|0",
        "11|COMPLETED|",
        "12|COMPLETED|18446744073709551614",
        "7.batch|COMPLETED|1",
        "nonsense",
    ]
    joules, absent = parsed("\n".join([MEASURED, *lines]))
    assert (joules, absent) == ({"7": 123456.0, "8": 99.0, "10": None, "11": None, "12": None}, "")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("AcctGatherEnergyType", "(null)"),
        ("AcctGatherEnergyType", "acct_gather_energy/none"),
        ("JobAcctGatherType", "jobacct_gather/none"),
        ("AccountingStorageType", "accounting_storage/none"),
    ],
)
def test_what_is_not_measured_says_why(setting: str, value: str) -> None:
    lines = [f"{setting} = {value}" if one.startswith(setting) else one for one in MEASURED.splitlines()]
    stated = "\n".join([*lines, "7|COMPLETED|0"])
    assert parsed(stated) == ({}, f"Slurm's {setting} is {value}")
    assert parsed(stated, code=1, stderr="Slurm accounting storage is disabled")[1]


def test_an_accounting_that_does_not_answer_is_no_answer() -> None:
    with pytest.raises(SchedulerError, match="sacct failed: Connection refused"):
        parsed(MEASURED, code=1, stderr="Connection refused\n")


class Accounted:
    """A ledger with three blocks, and stand-ins of Slurm's commands."""

    def __init__(self, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.url, self._folder = url, folder
        self.book = Ledger.open(url)
        number = rows.register(self.book)
        session = rows.begin(self.book, number)
        ended = [
            BlockRecord("c1", "0", "7", "released", rows.T0, rows.T0, rows.T0 + 9, 2, None),
            BlockRecord("c1", "1", "8", "released", rows.T0, rows.T0, rows.T0 + 9, 2, None),
            BlockRecord("c1", "2", "9", "cancelled", rows.T0, None, rows.T0 + 9, 2, None),  # never started
            BlockRecord("c1", "3", "77/1234", "released", rows.T0, rows.T0, rows.T0 + 9, 2, None),
            BlockRecord("c1", "4", "10", "running", rows.T0, rows.T0, None, 2, None),
        ]
        self.book.record_blocks(number, session, ended)
        self.row = self.book.campaign("toy")
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def say(self, config: str, accounting: str) -> None:
        for name, text in (("scontrol", config), ("sacct", accounting)):
            file = self._folder / name
            file.write_text(f"#!/bin/sh\n{text}\n")
            file.chmod(0o755)

    def noted(self) -> list[str]:
        note_block_energy(self.book, self.row, SITE)
        found = self.book.events(self.row.campaign_id, kinds=[EventKind.BLOCK_ENERGY])
        return [one.message for one in found]


@pytest.fixture
def accounted(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Accounted(sqlite_url, tmp_path, monkeypatch)
    yield made
    made.book.close()


def test_each_block_is_noted_once(accounted: Accounted, tmp_path: Path) -> None:
    config = f"cat <<'END'\n{MEASURED}\nEND"
    accounted.say(config, f"echo $* >>{tmp_path}/asked; echo '7|COMPLETED|5000000'; echo '8|COMPLETING|'")
    assert accounted.noted() == ["block 0 (job 7), 2 nodes: 5e+06 J"]
    accounted.say(config, f"echo $* >>{tmp_path}/asked; echo '8|CANCELLED by 0|0'")
    assert len(accounted.noted()) == 2
    assert accounted.noted()[1] == "block 1 (job 8), 2 nodes: no energy is stated"
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.rpartition("=")[2] for line in asked] == ["7,8", "8", "8"]
    found = block_energy(accounted.book, accounted.row.campaign_id)
    assert str(found) == (
        "energy by the batch system's accounting, of whole blocks: 5e+06 J of 1 of 2 blocks"
    )
    shown = CliRunner().invoke(app, ["instance", "show", "toy", "--ledger", accounted.url]).output
    assert str(found) in shown
    assert "session 1, block 0" in shown


def test_blocks_of_other_schedulers_are_not_asked_for(accounted: Accounted, tmp_path: Path) -> None:
    book, number = accounted.book, accounted.row.campaign_id
    session = book.sessions_of(number)[-1].session_number
    for pool, job in (("own", "8"), ("cluster", "9")):
        ended = BlockRecord(
            f"{pool}.c1", "0", job, "released", rows.T0, rows.T0, rows.T0 + 9, 1, None, pool=pool
        )
        book.record_blocks(number, session, [ended])
    accounted.say(f"cat <<'END'\n{MEASURED}\nEND", f"echo $* >>{tmp_path}/asked; echo '9|COMPLETED|70'")
    pools = {"own": {"scheduler": {"type": "local"}}, "cluster": {}}
    site = Site.model_validate(SITE.model_dump(exclude_unset=True) | {"pools": pools})
    note_block_energy(book, accounted.row, site)
    asked = (tmp_path / "asked").read_text().splitlines()[0]
    assert asked.rpartition("=")[2] == "7,8,9"  # 8 of the blocks without a pool alone
    (noted,) = block_energy(book, number).joules
    assert noted == (session, "cluster.c1", "0")


def test_blocks_behind_those_that_accounting_has_forgotten_are_noted(
    accounted: Accounted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_energies, "_JOBS_AT_ONCE", 1)
    accounted.say(f"cat <<'END'\n{MEASURED}\nEND", "case \"$*\" in *=8*) echo '8|COMPLETED|99';; esac")
    assert accounted.noted() == ["block 1 (job 8), 2 nodes: 99 J"]


def test_why_there_is_none_is_noted_once(accounted: Accounted) -> None:
    accounted.say("echo 'AcctGatherEnergyType = (null)'", "exit 1")
    reason = "the energy of blocks is absent: Slurm's AcctGatherEnergyType is (null)"
    assert accounted.noted() == accounted.noted() == [reason]


def test_a_batch_system_that_does_not_answer_fails_nothing(
    accounted: Accounted, caplog: pytest.LogCaptureFixture
) -> None:
    accounted.say("exit 1", "echo down >&2; exit 1")
    assert accounted.noted() == []
    assert "the next session asks again: sacct failed: down" in caplog.text
