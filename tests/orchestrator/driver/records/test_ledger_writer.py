"""A ledger that goes away and comes back: nothing is lost, nothing starts meanwhile, nothing counts twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from db.errors import LeaseError, LedgerError
from db.ledger import Ledger
from db.records import BlockRecord
from db.states import Action, InstanceState
from db.writing.requests import Request
from orchestrator.driver.records import ledger_writer
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.driver.stop_requests import StopLevel
from tests.db import rows
from tests.db.rows import T0, attempt, report

AWAY = "ledger sqlite:///x: disk I/O error"


class FlakyLedger(Ledger):
    """A real ledger that fails when told to: before it writes, or after it has written."""

    fails: str | None = None
    calls = 0

    def _write_through(self, write: Callable[..., Any], *arguments: Any) -> Any:
        self.calls += 1
        if self.fails == "before":
            raise LedgerError(AWAY)
        found = write(*arguments)
        if self.fails == "after":
            raise LedgerError(AWAY)
        return found

    def record(self, *arguments: Any) -> Any:
        return self._write_through(super().record, *arguments)

    def submit(self, *arguments: Any) -> Any:
        return self._write_through(super().submit, *arguments)

    def record_blocks(self, *arguments: Any) -> Any:
        return self._write_through(super().record_blocks, *arguments)

    def renew(self, *arguments: Any) -> Any:
        return self._write_through(super().renew, *arguments)


class Clock:
    """Seconds that pass when told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """A campaign of three instances with a recorder, a ledger that can fail, and a clock."""

    def __init__(self, url: str) -> None:
        self.ledger = FlakyLedger(url)
        self.campaign = rows.register(self.ledger)
        self.session = rows.begin(self.ledger, self.campaign)
        self.clock = Clock()
        self.recorder = LedgerWriter(self.ledger, self.campaign, self.session, "me", self.clock)

    def states(self) -> list[str]:
        return sorted(self.ledger.attempt_states(self.campaign).values())


@pytest.fixture
def desk(sqlite_url: str) -> Iterator[Desk]:
    opened = Desk(sqlite_url)
    yield opened
    opened.ledger.close()


def test_a_ledger_that_takes_the_pulse_but_no_report_is_failing_all_the_while(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or else the driver's patience never ends, and the campaign neither runs nor stops."""
    desk.recorder.submit([attempt(0)])
    desk.recorder.add(report("t0.1", "running"))

    def refused(*_: object) -> None:
        raise LedgerError("permission denied for table metrics")

    monkeypatch.setattr(desk.ledger, "record", refused)
    for _ in range(10):
        desk.recorder.flush()
        desk.clock.now += 3
        desk.recorder.renew_lease()
        assert desk.recorder.last_error == "permission denied for table metrics"
        assert desk.recorder.failing_since == 100.0
    assert desk.recorder.waiting == 1


def test_what_is_added_is_written_at_the_next_flush(desk: Desk) -> None:
    assert desk.recorder.submit([attempt(k) for k in range(3)])
    desk.recorder.add(report("t0.1", "running"))
    desk.recorder.add(report("t0.1", "succeeded", InstanceState.DONE))
    assert (desk.recorder.waiting, desk.states()) == (2, ["submitted"] * 3)
    desk.recorder.flush()
    assert (desk.recorder.waiting, desk.states()) == (0, ["submitted", "submitted", "succeeded"])
    assert desk.recorder.evidence == 0


def test_many_are_written_some_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_writer, "_BATCH", 2)
    assert desk.recorder.submit([attempt(k) for k in range(3)])
    for k in range(3):
        desk.recorder.add(report(f"t{k}.1", "running"))
    before = desk.ledger.calls
    desk.recorder.flush()
    assert desk.ledger.calls == before + 2
    assert (desk.recorder.waiting, desk.states()) == (0, ["running"] * 3)


def test_flushing_nothing_asks_nothing_of_the_ledger(desk: Desk) -> None:
    desk.ledger.fails = "before"
    desk.recorder.flush()
    assert (desk.recorder.last_error, desk.ledger.calls) == (None, 0)


def test_late_reports_are_counted_as_evidence(desk: Desk) -> None:
    desk.recorder.submit([attempt(0)])
    for _ in range(2):
        desk.recorder.add(report("t0.1", "succeeded"))
    desk.recorder.flush()
    assert desk.recorder.evidence == 1


