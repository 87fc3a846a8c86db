"""Benchmarks run to their end, at a size that tells nothing; nobody else would notice a broken one."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.bench import (
    barrier,
    files,
    growth,
    launching,
    loading,
    recording,
    resident,
    sampling,
    scaling,
    screening,
    sequential,
    simulating,
    study_loading,
)

SMALL: list[tuple[ModuleType, dict[str, Any]]] = [
    (files, {"INSTANCES": 60}),
    (launching, {"INSTANCES": 2, "ROUNDS": 1}),
    (loading, {"ROWS": 20, "FEATURES": 50, "ROUNDS": 1, "INSTANCES": 2}),
    (
        study_loading,
        {"WIDE_ROWS": 20, "WIDE_COLUMNS": 50, "LONG_ROWS": 60, "LONG_COLUMNS": 10, "ROUNDS": 1},
    ),
    (recording, {"INSTANCES": 1000, "ROUNDS": 1}),
    (sampling, {"SECONDS": 0.2, "ATTEMPTS": (1, 2)}),
    (screening, {"SCREENINGS": 20, "NODES": (16,), "CHOSEN": ("calm",), "LONGEST": 8}),
    (sequential, {"CAMPAIGNS": 400, "CHOSEN": ("normal",)}),
    (simulating, {"INSTANCES": 40}),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "constants"), SMALL, ids=[module.__name__.rpartition(".")[2] for module, _ in SMALL]
)
def test_a_benchmark_ends_with_a_line_of_figures(
    module: ModuleType,
    constants: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in constants.items():
        monkeypatch.setattr(module, name, value)
    module.main()
    assert any(character.isdigit() for character in capsys.readouterr().out)


@pytest.mark.slow
def test_gate_shows_how_far_apart_a_wave_starts(capsys: pytest.CaptureFixture[str]) -> None:
    barrier.main(["--slots", "2"])
    assert "2 attempts" in capsys.readouterr().out


@pytest.mark.slow
def test_scaling_shows_every_operation(capsys: pytest.CaptureFixture[str]) -> None:
    scaling.main(["--sizes", "30", "--databases", "sqlite"])
    shown = capsys.readouterr().out
    for operation in ("register", "record", "status", "fom", "peak overlap", "export csv"):
        assert operation in shown


@pytest.mark.slow
def test_the_drivers_memory_is_measured_on_the_real_engine(capsys: pytest.CaptureFixture[str]) -> None:
    resident.main(["--tasks", "40"])
    assert "bytes for each attempt of the second half" in capsys.readouterr().out


@pytest.mark.slow
def test_growth_shows_cost_memory_and_a_wave(capsys: pytest.CaptureFixture[str]) -> None:
    growth.main(["--sizes", "40", "--slots", "4", "--rounds", "1"])
    row, wave = capsys.readouterr().out.splitlines()
    assert "µs of CPU an attempt" in row
    assert "bytes each that waits" in row
    assert "a wave of 4 that starts together" in wave
