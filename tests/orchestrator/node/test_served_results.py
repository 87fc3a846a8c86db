"""Trainings that agents and servers fork give the numbers of fresh ones, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.catalog.registry import describe
from orchestrator.lifecycle.data.files import make_data
from orchestrator.protocol.report import TrainingResult
from tests.orchestrator.node.agents.test_kept_agents import NODES, nodes_of
from tests.orchestrator.node.ranks.test_training_server import started_by
from tests.orchestrator.node.test_forked_results import SMALL, numbers
from tests.orchestrator.node.warm_worker import WarmWorker, training_of, warm_worker
from tests.workloads.runtime.rank_processes import need_horovod

pytestmark = pytest.mark.slow
PATIENT = {"timeout_seconds": 900.0, "longest_seconds": 3600.0}


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WarmWorker]:
    nodes_of(tmp_path, monkeypatch)
    with warm_worker(tmp_path) as started:
        yield started


def results(worker: WarmWorker, name: str, **changes: Any) -> list[TrainingResult]:
    """Return the results of one fresh attempt and two that were forked from one process."""
    parameters, sizes = SMALL[name]
    workload = describe(name)
    data = worker.folder / "data"
    if workload.data is not None:
        make_data(workload, data, sizes or {}, 1)
        changes["data"] = str(data)
    resolved = workload.resolve(parameters | changes.pop("more", {}))
    found = []
    for processes in ("fresh", "warm", "warm"):
        report = worker.run(
            workload=name, parameters=resolved, processes=processes, seed=3, **PATIENT, **changes
        )
        training_of(report, processes)
        assert report.result is not None
        found.append(report.result)
    return found


@pytest.mark.parametrize("kind", ["interpreter", "podman"])
def test_a_server_forks_trainings_with_the_same_results(worker: WarmWorker, kind: str) -> None:
    fresh, *warm = results(worker, "lstm", **started_by(worker, kind))
    assert [numbers(one) for one in warm] == [numbers(fresh)] * 2
    recorded = {(one.observed.code, one.observed.variables) for one in (fresh, *warm)}
    assert len(recorded) == 1  # a framework sets variables while it is imported


def test_agents_fork_ranks_with_the_same_results(worker: WarmWorker) -> None:
    need_horovod()
    nodes = {name: value for name, value in NODES.items() if name != "workload"}
    fresh, *warm = results(worker, "resnet50", more={"communication": "horovod"}, **nodes)
    assert [numbers(one) for one in warm] == [numbers(fresh)] * 2
    codes = [[rank.code for rank in one.observed.ranks or ()] for one in (fresh, *warm)]
    assert codes == [codes[0]] * 3
    assert len(codes[0]) == 2