def test_a_ledger_that_fails_and_recovers_loses_nothing(desk: Desk) -> None:
    desk.recorder.submit([attempt(k) for k in range(3)])
    desk.ledger.fails = "before"
    for k in range(3):
        desk.recorder.add(report(f"t{k}.1", "succeeded", InstanceState.DONE, fom_seconds=1.0 + k))
        desk.recorder.flush()
        desk.clock.now += 1
    assert desk.recorder.waiting == 3
    assert desk.recorder.last_error == AWAY
    assert desk.recorder.failing_since == 100.0  # when it began, not when it was last tried

    desk.ledger.fails = None
    desk.clock.now += 5
    desk.recorder.flush()
    assert desk.recorder.waiting == 0
    assert (desk.recorder.last_error, desk.recorder.failing_since) == (None, None)
    seconds = sorted(row.fom_seconds for row in rows.accepted(desk.ledger, desk.campaign, "toy"))
    assert seconds == [1.0, 2.0, 3.0]
    assert desk.recorder.evidence == 0


def test_a_ledger_that_has_come_back_at_the_end_has_not_failed(desk: Desk) -> None:
    """What it refused, and was not asked again, must not be the last word on a campaign that is complete."""
    desk.recorder.submit([attempt(0)])
    desk.ledger.fails = "before"
    desk.recorder.renew_lease()
    desk.recorder.blocks([BlockRecord("c1", "0", None, "running", T0, T0, None, 1, None)])
    desk.recorder.add(report("t0.1", "succeeded", InstanceState.DONE))
    desk.recorder.flush()
    assert not desk.recorder.finish()
    desk.ledger.fails = None
    assert desk.recorder.finish()
    assert (desk.recorder.waiting, desk.states()) == (0, ["succeeded"])


def test_a_campaign_that_was_lost_while_the_ledger_was_away_is_not_complete(desk: Desk) -> None:
    desk.ledger.fails = "before"
    desk.recorder.renew_lease()
    desk.ledger.fails = None
    rows.begin(desk.ledger, desk.campaign, "another", dead="me")
    with pytest.raises(LeaseError, match="lost the campaign to another"):
        desk.recorder.finish()


def test_a_write_that_only_seemed_to_fail_counts_once(desk: Desk) -> None:
    """The server committed, then the connection broke before it could say so."""
    desk.recorder.submit([attempt(0)])
    desk.recorder.add(report("t0.1", "succeeded", InstanceState.DONE, fom_seconds=1.0))
    desk.ledger.fails = "after"
    desk.recorder.flush()
    assert (desk.recorder.waiting, desk.states()) == (1, ["succeeded"])
    desk.ledger.fails = None
    desk.clock.now += 5
    desk.recorder.flush()
    assert desk.recorder.waiting == 0
    assert desk.recorder.evidence == 1
    assert len(rows.accepted(desk.ledger, desk.campaign, "toy")) == 1
    assert desk.ledger.counts(desk.campaign) == {"toy": {"done": 1, "planned": 2}}


def test_a_submit_that_only_seemed_to_fail_can_be_repeated(desk: Desk) -> None:
    new = [attempt(0), attempt(1)]
    desk.ledger.fails = "after"
    assert not desk.recorder.submit(new)
    desk.ledger.fails = None
    desk.clock.now += 5
    desk.recorder.renew_lease()
    assert desk.recorder.submit([*new, attempt(2)])
    assert desk.recorder.last_error is None
    assert desk.states() == ["submitted"] * 3
    assert len([*desk.ledger.events(desk.campaign, kinds=["transition"])]) == 3


def test_a_failing_ledger_is_not_hammered(desk: Desk) -> None:
    desk.recorder.submit([attempt(0)])
    desk.recorder.add(report("t0.1", "running"))
    desk.ledger.fails = "before"
    desk.recorder.flush()
    calls = desk.ledger.calls
    for _ in range(50):  # a driver's ticks of one second
        desk.recorder.flush()
        desk.recorder.renew_lease()
        desk.recorder.blocks([BlockRecord("c1", "0", None, "running", T0, T0, None, 1, None)])
        desk.clock.now += 0.02
    assert desk.ledger.calls == calls
    desk.clock.now += 1.5
    desk.recorder.flush()
    assert desk.ledger.calls == calls + 1


def test_nothing_is_submitted_while_the_ledger_fails(desk: Desk) -> None:
    desk.ledger.fails = "before"
    assert desk.recorder.submit([attempt(0)]) is False
    assert desk.recorder.last_error == AWAY
    desk.ledger.fails = None
    assert desk.recorder.submit([attempt(0)]) is False  # not before something else went through
    assert desk.states() == []
    desk.clock.now += 5
    assert desk.recorder.renew_lease() is StopLevel.NONE
    assert desk.recorder.submit([attempt(0)]) is True
    assert desk.states() == ["submitted"]


