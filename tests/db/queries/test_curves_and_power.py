"""Learning curves and power of the accepted runs of a campaign."""

from __future__ import annotations

from db.evidence.runs_of_campaign import accepted_runs
from db.queries.accepted_curves import accepted_curves
from db.queries.power_series import power_series
from db.reader import Reader
from tests.db import filled


def test_curves_are_of_accepted_attempts_of_the_first_instances(ledger_url: str) -> None:
    filled.fill(ledger_url)
    with Reader(ledger_url) as reader:
        campaign = reader.campaigns()[0].campaign_id
        found = accepted_curves(reader, campaign, 200)
        toys = [run.instance_id for run in accepted_runs(reader, campaign) if run.benchmark == "toy"]
        first = accepted_curves(reader, campaign, 2)
    assert found["toy", "loss", "epoch"][0] == [[1, 0.5], [2, 0.25]]
    assert len(found["toy", "loss", "epoch"]) == len(toys)
    assert len(first["toy", "loss", "epoch"]) == sum(number < 2 for number in toys)


def test_power_is_of_the_longest_accepted_run(ledger_url: str) -> None:
    filled.fill(ledger_url)
    with Reader(ledger_url) as reader:
        found = power_series(reader, reader.campaigns()[0].campaign_id)
    assert {one.benchmark for one in found} == {one.instance.partition("/")[0] for one in found}
    assert {(one.quantity, one.node, one.device) for one in found} == {("gpu_power", "n1", "GPU-a")}
    assert found[0].points == [(0.0, 250.5, 200, 301.2), (2.5, 90, 90, 90)]
