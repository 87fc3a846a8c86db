"""What every ledger keeps of campaigns and attempts, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from db.errors import CampaignExistsError, LedgerError
from db.events import EventKind, sha256
from db.ledger import Ledger
from db.queries.attempts import metrics_of_instances
from db.records import NewInstance, OpenAttempt, Pending
from db.states import AttemptState, InstanceState
from db.writing import recording
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


# -- registering -----------------------------------------------------------------------------


def test_register_keeps_campaign_benchmarks_and_instances(ledger: Ledger) -> None:
    number = ledger.register(
        rows.campaign(),
        [rows.benchmark("a", 2), rows.benchmark("b", 1)],
        [*rows.planned(2, "a"), *rows.planned(1, "b", first=2)],
    )
    row = ledger.campaign("toy")
    assert row.campaign_id == number
    assert (row.campaign_yaml, row.campaign_sha256) == ("campaign: toy\n", sha256("campaign: toy\n"))
    assert (row.site_yaml, row.site_sha256) == ("site: local\n", sha256("site: local\n"))
    assert (row.lease_owner, row.outcome, row.stop_request) == (None, None, None)
    assert [(b.benchmark, b.instances) for b in ledger.benchmarks(number)] == [("a", 2), ("b", 1)]
    assert ledger.pending(number) == [
        Pending(0, "a", 0, 2017, 0),
        Pending(1, "a", 1, 2018, 0),
        Pending(2, "b", 0, 2019, 0),
    ]
    assert ledger.counts(number) == {"a": {"planned": 2}, "b": {"planned": 1}}


def test_benchmarks_come_in_the_plans_order_not_the_alphabets(ledger: Ledger) -> None:
    number = ledger.register(
        rows.campaign(),
        [rows.benchmark("zebra", 1), rows.benchmark("ape", 1)],
        [*rows.planned(1, "zebra"), *rows.planned(1, "ape", first=1)],
    )
    assert [b.benchmark for b in ledger.benchmarks(number)] == ["zebra", "ape"]


def test_register_takes_more_instances_than_one_batch(ledger: Ledger) -> None:
    number = rows.register(ledger, instances=5_001)
    assert ledger.counts(number) == {"toy": {"planned": 5_001}}
    assert [one.instance_id for one in ledger.pending(number)] == list(range(5_001))


def test_a_name_is_registered_once_and_the_message_says_what_to_do(ledger: Ledger) -> None:
    rows.register(ledger)
    with pytest.raises(CampaignExistsError, match=r"resume toy.*--name"):
        ledger.register(rows.campaign(uid="another"), [rows.benchmark()], rows.planned(1))
    assert [row.name for row in ledger.campaigns()] == ["toy"]


@pytest.mark.parametrize("fault", ["same seed", "same instance", "same number", "an exception"])
def test_register_is_all_or_nothing(ledger: Ledger, ledger_url: str, fault: str) -> None:
    before = rows.everything(ledger_url)

    def instances() -> Iterator[NewInstance]:
        yield from rows.planned(5_000)  # a whole batch is written before the fault
        if fault == "an exception":
            raise KeyboardInterrupt
        yield {
            "same seed": NewInstance(5_000, "toy", 5_000, 2017),
            "same instance": NewInstance(0, "toy", 5_000, 1),
            "same number": NewInstance(5_000, "toy", 0, 1),
        }[fault]

    with pytest.raises((LedgerError, KeyboardInterrupt)) as caught:
        ledger.register(rows.campaign(), [rows.benchmark()], instances())
    assert not isinstance(caught.value, CampaignExistsError)  # that advice would be wrong here
    assert rows.everything(ledger_url) == before
    assert rows.register(ledger) >= 1


def test_two_launches_of_one_name_at_once(ledger_url: str) -> None:
    """One registers; the other is told that the name is taken, not of a constraint."""
    for round_ in range(5):
        ready = Barrier(2)

        def launch(
            url: str = ledger_url, name: str = f"toy{round_}", ready: Barrier = ready
        ) -> int | LedgerError:
            with Ledger(url) as ledger:
                ready.wait(300)
                try:
                    return rows.register(ledger, name)
                except LedgerError as error:
                    return error

        with ThreadPoolExecutor(2) as pool:
            found = [future.result() for future in [pool.submit(launch) for _ in range(2)]]
        assert sum(isinstance(one, int) for one in found) == 1
        assert [type(one) for one in found if not isinstance(one, int)] == [CampaignExistsError]


# -- attempts --------------------------------------------------------------------------------


def test_submit_makes_an_open_attempt_before_anything_runs(ledger: Ledger) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number)
    ledger.submit(number, 1, [attempt(0)])
    assert ledger.open_attempts(number) == [OpenAttempt(0, 1, "t0.1", "toy", AttemptState.SUBMITTED)]
    assert ledger.counts(number) == {"toy": {"in_flight": 1, "planned": 2}}
    assert [one.attempts for one in ledger.pending(number)] == [1, 0, 0]
    event = next(iter(ledger.events(number, kinds=["transition"])))
    assert (event.at_us, event.instance_id, event.attempt_number) == (T0, 0, 1)
    assert (event.from_state, event.to_state) == (None, "submitted")


def test_submitting_nothing_is_nothing(ledger: Ledger, ledger_url: str) -> None:
    number = rows.register(ledger)
    before = rows.everything(ledger_url)
    ledger.submit(number, 1, [])
    assert ledger.record(number, []) == []
    assert rows.everything(ledger_url) == before


@pytest.mark.parametrize(
    "bad",
    [attempt(0, 1, "other"), attempt(1, 1, "t0.1"), attempt(99, 1, "x")],
    ids=["same attempt again", "same token again", "an instance never planned"],
)
def test_submit_refuses_the_whole_batch(ledger: Ledger, ledger_url: str, bad: rows.NewAttempt) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number)
    ledger.submit(number, 1, [attempt(0)])
    before = rows.everything(ledger_url)
    with pytest.raises(LedgerError):
        ledger.submit(number, 1, [attempt(2), bad])
    assert rows.everything(ledger_url) == before


def test_record_start_and_end(ledger: Ledger) -> None:
    number = rows.started(ledger)
    assert ledger.record(number, [report("toy-t0.1", "running", process_start_us=T0 + 5)]) == []
    assert ledger.open_attempts(number)[0].state is AttemptState.RUNNING
    ended = report(
        "toy-t0.1",
        "succeeded",
        InstanceState.DONE,
        run_start_us=T0 + 10,
        run_stop_us=T0 + 3_000_010,
        fom_seconds=3.0,
        accuracy=0.75,
        cores="0",
        slot_index=0,
        observed={"cpuset": [0]},
        data_facts={"rows": 900},
        metrics=(("loss", 0.125, ""), ("train_seconds", 2.5, "s")),
    )
    assert ledger.record(number, [ended]) == []
    row = ledger.attempts_of(number, 0)[0]
    assert (row.state, row.fom_seconds, row.accuracy, row.cores, row.slot_index) == (
        "succeeded",
        3.0,
        0.75,
        "0",
        0,
    )
    assert (row.run_start_us, row.run_stop_us) == (T0 + 10, T0 + 3_000_010)
    assert json.loads(row.observed) == {"cpuset": [0]}
    assert json.loads(row.data_facts) == {"rows": 900}
    assert [(m.name, m.value, m.unit) for m in metrics_of_instances(ledger, number, [0])[0, 1]] == [
        ("loss", 0.125, ""),
        ("train_seconds", 2.5, "s"),
    ]
    assert [(e.from_state, e.to_state) for e in ledger.events_of(number, 0)] == [
        (None, "submitted"),
        ("submitted", "running"),
        ("running", "succeeded"),
    ]
    assert ledger.counts(number)["toy"] == {"done": 1, "in_flight": 2}
    assert [one.instance_id for one in ledger.pending(number)] == [1, 2]


def test_start_and_end_may_come_in_one_batch(ledger: Ledger) -> None:
    number = rows.started(ledger)
    late = ledger.record(
        number,
        [
            report("toy-t0.1", "running", process_start_us=T0 + 5, node="n1"),
            report("toy-t0.1", "succeeded", fom_seconds=1.0),
        ],
    )
    row = ledger.attempts_of(number, 0)[0]
    assert late == []
    assert (row.state, row.process_start_us, row.node, row.fom_seconds) == ("succeeded", T0 + 5, "n1", 1.0)


def test_the_end_may_overtake_the_start(ledger: Ledger) -> None:
    number = rows.started(ledger)
    assert ledger.record(number, [report("toy-t0.1", "succeeded", fom_seconds=1.0)]) == []
    behind = report("toy-t0.1", "running", process_start_us=T0)
    assert ledger.record(number, [behind]) == [behind]
    assert ledger.attempts_of(number, 0)[0].state == "succeeded"


def test_what_an_earlier_report_said_stays_where_a_later_one_is_silent(ledger: Ledger) -> None:
    number = rows.started(ledger)
    ledger.record(number, [report("toy-t0.1", "running", node="n1", slot_index=3, process_start_us=T0 + 5)])
    ledger.record(
        number, [report("toy-t0.1", "failed", InstanceState.PLANNED, failure_reason="exit code 3", node=None)]
    )
    row = ledger.attempts_of(number, 0)[0]
    assert (row.node, row.slot_index, row.process_start_us) == ("n1", 3, T0 + 5)
    assert (row.state, row.failure_reason, row.fom_seconds) == ("failed", "exit code 3", None)


def test_big_and_small_numbers_come_back_exactly(ledger: Ledger) -> None:
    number = rows.started(ledger)
    small, big = 1.2345678901234567e-9, 2**41 + 1
    ledger.record(
        number,
        [report("toy-t0.1", "succeeded", fom_seconds=small, peak_memory_bytes=big, accuracy=0.1 + 0.2)],
    )
    row = ledger.attempts_of(number, 0)[0]
    assert (row.fom_seconds, row.peak_memory_bytes, row.accuracy) == (small, big, 0.1 + 0.2)


def test_what_is_not_a_finite_number_is_unknown_never_a_number(ledger: Ledger) -> None:
    number = rows.started(ledger)
    ledger.record(
        number,
        [
            report(
                "toy-t0.1",
                "failed",
                fom_seconds=math.inf,
                accuracy=math.nan,
                metrics=(("loss", math.nan, ""), ("gain", -math.inf, "dB"), ("fine", 1.0, "")),
            )
        ],
    )
    row = ledger.attempts_of(number, 0)[0]
    assert (row.fom_seconds, row.accuracy) == (None, None)
    assert {m.name: m.value for m in metrics_of_instances(ledger, number, [0])[0, 1]} == {
        "loss": None,
        "gain": None,
        "fine": 1.0,
    }


def test_an_environment_is_stored_once(ledger: Ledger) -> None:
    number = rows.started(ledger)
    place = {"framework": "tensorflow", "versions": {"keras": "3", "numpy": "2"}}
    turned = {"versions": {"numpy": "2", "keras": "3"}, "framework": "tensorflow"}
    ledger.record(
        number,
        [
            report("toy-t0.1", "succeeded", environment=place),
            report("toy-t1.1", "succeeded", environment=turned),
        ],
    )
    ledger.record(number, [report("toy-t2.1", "succeeded", environment=place | {"framework": "other"})])
    found = [ledger.attempts_of(number, k)[0].environment_sha256 for k in range(3)]
    assert found[0] == found[1] != found[2]
    assert ledger.query("SELECT count(*) FROM documents")[1] == [(2 + 1,)]  # and what all three saw
    content = dict(ledger.query("SELECT sha256, content FROM documents")[1])
    assert json.loads(content[found[0]]) == place


def test_what_processes_saw_alike_is_stored_once(ledger: Ledger) -> None:
    number = rows.started(ledger)
    seen = {"cpuset": [0], "framework": "tensorflow"}
    told = {"data_facts": {"rows": 9}, "devices": "GPU-1"}
    ledger.record(number, [report(f"toy-t{k}.1", "running", cores="0") for k in range(2)])
    first = {"pid": 1, "host": "n1", "external": {"command": "train --seed 7"}}
    for k, of_the_process in enumerate([first, {"pid": 2, "process_threads": 3}]):
        ledger.record(number, [report(f"toy-t{k}.1", "succeeded", observed=seen | of_the_process, **told)])
    at_once = [("running", {"cores": "1"}), ("succeeded", {"observed": seen} | told)]
    ledger.record(number, [report("toy-t2.1", state, **values) for state, values in at_once])
    found = [ledger.attempts_of(number, k)[0] for k in range(3)]
    assert found[0].observation_sha256 == found[1].observation_sha256 != found[2].observation_sha256
    assert json.loads(found[1].observed) == seen | {"pid": 2, "process_threads": 3}  # and it is all kept
    content = dict(ledger.query("SELECT sha256, content FROM documents")[1])
    common = {"seen": seen, "data": '{"rows": 9}', "devices": "GPU-1"}
    assert json.loads(content[found[0].observation_sha256]) == common | {"cores": "0"}  # of an earlier report
    assert json.loads(content[found[2].observation_sha256]) == common | {"cores": "1"}


@pytest.mark.parametrize(
    "text", ["zero \0 byte", "lone \udcff surrogate", "'; DROP TABLE attempts; --", "μ🙂\n"]
)
def test_any_text_of_a_workload_can_be_kept(ledger: Ledger, text: str) -> None:
    """A report that the database cannot take would hold up every other report for ever."""
    number = rows.started(ledger)
    late = ledger.record(
        number,
        [
            report("toy-t0.1", "running", node=text),
            report(
                "toy-t0.1",
                "failed",
                failure_message=text,
                stderr_tail=text,
                observed={"name": text},
                metrics=((text, 1.0, text),),
                environment={"name": text},
            ),
            report("toy-t0.1", "failed", failure_message=text, metrics=((text, 1.0, text),)),
            report(f"unknown {text}", "failed", failure_message=text),
        ],
    )
    ledger.note(number, "late_report", text)
    row = ledger.attempts_of(number, 0)[0]
    assert len(late) == 2
    assert row.state == "failed"
    assert row.failure_message.split()[0] == text.split()[0]
    assert len(metrics_of_instances(ledger, number, [0])[0, 1]) == 1
    assert len([*ledger.events(number, kinds=["late_report"])]) == 3


UNFIT = {
    "exit_code": 2**40,
    "peak_memory_bytes": 2**70,
    "slot_index": "three",
    "cpu_seconds": 10**400,
    "node": 7,
}


def refusals(ledger: Ledger, campaign: int) -> list[tuple[int | None, int | None, str | None, set[str]]]:
    found = [*ledger.events(campaign, kinds=["rejected_values"])]
    return [(e.instance_id, e.attempt_number, e.to_state, set(json.loads(e.message))) for e in found]


def test_what_no_column_takes_is_left_out_and_told(ledger: Ledger) -> None:
    """PostgreSQL would refuse the whole batch, again and again; SQLite would keep some of it."""
    number = rows.started(ledger)
    unfit = report(
        "toy-t0.1",
        "succeeded",
        InstanceState.DONE,
        fom_seconds=3.0,
        failure_reason="zero \0 byte",
        metrics=(("huge", 10**400, ""), ("loss", 0.5, "")),
        **UNFIT,
    )
    batch = [report("toy-t1.1", "succeeded", fom_seconds=1.0), unfit, report("toy-t2.1", "running")]
    assert ledger.record(number, batch) == []
    assert ledger.attempt_counts(number) == {"running": 1, "succeeded": 2}
    row = ledger.attempts_of(number, 0)[0]
    assert [getattr(row, name) for name in UNFIT] == [None] * len(UNFIT)
    assert (row.fom_seconds, row.failure_reason) == (3.0, "zero \\x00 byte")
    assert {m.name: m.value for m in metrics_of_instances(ledger, number, [0])[0, 1]} == {
        "huge": None,
        "loss": 0.5,
    }
    assert refusals(ledger, number) == [(0, 1, "succeeded", {*UNFIT, "metric huge"})]
    assert str(2**40) in next(iter(ledger.events(number, kinds=["rejected_values"]))).message


def test_a_time_that_cannot_be_one_holds_nothing_up(ledger: Ledger) -> None:
    number = rows.started(ledger)
    ledger.record(
        number,
        [
            report("toy-t0.1", "succeeded", at_us=2**70),
            report("toy-t1.1", "succeeded", at_us=T0),
            report("unknown", "succeeded", at_us=-(2**70)),
        ],
    )
    assert ledger.attempt_counts(number) == {"submitted": 1, "succeeded": 2}
    ends = [e for e in ledger.events(number, kinds=EventKind) if e.to_state == "succeeded"]
    assert [e.at_us == T0 for e in ends] == [False, True, False]
    assert all(e.at_us >= T0 for e in ends)  # the moment it was recorded


def test_a_report_that_is_refused_all_the_same_keeps_no_other_from_the_ledger(ledger: Ledger) -> None:
    """It is recorded without what the database refuses: here a metric that it has already."""
    number = rows.started(ledger, instances=9)
    loss = (("loss", 0.5, ""),)
    ledger.record(number, [report("toy-t4.1", "running", metrics=loss)])
    batch = [
        report(f"toy-t{k}.1", "succeeded", InstanceState.DONE, fom_seconds=1.0 + k, metrics=loss)
        for k in range(9)
    ]
    assert ledger.record(number, [*batch, batch[7]]) == [batch[7]]
    assert ledger.counts(number) == {"toy": {"done": 9}}
    assert sorted(row.fom_seconds for row in rows.accepted(ledger, number, "toy")) == [
        1.0 + k for k in range(9)
    ]
    assert refusals(ledger, number) == [(4, 1, "succeeded", {"error", "metrics"})]
    assert len(metrics_of_instances(ledger, number, [4])[4, 1]) == 1
    assert ledger.record(number, batch) == batch  # and once recorded, it counts once


def test_of_reports_refused_together_none_is_recorded_unless_all_are(
    ledger: Ledger, ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come again: what was recorded by then would be kept as evidence of nothing."""
    number = rows.started(ledger, instances=4)
    loss = (("loss", 0.5, ""),)
    ledger.record(number, [report("toy-t3.1", "running", metrics=loss)])
    batch = [report(f"toy-t{k}.1", "succeeded", InstanceState.DONE, metrics=loss) for k in range(4)]
    before = rows.everything(ledger_url)

    def away(*_: object) -> None:
        raise LedgerError("the server is away")

    with monkeypatch.context() as patched:
        patched.setattr(recording, "record_rest", away)
        with pytest.raises(LedgerError, match="away"):
            ledger.record(number, batch)
    assert rows.everything(ledger_url) == before
    assert ledger.record(number, batch) == []
    assert ledger.counts(number) == {"toy": {"done": 4}}
    assert evidence(ledger, number) == []


