"""A package that is installed beside the project extends all four seams at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.lifecycle.launch import plan
from orchestrator.lifecycle.options import PlanOptions
from orchestrator.rulebooks import registry as rulebooks
from orchestrator.schedulers.families import launcher_of
from tests.example_plugin import FOLDER
from workloads import modules


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    modules.installed.cache_clear()
    yield
    modules.installed.cache_clear()


def test_a_campaign_is_planned_with_a_packages_workload_rulebook_scheduler_and_launcher(
    tmp_path: Path,
) -> None:
    node = {"cores": "0-3", "memory": "4 GiB"}
    scheduler = {"type": "spool", "walltime": "1 h", "lane": "fast"}
    site = {"site": "made", "interface": "lo", "node": node, "scheduler": scheduler}
    campaign = {
        "campaign": "ramps",
        "rulebook": "hour",
        "class": "standard",
        "benchmarks": [{"workload": "ramp", "instances": 8, "timeout": "1 min", "parameters": {"terms": 10}}],
    }
    for name, content in (("site", site), ("ramps", campaign)):
        (tmp_path / f"{name}.yaml").write_text(json.dumps(content))
    made = plan(tmp_path / "ramps.yaml", PlanOptions(site=str(tmp_path / "site.yaml")))
    assert (made.size, made.benchmarks[0].parameters) == (8, {"terms": 10})
    assert made.campaign.rulebook == "hour"
    assert "hour" in rulebooks.names()
    assert made.site.scheduler.type == "spool"
    assert launcher_of(made.site.scheduler).type == "fanout"  # type: ignore[arg-type]
