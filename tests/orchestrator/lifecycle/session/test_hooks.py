"""What the user's commands get at the first failure and at the end, and what the ledger keeps of them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from db.events import EventKind
from db.ledger import Ledger
from db.records import Pending
from db.states import InstanceState, RunOutcome
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.lifecycle.session.hooks import SessionHooks
from orchestrator.lifecycle.session.host import Session
from orchestrator.planning.plan import Plan
from sites import Site, parse
from tests import messages
from tests.db import rows


class Ended:
    """A session whose commands write what they read to a file, a line each."""

    def __init__(self, folder: Path, url: str) -> None:
        self.file = folder / "read"
        self.ledger = Ledger(url)
        self.number = rows.register(self.ledger)
        self.session = rows.begin(self.ledger, self.number)

    def hooks(self, notify: str | None, site: str = "", **options: Any) -> SessionHooks:
        plan = SimpleNamespace(site=parse(f"site: x\n{site}", Site, "x"))
        row = self.ledger.campaign("toy")
        session = Session(self.ledger, row, cast("Plan", plan), self.session)
        return SessionHooks(session, 3, notify, **options)

    def read(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def events(self) -> list[tuple[str, str]]:
        kinds = [EventKind.HOOK_RAN, EventKind.HOOK_FAILED]
        return [(one.kind, one.message) for one in self.ledger.events(self.number, kinds=kinds)]


@pytest.fixture
def ended(tmp_path: Path, sqlite_url: str) -> Ended:
    return Ended(tmp_path, sqlite_url)


def test_the_first_failure_and_the_end(ended: Ended) -> None:
    hooks = ended.hooks(f"cat >> {ended.file}")
    attempt = InFlightAttempt("t", Pending(0, "p1b1", 7, 1, 0), 2)
    for state in ("cancelled", "failed", "failed"):
        hooks.attempt_ended(
            attempt, messages.report("t", state, failure_message="NaN"), InstanceState.PLANNED
        )
    hooks.ended(RunOutcome.HOPELESS, {"done": 1})
    first, last = sorted(ended.read(), key=lambda one: str(one["event"]))
    assert (first["event"], first["instance"], first["attempt"]) == ("first_failure", "p1b1/7", 2)
    assert (first["message"], first["campaign"], first["total"]) == ("NaN", "toy", 3)
    assert (last["event"], last["outcome"], last["instances"]) == (
        "hopeless",
        "aborted_after_failures",
        {"done": 1},
    )
    assert [kind for kind, _ in ended.events()] == ["hook_ran", "hook_ran"]


@pytest.mark.parametrize("outcome", RunOutcome)
def test_campaign_end_runs_when_every_instance_has_ended(ended: Ended, outcome: RunOutcome) -> None:
    ended.hooks(None, f"campaign_end: ['cat > {ended.file}']").ended(outcome, {})
    assert ended.file.exists() == (outcome in ("complete", "exhausted"))


def test_a_simulation_runs_nothing(ended: Ended) -> None:
    ended.hooks(None, f"campaign_end: ['cat > {ended.file}']", simulated=True).ended(RunOutcome.COMPLETE, {})
    assert not ended.file.exists()


def test_one_that_hangs_or_fails_is_an_event(ended: Ended) -> None:
    site = "campaign_end: ['echo bad', 'false', 'echo never']\nhook_timeout: 0.2"
    ended.hooks("sleep 3600", site).ended(RunOutcome.COMPLETE, None)
    assert ended.events() == [
        ("hook_failed", "campaign_end: it ended with exit code 1; it printed: bad"),
        ("hook_failed", "notify: it did not end within 0.2 s (hook_timeout of the site) and was killed"),
    ]


def test_a_driver_that_lost_its_campaign_writes_nothing(ended: Ended) -> None:
    ended.hooks(f"cat >> {ended.file}").ended(RunOutcome.TAKEN_OVER, None)
    assert ended.read()[0]["outcome"] == "lease_lost"
    assert ended.events() == []
