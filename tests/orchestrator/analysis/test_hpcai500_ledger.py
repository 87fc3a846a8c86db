"""HPC AI500 from rows of a ledger: metrics of repeats, superseded ones, and the ranking of campaigns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from db.ledger import Ledger
from db.states import InstanceState
from db.writing.superseding import Missed
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.cli import app
from orchestrator.rulebooks.hpcai500.rulebook import RULEBOOK
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import RuleResult, Verdict
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.orchestrator.analysis.judged import fom
from tests.orchestrator.rulebooks.hpcai500_runs import IMAGES, parameters
from workloads.external.reference import pin

SEEN = {
    "cpuset": [0],
    "framework": "tensorflow",
    "framework_version": "2.18.1",
    "precision": "float32",
    "sampling": {"sources": {"cpu": "RAPL"}, "absent": {"gpu": "no GPU"}},
}
TEN = tuple(range(4000, 5000, 100))


def campaign(
    book: Ledger,
    seconds: Sequence[float] = TEN,
    name: str = "toy",
    *,
    gap: float = 500.0,
    metrics: Mapping[str, float] | None = None,
    site: str = "made",
    extra: int = 0,
    workload: str = "resnet50_v15",
    run_class: str = "hardware",
    **changed: object,
) -> int:
    """Register a campaign, and run repeats one after another.

    `gap` seconds of loading begin each; `extra` repeats are planned and not run; `changed` are parameters.
    """
    planned = len(seconds) + extra
    row = replace(
        rows.campaign(name),
        rulebook="hpcai500",
        run_class=run_class,
        uid=name,
        site_name=site,
        site_yaml=site,
        campaign_yaml=f"campaign: {name}\nrulebook: hpcai500\n",
    )
    benchmark = rows.benchmark(
        "image",
        planned,
        workload=workload,
        parameters=json.dumps(parameters() | changed),
        quality_metric="top_1_percent",
        quality_target=76.3,
    )
    number = book.register(row, [benchmark], rows.planned(planned, "image"))
    rows.begin(book, number)
    begin = 0.0
    for k, one in enumerate(seconds):
        run(book, number, name, k, begin, one, gap, metrics or {})
        begin += one + gap
    return number


def run(
    book: Ledger,
    number: int,
    name: str,
    instance: int,
    begin: float,
    seconds: float,
    gap: float,
    metrics: Mapping[str, float],
    top_1: float = 77.0,
) -> None:
    """Record one accepted repeat."""
    new = replace(attempt(instance), token=f"{name}-{instance}")
    book.submit(number, 1, [new])
    reported = {
        "training_seconds": seconds,
        "samples_seen": 90.0 * IMAGES,
        "epochs_run": 90.0,
        "load_seconds": gap,
        "power_mean_watts": 2000.0,
        "trainable_parameters": 25_559_081.0,
        **metrics,
    }
    values = {
        "run_start_us": T0 + round(begin * 1e6),
        "run_stop_us": T0 + round((begin + seconds + gap) * 1e6),
        "fom_seconds": seconds + gap,
        "accuracy": top_1,
        "cores": "0",
        "node": "node1",
        "observed": SEEN,
        "data_facts": {
            "synthetic": False,
            "train_images": IMAGES,
            "validation_images": 50_000,
            "classes": 1000,
        },
        "metrics": tuple((key, value, "") for key, value in reported.items()),
    }
    book.record(number, [report(new.token, "succeeded", InstanceState.DONE, **values)])


@pytest.fixture
def book(sqlite_url: str) -> Iterator[Ledger]:
    with Ledger(sqlite_url) as opened:
        yield opened


def measured(book: Ledger) -> Measurements:
    [found] = measurements(
        book, book.campaign("toy"), every_run=True, metrics=RULEBOOK.metrics, node_facts=RULEBOOK.node_facts
    )
    return found


def rule(verdict: Verdict, name: str) -> RuleResult:
    [found] = [rule for rule in verdict.benchmarks[0].rules if rule.name == name]
    return found


def test_metrics_of_repeats_stand_in_the_order_of_the_runs(book: Ledger) -> None:
    campaign(book, [30.0, 10.0, 20.0], metrics={"epochs_run": float("inf")})
    found = measured(book)
    assert found.runs is not None
    assert found.runs.metrics["training_seconds"].tolist() == [30.0, 10.0, 20.0]
    assert list(found.runs.metrics) == list(RULEBOOK.metrics)
    for name in ("epochs_run", "training_flop_per_sample"):  # not finite, and not reported
        assert len(found.runs.metrics[name]) == 3
        assert all(value != value for value in found.runs.metrics[name])
    assert found.runs.most_on_a_node == 1
    assert (found.work.sampled, found.work.not_sampled) == (("cpu: RAPL",), ("gpu: no GPU",))


def test_facts_of_nodes_reach_the_rulebook(book: Ledger) -> None:
    number = campaign(book)
    book.describe_node(number, 1, "node1", {"cpu": {"model": "A"}, "os": {"kernel": "5"}, "x": {"y": 1}})
    book.describe_node(number, 1, "node9", {"cpu": {"model": "B"}})  # it ran nothing
    assert measured(book).node_facts == {"cpu.model": ("A",), "os.kernel": ("5",)}
    verdict = fom("toy", str(book.url.database))
    assert rule(verdict, "hardware").reason == "class hardware may change it: cpu.model A"


def test_ten_repeats_of_a_ledger_by_hand(book: Ledger) -> None:
    campaign(book)
    [one] = fom("toy", str(book.url.database)).benchmarks
    # 4000, 4100 … 4900 s: without the first and the last, 4450 s
    assert one["flops"] == pytest.approx(90 * IMAGES / 4450 * 23e9)
    assert one["time_to_quality_seconds"] == pytest.approx(4450)
    assert one["vflops_per_watt"] == pytest.approx(90 * IMAGES / 4450 * 23e9 / 2000 * (77 / 76.3) ** 5)
    failed = {rule.name for rule in one.rules if rule.passed is False}
    assert failed <= {"description", "steps", "code", "environment"}  # the rows are made up


def test_a_superseded_repeat_is_in_no_mean_and_breaks_the_rule(book: Ledger) -> None:
    number = campaign(book, TEN[:9])
    assert rule(fom("toy", str(book.url.database)), "repeats").reason.startswith("9 repeats")
    book.end_session(number, 1, "me", "complete")
    [new] = book.supersede(number, "image", [Missed(0, "image/0", 77.0)], None)
    assert new.label == "image/9"
    assert measured(book).accepted == 8
    found = measured(book).runs
    assert found is not None
    assert found.metrics["training_seconds"].tolist() == list(TEN[1:9])
    failed = rule(fom("toy", str(book.url.database)), "repeats")
    assert failed.passed is False
    assert "1 repeat was replaced when the quality was known" in failed.reason


def test_repeats_at_the_same_time_on_a_node_break_the_rule(book: Ledger) -> None:
    number = campaign(book, TEN[:9], extra=1)
    assert rule(fom("toy", str(book.url.database)), "alone").passed
    run(book, number, "toy", 9, 100.0, 4000.0, 500.0, {})  # beside the first one
    beside = rule(fom("toy", str(book.url.database)), "alone")
    assert beside.passed is False
    assert "2 repeats ran on one node at the same time" in beside.reason


def test_campaigns_are_ranked_and_machines_may_run_at_the_same_time(book: Ledger) -> None:
    campaign(book, TEN, "slow", site="one")
    campaign(book, [one / 2 for one in TEN], "fast", site="two", gap=250.0)
    verdict = fom(["slow", "fast"], str(book.url.database))
    [ranking] = verdict.rankings
    assert ranking.benchmarks == ("fast/image", "slow/image")
    assert all(rule.passed for one in verdict.benchmarks for rule in one.rules if rule.name == "alone")
    slow, fast = verdict.benchmarks
    assert (fast["vflops"] or 0) == pytest.approx(2 * (slow["vflops"] or 0))


def test_commands_state_ranking_absence_and_required_items(book: Ledger, tmp_path: Path) -> None:
    campaign(book, TEN, "lit")
    dark = campaign(book, [one + 100 for one in TEN], "dark", metrics={"power_mean_watts": float("nan")})
    book.end_session(dark, 1, "me", "complete")
    url = str(book.url.database)

    def printed(*words: str) -> str:
        shown = CliRunner().invoke(app, [*words, "--ledger", url])
        assert shown.exit_code == 0, shown.output
        return shown.output

    text = printed("fom", "dark", "lit")
    assert "ranking: image classification, class hardware, by VFLOPS" in text
    table = text.partition("ranking:")[2]
    assert table.index("lit/image") < table.index("dark/image")
    assert "vflops_per_watt: absent: not every repeat that counts" in printed("fom", "dark", "--rules")
    data = json.loads(printed("fom", "dark", "lit", "--json"))
    assert data["rankings"][0]["benchmarks"] == ["lit/image", "dark/image"]
    page = tmp_path / "dark.md"
    printed("report", "dark", "--output", str(page), "--format", "md")
    written = page.read_text()
    for item in ("time to quality", "FLOPS per watt", "Valid FLOPS per watt", "exponent of the penalty"):
        assert f"| {item} |" in written


EXTERNAL = """
name: resnet50_v15
title: ResNet-50 of another program
source: these tests
fom_time: run
parameters:
  epochs: {default: 90, description: passes over the data}
  synchronous: {default: true, description: gradients are combined in every step}
command:
  arguments: ["{python}", train.py, --epochs, "{epochs}", "{synchronous}"]
  accuracy: {pattern: 'top-1 (?P<value>[0-9.]+)'}
  seconds: run
"""


@pytest.mark.parametrize("stated", [True, False, None])
def test_an_external_program_is_judged_by_what_it_states(
    stated: bool | None, book: Ledger, tmp_path: Path
) -> None:
    file = tmp_path / "resnet50_v15.yaml"
    file.write_text(EXTERNAL)
    changed = {} if stated is None else {"synchronous": stated}
    campaign(book, workload=pin(str(file)), run_class="system", **changed)
    verdict = fom("toy", str(book.url.database))
    [one] = verdict.benchmarks
    assert one.workload == "resnet50_v15"
    assert "program: external" in one.modifications
    assert one["vflops"] is not None
    assert rule(verdict, "synchronous").passed is stated
    assert rule(verdict, "programming model").passed  # class system may change it
    assert rule(verdict, "description").passed is None
