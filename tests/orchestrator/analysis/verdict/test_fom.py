"""From rows in a ledger to evidence and the printed figure of merit, checked against sums done by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.errors import LedgerError
from db.ledger import Ledger
from db.records import NewInstance
from db.states import InstanceState
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.analysis.verdict.fom import campaigns_named, judge
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.plan import NodeFacts, make_plan
from orchestrator.rulebooks.coral2 import rulebook as coral2
from orchestrator.rulebooks.mark_facts import MarkFacts
from orchestrator.rulebooks.measured_work import MeasuredWork
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import Verdict
from orchestrator.rulebooks.provenance import CodeFacts, DescriptionFacts, VariableFacts
from sites import Site
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.orchestrator.analysis.judged import fom
from tests.orchestrator.rulebooks.measured import made

SECOND = 1_000_000
SEEN = {"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32"}
REFERENCE = 1886.4036  # seconds of P1B1 on the reference system, which ran 14,000 instances


class Book:
    """A ledger with one campaign of P1B1, filled by hand."""

    def __init__(
        self,
        url: str,
        instances: int = 4,
        run_class: str = "base",
        name: str = "toy",
        site: str = "made",
        **parameters: Any,
    ) -> None:
        self.name = name
        self.ledger = Ledger(url)
        workload = describe("p1b1")
        target = coral2.workloads()["p1b1"].target
        assert target is not None
        benchmark = rows.benchmark(
            "p1b1",
            instances,
            workload="p1b1",
            parameters=json.dumps(workload.resolve(parameters)),
            quality_metric=target.metric,
            quality_target=target.at_least,
        )
        benchmarks = "[{workload: p1b1, instances: 4, timeout: 60}]"
        spec = f"campaign: toy\nclass: {run_class}\nbenchmarks: {benchmarks}\n"
        campaign = replace(
            rows.campaign(),
            name=name,
            uid=name,
            site_name=site,
            site_yaml=site,
            campaign_yaml=spec,
            run_class=run_class,
        )
        self.number = self.ledger.register(campaign, [benchmark], rows.planned(instances, "p1b1"))
        self.session = rows.begin(self.ledger, self.number)
        self.tries: dict[int, int] = {}

    def run(self, instance: int, start: float, stop: float, state: str = "succeeded", **changes: Any) -> None:
        """Record one whole attempt; `start` and `stop` are seconds after some moment."""
        self.tries[instance] = self.tries.get(instance, 0) + 1
        token = f"{self.name}-{instance}.{self.tries[instance]}"
        new = replace(attempt(instance, self.tries[instance]), token=token)
        self.ledger.submit(self.number, self.session, [new])
        values = {
            "run_start_us": T0 + round(start * SECOND),
            "run_stop_us": T0 + round(stop * SECOND),
            "fom_seconds": stop - start,
            "accuracy": 0.8,
            "cores": "0",
            "observed": SEEN,
            "data_facts": {"synthetic": False, "train_rows": 3000, "test_rows": 1000, "features": 60483},
            "metrics": (("epochs_run", 100.0, ""),),
        }
        becomes = InstanceState.DONE if state == "succeeded" else InstanceState.PLANNED
        self.ledger.record(self.number, [report(new.token, state, becomes, **values | changes)])

    @property
    def measured(self) -> Measurements:
        [found] = measurements(self.ledger, self.ledger.campaign(self.name))
        return found

    @property
    def verdict(self) -> Verdict:
        return fom(self.name, str(self.ledger))


@pytest.fixture
def book(sqlite_url: str) -> Iterator[Book]:
    opened = Book(sqlite_url)
    yield opened
    opened.ledger.close()


def fill(book: Book, count: int = 4, **changes: Any) -> None:
    """Run instances on two slots, two at a time, ten seconds each, the last one eleven."""
    for k in range(count):
        start = 12.0 * (k // 2)
        book.run(k, start, start + (11 if k == count - 1 else 10), **changes)


# -- evidence --------------------------------------------------------------------------------


def test_the_makespan_begins_with_an_attempt_that_was_lost(book: Book) -> None:
    lost = {"run_start_us": None, "run_stop_us": None, "fom_seconds": None, "accuracy": None}
    book.run(0, 0, 0, "lost", process_start_us=T0 - 20 * SECOND, failure_reason="worker lost", **lost)
    book.run(0, 30, 40)
    assert book.measured.times.makespan_seconds == 60.0  # of the run's start nothing is known
    times = {"process_start_us": T0 - 20 * SECOND, "process_stop_us": T0 - 2 * SECOND}
    late = report("toy-0.1", "failed", run_start_us=T0 - 15 * SECOND, **times)
    assert book.ledger.record(book.number, [late])
    assert book.measured.times.makespan_seconds == 55.0


def test_the_makespan_begins_with_the_first_attempt_also_if_it_fails(book: Book) -> None:
    """One that fails before its run counts from its end, as the imports of the others do not count either."""
    book.run(0, 20, 30)
    book.run(1, 22, 50)
    assert book.measured.times.makespan_seconds == 30.0
    process = {"process_start_us": T0, "process_stop_us": T0 + 15 * SECOND}
    book.run(2, 0, 0, "failed", run_start_us=None, run_stop_us=None, **process)
    assert book.measured.times.makespan_seconds == 35.0
    book.run(3, 12, 60, "failed", **process)
    assert book.measured.times.makespan_seconds == 38.0


def test_all_that_a_good_campaign_proves(book: Book) -> None:
    fill(book)
    assert book.measured == made(
        {
            "benchmark": "p1b1",
            "workload": "p1b1",
            "run_class": "base",
            "parameters": describe("p1b1").resolve({}),
            "planned": 4,
            "accepted": 4,
            "overlap__concurrent": 2,
            "overlap__sustained": 2,
            "overlap__sustained_seconds": 5.0,
            "times__share": (1.0, 1.0),
            "times__max_seconds": 11.0,
            "times__missing": 0,
            "accuracy__metric": "pearson_correlation",
            "accuracy__lowest": 0.8,
            "accuracy__highest": 0.8,
            "accuracy__missing": 0,
            "accuracy__below_target": 0,
            "software__frameworks": frozenset({"tensorflow"}),
            "software__precisions": frozenset({"float32"}),
            "software__versions": frozenset({"tensorflow 2.18.1"}),
            "data__synthetic": False,
            "data__facts": ({"synthetic": False, "train_rows": 3000, "test_rows": 1000, "features": 60483},),
            "times__makespan_seconds": 23.0,
            "slots__ranks": frozenset({1}),
            "slots__mismatches": 0,
            "slots__devices_used": None,
            "slots__largest_devices": 1,
            "distinct_seeds": True,
            "slots__largest_share_of_system": None,
            "fewest_epochs_run": 100,
            "provenance__description": DescriptionFacts(registered=False),
            "provenance__code": CodeFacts(recorded=False, missing=4, listings=()),
            "provenance__variables": VariableFacts(recorded=False, missing=4, sets=()),
            "marks": MarkFacts(undated=4, shortest_seconds=10.0),
            "work": MeasuredWork(expects_steps=True, in_epochs=True, steps_unrecorded=4),
        }
    )


def test_before_anything_ran_nothing_is_proven(book: Book) -> None:
    found = book.measured
    assert (found.planned, found.accepted, found.overlap.concurrent) == (4, 0, 0)
    assert (found.times.max_seconds, found.accuracy.lowest, found.data.synthetic) == (None, None, None)
    assert book.verdict["overall"] is None
    assert book.verdict.benchmarks[0]["fom"] is None
    assert not book.verdict.reportable


def test_only_accepted_attempts_count(book: Book) -> None:
    for state in ("failed", "timed_out", "lost", "cancelled"):
        book.run(0, 0, 100, state, accuracy=0.1, metrics=(("epochs_run", 1.0, ""),))
    book.run(0, 200, 210)
    found = book.measured
    assert (found.accepted, found.overlap.concurrent, found.times.max_seconds) == (1, 1, 10.0)
    assert (found.accuracy.lowest, found.fewest_epochs_run) == (0.8, 100)


def test_a_second_success_of_an_instance_does_not_count(book: Book) -> None:
    book.ledger.submit(book.number, 1, [attempt(0, 1), attempt(0, 2)])
    times = {
        "run_start_us": T0,
        "run_stop_us": T0 + 5 * SECOND,
        "accuracy": 0.9,
        "cores": "0",
        "observed": SEEN,
    }
    book.ledger.record(book.number, [report("t0.1", "succeeded", fom_seconds=5.0, **times)])
    book.ledger.record(book.number, [report("t0.2", "succeeded", fom_seconds=1.0, **times)])
    found = book.measured
    assert (found.accepted, found.overlap.concurrent, found.times.max_seconds) == (1, 1, 5.0)


@pytest.mark.parametrize(
    ("intervals", "peak"),
    [
        ([(0, 10), (10, 20), (20, 30)], 1),  # back to back on one slot
        ([(0, 10), (9.999999, 20), (30, 40)], 2),  # a microsecond is enough
        ([(0, 10), (1, 9), (2, 8), (3, 7)], 4),
        ([(0, 10), (20, 30), (20, 30)], 2),
    ],
)
def test_concurrency_is_the_measured_overlap_not_the_slots(
    book: Book, intervals: list[tuple[float, float]], peak: int
) -> None:
    for k, (start, stop) in enumerate(intervals):
        book.run(k, start, stop)
    assert book.measured.overlap.concurrent == peak


def test_one_straggler_sets_the_time_and_one_bad_apple_the_accuracy(book: Book) -> None:
    fill(book, 3)
    book.run(3, 12, 112, accuracy=0.5)
    found = book.measured
    assert (found.times.max_seconds, found.accuracy.lowest, found.accuracy.below_target) == (100.0, 0.5, 1)
    assert "1 accepted instance is below" in " ".join(book.verdict.reasons)


@pytest.mark.parametrize("bad", [None, math.nan, math.inf])
def test_what_was_not_measured_is_counted_as_missing(book: Book, bad: float | None) -> None:
    fill(book, 3)
    book.run(3, 12, 20, fom_seconds=bad, accuracy=bad)
    found = book.measured
    assert (found.times.missing, found.accuracy.missing) == (1, 1)
    assert (found.times.max_seconds, found.accuracy.lowest) == (11.0, 0.8)  # of the others
    assert not book.verdict.benchmarks[0].reportable


def test_an_interval_that_was_not_measured_proves_no_concurrency(book: Book) -> None:
    book.run(0, 0, 10)
    book.run(1, 0, 10, run_start_us=None)
    book.run(2, 0, 10, run_stop_us=None)
    assert (book.measured.accepted, book.measured.overlap.concurrent) == (3, 1)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, 0),
        ({"cores": "0,1", "observed": SEEN | {"cpuset": [0, 1]}}, 0),
        ({"cores": "10,9", "observed": SEEN | {"cpuset": [9, 10]}}, 0),  # numbers, not texts
        ({"cores": "0,1"}, 1),
        ({"observed": SEEN | {"cpuset": [1]}}, 1),
        ({"observed": SEEN | {"cpuset": []}}, 1),
        ({"observed": {}}, 1),
        ({"observed": None}, 1),
        ({"cores": None}, 1),
        ({"observed": SEEN | {"gpus": [{"uuid": "GPU-1"}]}}, 1),  # a device that nobody gave it
        ({"devices": "GPU-1", "observed": SEEN | {"gpus": [{"uuid": "GPU-1"}]}}, 0),
        ({"devices": "GPU-1", "observed": SEEN | {"gpus": [{"uuid": "GPU-2"}]}}, 1),
        ({"devices": "GPU-1", "observed": SEEN | {"gpus": []}}, 1),
        ({"devices": "GPU-2,GPU-1", "observed": SEEN | {"gpus": [{"uuid": "GPU-1"}, {"uuid": "GPU-2"}]}}, 0),
    ],
)
def test_a_slot_is_proven_by_what_the_process_saw(book: Book, changes: dict[str, Any], wrong: int) -> None:
    fill(book, 3)
    book.run(3, 12, 22, **changes)
    assert book.measured.slots.mismatches == wrong


def test_who_does_not_say_what_it_ran_on_is_unknown(book: Book) -> None:
    fill(book, 2)
    book.run(2, 12, 22, observed={"cpuset": [0]})
    book.run(
        3, 12, 22, observed=SEEN | {"precision": "float16", "framework": "other", "framework_version": "1"}
    )
    found = book.measured
    assert found.software.frameworks == {"tensorflow", "other", "unknown"}
    assert found.software.precisions == {"float32", "float16", "unknown"}
    assert found.software.versions == {"tensorflow 2.18.1", "other 1"}
    assert not book.verdict.benchmarks[0].reportable


@pytest.mark.parametrize(
    ("told", "synthetic"),
    [
        ([False, False], False),
        ([False, True], True),
        ([True, None], True),
        ([False, None], None),
        ([None, None], None),
    ],
)
def test_synthetic_data_anywhere_is_synthetic_and_silence_is_no_answer(
    book: Book, told: list[bool | None], synthetic: bool | None
) -> None:
    for k, one in enumerate(told):
        book.run(k, 0, 10, data_facts={"rows": 1} if one is None else {"synthetic": one})
    assert book.measured.data.synthetic is synthetic


def test_an_instance_that_stopped_early_is_seen(book: Book) -> None:
    fill(book, 3)
    book.run(3, 12, 22, metrics=(("epochs_run", 7.0, ""),))
    assert book.measured.fewest_epochs_run == 7


def test_an_instance_that_went_on_from_a_checkpoint_is_seen(book: Book) -> None:
    fill(book, 3)
    assert not book.measured.times.resumed
    book.run(3, 12, 22, metrics=(("resumed_from_epoch", 40.0, ""),))
    assert book.measured.times.resumed


def test_parameters_that_break_rules_are_named(sqlite_url: str) -> None:
    book = Book(sqlite_url, epochs=3, batch_size=7)
    fill(book)
    [one] = book.verdict.benchmarks
    assert "epochs is 3, rules say at least 100; batch_size is 7, rules say 100" in one.reasons
    assert not one.reportable
    book.ledger.close()


def test_a_parameter_that_came_after_the_campaign_is_no_crash(sqlite_url: str) -> None:
    """A ledger outlives the workload's description; a parameter that was not stated cannot follow a rule."""
    book = Book(sqlite_url)
    fill(book)
    with rows.raw(sqlite_url) as connection:
        older = describe("p1b1").resolve({})
        del older["learning_rate"]
        connection.exec_driver_sql("UPDATE benchmarks SET parameters = ?", (json.dumps(older),))
    assert "learning_rate is not stated, rules say 0.001" in book.verdict.benchmarks[0].reasons
    book.ledger.close()


