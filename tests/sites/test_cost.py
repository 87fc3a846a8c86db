"""Prices of node-hours, against sums done by hand."""

from __future__ import annotations

from typing import Any

import pytest

from sites import FileError, Site, parse
from sites.cost import Bill, Cost, Held, bill_of

_PRICED = {"node_hour": 2.5, "currency": "EUR", "co2_per_kwh": 300, "source": "price list, 2026-03"}
_POOLS = """
site: ours
scheduler: {type: slurm, walltime: 3600}
interface: ib0
cost: {node_hour: 1, currency: EUR, co2_per_kwh: 300}
pools:
  gpu: {node: {cores: 0-3, memory: 8 GiB}, cost: {node_hour: 4, node_watts: 2000}}
  cpu: {node: {cores: 0-3, memory: 8 GiB}}
"""


def lines(*held: Held) -> list[str]:
    return list(Bill(held).lines())


def test_measured_energy_comes_first_and_the_rest_is_said_to_be_stated() -> None:
    cost = Cost(**{**_PRICED, "node_watts": 500})
    half = Held("", cost, node_hours=10, measured_hours=6, joules=3.6e6 * 4)
    assert lines(half) == [
        "money: 25 EUR, 10 node-hours at 2.5 EUR by the site file (price list, 2026-03)",
        "CO2: 1.8 kg, 4 kWh that the batch system measured of 6 node-hours at 300 g/kWh by the site file "
        "(price list, 2026-03); 2 kWh of 4 node-hours at 500 W a node by the site file, not measured, at "
        "300 g/kWh by the site file (price list, 2026-03)",
    ]
    facts = Bill((half,)).to_dict()
    assert (facts["money"], facts["currency"], facts["co2_grams"]) == (25.0, "EUR", pytest.approx(1800))
    assert (facts["measured_kwh"], facts["measured_node_hours"], facts["node_hours"]) == (4.0, 6, 10)


def test_energy_that_is_not_known_is_said_and_not_guessed() -> None:
    held = Held("", Cost(**_PRICED), node_hours=10)
    assert Bill((held,)).grams is None
    assert lines(held)[1] == (
        "CO2: not known, no energy of 10 node-hours is measured, and the site file states no cost.node_watts"
    )
    assert Bill((held,)).to_dict()["co2_grams"] is None


def test_without_prices_there_is_no_bill_and_without_carbon_no_co2() -> None:
    assert bill_of([Held("", None, 3.0)]) is None
    assert bill_of([]) is None
    [only] = lines(Held("", Cost(node_hour=1000, currency="CHF"), 3.0))
    assert only == "money: 3,000 CHF, 3 node-hours at 1000 CHF by the site file"
    assert list(Bill((Held("", Cost(node_hour=1, currency="CHF"), 3.0),)).lines(at_most=True)) == [
        "money: at most 3 CHF, 3 node-hours at 1 CHF by the site file"
    ]


def test_a_pool_may_have_a_price_of_its_own() -> None:
    pools = parse(_POOLS, Site, "x").pooled()
    found = bill_of(Held(name, one.cost, 2.0) for name, one in pools.items())
    assert found is not None
    assert (found.money, found.grams) == (10.0, None)  # the other pool has no power
    money, carbon = found.lines()
    assert "2 node-hours of pool gpu at 4 EUR by the site file" in money
    assert "4 kWh of 2 node-hours of pool gpu at 2000 W a node by the site file, not measured" in carbon
    assert "no energy of 2 node-hours of pool cpu is measured" in carbon
    unpriced = Bill((Held("a", pools["gpu"].cost, 1.0), Held("b", None, 1.0)))
    assert unpriced.money is None
    assert "money: not known" in next(unpriced.lines())
    assert "the site file states no cost.node_hour of pool b" in next(unpriced.lines())


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        ({"node_hour": 1}, "node_hour needs currency"),
        ({"currency": "EUR"}, "currency needs node_hour"),
        ({"node_watts": 500}, "write co2_per_kwh beside it"),
        ({"co2_per_kwh": -1}, "co2_per_kwh"),
        ({"co2_per_kwh": "true"}, "co2_per_kwh"),
        ({"node_hour": True, "currency": "EUR"}, "node_hour"),
    ],
)
def test_what_is_half_stated_is_refused(cost: dict[str, Any], said: str) -> None:
    text = "site: x\ncost: {" + ", ".join(f"{key}: {value}" for key, value in cost.items()) + "}"
    with pytest.raises(FileError, match=said):
        parse(text, Site, "x")


def test_pools_have_one_currency() -> None:
    with pytest.raises(FileError, match="one currency, not CHF and EUR"):
        parse(_POOLS.replace("node_hour: 4", "currency: CHF"), Site, "x")
