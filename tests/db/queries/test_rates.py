"""Rates of slots, on both databases."""

from __future__ import annotations

from typing import Any

import pytest

from db.ledger import Ledger
from db.queries.rates import slot_rates, slow_pairs
from db.states import InstanceState
from tests.db import rows

FLOP, BYTES = "flop_per_second", "bytes_per_second"


@pytest.mark.parametrize(
    ("measured", "expected", "unit"),
    [
        ([{FLOP: 9.0}, {}, {BYTES: 5.0}], [9.0, None, None], "FLOP/s"),
        ([{BYTES: 5.0}, {BYTES: -1.0}, {BYTES: 0.0}], [5.0, None, None], "B/s"),
        ([{BYTES: 5.0, FLOP: 9.0}, {FLOP: 8.0}, {FLOP: float("inf")}], [9.0, 8.0, None], "FLOP/s"),
        ([{}, {}, {}], [0.5, None, None], "1/s"),
    ],
)
def test_rates_of_one_benchmark_have_one_unit(
    ledger_url: str, measured: list[dict[str, float]], expected: list[float | None], unit: str
) -> None:
    """A slot whose rate cannot be used is not compared by its inverse time with the rates of others."""
    seconds = (2.0, -1.0, 0.0)
    with Ledger.open(ledger_url) as book:
        number = rows.started(book, len(measured))
        book.record(
            number,
            [
                rows.report(f"toy-t{k}.1", "succeeded", InstanceState.DONE, **_of(k, one, seconds[k]))
                for k, one in enumerate(measured)
            ],
        )
        found = slot_rates(book, number)
        assert [one.rate for one in found] == expected
        assert {one.unit for one in found} == {unit}


def test_links_are_rates_of_each_node_of_an_attempt(ledger_url: str) -> None:
    rates = {"n1": 9.0, "n2": 5.0, "n3": -1.0, "n4": "fast", "n5": True, "n6": 10**400, "": 1.0}
    pairs = [["n1", "n2", 0.5], ["n1", 3, 0.5], ["n1", "n2"], "n1", ["n2", "n1", "slow"]]
    observed = [{"links": {"bytes_per_second": rates, "slowest_pairs": pairs}}, {"links": 7}, {"links": [1]}]
    with Ledger.open(ledger_url) as book:
        number = rows.started(book, 3)
        book.record(
            number,
            [
                rows.report(f"toy-t{k}.1", "succeeded", InstanceState.DONE, **_of(k, {}, 2.0), observed=one)
                for k, one in enumerate(observed)
            ],
        )
        found = slot_rates(book, number)
        assert slow_pairs(book, number) == {("toy", "n1", "n2"): [0.5]}
    assert [(one.node, one.rate, one.unit) for one in found] == [
        ("n1", 9.0, "B/s"), ("n2", 5.0, "B/s"), ("n1", 0.5, "1/s"), ("n2", 0.5, "1/s"),
    ]  # fmt: skip


def _of(slot: int, metrics: dict[str, float], seconds: float) -> dict[str, Any]:
    named = tuple((name, value, "") for name, value in metrics.items())
    return {"metrics": named, "fom_seconds": seconds, "node": f"n{slot}", "slot_index": slot}