# -- the figure ------------------------------------------------------------------------------


def test_the_figure_of_merit_is_that_of_the_formula(book: Book) -> None:
    fill(book)
    [one] = book.verdict.benchmarks
    assert (one["seconds"], one["instances"], one["accuracy"], one["target"]) == (11.0, 2, 0.8, 0.7808)
    assert one["fom"] == pytest.approx(REFERENCE / 11.0 * 2 / 14_000, rel=1e-12)
    assert one.reportable
    assert one.reasons == ()


def test_a_suite_that_is_not_whole_has_no_overall_figure(book: Book) -> None:
    fill(book)
    assert book.verdict["overall"] is None
    assert not book.verdict.reportable
    candle = next(group for group in book.verdict.groups if group.name == "candle")
    assert candle["fom"] is None
    assert "p3b1" in candle.missing


def test_instances_that_are_missing_make_it_not_reportable(book: Book) -> None:
    fill(book, 3)
    [one] = book.verdict.benchmarks
    assert one["fom"] == pytest.approx(REFERENCE / 11.0 * 2 / 14_000, rel=1e-12)  # instance 2 took eleven
    assert not one.reportable
    assert "3 of 4 planned instances accepted" in one.reasons


def test_an_optimized_campaign_is_judged_as_such(sqlite_url: str) -> None:
    book = Book(sqlite_url, run_class="optimized")
    fill(book, observed=SEEN | {"precision": "bfloat16"})
    assert book.measured.run_class == "optimized"
    assert book.verdict.benchmarks[0].reportable
    book.ledger.close()


