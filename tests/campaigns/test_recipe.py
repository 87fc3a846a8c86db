"""A shipped recipe at demo size, from the campaign file to the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness import CampaignSandbox

CAMPAIGN = """\
campaign: tried
rulebook: recipe
benchmarks:
  - recipe: cifar10-resnet44-demo
    instances: 1
    timeout: 5 min
    slot: {cores: 1}
    data: {directory: cifar10, generate: {train_images: 400, test_images: 100}}
"""


@pytest.mark.slow
def test_the_cifar10_recipe_passes_at_demo_size(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    (place.folder / "tried.yaml").write_text(CAMPAIGN)
    ended = place.run("launch", "tried.yaml", seconds=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    asked = place.run("fom", "tried", "--json")
    assert asked.returncode == 0, asked.stdout + asked.stderr
    [one] = json.loads(asked.stdout)["benchmarks"]
    assert one["reportable"] is True
    assert one["best_test_accuracy"] >= max(25, one["last_test_accuracy"])
    [metric] = [rule for rule in one["rules"] if rule["reason"].startswith("best_test_accuracy ")]
    assert (metric["passed"], "PASSED" in metric["reason"]) == (True, True)
    assert place.run("fom", "tried").stdout.startswith("1 of 1 benchmark PASSED")
