"""The shipped campaigns of Deep500's operators, and what is refused before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks import packages as package_checks
from orchestrator.lifecycle.launch import plan
from orchestrator.lifecycle.options import PlanOptions

ONE = """\
campaign: one
rulebook: recipe
benchmarks:
  - recipe: deep500-operator
    matrix: {size: [SIZE]}
    parameters: {operator: matmul}
    slot: {cores: 1, memory: 2 GiB}
    timeout: 1 min
"""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def absent(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    def answer(interpreter: str, wanted: Any, environment: Any) -> set[str]:
        return set(packages) & set(wanted)

    monkeypatch.setattr(package_checks, "absent_packages", answer)


@pytest.mark.parametrize(("name", "points"), [("deep500-operators", 1008), ("deep500-operators-demo", 648)])
def test_a_shipped_campaign_has_every_operator_in_every_framework(name: str, points: int) -> None:
    planned = plan(name, PlanOptions(site="perlmutter" if name == "deep500-operators" else None))
    assert len(planned.benchmarks) == points
    values = [one.parameters for one in planned.benchmarks]
    for parameter, number in (("operator", 12), ("framework", 3), ("precision", 3), ("direction", 2)):
        assert len({one[parameter] for one in values}) == number
    assert planned.campaign.rulebook == "recipe"


def test_a_missing_framework_refuses_its_points_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    absent(monkeypatch, "jax")
    planned = plan("deep500-operators-demo")
    with pytest.raises(CampaignError) as error:
        package_checks.check_packages(planned)
    [line] = str(error.value).splitlines()
    assert line.startswith("benchmark operators: jax is not installed for ")
    assert line.endswith("pip install '.[jax]'")


def test_without_the_framework_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    absent(monkeypatch, "jax", "torch")
    without = "operators.matrix.framework=[tensorflow]"
    planned = package_checks.check_packages(plan("deep500-operators-demo", PlanOptions(overrides=(without,))))
    assert len(planned.benchmarks) == 216


def test_a_size_beyond_the_slots_memory_is_refused() -> None:
    Path("one.yaml").write_text(ONE.replace("SIZE", "square-4096, nt3-dense1"))
    with pytest.raises(CampaignError) as error:
        plan("one.yaml")
    assert str(error.value) == (
        "benchmark deep500-operator[size=nt3-dense1]: needs about 2.9 GiB of memory, and its slot has "
        "2.0 GiB: give it more, or leave this size out"
    )


def test_an_unknown_size_is_refused() -> None:
    Path("one.yaml").write_text(ONE.replace("SIZE", "square-2048, square-4069"))
    with pytest.raises(CampaignError, match=r"\[size=square-4069\]: size .* did you mean square-4096"):
        plan("one.yaml")


@pytest.mark.parametrize(
    ("recipe", "parameter"), [("deep500-operator", "input_scale"), ("deep500-distributed", "learning_rate")]
)
def test_what_would_make_everything_right_is_fixed(recipe: str, parameter: str) -> None:
    text = ONE.replace("[SIZE]", "[demo-a]").replace("operator: matmul", f"{parameter}: 0.0")
    Path("one.yaml").write_text(text.replace("deep500-operator", recipe))
    with pytest.raises(CampaignError, match=f"recipe {recipe} fixes {parameter} to "):
        plan("one.yaml")