def test_the_command_prints_what_the_ledger_proves(
    book: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from orchestrator.cli import main

    fill(book)
    monkeypatch.setattr("sys.argv", ["orchestrator", "fom", "toy", "--json", "--ledger", str(book.ledger)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    told = json.loads(capsys.readouterr().out)
    [one] = told["benchmarks"]
    assert one["fom"] == REFERENCE / 11.0 * (2 / 14_000)
    assert (one["seconds"], one["instances"], one["accuracy"]) == (11.0, 2, 0.8)
    assert (one["reportable"], one["reasons"]) == (True, [])
    assert {rule["name"]: rule["passed"] for rule in one["rules"]}["concurrency"] is True
    assert (told["overall"], told["reportable"]) == (None, False)
    assert told["reasons"]
    makespan = told["makespan"]["p1b1"]
    assert (makespan["runs"], makespan["slots"], makespan["span_seconds"]) == (4, 2, 23.0)
    assert makespan["slot_use"] == pytest.approx((10 + 10 + 10 + 11) / (2 * 23))


def test_an_unknown_campaign_or_ledger(book: Book, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="did you mean toy"):
        fom("toyy", str(book.ledger))
    with pytest.raises(LedgerError, match="no ledger at"):
        fom("toy", str(tmp_path / "missing.sqlite"))


# -- where the time went ---------------------------------------------------------------------


def test_benchmarks_without_an_accepted_attempt_are_left_out(book: Book) -> None:
    book.run(0, 0, 10, "failed")
    assert judge(book.ledger, [book.ledger.campaign("toy")]).makespans == {}


def test_a_benchmark_on_wide_slots_is_measured_against_its_own_slots(sqlite_url: str) -> None:
    """Four cores: four narrow slots, but only two wide ones, and both are busy all the time."""
    shared = {"workload": "tests.toys.behave", "instances": 2, "timeout": 60}
    spec = CampaignFile.model_validate(
        {
            "campaign": "toy",
            "benchmarks": [
                shared | {"name": "narrow"},
                shared | {"name": "wide", "slot": {"cores": 2}},
            ],
        }
    )
    plan = make_plan(spec, Site(site="test"), NodeFacts((0, 1, 2, 3), 1 << 33), Path("/data"))
    with Ledger(sqlite_url) as ledger:
        number = ledger.register(
            rows.campaign(), [benchmark.row() for benchmark in plan.benchmarks], plan.instances()
        )
        facts = {"kind": "launch", "host": "n", "pid": 1, "version": "0"}
        slots = max(len(stage.slots) for stage in plan.stages)  # as a launch does
        ledger.begin_session(number, "me", 60, slots=slots, **facts)
        wide: list[NewInstance] = [one for one in plan.instances() if one.benchmark == "wide"]
        times = {"run_start_us": T0, "run_stop_us": T0 + 10 * SECOND, "fom_seconds": 10.0}
        for slot, one in enumerate(wide):
            new = replace(attempt(one.instance_id), slot_shape="c2")
            ledger.submit(number, 1, [new])
            ledger.record(number, [report(new.token, "succeeded", slot_index=slot, **times)])
        found = judge(ledger, [ledger.campaign("toy")]).makespans["wide"]
    assert (found.slots, found.slot_use, found.idle_slot_seconds) == (2, 1.0, 0.0)


def test_several_campaigns_make_one_suite_and_siblings_show(sqlite_url: str) -> None:
    book = Book(sqlite_url)
    fill(book)
    ledger = book.ledger
    for name in ("convnet", "again"):
        parameters = json.dumps(describe("vgg").resolve({}))
        benchmark = rows.benchmark("vgg", 1, workload="vgg", parameters=parameters)
        ledger.register(replace(rows.campaign(), name=name, uid=name), [benchmark], rows.planned(1, "vgg"))
    other = replace(rows.campaign(), name="other", uid="o", rulebook="none")
    ledger.register(other, [benchmark], rows.planned(1, "vgg"))
    both = judge(ledger, campaigns_named(ledger, ["toy", "convnet"]))
    assert [one.benchmark for one in both.verdict.benchmarks] == ["toy/p1b1", "convnet/vgg"]
    assert both.verdict.benchmarks[0]["fom"] == fom("toy", sqlite_url).benchmarks[0]["fom"]
    assert both.makespans.keys() == {"toy/p1b1"}
    assert both.others == ("again",)
    assert judge(ledger, campaigns_named(ledger, ["toy"])).others == ()
    assert fom(["toy", "convnet"], sqlite_url) == both.verdict
    with pytest.raises(CampaignError, match="toy follows coral2, other follows none"):
        fom(["toy", "other"], sqlite_url)
    with pytest.raises(CampaignError, match="several different ones"):
        fom(["toy", "toy"], sqlite_url)
    ledger.close()
