"""Trainings that are forked from one server give the numbers of trainings that are not, to the last bit.

Two workloads and two ranks are compared, and all where ``EVERY_WORKLOAD`` is set, which takes minutes.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import pytest

from orchestrator.catalog.registry import describe
from orchestrator.lifecycle.data.files import make_data
from orchestrator.node.warm.fork_client import ForkClient
from tests.orchestrator.node.forked import fork, forking, server_of
from tests.orchestrator.node.supervised import Supervised
from tests.workloads.conftest import run_here
from tests.workloads.runtime.rank_processes import need_horovod

pytestmark = pytest.mark.slow

CONVNET = {"batch_size": 2, "width_divisor": 16, "steps": 1, "burn_in": 1}
SMALL: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "lstm": ({"batch_size": 4, "hidden_width": 8, "sequence_length": 3, "steps": 2}, None),
    "alexnet": (CONVNET | {"image_size": 67}, None),
    "googlenet": (CONVNET | {"image_size": 193}, None),
    "overfeat": (CONVNET | {"image_size": 71}, None),
    "vgg": (CONVNET | {"image_size": 32}, None),
    "p1b1": (
        {"outer_width": 20, "inner_width": 10, "batch_size": 20, "epochs": 1},
        {"train_rows": 60, "test_rows": 20, "features": 40},
    ),
    "p3b1": (
        {"shared_width": 10, "first_width": 10, "second_width": 10, "epochs": 1},
        {
            "site_train_rows": 60, "site_test_rows": 20, "site_classes": 3, "laterality_train_rows": 60,
            "laterality_test_rows": 20, "grade_train_rows": 60, "grade_test_rows": 20,
        },
    ),
    "nt3": (
        {"epochs": 1, "batch_size": 10, "filters": 4},
        {"train_rows": 40, "test_rows": 20, "features": 300},
    ),
    "p1b2": (
        {"epochs": 1, "first_width": 10, "second_width": 10, "third_width": 10},
        {"train_rows": 120, "test_rows": 60, "features": 40},
    ),
    "p1b3": (
        {
            "epochs": 1, "epoch_division": "each", "batch_size": 10, "first_width": 10, "second_width": 10,
            "third_width": 10,
        },
        {"drugs": 40, "genes": 20, "descriptors": 10, "test_drugs": 10, "cell_lines": 10},
    ),
    "resnet50": (
        {
            "epochs": 1, "batch_size": 8, "classes": 2, "image_size": 32, "width_divisor": 8,
            "depth_divisor": 6, "warmup_epochs": 1,
        },
        {"train_images": 16, "validation_images": 8, "classes": 2, "image_edge": 40},
    ),
}  # fmt: skip


def numbers(result: Any) -> dict[str, bytes]:
    """Return what the seed decides: accuracy, losses, scores and counts."""
    found = {
        one.name: one.value
        for one in result.metrics
        if not one.unit and "per_second" not in one.name and "checkpoint" not in one.name
    }
    found["accuracy"] = result.accuracy or 0
    return {name: struct.pack("d", value) for name, value in found.items()}


@pytest.fixture(scope="module")
def client():
    with forking() as one:
        yield one


@pytest.mark.parametrize("name", SMALL if os.environ.get("EVERY_WORKLOAD") else ("lstm", "p3b1"))
def test_forked_results_are_the_same(client: ForkClient, name: str, tmp_path: Path) -> None:
    parameters, sizes = SMALL[name]
    workload = describe(name)
    resolved = workload.resolve(parameters)
    data = None
    if workload.data is not None:
        data = tmp_path / "data"
        make_data(workload, data, sizes or {}, 1)
    attempt = fork(
        client, tmp_path, workload=name, parameters=resolved, data=data and str(data), seed=3,
        timeout_seconds=300.0,
    )  # fmt: skip
    report = attempt.report()
    assert report.result is not None, report.failure_message
    assert report.result.observed.facts["processes"] == "warm"
    assert numbers(report.result).items() >= numbers(run_here(name, resolved, data, seed=3).result).items()
    assert server_of(client).is_running()


@pytest.mark.parametrize(
    "communication", ("horovod", "torch", "mpi", "jax") if os.environ.get("EVERY_WORKLOAD") else ("horovod",)
)
def test_forked_ranks_give_the_same_results(client: ForkClient, communication: str, tmp_path: Path) -> None:
    need_horovod()
    given, sizes = SMALL["resnet50"]
    workload = describe("resnet50")
    data = tmp_path / "data"
    make_data(workload, data, sizes or {}, 1)
    order = {
        "workload": "resnet50", "parameters": workload.resolve(given | {"communication": communication}),
        "data": str(data), "seed": 3, "timeout_seconds": 300.0,
    }  # fmt: skip
    forked = fork(client, tmp_path / "forked", ranks=2, **order).report()
    (tmp_path / "fresh").mkdir()
    fresh = Supervised(tmp_path / "fresh", ranks=2, **order).report()
    assert forked.result is not None, forked.failure_message
    assert fresh.result is not None, fresh.failure_message
    assert forked.result.observed.facts["processes"] == "warm"
    assert numbers(forked.result) == numbers(fresh.result)
    ranks = [one.result.observed.ranks or () for one in (forked, fresh)]
    assert [one.code for one in ranks[0]] == [one.code for one in ranks[1]]
    assert server_of(client).is_running()
