"""The small scale of each document, from `reproduce run` to the numbers of its tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness import CampaignSandbox
from tests.workloads.runtime.rank_processes import need_horovod

pytestmark = pytest.mark.slow

WARM = "campaign.processes=warm"  # a framework is imported once, not by each training of a single rank
_CONVNETS = ("alexnet", "googlenet", "overfeat", "vgg")
_FEW_IMAGES = ("data.generate.train_images=48", "data.generate.validation_images=24")
SHORT = {
    "coral2": [
        WARM, "p1b1.instances=1", "p1b1.epochs=2", "p1b1.data.generate.features=100", "p3b1.instances=1",
        "p3b1.epochs=1", "lstm.instances=1", "lstm.steps=10", "resnet50.instances=1", "resnet50.epochs=1",
        *(f"{name}.{setting}" for name in _CONVNETS for setting in ("instances=1", "steps=10")),
        *(f"resnet50.{setting}" for setting in _FEW_IMAGES),
    ],
    "hpcai500": [
        WARM, "resnet50_v15.repeat=1", "resnet50_v15.epochs=1", "extreme_weather.repeat=1",
        "extreme_weather.epochs=1", "extreme_weather.data.generate.images_per_year=20", "gemm.seconds=0.1",
        "triad.seconds=0.1", "triad.array_bytes=8388608", "allreduce.seconds=0.1",
        "images.epochs=2", "images.profile={}", "weather.epochs=1", "weather.profile={}",
        "weather.data.generate.images_per_year=20", *(f"images.{setting}" for setting in _FEW_IMAGES),
        *(f"resnet50_v15.{setting}" for setting in _FEW_IMAGES),
    ],
    "deep500": [WARM, *(f"imagenet-resnet50-demo.{setting}" for setting in _FEW_IMAGES)],
}  # fmt: skip


def tables(place: CampaignSandbox, document: str, *only: str) -> dict[str, Any]:
    """Write the pages of a document, and return the tables that its JSON has, by name."""
    written = place.run("reproduce", "report", document, *only)
    assert written.returncode == 0, written.stderr
    shown = place.run("reproduce", "report", document, "--json", *only)
    return {table["name"]: table for table in json.loads(shown.stdout)["tables"]}


def measured(table: dict[str, Any]) -> set[str]:
    """Return the rows with a number of ours."""
    return {cell["row"] for cell in table["cells"] if cell["ours"] is not None}


def ran(tmp_path: Path, document: str, *only: str) -> CampaignSandbox:
    need_horovod()
    place = CampaignSandbox(tmp_path)
    settings = [word for one in SHORT[document] for word in ("--set", one)]
    ended = place.run("reproduce", "run", document, *only, *settings, seconds=900)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    again = place.run("reproduce", "run", document, *only, *settings, seconds=900)
    assert "has ended before" in again.stdout
    return place


def test_the_reference_timings_of_coral2(tmp_path: Path) -> None:
    made = tables(ran(tmp_path, "coral2"), "coral2")
    assert measured(made["Reference timings, CANDLE"]) == {"time", "accuracy"}
    for name in ("Reference timings, convnets", "Reference timings, LSTM"):
        assert measured(made[name]) == {"forward", "forward-backward"}
    assert measured(made["Reference timings, ResNet-50"]) == {"time", "accuracy"}


def test_the_tables_of_hpcai500(tmp_path: Path) -> None:
    made = tables(ran(tmp_path, "hpcai500"), "hpcai500")
    assert measured(made["Table 10"]) == {"FLOPs Per Image"}
    assert measured(made["Table 12"]) >= {"Negotiation Allreduce", "NCCL Allreduce"}
    assert measured(made["Figure 9"]) == {"GEMM, of a slot", "Memory, of a slot"}
    assert measured(made["Figure 12"]) >= {"Image Classification (FP32)", "EWA (FP32)"}
    assert measured(made["Table 5"]) == {"Comm"}
    assert measured(made["Figure 10"]) >= {"Image Classification, convolution", "EWA, convolution"}


def test_the_recipe_of_deep500(tmp_path: Path) -> None:
    only = ("--only", "Recipe, CIFAR-10")
    made = tables(ran(tmp_path, "deep500", *only), "deep500", *only)
    assert measured(made["Recipe, CIFAR-10"]) == {"acceptable test accuracy"}
