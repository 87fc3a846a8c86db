"""Journals are held against the rows: what the ledger lacks, what contradicts it, what is damaged."""

from __future__ import annotations

import os
import re
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec.structs
import pytest
from sqlalchemy import text

from db.ledger import Ledger
from db.reader import Reader
from db.records import BlockRecord
from db.states import AttemptState, InstanceState
from orchestrator.diagnostics.ledger_verification import Audit, audit
from orchestrator.driver.records.attempt_records import cancelled, lost, to_ledger
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.lifecycle.recovery.adopt_reports import adopt
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.rundir.packed_writer import pack_files
from tests import messages
from tests.db import rows
from tests.db.rows import T0, attempt

GONE = f"{socket.gethostname()} pid {os.getpid()} started 1.00"


def final(token: str, state: str = "succeeded", **changes: Any) -> AttemptReport:
    result = {"fom_seconds": 0.1 + 0.2, "accuracy": 1 / 3, "seen": {"cpuset": [0]}}
    whole: dict[str, Any] = {
        "label": "toy/?",
        "at_us": T0 + 9,
        "node": "n1",
        "cores": (0, 1),
        "process_start_us": T0 + 1,
        "run_start_us": T0 + 2,
        "run_stop_us": T0 + 3,
        "process_stop_us": T0 + 4,
        "exit_code": 0,
    }
    whole |= {"result": result} if state == "succeeded" else {"failure_category": "benchmark"}
    return messages.report(token, state, **whole | changes)


class Campaign:
    """A campaign of three instances whose driver died: the first succeeded, the second failed."""

    def __init__(self, url: str, folder: Path, owner: str = GONE) -> None:
        self.url = url
        self.folder = folder
        self.file = folder / "journals" / "1" / "a.journal"
        self.file.parent.mkdir(parents=True)
        with Ledger(url) as ledger:
            campaign = replace(rows.campaign(), run_directory=str(folder))
            self.number = ledger.register(campaign, [rows.benchmark(instances=3)], rows.planned(3))
            rows.begin(ledger, self.number, owner)
            ledger.submit(self.number, 1, [attempt(k) for k in range(3)])
        for k, state, becomes in (
            (0, "succeeded", InstanceState.DONE),
            (1, "failed", InstanceState.EXHAUSTED),
        ):
            report = final(f"t{k}.1", state)
            journal.append(self.file, msgspec.structs.replace(report, state=AttemptState.RUNNING))
            journal.append(self.file, report)
            self.record(report, becomes)

    def record(self, report: AttemptReport, becomes: InstanceState | None = None) -> None:
        with Ledger(self.url) as ledger:
            ledger.record(self.number, [to_ledger(report, T0 + 10, becomes)])

    def adopt(self) -> None:
        """Do what a resume does."""
        with Ledger(self.url) as ledger:
            adopt(ledger, ledger.campaign("toy"))

    @property
    def audit(self) -> Audit:
        return audit(self.url, ["toy"])

    @property
    def said(self) -> list[str]:
        return [one.message for one in self.audit.findings]


@pytest.fixture
def toy(ledger_url: str, tmp_path: Path) -> Campaign:
    return Campaign(ledger_url, tmp_path / "toy")


def test_journals_and_rows_that_agree(toy: Campaign) -> None:
    done = toy.audit
    assert (done.campaigns, done.findings, done.notes, done.reports) == (["toy"], [], [], 2)


def test_a_result_that_the_ledger_lacks(toy: Campaign) -> None:
    journal.append(toy.file, final("t2.1"))
    [found] = toy.audit.findings
    assert found.message == "toy/2 attempt 1 is submitted, its journal has a final report, succeeded"
    assert found.remedy == "run: orchestrator resume toy, which adopts it"
    toy.adopt()
    assert toy.said == []


def test_a_late_result_is_kept_as_evidence_by_a_resume(toy: Campaign) -> None:
    toy.record(lost("t2.1", T0 + 5, "worker lost", "its worker died"), InstanceState.PLANNED)
    assert toy.said == []
    journal.append(toy.file, final("t2.1"))
    assert toy.said == ["toy/2 attempt 1 is lost, its journal says succeeded"]
    toy.adopt()
    assert toy.said == []


@pytest.mark.parametrize("state", ["lost", "cancelled"])
def test_a_late_report_of_the_state_that_its_driver_gave_it_is_kept_too(state: str, toy: Campaign) -> None:
    verdict = lost("t2.1", T0 + 5, "ManagerLost", "silent") if state == "lost" else cancelled("t2.1", T0 + 5)
    toy.record(verdict, InstanceState.PLANNED)
    journal.append(toy.file, final("t2.1", state))
    assert toy.said == []
    for _ in range(2):
        toy.adopt()
        with Reader(toy.url) as reader:
            kept = [
                (one.instance_id, one.to_state) for one in reader.events(toy.number, kinds=["late_report"])
            ]
        assert kept == [(2, state)]
    assert toy.said == []


