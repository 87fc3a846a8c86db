"""A ledger with the runs of a sweep, recorded without running anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import make_plan
from orchestrator.planning.slots import NodeFacts
from orchestrator.planning.stage import PlannedBenchmark
from sites import Site
from tests.db import rows
from tests.orchestrator.simulation.campaign import register

Outcome = dict[str, Any] | str | None
"""Columns and ``metrics`` of an accepted run; the reason of a failure; None: not run."""


def record(
    url: str, folder: Path, written: dict[str, Any], outcome: Callable[[PlannedBenchmark, int], Outcome]
) -> int:
    """Register a campaign and record one attempt of each instance; return the campaign's number.

    Parameters
    ----------
    outcome
        Of a point and the number of one of its instances.
    """
    plan = make_plan(
        parse_campaign(json.dumps(written), "test"),
        Site(site="test"),
        NodeFacts(tuple(range(64)), 8 << 30),
        folder,
    )
    with Ledger.open(url) as book:
        number = register(book, plan, folder).campaign_id
        rows.begin(book, number)
        points = {one.name: one for one in plan.benchmarks}
        found = [
            (instance, outcome(points[name], index)) for instance, name, index in book.instance_labels(number)
        ]
        ran = [(rows.attempt(instance, token=f"{number}.{instance}"), one) for instance, one in found if one]
        book.submit(number, 1, [attempt for attempt, _ in ran])
        book.record(
            number,
            [
                rows.report(
                    attempt.token, "failed", InstanceState.EXHAUSTED, failure_reason=one, received_us=rows.T0
                )
                if isinstance(one, str)
                else rows.report(attempt.token, "succeeded", InstanceState.DONE, received_us=rows.T0, **one)
                for attempt, one in ran
            ],
        )
    return number
