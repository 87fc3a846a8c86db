"""The rulebooks' page names every rule, and its examples are a campaign and a rulebook."""

from __future__ import annotations

import re
import textwrap
import types
from pathlib import Path
from typing import Any

import pytest

from orchestrator.lifecycle.data import hashes
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import PlannedRun
from tests.orchestrator.rulebooks.measured import measured
from tests.readmes.pages import PAGES, ROOT

README = PAGES["orchestrator/rulebooks/README.md"]


def section(rulebook: str) -> str:
    [found] = re.findall(rf"^## `{rulebook}`.*?(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.mark.parametrize("name", ["coral2", "hpcai500", "mlperf_hpc", "recipe"])
def test_its_tables_name_every_rule_and_no_other(name: str) -> None:
    cells = re.findall(r"^\| (`[^|]*`) \|", section(name), re.MULTILINE)
    named = [rule for cell in cells for rule in re.findall(r"`([^`]+)`", cell)]
    assert sorted(named) == sorted(registry.load(name).sentences)


def test_it_names_every_rule_of_no_suite() -> None:
    [listed] = re.findall(r"are checked all the same: (.*?) where the workload", section("none"), re.DOTALL)
    assert set(re.findall(r"`([^`]+)`", listed)) == set(registry.load("none").sentences)


def test_its_first_table_is_true() -> None:
    for name in registry._BUILT_IN:
        classes = ", ".join(f"`{one}`" for one in registry.load(name).run_classes)
        assert re.search(rf"^\| `{name}` \|.*\| {re.escape(classes)} \|$", README, re.MULTILINE)


def test_its_campaign_is_one() -> None:
    [text] = re.findall(r"^    campaign: sweep\n(?:    .*\n)+", README, re.MULTILINE)
    text = textwrap.dedent(text).replace("scripts/mine.yaml", "tests/toys/external/old_keras.yaml")
    spec = parse_campaign(text, "README.md")
    assert (spec.rulebook, spec.run_class, spec.benchmarks[0].timeout) == ("none", "ensemble", 7200.0)


def test_its_recipe_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [recipe] = re.findall(r"```yaml\n(.*?)```", section("recipe"), re.DOTALL)
    [campaign] = re.findall(r"^    campaign: small.*\n(?:    .*\n)+", README, re.MULTILINE)
    Path("small-lstm.yaml").write_text(recipe)
    Path("campaign.yaml").write_text(textwrap.dedent(campaign))
    spec, _ = load_campaign("campaign.yaml")
    assert spec.benchmarks[0].parameters == {"hidden_width": 64, "steps": 20, "batch_size": 32}


def test_its_example_is_a_rulebook() -> None:
    [text] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert text.count("\n") < 60
    module: Any = types.ModuleType("hour")
    exec(compile(text, "README.md", "exec"), module.__dict__)
    book = module.RULEBOOK
    rows = [(0.0, 3500.0, 0.95), (0.0, 3700.0, 0.95), (0.0, 3000.0, 0.8)]
    verdict = book.judge([measured("p1b1", rows)])
    [one] = verdict.benchmarks
    assert (one["trainings"], one.reportable) == (1, True)
    assert {rule.name for rule in one.rules} == set(book.sentences)
    assert verdict.to_dict()["benchmarks"][0]["arithmetic"] == "1 of 3"
    run = PlannedRun(workload="p3b1", run_class="standard", parameters={}, at_once=1, share_of_system=None)
    assert book.preflight(run) == ["p3b1 is not counted"]


def test_its_tests_exist() -> None:
    for name in set(re.findall(r"`((?:tests/[\w/]*)?\btest_\w+\.py|tests/[\w/]+)`", README)):
        there = [ROOT / name] if "/" in name else list((ROOT / "tests").rglob(name))
        assert [file.exists() for file in there] == [True], name


def test_its_figures_of_hashed_data_are_true() -> None:
    stated = f"up to {hashes.MOST_BYTES / 1e9:g} GB and {hashes.MOST_FILES:,} files one of all files"
    assert stated in " ".join(README.split())
    assert f"of up to {hashes._LISTED_FILES} files their own" in README
    assert f"of {hashes._SAMPLE_FILES} of its files" in README


def test_its_entry_point_is_in_the_group_that_is_searched() -> None:
    assert f'[project.entry-points."{registry.GROUP}"]' in README