def test_a_report_of_nobody(toy: Campaign) -> None:
    journal.append(toy.file, final("forged", label="toy/9"))
    assert toy.said == ["a journal has a report of toy/9 that the ledger does not know"]
    toy.adopt()
    assert toy.said == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"result": {"fom_seconds": 0.1}}, "the ledger has fom_seconds 0.30000000000000004, its journal 0.1"),
        ({"result": {"fom_seconds": 0.1 + 0.2, "accuracy": 0.5}}, "accuracy 0.333.*, its journal 0.5"),
        ({"run_stop_us": T0 + 7}, f"run_stop_us {T0 + 3}, its journal {T0 + 7}"),
        ({"cores": (2,)}, "cores 0,1, its journal 2"),
    ],
    ids=["seconds", "accuracy", "time", "cores"],
)
def test_a_journal_that_contradicts_a_row(change: dict[str, Any], said: str, toy: Campaign) -> None:
    toy.file.unlink()
    journal.append(toy.file, final("t0.1", **change))
    [found] = toy.said
    assert found.startswith("toy/0 attempt 1: ")
    assert re.search(said, found)


def test_a_row_that_was_changed(toy: Campaign) -> None:
    from tests.db.test_verification import force

    force(toy.url, ["UPDATE attempts SET fom_seconds = 0.001 WHERE instance_id = 0"])
    assert toy.said == ["toy/0 attempt 1: the ledger has fom_seconds 0.001, its journal 0.30000000000000004"]


def test_a_damaged_line_until_a_resume_notes_it(toy: Campaign) -> None:
    toy.file.write_bytes(toy.file.read_bytes() + b"0123abcd {nonsense}\n")
    [found] = toy.said
    assert found == f"damaged journal line in {toy.file}: 0123abcd {{nonsense}}"
    toy.adopt()
    assert toy.said == []


