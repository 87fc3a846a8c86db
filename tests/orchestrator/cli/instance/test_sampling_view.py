"""Energy and load of an attempt as `instance show` prints them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from db.evidence.node_conditions import NodeConditions
from db.ledger import Ledger
from orchestrator.analysis.nodes.ranking import NodeRanking
from orchestrator.analysis.nodes.scores import PlaceScore
from orchestrator.cli import app
from orchestrator.cli.instance.sampling_view import sampling_lines, scaled
from orchestrator.cli.node.rank import _show_conditions
from tests.db import rows

SOURCES = {"interval": "run", "sources": {"gpu": "nvml", "cpu": "rapl, share 0.25"}, "absent": {}}


def test_energy_names_its_parts_with_their_source() -> None:
    metrics = {
        "energy_joules": 1_234_000.0,
        "gpu_energy_joules": 1_200_000.0,
        "cpu_energy_joules": 34_000.0,
        "energy_per_epoch_joules": 50.0,
        "power_mean_watts": 310.5,
        "power_peak_watts": 402.0,
        "gpu_utilisation_percent": 87.25,
        "gpu_memory_peak_bytes": 12.5e9,
        "gpu_throttled_seconds": 0.0,
        "cpu_utilisation_percent": 99.0,
        "read_bytes": 5e6,
        "loss": 1.0,
    }
    assert sampling_lines(metrics, SOURCES) == {
        "energy": "1.23 MJ; 50 J per epoch; gpu 1.2 MJ by nvml; cpu 34 kJ by rapl, share 0.25",
        "power": "mean 310.5 W, peak 402 W",
        "gpu": "87.25 % busy, memory up to 12.5 GB, throttled 0 s",
        "cpu": "99 % of the slot's cores",
        "I/O": "read 5 MB",
    }


def test_counted_operations_stand_beside_those_of_the_graph() -> None:
    metrics = {
        "cpu_counted_flop": 2.5e12,
        "cpu_instructions": 4e12,
        "cpu_counter_time_percent": 80.0,
        "training_flop_per_sample": 2e6,
        "samples_seen": 1e6,
    }
    not_counted = {"dram": "no uncore_imc", "load": "ended"}
    lines = sampling_lines(metrics, {"absent": {"gpu": "no driver"}, "not_counted": not_counted})
    assert lines["counters"] == (
        "2.5 TFLOP, 4e+12 instructions, scaled up from 80 % of the time; "
        "the graph of the training has 2 TFLOP; without bytes of DRAM: no uncore_imc"
    )
    assert lines["energy"] == "not measured; without gpu: no driver"
    assert lines["cpu"] == "ended"
    gpu = {"gpu_dram_percent": 41.25, "gpu_dram_bytes": 3e15, "gpu_tensor_percent": 60.0, "read_bytes": 0.0}
    assert sampling_lines(gpu, {})["counters"] == "GPU DRAM 41.25 %, GPU DRAM 3 PB, tensor 60 %"
    assert sampling_lines({}, {"not_counted": {"load": "ended"}}) == {"cpu": "ended"}


@pytest.mark.parametrize(
    ("metrics", "sampling", "energy"),
    [
        ({}, {"absent": {"cpu": "permission denied: f"}}, "not measured; without cpu: permission denied: f"),
        ({"energy_joules": None}, {"absent": {"gpu": "lost"}}, "not measured; without gpu: lost"),
        ({"attempt_energy_joules": 7.0}, None, "7 J until the attempt ended"),
        ({"energy_joules": 7.0}, {"interval": "window"}, "7 J in the timed window"),
        ({}, None, None),
        ({"loss": 1.0}, {"interval": "run"}, None),
    ],
)
def test_absent_energy_has_its_reason(
    metrics: dict[str, float | None], sampling: dict[str, Any] | None, energy: str | None
) -> None:
    assert sampling_lines(metrics, sampling).get("energy") == energy


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 "), (999.4, "999 "), (1000.0, "1 k"), (1.5e15, "1.5 P"), (-2500.0, "-2.5 k")],
)
def test_numbers_have_a_prefix(value: float, text: str) -> None:
    assert scaled(value) == text


def test_show_and_nodes_print_what_the_ledger_has(sqlite_url: str) -> None:
    metrics = (
        ("energy_joules", 1500.0, "J"),
        ("cpu_energy_joules", 1500.0, "J"),
        ("gpu_temperature_peak_celsius", 91.0, "°C"),
        ("gpu_throttled_seconds", 12.0, "s"),
        ("gpu_clock_mean_megahertz", 1320.0, "MHz"),
        ("loss", 0.5, ""),
    )
    observed = {"sampling": {"interval": "run", "sources": {"cpu": "rapl, share 0.5"}, "absent": {}}}
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger, instances=1)
        values = {"node": "n7", "fom_seconds": 10.0, "run_start_us": rows.T0, "run_stop_us": rows.T0 + 10**7}
        ended = rows.report("toy-t0.1", "succeeded", metrics=metrics, observed=observed, **values)
        ledger.record(number, [ended])

    def printed(*words: str) -> str:
        found = CliRunner().invoke(app, [*words, "--ledger", sqlite_url])
        assert found.exit_code == 0, found.output
        return found.stdout

    shown = printed("instance", "show", "toy", "toy/0")
    assert "  energy                     1.5 kJ; cpu 1.5 kJ by rapl, share 0.5\n" in shown
    assert "throttled 12 s" in shown
    assert "energy_joules" not in shown
    assert "  loss                       0.5\n" in shown
    as_json = json.loads(printed("instance", "show", "toy", "toy/0", "--json"))["attempts"][0]
    assert as_json["metrics"]["energy_joules"] == {"value": 1500.0, "unit": "J"}
    gpus = "GPUs throttled on n7: 12 s in 1 attempt, up to 91 °C, mean clock 1,320 MHz (1,320 MHz"
    assert gpus in printed("node", "rank", "toy")


def test_a_slow_node_has_the_facts_of_its_gpus(capsys: pytest.CaptureFixture[str]) -> None:
    scores = (PlaceScore("n2", 9, 0.2, 5.0, 0.001), PlaceScore("n1", 9, 0.0, 0.0, 1.0))
    conditions = (NodeConditions("n1", 60.0, 0.0, 0, 1700.0), NodeConditions("n2", None, 0.0, 0, 1300.0))
    _show_conditions(NodeRanking("toy", scores, (), (), {}, (), {}, conditions))
    assert capsys.readouterr().out == (
        "GPUs of n2: mean clock 1,300 MHz (1,500 MHz is the median of all nodes)\n"
    )
