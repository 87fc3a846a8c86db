"""The ports of the suite's programs, each run at a small size, and the figure of merit against them."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrator.planning.campaign_reading import parse_campaign
from sites import Site, parse
from tests.bench.peers import fom
from tests.bench.peers.ensemble import Ensemble, write_files
from tests.bench.peers.environments import Missing
from tests.bench.peers.table import Row
from tests.harness import ROOT
from workloads.candle.data import p1b1, p3b1
from workloads.imagenet import generator

NETWORKS = ("alexnet", "googlenet", "overfeat", "vgg")
SMALL: Mapping[str, Mapping[str, Any]] = {
    "p1b1": {"epochs": 2, "batch_size": 10, "outer_width": 12, "inner_width": 6},
    "p3b1": {"epochs": 1, "shared_width": 8, "first_width": 8, "second_width": 8},
    "alexnet": {"batch_size": 2, "image_size": 67, "width_divisor": 16, "steps": 2, "burn_in": 1},
    "lstm": {"batch_size": 3, "hidden_width": 5, "sequence_length": 4, "steps": 2},
    "resnet50": {"epochs": 1, "batch_size": 4, "classes": 2, "image_size": 32},
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    p1b1.make(tmp_path / "p1b1", 1, train_rows=40, test_rows=10, features=20)
    sizes = {
        f"{task}_{part}_rows": 30 for task in ("site", "laterality", "grade") for part in ("train", "test")
    }
    p3b1.make(tmp_path / "p3b1", 1, features=6, **sizes)
    generator.make(tmp_path / "resnet50", 1, train_images=8, validation_images=4, classes=2, image_edge=40)
    return tmp_path


def ran(order: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    file = folder / "order.json"
    file.write_text(json.dumps(order))
    words = [sys.executable, "-m", "tests.bench.peers.published", str(file)]
    ended = subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_program_runs_with_the_parameters_of_its_workload(name: str, data: Path) -> None:
    files = fom.orders(data, [name])
    order = json.loads(files[f"orders/{name}.json"])
    assert order["settings"].keys() >= SMALL[name].keys()
    found = ran(order | {"settings": order["settings"] | SMALL[name]}, data)
    assert 0 < found["seconds"] < 600
    has_accuracy = name in ("p1b1", "p3b1", "resnet50")
    assert (found["accuracy"] is not None) == has_accuracy
    assert not has_accuracy or math.isfinite(found["accuracy"])


COUNT = """
import json, sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
from tests.bench.peers.published import convnets
found = {}
for name, edge in json.loads(sys.argv[1]).items():
    layers = convnets.Layers(1)
    convnets.NETWORKS[name](tf.zeros([1, edge, edge, 3]), layers)
    found[name] = sum(one.shape.num_elements() for one in layers.parameters)
print(json.dumps(found))
"""


def test_the_networks_have_the_programs_numbers_of_parameters(tmp_path: Path) -> None:
    edges = {name: fom.settings_of(name)["image_size"] for name in NETWORKS}
    words = [sys.executable, "-c", COUNT, json.dumps(edges)]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr[-2000:]
    # As the graphs of the programs were counted.
    assert json.loads(ended.stdout.splitlines()[-1]) == {
        "alexnet": 61_100_840, "googlenet": 6_998_552, "overfeat": 145_920_872, "vgg": 132_863_336,
    }  # fmt: skip


def test_both_sides_get_the_same_settings_and_files(data: Path, tmp_path: Path) -> None:
    names = list(fom.BENCHMARKS)
    compared = fom.peers(data, names)
    ensemble = Ensemble(2, 2, tmp_path / "campaign")
    write_files(compared["base"], ensemble)
    campaign = parse_campaign((ensemble.folder / "campaign.yaml").read_text(), "campaign.yaml")
    orders = {name: json.loads(text) for name, text in fom.orders(data, names).items()}
    for one in campaign.benchmarks:
        settings = orders[f"orders/{one.workload}.json"]["settings"]
        assert settings | one.parameters == settings
        assert one.instances == 2
    site = parse((ensemble.folder / "site.yaml").read_text(), Site, "site.yaml")
    assert site.paths.data == str(data)
    assert (campaign.run_class, campaign.processes) == ("base", "fresh")


def test_the_programs_run_a_benchmark_at_a_time_each_on_a_core(tmp_path: Path) -> None:
    published = fom.peers(tmp_path, ["alexnet", "vgg"])["published"]
    ensemble = Ensemble(2, 2, tmp_path / "programs")
    write_files(published, ensemble)
    (ensemble.folder / "python").write_text(
        '#!/bin/sh\necho "$3 $(taskset -pc $$) $OMP_NUM_THREADS" >> started.txt\n'
        'echo \'{"seconds": 2, "accuracy": null}\'\n'
    )
    (ensemble.folder / "python").chmod(0o755)
    command = [word.replace(sys.executable, "./python") for word in published.command(ensemble)]
    subprocess.run(command, cwd=ensemble.folder, check=True)
    started = [line.split() for line in (ensemble.folder / "started.txt").read_text().splitlines()]
    assert [line[0] for line in started] == ["orders/alexnet.json"] * 2 + ["orders/vgg.json"] * 2
    cores = sorted(os.sched_getaffinity(0))[:2]
    assert {line[-2] for line in started} == set(map(str, cores))
    assert {line[-1] for line in started} == {"1"}
    assert fom.published_figures(["vgg"], ensemble) == {"vgg s": 2, "vgg rate": 1.0, "vgg accuracy": None}
    (ensemble.folder / "reports" / "vgg-0.json").unlink()
    with pytest.raises(Missing, match="1 of 2 instances of vgg gave a result"):
        fom.published_figures(["vgg"], ensemble)


def test_the_suites_figure_is_its_own_mean_of_the_groups() -> None:
    ones = dict.fromkeys(fom.BENCHMARKS, 1.0)
    assert fom.suite_fom(ones) == pytest.approx(1)
    # The groups weigh 5, 1, 2 and 5, and P1B1 is one of two in its group.
    assert fom.suite_fom(ones | {"p1b1": 4.0}) == pytest.approx((5 * 2 + 8) / 13)
    assert fom.suite_fom(ones | {"lstm": 3.0}) == pytest.approx((2 * 3 + 11) / 13)
    assert fom.suite_fom(ones | {"vgg": None}) is None


def test_a_row_has_the_ratio_of_instances_at_once_over_time() -> None:
    names = ("alexnet",)
    measured = {
        "published": Row("programs", {"alexnet s": 4.0, "alexnet rate": 2 / 4}),
        "base": Row("base", {"alexnet s": 2.0, "alexnet rate": 2 / 2}),
        "optimized": Row("optimized", problem="it failed"),
    }
    alexnet, suite = fom.by_benchmark(measured, names)
    assert alexnet.figures == {
        "published": 4.0, "base": 2.0, "optimized": None, "base fom": 2.0, "optimized fom": None,
    }  # fmt: skip
    assert suite.figures == {"base fom": None, "optimized fom": None}
    assert suite.problem == "optimized: it failed"


def test_a_lower_accuracy_than_the_programs_is_stated() -> None:
    names = ("p3b1",)
    accuracies = {"published": 0.6, "base": 0.6, "optimized": 0.55}
    measured = {
        column: Row(column, {"p3b1 s": 1.0, "p3b1 rate": 1.0, "p3b1 accuracy": accuracy})
        for column, accuracy in accuracies.items()
    }
    p3b1, suite = fom.by_benchmark(measured, names)
    assert p3b1.problem == "the accuracy is 0.6, and 0.55 of the optimized campaign"
    assert not suite.problem
