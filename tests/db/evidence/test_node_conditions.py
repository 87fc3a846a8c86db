"""Which nodes had hot or throttled GPUs."""

from __future__ import annotations

from db.evidence.node_conditions import NodeConditions, node_conditions
from db.ledger import Ledger
from db.states import InstanceState
from tests.db import rows
from tests.db.rows import attempt, report


def test_nodes_have_their_hottest_gpu_and_all_of_their_throttling(ledger_url: str) -> None:
    cases = [
        ("n1", 70.0, 0.0, 1700.0),
        ("n2", 92.0, 12.0, None),
        ("n2", 88.0, 3.0, None),
        ("n1", 75.0, None, 1500.0),
        ("n3", None, None, None),
    ]
    with Ledger(ledger_url) as ledger:
        wide = rows.benchmark("wide", 1, slot='{"cores": 1, "nodes": 2}')
        number = ledger.register(
            rows.campaign("toy"),
            [rows.benchmark(instances=len(cases)), wide],
            [*rows.planned(len(cases)), *rows.planned(1, "wide", first=len(cases))],
        )
        session = rows.begin(ledger, number)
        ledger.submit(number, session, [attempt(k, token=f"t{k}") for k in range(len(cases) + 1)])
        for k, (node, heat, seconds, clock) in enumerate([*cases, ("n9", 99.0, 99.0, 99.0)]):
            found = {"gpu_temperature_peak_celsius": heat, "gpu_throttled_seconds": seconds, "loss": 500.0}
            found["gpu_clock_mean_megahertz"] = clock
            metrics = tuple((name, value, "") for name, value in found.items() if value is not None)
            ledger.record(
                number, [report(f"t{k}", "failed", InstanceState.EXHAUSTED, node=node, metrics=metrics)]
            )
        assert node_conditions(ledger, number) == [
            NodeConditions("n2", 92.0, 15.0, 2),
            NodeConditions("n1", 75.0, 0.0, 0, 1600.0),
        ]
