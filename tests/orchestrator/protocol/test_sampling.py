"""Samplings of nodes become one, and reports carry them, also where another version wrote them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestrator.protocol.report import AttemptReport
from orchestrator.protocol.sampling import METRICS, Samples, Sampling, combine
from orchestrator.rundir.journal import decode_report, encode
from tests.messages import report

SERIES = Samples("gpu_power", "n1", "GPU-a", "W", "nvml", 5, "[[0,1]]")
ONE = Sampling(
    interval="run",
    metrics={"energy_joules": 10.0, "gpu_utilisation_percent": 40.0, "gpu_temperature_peak_celsius": 70.0},
    sources={"gpu": "nvml"},
    samples=(SERIES,),
)


def test_nodes_add_up_by_the_kind_of_metric() -> None:
    other = Sampling(
        interval="run",
        metrics={"energy_joules": 5.0, "gpu_utilisation_percent": 60.0, "gpu_temperature_peak_celsius": 50.0},
        sources={"gpu": "nvml"},
    )
    found = combine([ONE, other])
    assert found.metrics == {
        "energy_joules": 15.0,
        "gpu_utilisation_percent": 50.0,
        "gpu_temperature_peak_celsius": 70.0,
    }
    assert (found.interval, found.samples, found.absent) == ("run", (SERIES,), {})


def test_what_one_node_lacks_is_absent_with_its_reason() -> None:
    lacking = Sampling(interval="run", metrics={"gpu_utilisation_percent": 60.0}, absent={"gpu": "lost"})
    found = combine([ONE, lacking])
    assert found.metrics == {"gpu_utilisation_percent": 50.0}
    assert found.absent["gpu"] == "lost"
    assert found.absent["energy_joules"] == "not measured on every node"
    counting = Sampling(metrics={"cpu_counted_flop": 1.0})
    without = combine([counting, Sampling(not_counted={"flop": "not supported"})])
    assert without.metrics == without.absent == {}
    assert without.not_counted == {"cpu_counted_flop": "not measured on every node", "flop": "not supported"}
    assert combine([ONE]) == ONE
    assert combine([]) == Sampling()


def test_every_metric_says_how_nodes_combine() -> None:
    assert {name: how([1.0, 3.0]) for name, (_, how) in METRICS.items()}["gpu_memory_peak_bytes"] == 3.0
    assert all(how([2.0]) == 2.0 for _, how in METRICS.values())


def test_a_report_in_a_journal_keeps_its_sampling() -> None:
    given = report(sampling=ONE)
    assert decode_report(encode(given.to_json()).rstrip(b"\n")) == given


@pytest.mark.parametrize("sampling", [None, 7, "x", {"metrics": [1]}, {"samples": [{"quantity": 1}]}])
def test_a_sampling_of_another_form_loses_no_report(sampling: Any) -> None:
    content = json.loads(json.dumps(report().to_json())) | {"sampling": sampling}
    assert AttemptReport.from_json(content).sampling is None


def test_fields_that_a_newer_version_adds_are_ignored() -> None:
    content = json.loads(json.dumps(report(sampling=ONE).to_json()))
    content["sampling"]["later"] = 1
    assert AttemptReport.from_json(content).sampling == ONE