def test_a_line_that_was_cut_short_is_a_note(toy: Campaign) -> None:
    whole = journal.encode(final("t2.1").to_json())
    with toy.file.open("ab") as stream:
        stream.write(whole[: len(whole) // 2])
    done = toy.audit
    assert done.findings == []
    assert done.notes == ["toy: 1 report was cut short as a process died; none counts"]


def test_an_accepted_result_without_a_journal(toy: Campaign) -> None:
    toy.file.unlink()
    journal.append(toy.file, final("t1.1", "failed"))
    assert toy.said == [f"toy/0 is accepted, and no journal in {toy.file.parent.parent} has its report"]


def test_a_driver_at_work_is_not_behind(ledger_url: str, tmp_path: Path) -> None:
    toy = Campaign(ledger_url, tmp_path / "toy", this_driver())
    journal.append(toy.file, final("t2.1"))
    with toy.file.open("ab") as stream:
        stream.write(b"0123")
    done = toy.audit
    assert (done.findings, done.notes) == ([], [])


def test_journals_of_another_machine_are_a_note(toy: Campaign) -> None:
    with rows.raw(toy.url) as connection:
        connection.execute(text("UPDATE campaigns SET run_directory = '/nowhere/toy'"))
    done = toy.audit
    assert done.findings == []
    assert done.notes == ["toy: its journals, /nowhere/toy/journals, cannot be seen from here"]


def test_many_of_a_kind_are_counted(ledger_url: str, tmp_path: Path) -> None:
    toy = Campaign(ledger_url, tmp_path / "toy")
    for k in range(1234):
        journal.append(toy.file, final(f"forged-{k}"))
    done = toy.audit
    assert len(done.findings) == 10
    assert done.reports == 1236
    assert done.notes == ["toy: 1234 times: unknown; 10 are shown"]


def end_campaign(toy: Campaign) -> None:
    """Have the third instance succeed in a second attempt, and end the campaign."""
    toy.record(lost("t2.1", T0 + 5, "worker lost", "its worker died"), InstanceState.PLANNED)
    with Ledger(toy.url) as ledger:
        session = rows.begin(ledger, toy.number, "last", dead=GONE)
        ledger.submit(toy.number, session, [attempt(2, 2)])
        toy.record(final("t2.2"), InstanceState.DONE)
        journal.append(toy.file, final("t2.2"))
        ledger.end_session(toy.number, session, "last", "exhausted")


def test_evidence_of_a_campaign_that_is_through_is_a_note(toy: Campaign) -> None:
    end_campaign(toy)
    assert (toy.audit.findings, toy.audit.notes) == ([], [])
    journal.append(toy.file, final("t2.1"))
    journal.append(toy.file, final("forged", label="toy/9"))
    with toy.file.open("ab") as stream:
        stream.write(b"0123abcd {nonsense}\n")
    done = toy.audit
    assert done.findings == []
    assert done.notes == [
        f"toy: damaged journal line in {toy.file}: 0123abcd {{nonsense}}; it changes nothing",
        "toy: toy/2 attempt 1 is lost, its journal says succeeded; it changes nothing",
        "toy: a journal has a report of toy/9 that the ledger does not know; it changes nothing",
    ]


def test_many_notes_of_a_kind_are_counted(toy: Campaign) -> None:
    end_campaign(toy)
    for k in range(30):
        journal.append(toy.file, final(f"forged-{k}"))
    done = toy.audit
    assert done.findings == []
    assert len(done.notes) == 11
    assert done.notes[-1] == "toy: 30 times: unknown; 10 are shown"


def test_an_accepted_result_that_its_journal_denies_is_a_finding_for_ever(toy: Campaign) -> None:
    end_campaign(toy)
    toy.file.unlink()
    for token in ("t0.1", "t2.2"):
        journal.append(toy.file, final(token, "failed" if token == "t0.1" else "succeeded"))
    [found] = toy.audit.findings
    assert found.message == "toy/0 attempt 1 is succeeded, its journal says failed"
    assert (
        found.remedy
        == "one of the two was changed from outside: restore the ledger's last backup, or the journal"
    )


def test_an_open_attempt_of_a_campaign_that_is_through_stays_a_finding(toy: Campaign) -> None:
    with Ledger(toy.url) as ledger:
        session = rows.begin(ledger, toy.number, "last", dead=GONE)
        ledger.end_session(toy.number, session, "last", "exhausted")
    journal.append(toy.file, final("t2.1"))
    assert "toy/2 attempt 1 is submitted, its journal has a final report, succeeded" in toy.said


def test_blocks_without_an_end_of_a_campaign_that_is_through_are_notes(toy: Campaign) -> None:
    with Ledger(toy.url) as ledger:
        ledger.record_blocks(
            toy.number,
            1,
            [BlockRecord("c1", str(k), f"{k}", "running", T0, T0, None, 1, None) for k in range(206)],
        )
    end_campaign(toy)
    done = toy.audit
    assert done.findings == []
    assert len(done.notes) == 10
    assert done.notes[-1].endswith("(the last of 10 shown; 206 are like it)")


def packed(toy: Campaign) -> Path:
    """End the campaign and pack its journals."""
    journal.append(toy.file, final("t2.1"))
    toy.adopt()
    with Ledger(toy.url) as ledger:
        ledger.end_session(toy.number, 1, GONE, "exhausted")
    pack_files(toy.folder, [1])
    assert toy.said == []
    return toy.folder / "journals" / "1.zip"


@pytest.mark.parametrize("damage", ["cut", "no zip", "directory", "a byte of a member"])
def test_a_damaged_archive_of_a_finished_campaign(toy: Campaign, damage: str) -> None:
    archive = packed(toy)
    content = bytearray(archive.read_bytes())
    archive.unlink()
    if damage == "directory":
        archive.mkdir()
    elif damage == "a byte of a member":
        content[len(content) // 3] ^= 0x40
        archive.write_bytes(content)
    else:
        archive.write_bytes(content[: len(content) // 2] if damage == "cut" else b"no zip")
    assert any(one.startswith(f"archive {archive} is damaged: ") for one in toy.said)


def test_a_line_that_is_removed_from_a_journal(toy: Campaign) -> None:
    lines = toy.file.read_bytes().splitlines(keepends=True)
    toy.file.write_bytes(b"".join([lines[0], *lines[2:]]))
    assert any("line 2 follows other lines than it was written after" in one for one in toy.said)


def test_journals_against_the_heads_that_a_resume_recorded(toy: Campaign) -> None:
    with Ledger(toy.url) as ledger:
        ledger.close_dead_session(toy.number, GONE)
    toy.adopt()
    assert toy.said == []
    lines = toy.file.read_bytes().splitlines(keepends=True)
    toy.file.write_bytes(b"".join(lines[:-1]))
    assert any("it has 3 lines, and the ledger has the hash of 4" in one for one in toy.said)
    toy.file.unlink()
    assert any("is not there, and the ledger has the hash of its 4 lines" in one for one in toy.said)


def test_a_journal_whose_chain_was_removed_is_found(toy: Campaign) -> None:
    lines = [journal.decode(line) or {} for line in toy.file.read_bytes().splitlines()]
    toy.file.write_bytes(
        b"".join(journal.encode({k: v for k, v in one.items() if k != "chain"}) for one in lines)
    )
    assert any("line 1 is not part of its chain" in said for said in toy.said)
