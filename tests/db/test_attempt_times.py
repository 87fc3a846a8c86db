"""Times of attempts as columns, on each kind of database."""

from __future__ import annotations

import math

from db.ledger import Ledger
from db.queries.attempt_times import attempt_times, blocks_of, environments_of
from db.states import InstanceState
from db.writing.superseding import Missed
from orchestrator.analysis.slot_time.makespan_explained import explain
from tests.db import rows
from tests.db.filled import ODD, fill
from tests.db.rows import T0, attempt, report


def test_times_of_a_ledger_with_everything(ledger_url: str) -> None:
    number = fill(ledger_url)
    with Ledger(ledger_url) as ledger:
        times = attempt_times(ledger, number)
        assert len(times) == len(ODD) + 1  # instance 0 was tried twice; two instances were not
        assert times.label(0) == times.label(1) == "toy/0"
        assert [times.state.of(k) for k in range(3)] == ["failed", "lost", "succeeded"]
        assert times.accepted.tolist() == [False, False, *[True] * (len(ODD) - 1)]
        assert (times.node.of(0), times.block.of(0), times.slot[0]) == ("n1", "0", 0)
        assert (times.node.of(1), times.slot[1], times.process_start_us[1]) == ("", -1, 0)
        assert times.process_stop_us[2] - times.process_start_us[2] == 6
        assert not times.timed[0]
        assert all(value > 0 for value in times.fom_seconds[times.timed])
        [block] = blocks_of(ledger, number)
        assert (block.job_id, block.nodes, block.started_us) == ("job 7", 2, T0 + 1)
        assert environments_of(ledger, number)
        found = explain(ledger, ledger.campaign("toy"))
        assert found.offered_us == sum(found.parts.values()) > 0


def test_loading_is_that_of_the_accepted_attempt(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger, instances=2)
        session = rows.begin(ledger, number)
        ledger.submit(number, session, [attempt(0), attempt(1)])
        loaded = (("load_seconds", 1.5, "s"), ("other", 7.0, "s"))
        ledger.record(number, [
            report("t0.1", "succeeded", InstanceState.DONE, metrics=loaded),
            report("t1.1", "failed", InstanceState.PLANNED, metrics=loaded),
        ])  # fmt: skip
        times = attempt_times(ledger, number)
        assert times.load_us.tolist() == [1_500_000, 0]
        assert [math.isnan(value) for value in times.fom_seconds] == [True, True]


def test_what_was_superseded_counts_by_its_time_alone(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, 2)
        values = {"fom_seconds": 2.0, "accuracy": 0.1}
        done = [report(f"toy-t{k}.1", "succeeded", InstanceState.DONE, **values) for k in range(2)]
        ledger.record(number, done)
        ledger.supersede(number, "toy", [Missed(1, "toy/1", 0.1)], ledger.campaign("toy").lease_owner)
        times = attempt_times(ledger, number)
        assert (times.timed.tolist(), times.ever_timed.tolist()) == ([True, False], [True, True])


def test_a_campaign_without_attempts_has_no_times(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger)
        assert len(attempt_times(ledger, number)) == 0
        assert (blocks_of(ledger, number), environments_of(ledger, number)) == ([], [])