def test_a_batch_may_tell_of_more_places_than_a_statement_has_values(ledger: Ledger) -> None:
    count = 33_000  # twice as many contents: a place and a sighting of each
    number = rows.started(ledger, instances=count)
    batch = [
        report(f"toy-t{k}.1", "failed", observed={"cpuset": [k]}, environment={"place": k})
        for k in range(count)
    ]
    assert ledger.record(number, batch) == []
    assert ledger.query("SELECT count(*) FROM documents")[1] == [(2 * count,)]


def test_a_report_whose_values_are_refused_still_ends_its_attempt(ledger: Ledger, ledger_url: str) -> None:
    """Should there be a value that nobody thought of, how the attempt ended is known all the same."""
    number = rows.started(ledger)
    with rows.raw(ledger_url) as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(
                "CREATE TRIGGER odd BEFORE UPDATE ON attempts WHEN NEW.node = 'odd' "
                "BEGIN SELECT RAISE(ABORT, 'odd'); END"
            )
        else:
            connection.exec_driver_sql("ALTER TABLE attempts ADD CONSTRAINT odd CHECK (node <> 'odd')")
    batch = [report(f"toy-t{k}.1", "succeeded", InstanceState.DONE, fom_seconds=1.0) for k in (0, 2)]
    odd = report("toy-t1.1", "succeeded", InstanceState.DONE, node="odd", fom_seconds=2.0)
    assert ledger.record(number, [batch[0], odd, batch[1]]) == []
    assert ledger.counts(number) == {"toy": {"done": 3}}
    assert [row.fom_seconds for k in range(3) for row in ledger.attempts_of(number, k)] == [1.0, None, 1.0]
    assert refusals(ledger, number) == [(1, 1, "succeeded", {"error", "metrics", "values"})]
    assert "2.0" in next(iter(ledger.events(number, kinds=["rejected_values"]))).message
