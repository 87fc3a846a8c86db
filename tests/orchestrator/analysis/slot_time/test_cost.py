"""Money and CO2 of held node-hours, against sums done by hand."""

from __future__ import annotations

import json

import pytest

from db.ledger import Ledger
from db.reader import Reader
from orchestrator.analysis.slot_time.cost import campaign_bill
from orchestrator.analysis.verdict.fom import campaigns_named, judge
from orchestrator.analysis.verdict.review import review
from orchestrator.report.writing import report
from tests.db import rows
from tests.db.rows import T0

HOUR = 3_600_000_000
COST = "cost: {node_hour: 2, currency: EUR, co2_per_kwh: 300, node_watts: 500}"


def filled(url: str, cost: str, blocks: list[tuple[int, float | None]]) -> None:
    """Register a campaign with a session of 3 hours, and blocks of an hour by nodes and joules."""
    with Ledger(url) as ledger:
        changed = rows.campaign(site_yaml=f"site: local\n{cost}\n", rulebook="none", run_class="ensemble")
        number = ledger.register(changed, [rows.benchmark()], rows.planned(3))
        rows.begin(ledger, number)
        for block, (_, joules) in enumerate(blocks):
            data = {"session": 1, "slot_shape": "c1", "block": str(block), "joules": joules}
            ledger.note(number, "block_energy", "energy", data=data)
    with rows.raw(url) as connection:
        connection.exec_driver_sql(f"UPDATE sessions SET started_us = {T0}, ended_us = {T0 + 3 * HOUR}")
        for block, (nodes, _) in enumerate(blocks):
            connection.exec_driver_sql(
                "INSERT INTO blocks (campaign_id, session_number, slot_shape, block_id, state, requested_us, "
                f"started_us, ended_us, nodes) VALUES (1, 1, 'c1', '{block}', 'ended', {T0}, {T0}, "
                f"{T0 + HOUR}, {nodes})"
            )


def test_measured_blocks_count_as_measured_and_others_as_the_site_file_says(sqlite_url: str) -> None:
    filled(sqlite_url, COST, [(4, 3.6e6), (2, None)])
    with Reader(sqlite_url) as reader:
        found = campaign_bill(reader, reader.campaign("toy"))
        [reviewed] = review(reader, judge(reader, campaigns_named(reader, ["toy"]))).values()
        made = report(reader, reader.campaign("toy"))
    assert found is not None
    assert found.money == 6 * 2
    assert found.grams == pytest.approx((1 + 2 * 0.5) * 300)
    assert found.to_dict()["measured_node_hours"] == 4
    assert list(found.lines()) == list(reviewed.lines())[-2:]
    assert json.dumps(reviewed.facts()["cost"]) == json.dumps(found.to_dict())
    assert (made.facts["money"], made.facts["CO2"]) == ("12 EUR", "600 g")


def test_a_campaign_without_jobs_held_its_drivers_host(sqlite_url: str) -> None:
    filled(sqlite_url, COST, [])
    with Reader(sqlite_url) as reader:
        found = campaign_bill(reader, reader.campaign("toy"))
    assert found is not None
    assert (found.money, found.grams) == (6.0, pytest.approx(3 * 0.5 * 300))


def test_without_prices_nothing_is_said(sqlite_url: str) -> None:
    filled(sqlite_url, "", [(4, 3.6e6)])
    with Reader(sqlite_url) as reader:
        assert campaign_bill(reader, reader.campaign("toy")) is None
        [reviewed] = review(reader, judge(reader, campaigns_named(reader, ["toy"]))).values()
        made = report(reader, reader.campaign("toy"))
    assert "cost" not in reviewed.facts()
    assert not {"money", "CO2"} & set(made.facts)