def test_a_failed_submit_leaves_no_attempt(desk: Desk) -> None:
    desk.recorder.submit([attempt(0)])
    assert desk.recorder.submit([attempt(1), attempt(0, token="another")]) is False
    assert desk.states() == ["submitted"]
    assert desk.ledger.counts(desk.campaign) == {"toy": {"in_flight": 1, "planned": 2}}


def test_stop_requests_come_with_the_pulse_about_once_a_second(desk: Desk) -> None:
    assert desk.recorder.renew_lease() is StopLevel.NONE
    desk.ledger.request_stop(desk.campaign, "drain")
    assert desk.recorder.renew_lease() is StopLevel.NONE  # too soon to ask again
    assert desk.ledger.calls == 1
    desk.clock.now += 1.0
    assert desk.recorder.renew_lease() is StopLevel.DRAIN
    desk.ledger.request_stop(desk.campaign, "cancel")
    desk.clock.now += 1.0
    assert desk.recorder.renew_lease() is StopLevel.CANCEL


def test_a_request_is_applied_although_a_report_waits_at_every_moment(desk: Desk) -> None:
    """Short instances end all the time: the reports are written first."""
    desk.recorder.submit([attempt(0)])
    desk.ledger.request(desk.campaign, Request(Action.CANCEL, "toy/2", instances=((2, 2),)), "me")
    desk.recorder.renew_lease()
    desk.recorder.add(report("t0.1", "running"))
    found, again = desk.recorder.requests()
    assert [one.action for one in found] == [Action.CANCEL]
    assert (again, desk.recorder.waiting, desk.states()) == ([], 0, ["running"])


def test_a_pulse_that_fails_is_no_stop_request(desk: Desk) -> None:
    desk.ledger.fails = "before"
    assert desk.recorder.renew_lease() is StopLevel.NONE
    assert desk.recorder.last_error == AWAY


def test_losing_the_campaign_is_no_failure_to_wait_out(desk: Desk) -> None:
    rows.begin(desk.ledger, desk.campaign, "another", dead="me")
    with pytest.raises(LeaseError, match="lost the campaign to another"):
        desk.recorder.renew_lease()
    assert desk.recorder.last_error is None


def test_an_error_that_is_not_the_ledgers_is_raised(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(desk.ledger, "record", broken)
    desk.recorder.add(report("t0.1", "running"))
    with pytest.raises(RuntimeError, match="a defect"):
        desk.recorder.flush()
    assert desk.recorder.waiting == 1


def test_blocks_are_written_when_they_change(desk: Desk) -> None:
    pending = BlockRecord("c1", "0", None, "pending", T0, None, None, 1, None)
    running = BlockRecord("c1", "0", "76", "running", T0, T0 + 1, None, 1, None)
    desk.recorder.blocks([pending])
    desk.recorder.blocks([pending])
    assert desk.ledger.calls == 1
    desk.ledger.fails = "before"
    desk.recorder.blocks([running])
    desk.ledger.fails = None
    desk.clock.now += 5
    desk.recorder.renew_lease()
    desk.recorder.blocks([running])
    assert desk.ledger.query("SELECT job_id, state FROM blocks")[1] == [("76", "running")]


def test_blocks_of_two_engines_are_written_when_they_change(desk: Desk) -> None:
    wide, narrow = (BlockRecord(name, "0", None, "running", T0, T0, None, 1, None) for name in "wn")
    for _ in range(3):
        desk.recorder.blocks([wide])
        desk.recorder.blocks([narrow])
    assert desk.ledger.calls == 2
    desk.recorder.blocks([replace(wide, state="released", ended_us=T0 + 1)])
    desk.recorder.blocks([narrow])
    assert desk.ledger.calls == 3
    states = "SELECT slot_shape, state FROM blocks ORDER BY 1"
    assert desk.ledger.query(states)[1] == [("n", "running"), ("w", "released")]


@pytest.mark.parametrize("fails", ["before", "after"])
def test_a_block_that_changed_back_while_the_ledger_was_away_is_told_as_it_is(desk: Desk, fails: str) -> None:
    running = BlockRecord("c1", "0", "76", "running", T0, T0, None, 1, None)
    desk.recorder.blocks([running])
    desk.ledger.fails = fails
    desk.recorder.blocks([replace(running, state="held")])
    desk.clock.now += 10
    desk.recorder.blocks([running])
    assert desk.recorder.last_error == AWAY
    desk.ledger.fails = None
    desk.clock.now += 10
    desk.recorder.blocks([running])
    assert desk.recorder.last_error is None
    assert desk.recorder.failing_since is None
    assert desk.ledger.query("SELECT state FROM blocks")[1] == [("running",)]
