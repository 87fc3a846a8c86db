"""Acting from the pages on a campaign whose driver is a process that runs: pause, unpause, retry, drain."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from db.errors import LedgerError
from db.reader import Reader
from tests.harness import CampaignSandbox, wait_for
from tests.orchestrator.serve.test_actions import asked


def written(folder: Path) -> None:
    """Write a campaign of which one benchmark fails and the other has more instances than are waited for."""
    common = {"workload": "tests.toys.behave", "timeout": 60}
    content = {
        "campaign": "toy",
        "grace_period": 2,
        "benchmarks": [
            {**common, "name": "fails", "instances": 1, "parameters": {"behaviour": "data"}},
            {**common, "name": "short", "instances": 5_000, "parameters": {"seconds": 0.1}},
        ],
    }
    (folder / "toy.yaml").write_text(json.dumps(content))


@pytest.mark.slow
def test_a_driver_that_runs_does_what_the_pages_ask_for(tmp_path: Path) -> None:
    sandbox = CampaignSandbox(tmp_path)
    written(tmp_path)
    driver = sandbox.start("launch", "toy.yaml", "--site", "site.yaml")

    def states(benchmark: str) -> dict[str, int]:
        with suppress(LedgerError), Reader(sandbox.ledger) as reader:  # the ledger is made in this moment
            return reader.counts(1).get(benchmark, {})
        return {}

    wait_for(lambda: states("fails").get("exhausted") == 1 and states("short").get("done"), "both benchmarks")

    assert asked(sandbox.ledger, "retry", chosen="fails/0") == (303, "toy: asked its driver to retry fails/0")
    wait_for(lambda: not states("fails").get("exhausted"), "the driver to plan the instance again")

    assert asked(sandbox.ledger, "pause", chosen="short") == (303, "toy: asked its driver to pause short")
    wait_for(lambda: states("short").get("in_flight", 0) == 0, "the end of what ran of the paused benchmark")
    done = states("short")["done"]
    assert asked(sandbox.ledger, "unpause", chosen="short") == (303, "toy: asked its driver to unpause short")
    wait_for(lambda: states("short")["done"] > done, "instances after the pause")

    assert asked(sandbox.ledger, "drain")[0] == 303
    out, err = driver.communicate(timeout=300)
    with Reader(sandbox.ledger) as reader:
        assert reader.campaign("toy").outcome == "drained", (out, err)
        subjects = [one.subject for one in reader.events(1)]
    assert subjects.count("browser at testclient") == 4
    assert states("short").get("in_flight", 0) == 0
    assert states("short")["planned"] > 0
