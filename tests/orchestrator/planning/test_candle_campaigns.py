"""The campaigns of the CANDLE scaling study can be planned on the machines of the study and on others."""

from __future__ import annotations

from pathlib import Path

import pytest

import sites
import workloads
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import make_plan
from orchestrator.planning.site_facts import node_facts
from workloads.candle.parallel import rank_share

FOLDER = Path(workloads.__file__).parent / "campaigns"


@pytest.mark.parametrize("site_name", ["summit", "theta", "frontier", "perlmutter"])
@pytest.mark.parametrize("name", ["strong", "weak", "loading", "batch", "demo"])
def test_the_study_fits_a_site_and_its_epochs_divide(
    name: str, site_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SBATCH_ACCOUNT", "a")
    monkeypatch.setenv("PROJECT", "a")
    site, _ = sites.load(site_name)
    campaign = parse_campaign((FOLDER / f"candle-p1-{name}.yaml").read_text(), name)
    plan = make_plan(campaign, site, node_facts(site), Path("/data"))
    assert plan.benchmarks
    for benchmark in plan.benchmarks:
        share = rank_share(benchmark.workload.typed(benchmark.parameters), benchmark.shape.ranks)
        assert share.epochs >= 1
        assert benchmark.shape.ranks % benchmark.shape.nodes == 0
    for stage in plan.stages:  # no node of a block that its instances cannot fill
        assert stage.nodes_per_block % stage.shape.nodes == 0
        most = max(one.instances for one in stage.benchmarks)  # points do not share
        assert stage.width < most + len(stage.slots) * stage.blocks
    most = max(benchmark.shape.ranks for benchmark in plan.benchmarks)
    assert most == {"loading": 1, "demo": 2, "weak": 3072}.get(name, 384)
