"""From a report to the ledger and on to the rules: steps, precision, load and nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db.ledger import Ledger
from db.queries import node_descriptions
from db.reader import Reader
from db.states import InstanceState
from db.transfer.snapshot import Snapshot
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.catalog.registry import describe
from orchestrator.driver.records.attempt_records import to_ledger
from orchestrator.rulebooks.measured_work import StepCount
from orchestrator.rulebooks.measurements import Measurements
from tests import messages
from tests.db import rows
from tests.db.rows import T0, attempt

DATA = {"synthetic": False, "train_rows": 3000, "test_rows": 1000, "features": 60483}
NODE = {"cpu": {"model": "EPYC"}, "packages": {"sha256": "1"}}


class Book:
    """A ledger with one P1B1 benchmark whose attempts come as reports."""

    def __init__(self, url: str, instances: int = 3) -> None:
        self.ledger = Ledger(url)
        parameters = json.dumps(describe("p1b1").resolve({}))
        self.number = self.ledger.register(
            rows.campaign(),
            [rows.benchmark("b", instances, workload="p1b1", parameters=parameters)],
            rows.planned(instances, "b"),
        )
        rows.begin(self.ledger, self.number)

    def run(self, instance: int, node: str = "n1", seen: Any = None, **metrics: float) -> None:
        """Record a successful attempt of 100 s on one core."""
        new = attempt(instance)
        self.ledger.submit(self.number, 1, [new])
        facts = {
            "cpuset": [0],
            "framework": "tensorflow",
            "precision": "float32",
            "precision_asked": "float32",
        }
        result = {
            "fom_seconds": 100.0,
            "metrics": [{"name": name, "value": value, "unit": ""} for name, value in metrics.items()],
            "seen": facts | (seen or {}),
            "data": DATA,
        }
        report = messages.report(
            new.token, result=result, node=node, cores=(0,), run_start_us=T0, run_stop_us=T0 + 100_000_000
        )
        self.ledger.record(self.number, [to_ledger(report, T0 + 200_000_000, InstanceState.DONE)])

    @property
    def measured(self) -> Measurements:
        [found] = measurements(self.ledger, self.ledger.campaign("toy"))
        return found


@pytest.fixture
def book(sqlite_url: str) -> Iterator[Book]:
    opened = Book(sqlite_url)
    yield opened
    opened.ledger.close()


def test_counts_of_steps_are_grouped_and_compared_with_the_description(book: Book) -> None:
    book.run(0, epochs_run=100, optimizer_steps=2700)
    book.run(1, epochs_run=100, optimizer_steps=2700)
    book.run(2, epochs_run=3)
    work = book.measured.work
    assert (work.expects_steps, work.in_epochs, work.steps_unrecorded) == (True, True, 0)
    assert work.steps is not None
    assert set(work.steps) == {
        StepCount(instances=2, epochs_run=100, optimizer_steps=2700, expected=2700),
        StepCount(instances=1, epochs_run=3, optimizer_steps=None, expected=81),
    }


def test_instances_with_a_profile_are_known(book: Book) -> None:
    book.run(0)
    assert (book.measured.work.profiled, book.measured.work.profiles_missing) == (0, 0)
    book.run(1, seen={"profiled": "recorded"})
    assert (book.measured.work.profiled, book.measured.work.profiles_missing) == (1, 0)
    book.run(2, seen={"profiled": "failed"})
    assert (book.measured.work.profiled, book.measured.work.profiles_missing) == (2, 1)


def test_instances_whose_profile_never_began_are_known(book: Book) -> None:
    book.run(0, seen={"profiled": "recorded"})
    book.run(1, seen={"profiled": "not begun"})
    book.run(2, seen={"profiled": "not begun"})
    assert (book.measured.work.profiled, book.measured.work.profiles_missing) == (1, 2)


def test_numbers_that_commands_did_not_print_are_counted_by_name(book: Book) -> None:
    book.run(0, seen={"missing_numbers": ["metrics.loss", "data.rows"]})
    book.run(1, seen={"missing_numbers": ["metrics.loss"]})
    book.run(2, seen={"missing_numbers": "edited"})
    assert book.measured.work.numbers_missing == {"metrics.loss": 2, "data.rows": 1}


def test_a_precision_other_than_asked_is_kept_beside_it(book: Book) -> None:
    book.run(0)
    book.run(1, seen={"precision": "mixed_bfloat16"})
    found = book.measured
    assert found.software.precisions == {"float32", "mixed_bfloat16"}
    assert found.work.precisions_asked == {("float32", "float32"): 1, ("float32", "mixed_bfloat16"): 1}


@pytest.mark.parametrize(
    ("seen", "percent", "unknown"),
    [
        ({}, None, {}),
        ({"foreign_cpu_percent": 13}, 13, {}),
        ({"foreign_cpu_unknown": "no /proc/stat"}, None, {"no /proc/stat": 1}),
        ({"foreign_cpu_percent": float("nan")}, None, {}),
    ],
)
def test_load_by_other_processes_is_read_from_reports(
    book: Book, seen: Any, percent: int | None, unknown: Any
) -> None:
    book.run(0, seen=seen)
    work = book.measured.work
    assert (work.foreign_cpu_percent, work.foreign_cpu_unknown) == (percent, unknown)


def test_nodes_of_accepted_attempts_are_compared(book: Book) -> None:
    for node, instance in (("n1", 0), ("n2", 1)):
        book.run(instance, node)
    assert book.measured.work.nodes is None
    for node in ("n1", "n3"):
        book.ledger.describe_node(book.number, 1, node, NODE)
    book.ledger.describe_node(book.number, 1, "n2", NODE | {"cpu": {"model": "Xeon"}})
    found = book.measured.work.nodes
    assert found is not None
    assert (found.described, found.undescribed, found.differing) == (2, 0, {"cpu.model": ("n2",)})


def test_a_description_is_stored_once_and_goes_with_its_campaign(book: Book, tmp_path: Path) -> None:
    for node in ("n1", "n2", "n3"):
        book.ledger.describe_node(book.number, 1, node, NODE)
    found, documents = node_descriptions.read(book.ledger, book.number)
    assert [(one.session, one.node) for one in found] == [(1, "n1"), (1, "n2"), (1, "n3")]
    assert list(documents.values()) == [NODE]
    rows.register(book.ledger, "other")
    with Reader(str(book.ledger)) as reader:
        for name, number in (("toy", 1), ("other", 0)):
            with Snapshot(reader, [name]) as taken:
                assert taken.counts["documents"] == number
