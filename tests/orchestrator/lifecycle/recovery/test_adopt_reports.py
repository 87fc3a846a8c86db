"""What a resume takes from the journals is taken once, and never too much of it at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.events import EventKind
from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.driver.records.attempt_records import lost, to_ledger
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.recovery import adopt_reports, campaign_jobs
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.schedulers.model import SchedulerError
from sites import Site
from tests import messages
from tests.db import rows
from tests.db.rows import T0, attempt

INSTANCES = 7
SITE = Site.model_validate({"site": "here"})


def final(token: str, state: str = "succeeded", message: str = "") -> AttemptReport:
    return messages.report(token, state, label="toy/?", at_us=T0 + 9, failure_message=message)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "journals" / "1" / "a.journal"
    file.parent.mkdir(parents=True)
    return file


def started(ledger: Ledger, folder: Path) -> int:
    campaign = replace(rows.campaign(), run_directory=str(folder))
    number = ledger.register(campaign, [rows.benchmark(instances=INSTANCES)], rows.planned(INSTANCES))
    rows.begin(ledger, number)
    ledger.submit(number, 1, [attempt(k) for k in range(INSTANCES)])
    return number


def test_a_late_report_is_kept_as_evidence_once(ledger_url: str, tmp_path: Path, file: Path) -> None:
    """However often the campaign is resumed."""
    with Ledger(ledger_url) as ledger:
        number = started(ledger, tmp_path)
        gone = lost("t0.1", T0 + 5, "worker lost", "its worker died")
        ledger.record(number, [to_ledger(gone, T0 + 6, InstanceState.PLANNED)])
        for report in (
            final("t0.1"),
            final("nobody's \"\\", "failed", "long " * 5_000),
            final("t1.1"),
        ):
            journal.append(file, report)
        for _ in range(3):
            adopt_reports.adopt(ledger, ledger.campaign("toy"))
            kept = [(one.instance_id, one.to_state) for one in ledger.events(number, kinds=["late_report"])]
            assert sorted(kept, key=str) == [(0, "succeeded"), (None, "failed")]
            assert ledger.instance_counts(number) == {"done": 1, "planned": INSTANCES - 1}
        journal.append(file, final("t0.1", "failed"))  # another one is told of the same attempt
        adopt_reports.adopt(ledger, ledger.campaign("toy"))
        assert len([*ledger.events(number, kinds=["late_report"])]) == 3


def test_what_is_adopted_is_recorded_some_at_a_time(
    sqlite_url: str, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    record = Ledger.record

    def counted(self: Ledger, campaign: int, reports: Any) -> Any:
        sizes.append(len(reports))
        return record(self, campaign, reports)

    monkeypatch.setattr(adopt_reports, "_BATCH", 2)
    monkeypatch.setattr(Ledger, "record", counted)
    with Ledger(sqlite_url) as ledger:
        number = started(ledger, tmp_path)
        for k in range(3):
            journal.append(file, final(f"t{k}.1"))
        adopt_reports.adopt(ledger, ledger.campaign("toy"))
        assert ledger.attempt_counts(number) == {"succeeded": 3, "lost": INSTANCES - 3}
    assert sizes == [2, 1, 2, 2]


def test_results_that_a_dead_driver_could_not_journal_are_named_once(
    ledger_url: str, tmp_path: Path, file: Path
) -> None:
    with Ledger(ledger_url) as ledger:
        number = started(ledger, tmp_path)
        for token in ("t0.1", "t1.1"):
            ledger.record(number, [to_ledger(final(token), T0 + 6, InstanceState.DONE)])
        journal.append(file, final("t0.1"))
        rows.begin(ledger, number, "another", dead="me")
        for _ in range(2):
            adopt_reports.adopt(ledger, ledger.campaign("toy"))
        told = [*ledger.events(number, kinds=[EventKind.RESULTS_NOT_JOURNALLED])]
        assert [one.subject for one in told] == ["session 1"]
        assert told[0].message.startswith("1 accepted result stands in no journal of session 1")


class System:
    """A batch system with one job, which it cancels or not."""

    def __init__(self, job: str, problem: str = "") -> None:
        self.job, self.problem = job, problem
        self.cancelled: list[str] = []

    def find(self, name: str) -> list[str]:
        if self.problem == "silent":
            raise SchedulerError("it does not answer")
        return [self.job]

    def cancel(self, ids: list[str]) -> None:
        if self.problem == "stuck":
            raise SchedulerError(f"job {ids[0]} could not be cancelled")
        self.cancelled += ids


@pytest.mark.parametrize("problem", ["silent", "stuck"])
def test_blocks_of_a_system_that_answers_end_and_are_noted_beside_one_that_does_not(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    good, bad = System("7"), System("8", problem)
    monkeypatch.setattr(campaign_jobs, "batch_clients", lambda site, had: {"slurm": bad, "pbspro": good})
    with Ledger(sqlite_url) as ledger:
        number = started(ledger, tmp_path)
        with pytest.raises(CampaignError, match="blocks of an earlier driver may still run"):
            adopt_reports._cancel_blocks(ledger, ledger.campaign("toy"), SITE)
        noted = [one.message for one in ledger.events(number, kinds=[EventKind.LEFTOVERS_ENDED])]
    assert good.cancelled == ["7"]
    assert noted == ["cancelled blocks 7 of an earlier driver"]
