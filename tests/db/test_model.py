"""Any order of submits and reports, against a model small enough to be seen to be right."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from db.connection.connect import parse_url
from db.errors import LedgerError
from db.ledger import Ledger
from db.schema import upgrade
from db.states import AttemptState, InstanceState
from tests.db import rows

INSTANCES = 3
STATES = list(AttemptState)
BECOMES = [InstanceState.PLANNED, InstanceState.EXHAUSTED]
_place: dict[str, Path] = {}


@pytest.fixture(scope="module", autouse=True)
def _folder() -> Iterator[None]:
    _place["folder"] = rows.fast_folder("ledger-model-")
    upgrade(parse_url(str(_place["folder"] / "empty.sqlite")))
    yield
    shutil.rmtree(_place["folder"])


@dataclass
class Attempt:
    instance: int
    number: int
    state: AttemptState = AttemptState.SUBMITTED
    seconds: float | None = None


@dataclass
class Model:
    attempts: dict[str, Attempt] = field(default_factory=dict)
    instances: list[str] = field(default_factory=lambda: ["planned"] * INSTANCES)
    accepted: dict[int, int] = field(default_factory=dict)
    evidence: int = 0

    def report(self, token: str, state: AttemptState, seconds: float, becomes: InstanceState) -> bool:
        """Take one report; False if it is evidence only."""
        attempt = self.attempts.get(token)
        ended = attempt is None or attempt.state not in ("submitted", "running")
        if attempt is None or ended or state == "submitted" or attempt.state == state:
            self.evidence += 1
            return False
        attempt.state = state
        if state == "running":
            return True
        attempt.seconds = seconds
        if attempt.instance in self.accepted:
            return True
        if state == "succeeded":
            self.accepted[attempt.instance] = attempt.number
            self.instances[attempt.instance] = "done"
        else:
            self.instances[attempt.instance] = becomes
        return True


class LedgerMachine(RuleBasedStateMachine):
    """Drives a ledger and its model alike."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=_place["folder"]))
        file = self.folder / "ledger.sqlite"
        shutil.copy(_place["folder"] / "empty.sqlite", file)
        self.url = str(file)
        self.ledger = Ledger(self.url)
        self.model = Model()
        self.number = rows.register(self.ledger, instances=INSTANCES)
        self.session = rows.begin(self.ledger, self.number, seconds=-1)
        self.finals: dict[str, tuple[object, ...]] = {}

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            self.ledger.close()
            shutil.rmtree(self.folder)

    @rule(instance=st.integers(0, INSTANCES - 1))
    def submit(self, instance: int) -> None:
        model = self.model
        number = 1 + sum(one.instance == instance for one in model.attempts.values())
        new = rows.attempt(instance, number)
        if instance in model.accepted:
            with pytest.raises(LedgerError, match="accepted once"):
                self.ledger.submit(self.number, self.session, [new])
            return
        self.ledger.submit(self.number, self.session, [new])
        model.attempts[new.token] = Attempt(instance, number)
        model.instances[instance] = "in_flight"

    @rule(
        batch=st.lists(
            st.tuples(
                st.integers(0, INSTANCES - 1),
                st.integers(1, 3),
                st.sampled_from(STATES),
                st.sampled_from(BECOMES),
            ),
            min_size=1,
            max_size=6,
        )
    )
    def report(self, batch: list[tuple[int, int, AttemptState, InstanceState]]) -> None:
        """Reports of attempts, submitted or never heard of, in one transaction."""
        reports, late = [], []
        for position, (instance, number, state, becomes) in enumerate(batch):
            seconds = 1.0 + position
            final = {} if state in ("submitted", "running") else {"fom_seconds": seconds}
            one = rows.report(f"t{instance}.{number}", state, becomes if final else None, metrics=(), **final)
            if state == "succeeded":
                one = rows.report(one.token, state, InstanceState.DONE, **final)
            reports.append(one)
            if not self.model.report(one.token, state, seconds, becomes):
                late.append(one)
        assert self.ledger.record(self.number, reports) == late

    @rule()
    def restart(self) -> None:
        """The driver dies; another opens the ledger and a new session."""
        self.ledger.close()
        self.ledger = Ledger(self.url)
        self.session = rows.begin(self.ledger, self.number, seconds=-1)

    @precondition(lambda self: hasattr(self, "model") and "exhausted" in self.model.instances)
    @rule()
    def reopen(self) -> None:
        states = self.model.instances
        assert self.ledger.reopen_exhausted(self.number) == states.count("exhausted")
        self.model.instances = ["planned" if state == "exhausted" else state for state in states]

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "model"):
            return
        ledger, model = self.ledger, self.model
        assert ledger.attempt_states(self.number) == {t: a.state for t, a in model.attempts.items()}
        found = ledger.query(
            "SELECT instance_id, state, accepted_attempt FROM instances ORDER BY instance_id"
        )[1]
        assert found == [(k, model.instances[k], model.accepted.get(k)) for k in range(INSTANCES)]
        accepted = sorted(row.fom_seconds for row in rows.accepted(ledger, self.number, "toy"))
        assert accepted == sorted(
            a.seconds for a in model.attempts.values() if model.accepted.get(a.instance) == a.number
        )
        todo = [k for k in range(INSTANCES) if model.instances[k] in ("planned", "in_flight")]
        assert [one.instance_id for one in ledger.pending(self.number)] == todo
        assert len([*ledger.events(self.number, kinds=["late_report"])]) == model.evidence

    @invariant()
    def what_is_final_stays(self) -> None:
        if not hasattr(self, "model"):
            return
        for row in self.ledger.query("SELECT * FROM attempts ORDER BY instance_id, attempt_number")[1]:
            token, state = row[3], row[5]
            if token in self.finals:
                assert row == self.finals[token]
            elif state not in ("submitted", "running"):
                self.finals[token] = row


LedgerMachine.TestCase.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestLedger = LedgerMachine.TestCase
