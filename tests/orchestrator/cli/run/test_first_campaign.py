from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from orchestrator.cli.look.fom import show_fom
from orchestrator.cli.run.first_campaign import in_words
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.none.rulebook import judge
from tests.orchestrator.cli.command_line import CommandLine
from tests.orchestrator.rulebooks.measured import measured, runs

ROWS = [(0.0, 2.0, 0.9), (0.0, 3.0, 0.8), (3.0, 4.0, 1.0)]


def found(name: str, metrics: dict[str, list[float]], seed: int = 0) -> Measurements:
    arrays = {key: np.array(values) for key, values in metrics.items()}
    return measured(
        name,
        ROWS,
        runs=replace(runs(ROWS), metrics=arrays),
        parameters={"training_seed": seed},
        overlap__concurrent=2,
    )


def test_each_kind_of_figure_has_its_sentence() -> None:
    verdict = judge(
        [
            found("gemm", {"flop_per_second": [8.1e10, 8e10, 8.2e10]}),
            found("triad", {"bytes_per_second": [9e9, 1.25e10, 2e10]}),
            found("perceptron", {"last_loss": [0.1, 0.2, 0.3]}),
            found("repeated", {"last_loss": [0.1, 0.1, 0.1]}, seed=7),
            found("wrong", {"last_loss": [0.1, 0.1, 0.3]}, seed=7),
        ]
    )
    lines = in_words(verdict)
    assert lines == [
        "15 of 15 programs finished, up to 2 at once, each on cores of its own.",
        "gemm: a slot multiplies matrices at 81 GFLOP/s.",
        "triad: a slot reads and writes its memory at 12.5 GB/s.",
        "perceptron: accuracy of 3 trainings: median 0.9000, lowest 0.8000.",
        "repeated: 3 trainings with one seed ended with the same loss, to the last digit.",
        "wrong: 3 trainings with one seed ended with different losses: results do not repeat here.",
    ]


def test_what_was_not_measured_has_no_sentence() -> None:
    assert in_words(judge([measured("gemm", [], planned=2, states={"planned": 2})])) == [
        "0 of 2 programs finished, up to 0 at once, each on cores of its own."
    ]


def test_the_table_says_that_no_rule_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = judge([found("gemm", {"flop_per_second": [8.1e10, 8e10, 8.2e10]})])
    show_fom(verdict)
    assert not any(rule.passed is False for rule in verdict.benchmarks[0].rules)
    kept = sum(rule.passed is True for rule in verdict.benchmarks[0].rules)
    assert f"{kept} rules are kept, none is broken" in capsys.readouterr().out


@pytest.mark.slow
def test_the_first_campaign_runs_and_says_what_comes_next(run: CommandLine, tmp_path: Path) -> None:
    small = ["gemm.parameters.seconds=0.1", "triad.parameters.seconds=0.1"]
    ended = run("launch", "hello", *(word for text in small for word in ("--set", text)), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "14 of 14 programs finished" in ended.stdout
    assert "repeated: 4 trainings with one seed ended with the same loss, to the last digit." in ended.stdout
    assert "gemm: a slot multiplies matrices at" in ended.stdout
    for command in ("fom hello --rules", "report hello", "launch demo"):
        assert f"orchestrator {command}" in ended.stdout
