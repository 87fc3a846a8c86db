"""Pages of instances: every instance once, in order, whatever the filter and the direction."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from db.errors import UnknownCampaignError
from db.ledger import Ledger
from db.queries.instance_pages import InstancePage, Wanted, instance_page
from db.reader import Reader
from db.records import NewInstance, NewPoint
from db.states import InstanceState
from tests.db import rows

NAMES = ("lstm", "p1b1", "nt3[ranks=10]", "nt3[ranks=2]")
EACH = 7


@pytest.fixture
def reader(ledger_url: str) -> Iterator[Reader]:
    """Four benchmarks, two of them points of a sweep, whose instances ended, run and wait."""
    planned = [
        NewInstance(EACH * place + k, name, k, 2017 + EACH * place + k)
        for place, name in enumerate(NAMES)
        for k in range(EACH)
    ]
    axes = [NewPoint(name, "ranks", 0, "nt3", name[10:-1], float(name[10:-1])) for name in NAMES[2:]]
    with Ledger(ledger_url) as ledger:
        other = rows.register(ledger, "other", instances=1)
        assert other
        number = ledger.register(
            rows.campaign(), [rows.benchmark(name, EACH) for name in NAMES], planned, axes
        )
        rows.begin(ledger, number)
        tried = [one for one in planned if one.benchmark_index < 6]
        ledger.submit(number, 1, [rows.attempt(one.instance_id) for one in tried])
        ledger.record(number, [made for one in planned if (made := _report(one))])
        again = [one for one in planned if one.benchmark_index == 3]
        ledger.submit(number, 1, [rows.attempt(one.instance_id, 2) for one in again])
    with Reader(ledger_url) as opened:
        yield opened


def _report(one: NewInstance) -> Any:
    """Return the report of an instance by its number: 0 to 2 done, 3 and 4 failed, 5 runs, 6 has none."""
    token, index = f"t{one.instance_id}.1", one.benchmark_index
    values: dict[str, Any] = {"node": f"n{index}", "slot_index": 0, "process_start_us": rows.T0}
    if index == 6:
        return None
    if index == 5:
        return rows.report(token, "running", **values)
    values |= {"process_stop_us": rows.T0 + 5, "received_us": rows.T0 + 6}
    if index < 3:
        return rows.report(token, "succeeded", InstanceState.DONE, fom_seconds=1.0 + index, **values)
    state = InstanceState.EXHAUSTED if index == 4 else InstanceState.PLANNED
    return rows.report(token, "failed", state, failure_reason="timeout", **values)


def walked(reader: Reader, wanted: Wanted, limit: int, *, backwards: bool = False) -> list[str]:
    """Return the labels of all pages, from the first on or from the last back."""
    campaign = reader.campaign("toy").campaign_id
    found: list[list[str]] = []
    place: dict[str, str] = {}
    for number in itertools.count():
        page = instance_page(reader, campaign, wanted, limit=limit, **place)
        labels = [one.label for one in page.lines]
        assert len(labels) <= limit
        if backwards and not number:  # from the last page on: its end is not known without a walk
            place = {"before": walked(reader, wanted, limit)[-1]}
            continue
        found.append(labels)
        if not (page.has_earlier if backwards else page.has_later):
            return list(itertools.chain(*(reversed(found) if backwards else found)))
        place = {"before": labels[0]} if backwards else {"after": labels[-1]}
    raise AssertionError


def labels_of(*indices: int, names: tuple[str, ...] = NAMES) -> list[str]:
    return [f"{name}/{index}" for name in sorted(names) for index in indices]


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [
        (Wanted(), labels_of(*range(EACH))),
        (Wanted(state="done"), labels_of(0, 1, 2)),
        (Wanted(state="exhausted"), labels_of(4)),
        (Wanted(state="cancelled"), []),
        (Wanted(benchmark="p1b1"), labels_of(*range(EACH), names=("p1b1",))),
        (Wanted(benchmark="nt3"), labels_of(*range(EACH), names=NAMES[2:])),
        (Wanted(benchmark="nt3", state="done"), labels_of(0, 1, 2, names=NAMES[2:])),
        (Wanted(benchmark="p1b1", state="done"), labels_of(0, 1, 2, names=("p1b1",))),
        (Wanted(node="n1"), labels_of(1)),
        (Wanted(node="n5"), labels_of(5)),
        (Wanted(reason="timeout"), labels_of(3, 4)),
        (Wanted(reason="timeout", state="exhausted", node="n4", benchmark="lstm"), ["lstm/4"]),
        (Wanted(benchmark="' OR 1=1 --"), []),
    ],
    ids=str,
)
def test_pages_have_every_instance_once(reader: Reader, wanted: Wanted, labels: list[str]) -> None:
    for limit in (1, 3, 100):
        assert walked(reader, wanted, limit) == labels
    if labels:
        assert walked(reader, wanted, 2, backwards=True) == labels[:-1]


def page_of(reader: Reader, **options: Any) -> InstancePage:
    return instance_page(reader, reader.campaign("toy").campaign_id, Wanted(benchmark="lstm"), **options)


def test_a_line_has_the_figures_of_the_accepted_or_the_last_attempt(reader: Reader) -> None:
    done, *_, again, exhausted, runs, untried = page_of(reader).lines
    assert (done.state, done.attempts, done.fom_seconds, done.node) == ("done", 1, 1.0, "n0")
    assert (again.state, again.attempts, again.node, again.failure_reason) == ("in_flight", 2, None, None)
    assert (exhausted.state, exhausted.attempts, exhausted.failure_reason) == ("exhausted", 1, "timeout")
    assert (runs.state, runs.node, runs.slot_index) == ("in_flight", "n5", 0)
    assert (untried.state, untried.attempts, untried.node) == ("planned", 0, None)


def test_a_page_may_start_at_an_instance_that_is_not_wanted(reader: Reader) -> None:
    page = instance_page(
        reader, reader.campaign("toy").campaign_id, Wanted(state="done"), after="lstm/5", limit=2
    )
    assert [one.label for one in page.lines] == ["nt3[ranks=10]/0", "nt3[ranks=10]/1"]
    assert (page.has_earlier, page.has_later) == (True, True)


@pytest.mark.parametrize("label", ["lstm/99", "lstm", "nothing/0", "", "lstm/99999999999999999999"])
def test_a_page_after_no_instance_is_an_error(reader: Reader, label: str) -> None:
    with pytest.raises(UnknownCampaignError):
        page_of(reader, after=label or "/")
