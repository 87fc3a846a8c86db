"""Every attempt ends once, an instance is accepted once, and both are counted right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from db.errors import LedgerError
from db.events import EventKind
from db.evidence.runs import lowest_metrics
from db.ledger import Ledger
from db.queries.attempts import metrics_of_instances
from db.queries.blocks import unended_blocks
from db.records import BlockRecord
from db.states import InstanceState
from tests.db import rows
from tests.db.rows import T0, attempt, report


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    with Ledger(ledger_url) as opened:
        yield opened


def evidence(ledger: Ledger, campaign: int) -> list[tuple[int | None, int | None, str | None, str | None]]:
    return [
        (e.instance_id, e.attempt_number, e.from_state, e.to_state)
        for e in ledger.events(campaign, kinds=["late_report"])
    ]


# -- exactly once ----------------------------------------------------------------------------

ENDS = ["succeeded", "failed", "timed_out", "lost", "cancelled"]


def test_the_first_final_state_wins(ledger: Ledger) -> None:
    for first in ENDS:
        for second in (*ENDS, "running", "submitted"):
            check_that_the_first_wins(ledger, first, second)


def check_that_the_first_wins(ledger: Ledger, first: str, second: str) -> None:
    name = f"{first}-{second}"
    number = rows.started(ledger, 1, name)
    token = f"{name}-t0.1"
    ledger.record(
        number, [report(token, first, InstanceState.PLANNED, fom_seconds=1.0, failure_message="first")]
    )
    before = (
        ledger.attempts_of(number, 0),
        ledger.counts(number),
        ledger.pending(number),
        rows.accepted(ledger, number, "toy"),
    )
    late = report(
        token,
        second,
        InstanceState.EXHAUSTED,
        fom_seconds=99.0,
        failure_message="late",
        metrics=(("m", 1.0, ""),),
    )
    assert ledger.record(number, [late]) == [late]
    assert (
        ledger.attempts_of(number, 0),
        ledger.counts(number),
        ledger.pending(number),
        rows.accepted(ledger, number, "toy"),
    ) == before
    assert metrics_of_instances(ledger, number, [0]) == {}
    assert evidence(ledger, number) == [(0, 1, first, second)]


def test_a_duplicate_in_the_same_batch_is_evidence(ledger: Ledger) -> None:
    number = rows.started(ledger)
    one, two = (report("toy-t0.1", "succeeded", fom_seconds=s, metrics=(("m", s, ""),)) for s in (1.0, 2.0))
    assert ledger.record(number, [one, two]) == [two]
    assert ledger.attempts_of(number, 0)[0].fom_seconds == 1.0
    kept = json.loads(next(iter(ledger.events(number, kinds=["late_report"]))).message)
    assert (kept["token"], kept["values"]["fom_seconds"]) == ("toy-t0.1", 2.0)
    assert kept["metrics"] == [["m", 2.0, ""]]


def test_an_unknown_token_is_evidence_and_nothing_else(ledger: Ledger, ledger_url: str) -> None:
    number = rows.started(ledger)
    before = rows.everything(ledger_url)
    stranger = report("never issued", "succeeded", InstanceState.DONE, fom_seconds=0.001)
    assert ledger.record(number, [stranger]) == [stranger]
    after = rows.everything(ledger_url)
    assert {name for name in before if before[name] != after[name]} == {"events"}
    assert evidence(ledger, number) == [(None, None, None, "succeeded")]


def test_a_token_of_another_campaign_is_unknown(ledger: Ledger) -> None:
    one, two = rows.started(ledger, name="one"), rows.started(ledger, name="two")
    stray = report("one-t0.1", "succeeded", fom_seconds=1.0)
    assert ledger.record(two, [stray]) == [stray]
    assert ledger.attempt_counts(one) == {"submitted": 3}
    assert ledger.attempt_counts(two) == {"submitted": 3}
    assert len(evidence(ledger, two)) == 1


def test_an_instance_is_accepted_once(ledger: Ledger) -> None:
    """Two attempts of one instance succeed: the second is known, and never counted."""
    number = rows.started(ledger, instances=1)
    ledger.submit(number, 1, [attempt(0, 2)])
    ledger.record(number, [report("t0.2", "succeeded", fom_seconds=2.0)])
    ledger.record(number, [report("toy-t0.1", "succeeded", fom_seconds=1.0)])
    assert [row.fom_seconds for row in rows.accepted(ledger, number, "toy")] == [2.0]
    assert ledger.attempt_counts(number) == {"succeeded": 2}
    assert ledger.find_instance(number, "toy/0").accepted_attempt == 2
    assert ledger.counts(number) == {"toy": {"done": 1}}


def test_a_failure_after_acceptance_does_not_plan_the_instance_again(ledger: Ledger) -> None:
    number = rows.started(ledger, instances=1)
    ledger.submit(number, 1, [attempt(0, 2)])
    ledger.record(
        number,
        [
            report("t0.2", "failed", InstanceState.PLANNED),
            report("toy-t0.1", "succeeded", InstanceState.DONE),
        ],
    )
    assert ledger.counts(number) == {"toy": {"done": 1}}
    assert ledger.pending(number) == []


def test_an_accepted_instance_cannot_be_submitted_again(ledger: Ledger, ledger_url: str) -> None:
    number = rows.started(ledger)
    ledger.record(number, [report("toy-t0.1", "succeeded")])
    before = rows.everything(ledger_url)
    with pytest.raises(LedgerError, match="accepted once"):
        ledger.submit(number, 1, [attempt(0, 2)])
    assert rows.everything(ledger_url) == before


def test_accepted_leaves_out_everything_that_does_not_count(ledger: Ledger) -> None:
    number = rows.started(ledger, instances=5)
    for token, state in enumerate(["failed", "timed_out", "lost", "cancelled"]):
        ledger.record(
            number, [report(f"toy-t{token}.1", state, InstanceState.PLANNED, fom_seconds=9.0, accuracy=0.1)]
        )
    ledger.submit(number, 1, [attempt(0, 2)])
    ledger.record(number, [report("t0.2", "succeeded", fom_seconds=1.0, accuracy=0.5, cores="1")])
    found = rows.accepted(ledger, number, "toy")
    assert [(row.fom_seconds, row.accuracy, row.cores, row.seed) for row in found] == [(1.0, 0.5, "1", 2017)]
    assert rows.accepted(ledger, number, "another") == []


def test_two_writers_that_report_one_end_at_once(ledger_url: str) -> None:
    """Whichever comes second becomes evidence; no transaction is lost."""
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=20)
        ready = Barrier(2)

        def write(state: str) -> int:
            with Ledger(ledger_url) as own:
                ready.wait(300)
                return sum(
                    len(own.record(number, [report(f"toy-t{k}.1", state, InstanceState.PLANNED)]))
                    for k in range(20)
                )

        with ThreadPoolExecutor(2) as pool:
            late = [future.result() for future in [pool.submit(write, s) for s in ("succeeded", "lost")]]
        assert sum(late) == 20
        assert len([*ledger.events(number, kinds=["late_report"])]) == 20
        counts = ledger.attempt_counts(number)
        assert sum(counts.values()) == 20
        assert ledger.counts(number)["toy"].get("done", 0) == counts.get("succeeded", 0) == 20 - late[0]


# -- what is asked while it runs -------------------------------------------------------------


def test_counts_and_states(ledger: Ledger) -> None:
    number = rows.started(ledger, instances=4)
    ledger.record(
        number,
        [
            report("toy-t0.1", "running"),
            report("toy-t1.1", "succeeded"),
            report("toy-t2.1", "failed", InstanceState.EXHAUSTED, failure_reason="exit code 1"),
        ],
    )
    assert ledger.attempt_states(number) == {
        "toy-t0.1": "running",
        "toy-t1.1": "succeeded",
        "toy-t2.1": "failed",
        "toy-t3.1": "submitted",
    }
    assert ledger.attempt_counts(number) == {"failed": 1, "running": 1, "submitted": 1, "succeeded": 1}
    assert ledger.counts(number) == {"toy": {"done": 1, "exhausted": 1, "in_flight": 2}}
    assert ledger.failure_counts(number) == [("exit code 1", 1)]
    assert [one.token for one in ledger.open_attempts(number)] == ["toy-t0.1", "toy-t3.1"]
    assert [one.instance_id for one in ledger.pending(number)] == [0, 3]


def test_counts_of_one_campaign_do_not_hold_anothers(ledger: Ledger) -> None:
    one = rows.started(ledger, instances=2, name="one")
    two = rows.started(ledger, instances=3, name="two")
    ledger.record(two, [report("two-t0.1", "succeeded", fom_seconds=2.0)])
    assert ledger.counts(one) == {"toy": {"in_flight": 2}}
    assert rows.accepted(ledger, one, "toy") == []
    assert len(ledger.open_attempts(one)) == 2
    assert [one.attempts for one in ledger.pending(two)] == [1, 1]


def test_failure_reasons_come_most_frequent_first(ledger: Ledger) -> None:
    number = rows.started(ledger, instances=6)
    for k, reason in enumerate(["b", "a", "b", "c", "a", "b"]):
        ledger.record(number, [report(f"toy-t{k}.1", "failed", InstanceState.PLANNED, failure_reason=reason)])
    assert ledger.failure_counts(number) == [("b", 3), ("a", 2), ("c", 1)]
    assert ledger.failure_counts(number, limit=1) == [("b", 3)]


def test_reopen_exhausted_plans_them_again_and_no_others(ledger: Ledger) -> None:
    number = rows.started(ledger, instances=3)
    ledger.record(
        number,
        [
            report("toy-t0.1", "failed", InstanceState.EXHAUSTED),
            report("toy-t1.1", "succeeded", InstanceState.DONE),
        ],
    )
    assert [one.instance_id for one in ledger.pending(number)] == [2]
    assert ledger.reopen_exhausted(number) == 1
    assert [(one.instance_id, one.attempts) for one in ledger.pending(number)] == [(0, 1), (2, 1)]
    assert ledger.counts(number) == {"toy": {"done": 1, "in_flight": 1, "planned": 1}}
    events = len([*ledger.events(number, kinds=EventKind)])
    assert ledger.reopen_exhausted(number) == 0
    assert len([*ledger.events(number, kinds=EventKind)]) == events


def test_lowest_metric_is_that_of_accepted_attempts(ledger: Ledger) -> None:
    number = rows.started(ledger, instances=3)
    ledger.record(
        number,
        [
            report("toy-t0.1", "succeeded", metrics=(("epochs_run", 90.0, ""),)),
            report("toy-t1.1", "succeeded", metrics=(("epochs_run", 100.0, ""),)),
            report("toy-t2.1", "failed", InstanceState.PLANNED, metrics=(("epochs_run", 3.0, ""),)),
        ],
    )
    found = lowest_metrics(ledger, number, ["epochs_run", "unknown"])
    assert found == {"epochs_run": {"toy": 90.0}, "unknown": {}}


def test_blocks_are_inserted_then_updated(ledger: Ledger) -> None:
    number = rows.register(ledger)
    session = rows.begin(ledger, number)
    asked = BlockRecord("c1", "0", None, "pending", T0, None, None, 1, None)
    other = BlockRecord("c2", "0", "77", "running", T0, T0, None, 1, None)
    ledger.record_blocks(number, session, [asked, other])
    ended = BlockRecord("c1", "0", "76", "ended", T0, T0 + 1, T0 + 2, 1, "walltime reached")
    ledger.record_blocks(number, session, [ended])
    columns = "session_number, slot_shape, block_id, job_id, state, started_us, ended_us, nodes, message"
    assert ledger.query(f"SELECT {columns} FROM blocks ORDER BY slot_shape")[1] == [
        (1, "c1", "0", "76", "ended", T0 + 1, T0 + 2, 1, "walltime reached"),
        (1, "c2", "0", "77", "running", T0, None, 1, None),
    ]


def test_blocks_without_an_end_are_those_of_all_sessions(ledger: Ledger) -> None:
    number = rows.register(ledger)
    for owner in ("dead", "me"):  # the first session ends without an end of its blocks
        session = rows.begin(ledger, number, owner, dead="dead")
        queued = BlockRecord("c1", "0", "75", "queued", T0, None, None, 1, "PENDING (Priority)")
        running = BlockRecord("c1", "1", "76", "running", T0, T0 + 1, None, 1, None)
        ended = BlockRecord("c1", "2", "77", "cancelled", T0, None, T0 + 1, 1, None)
        ledger.record_blocks(number, session, [queued, running, ended])
    assert sorted((one.session_number, one.job_id) for one in unended_blocks(ledger, number)) == [
        (session, job) for session in (1, 2) for job in ("75", "76")
    ]


def test_notes_are_events(ledger: Ledger) -> None:
    number = rows.register(ledger)
    ledger.note(number, "leftovers_ended", "ended 3 processes")
    assert [(e.kind, e.message) for e in ledger.events(number, kinds=EventKind)] == [
        ("campaign_registered", "campaign registered"),
        ("leftovers_ended", "ended 3 processes"),
    ]
