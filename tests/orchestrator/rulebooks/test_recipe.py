"""Recipes: what a campaign may change, what is registered of them, and the verdict on their metrics."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.look.fom import show_fom
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import Benchmark
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import PlannedRun, Verdict
from orchestrator.rulebooks.recipe.rulebook import RULEBOOK, WORST_MISS, judge, preflight
from orchestrator.rulebooks.recipe_file import GROUP, Recipe, names, read, registered
from tests.harness import ROOT
from tests.orchestrator.rulebooks.measured import changed, measured
from workloads import modules, plugins
from workloads.description import WorkloadError

RECIPE = """\
recipe: small
title: über
workload: lstm
fixed: {hidden_width: 64, learning_rate: 0.1}
mutable: {batch_size: 16}
metrics:
  run_seconds: {at_most: 60, unit: s}
  first_loss: {}
"""
CAMPAIGN = """\
campaign: here
rulebook: recipe
benchmarks:
  - recipe: small.yaml
    instances: 2
    timeout: 1 min
"""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "small.yaml").write_text(RECIPE)
    monkeypatch.chdir(tmp_path)


def load(campaign: str, *overrides: str) -> tuple[Benchmark, str]:
    Path("campaign.yaml").write_text(campaign)
    spec, text = load_campaign("campaign.yaml", overrides)
    return spec.benchmarks[0], text


def refused(campaign: str = CAMPAIGN, recipe: str = RECIPE, *overrides: str) -> str:
    Path("small.yaml").write_text(recipe)
    with pytest.raises(CampaignError) as error:
        load(campaign, *overrides)
    [line] = str(error.value).splitlines()
    return line


def test_the_registered_text_needs_no_file() -> None:
    one, text = load(CAMPAIGN + "    parameters: {batch_size: 32}\n")
    assert (one.name, one.workload) == ("small", "lstm")
    assert one.parameters == {"hidden_width": 64, "learning_rate": 0.1, "batch_size": 32}
    assert '# File "small.yaml", sha256 ' in text
    assert "#   title: über" in text
    Path("small.yaml").unlink()
    assert parse_campaign(text, "ledger").benchmarks == [one]
    assert registered(text) == {"small": one.recipe}
    assert parse_campaign(text, "ledger").benchmarks[0].recipe == Recipe.model_validate(
        {"recipe": "small", "title": "über", "workload": "lstm", "mutable": {"batch_size": 16}}
        | {"fixed": {"hidden_width": 64, "learning_rate": 0.1}}
        | {"metrics": {"run_seconds": {"at_most": 60, "unit": "s"}, "first_loss": {}}}
    )


def test_a_recipe_may_be_written_in_the_campaign() -> None:
    named, _ = load(CAMPAIGN)
    one, text = load(CAMPAIGN.replace("small.yaml", str(named.recipe and named.recipe.model_dump_json())))
    assert (one.parameters, one.workload) == (named.parameters, "lstm")
    assert registered(text) == {"small": one.recipe}


def test_a_mutable_key_is_swept_and_set() -> None:
    one, text = load(CAMPAIGN, "small.batch_size=8", "small.name=mine")
    assert (one.name, one.parameters["batch_size"], set(registered(text))) == ("mine", 8, {"mine"})
    swept = CAMPAIGN.replace("instances: 2", "matrix: {batch_size: [8, 16]}")
    one, text = load(swept)
    assert (one.name, one.sweep, one.parameters["hidden_width"]) == ("small[batch_size=8]", "small", 64)
    assert set(registered(text)) == {"small"}


def test_a_workload_file_of_a_recipe_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "tests" / "toys" / "external" / "modern.yaml", "echo.yaml")
    Path("small.yaml").write_text("recipe: small\nworkload: echo.yaml\nmetrics: {run_seconds: {}}\n")
    one, text = load(CAMPAIGN)
    assert re.fullmatch(re.escape(f"{tmp_path}/echo.yaml#sha256=") + "[0-9a-f]{64}", one.workload)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert parse_campaign(text, "ledger").benchmarks == [one]


def test_paths_of_a_recipe_count_from_the_files_that_name_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("suite/recipes", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "toys" / "external" / "modern.yaml", "suite/recipes/echo.yaml")
    recipe = "recipe: small\nworkload: echo.yaml\nmetrics: {run_seconds: {}}\n"
    Path("suite/recipes/small.yaml").write_text(recipe)
    Path("suite/c.yaml").write_text(CAMPAIGN.replace("small.yaml", "recipes/small.yaml"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    (one,) = load_campaign("../suite/c.yaml")[0].benchmarks
    assert one.workload.partition("#")[0] == f"{tmp_path}/suite/recipes/echo.yaml"


def test_an_installed_package_offers_a_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", "tests.orchestrator.rulebooks.test_recipe:OFFERED", GROUP)
    monkeypatch.setattr(plugins, "offered", lambda group: EntryPoints([entry]).select(group=group))
    one, text = load(CAMPAIGN.replace("small.yaml", "theirs"))
    assert (one.name, one.parameters) == ("theirs", {"steps": 5})
    assert '# File "recipe theirs of an installed package", sha256 ' in text
    assert "no recipe 'their'; did you mean theirs?" in refused(CAMPAIGN.replace("small.yaml", "their"))


OFFERED = {"recipe": "theirs", "workload": "lstm", "fixed": {"steps": 5}, "metrics": {"first_loss": {}}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("mutable:", "mutabel:"), "unknown key mutabel; did you mean mutable?"),
        (("{batch_size: 16}", "{hidden_width: 64}"), "mutable.hidden_width: hidden_width is in fixed too; "),
        (("{at_most: 60, unit: s}", "60"), "run_seconds: 60 has no direction; write {at_least: 60} or "),
        (("at_most: 60", "at_most: 60, at_least: 1"), "has two directions; write at_least or at_most"),
        (("at_most: 60", "at_mots: 60"), "at_mots; did you mean at_most?"),
        (("at_most: 60", "at_most: .nan"), "run_seconds.at_most: must be a finite number"),
        (
            ("unit: s", 'unit: "\\e[31m"'),
            "run_seconds.unit: must hold no control characters, not",
        ),
        (("run_seconds:", '"run\\nseconds":'), "must hold no control characters, not 'run\\nseconds'"),
        (("at_most: 60", "at_most: true"), "run_seconds.at_most: must be a"),
        (("hidden_width: 64", "hidden_width: [64]"), "fixed.hidden_width"),
        (
            ("hidden_width: 64", "hiden_width: 64"),
            "lstm has no parameter 'hiden_width'; did you mean hid",
        ),
        (
            ("hidden_width: 64", "hidden_width: 6.4"),
            "recipe small: workload lstm: hidden_width must be",
        ),
        (("workload: lstm", "workload: lstn"), "no workload 'lstn'; did you mean lstm?"),
        (("recipe: small", "recipe: a/b"), "small.yaml: line 1: recipe: must be of letters"),
        ((RECIPE, ""), "small.yaml: is empty"),
        ((RECIPE, "metrics: {}"), "small.yaml: "),
        ((RECIPE, "a: [\x07"), "small.yaml: "),
    ],
)
def test_a_wrong_recipe_is_refused(change: tuple[str, str], message: str) -> None:
    assert message in refused(recipe=RECIPE.replace(*change))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("    parameters: {hidden_width: 65}\n", "recipe small fixes hidden_width to 64; remove it"),
        (
            "    parameters: {bach_size: 65}\n",
            "recipe small has no key 'bach_size'; did you mean batch",
        ),
        (
            "    parameters: {steps: 65}\n",
            "recipe small has no key 'steps'; a campaign may change b",
        ),
        ("    matrix: {steps: [1, 2]}\n", "recipe small has no key 'steps'"),
        ("    parameters: [1]\n", "parameters: must be a mapping of keys to values"),
        ("    workload: alexnet\n", "recipe small runs workload lstm; remove workload"),
    ],
)
def test_a_campaign_that_contradicts_its_recipe_is_refused(more: str, message: str) -> None:
    assert message in refused(CAMPAIGN + more)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("small.yaml", "absent.yaml"),
            "line 4: benchmarks.0.recipe: recipe file absent.yaml",
        ),
        (("small.yaml", "7"), "must be the name or the path of a recipe, not 7"),
        (("small.yaml", "cifar"), "no recipe 'cifar'"),
        (("rulebook: recipe", "rulebook: none"), "benchmark small has a recipe; rulebook recipe is for"),
        (("recipe: small.yaml", "workload: lstm"), "benchmark lstm has no recipe; rulebook recipe is for"),
    ],
)
def test_a_campaign_without_a_recipe_that_can_be_used_is_refused(
    change: tuple[str, str], message: str
) -> None:
    assert message in refused(CAMPAIGN.replace(*change))


def test_a_value_of_the_command_line_is_refused_as_one_of_the_file() -> None:
    assert "recipe small fixes hidden_width to 64" in refused(CAMPAIGN, RECIPE, "small.hidden_width=8")


def test_a_metric_is_refused_where_the_workload_lists_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    listing = replace(modules.workload("lstm"), metrics=("last_loss", "frist_loss"))
    monkeypatch.setattr("orchestrator.planning.campaign_file.describe", lambda _: listing)
    message = "recipe small: workload lstm has no metric 'first_loss'; did you mean frist_loss?"
    assert message in refused()


@pytest.mark.parametrize(
    "workload",
    [
        *("cifar10_resnet44", "resnet50_v15", "deep500_operator", "deep500_network", "deep500_optimizer"),
        *("deep500_training", "deep500_dataset", "deep500_distributed"),
    ],
)
def test_a_misspelt_metric_of_a_shipped_workload_is_refused_and_the_nearest_named(workload: str) -> None:
    def check(metric: str) -> None:
        given = {"recipe": "r", "workload": workload, "metrics": {metric: {"at_most": 1}}}
        Recipe.model_validate(given).check_workload(listing)

    listing = modules.workload(workload)
    for metric in (*listing.metrics, f"{listing.metrics[0]}_low", "energy_joules", "run_seconds"):
        check(metric)
    for metric in listing.metrics:
        wrong = f"x{metric}"
        with pytest.raises(WorkloadError, match=f"has no metric '{wrong}'; did you mean "):
            check(wrong)


def verdict(*rows: tuple[float, float, float], losses: Any = None, **changes: Any) -> Verdict:
    recipe = Recipe.model_validate(
        {"recipe": "r", "workload": "lstm", "fixed": {"units": 1}}
        | {"metrics": {"score": {"at_least": 93, "unit": "%"}, "run_seconds": {"at_most": 10}, "loss": {}}}
    )
    found = measured("lstm", rows)
    assert found.runs is not None
    runs = replace(found.runs, metrics={"loss": losses or [1.0] * len(rows)})
    facts: dict[str, Any] = {"recipe": recipe, "runs": runs, "accuracy__metric": "score"}
    return judge([changed(found, **facts | {"parameters": {"units": 1}} | changes)])


def metrics_of(found: Verdict) -> dict[str, tuple[bool | None, str]]:
    rules = [one for one in found.benchmarks[0].rules if one.name == "metric"]
    return {one.reason.split(" ")[0].rstrip(":"): (one.passed, one.reason) for one in rules}


def test_every_metric_within_its_bound_passes() -> None:
    found = verdict((0, 8, 93.0), (0, 10, 94.5), losses=[3.0, 1.0])
    [one] = found.benchmarks
    assert one.reportable
    assert (one["score"], one["run_seconds"], one["loss"], one["metrics_passed"]) == (93.0, 10.0, 2.0, 2)
    assert {rule.name for rule in one.rules} == set(RULEBOOK.sentences)
    reasons = metrics_of(found)
    assert reasons["score"] == (
        True,
        "score PASSED: the worst of 2 instances has 93 %, the recipe says at least 93 %",
    )
    assert reasons["loss"] == (None, "loss: median 2; the recipe sets no bound")
    assert [heading for heading, _ in found.columns] == [
        "planned", "accepted", "score %", "run_seconds", "loss", "metrics passed", "worst miss %",
    ]  # fmt: skip


@pytest.mark.parametrize(("reported", "passed"), [("%", True), ("", True), ("share", False)])
def test_a_metric_in_another_unit_than_the_recipes_fails(reported: str, passed: bool) -> None:
    runs = replace(measured("lstm", [(0, 8, 93.0)]).runs, units={"score": frozenset({reported})})
    found = verdict((0, 8, 93.0), runs=replace(runs, metrics={"loss": [1.0]}))
    reached, reason = metrics_of(found)["score"]
    assert reached is passed
    if not passed:
        assert reason == "score failed: it is in share, and the recipe calls it %"
        assert found.benchmarks[0].reportable is False


def test_the_worst_instance_decides() -> None:
    found = verdict((0, 8, 92.9), (0, 11, 99.0), (0, 5, 95.0))
    reasons = metrics_of(found)
    assert reasons["score"] == (
        False,
        "score failed: the worst of 3 instances has 92.9 %, the recipe says at least 93 %; 1 of them miss it",
    )
    assert reasons["run_seconds"][0] is False
    assert found.benchmarks[0].reportable is False
    assert found.benchmarks[0]["metrics_passed"] == 0


def test_an_instance_without_a_metric_misses_it() -> None:
    passed, reason = metrics_of(verdict((0, 8, 99.0), (0, 8, math.nan)))["score"]
    assert passed is False
    assert reason.endswith("1 of them miss it, 1 as they have no such metric")
    assert metrics_of(verdict((0, 8, math.nan)))["score"] == (
        False,
        "score failed: no accepted instance has it; the recipe says at least 93 %",
    )


def test_what_stands_for_an_infinite_error_is_no_figure() -> None:
    given = {"recipe": "r", "workload": "lstm", "metrics": {"loss": {"at_most": 1}}}
    found = verdict((0, 8, 99.0), (0, 8, 99.0), losses=[0.5, 1e300], recipe=Recipe.model_validate(given))
    assert metrics_of(found)["loss"] == (
        False,
        "loss failed: the worst of 2 instances has one that is infinite or no number, the recipe says "
        "at most 1; 1 of them miss it",
    )
    assert found.benchmarks[0]["loss"] is None
    assert found.benchmarks[0][WORST_MISS] is None


def test_the_worst_of_many_benchmarks_are_listed_first(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = [8.0] * 70 + [11.0, 20.0, 12.0]
    points = [
        replace(verdict((0, one, 99)).benchmarks[0], benchmark=f"p{n}") for n, one in enumerate(seconds)
    ]
    absent = replace(verdict((0, 8, math.nan)).benchmarks[0], benchmark="absent")
    found = replace(verdict((0, 8, 99)), benchmarks=(*points, absent))
    assert [one.benchmark for one in found.listed][:6] == ["absent", "p71", "p72", "p70", "p0", "p1"]
    assert [one["worst_miss"] for one in found.listed][:5] == [None, 100.0, 20.0, 10.0, 0.0]
    show_fom(found)
    first, *rows = capsys.readouterr().out.splitlines()
    assert first == "70 of 74 benchmarks PASSED"
    assert [row.split()[0] for row in rows[3:7]] == ["absent", "p71", "p72", "p70"]
    assert "and 54 more benchmarks; --json and the report have all" in rows
    assert [row.split(":")[0].strip() for row in rows[rows.index("not reportable:") + 1 :]] == [
        "absent", "p71", "p72", "p70",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "rule", "reason"),
    [
        ({"parameters": {"units": 2}}, "recipe", "units is 2, the recipe fixes 1"),
        ({"recipe": None}, "recipe", "the registered campaign has no recipe for it"),
        ({"data__synthetic": True}, "data", "an instance read synthetic data"),
    ],
)
def test_what_breaks_a_rule(changes: dict[str, Any], rule: str, reason: str) -> None:
    [one] = verdict((0, 8, 99.0), **changes).benchmarks
    assert (rule, reason) in [(broken.name, broken.reason) for broken in one.rules if broken.passed is False]
    assert not one.reportable


@pytest.mark.parametrize(
    ("metric", "bound", "passed"),
    [
        ("score", {"at_least": 1, "unit": "%"}, None),
        ("images", {"at_least": 1, "unit": "images/s"}, False),
        ("run_seconds", {"at_most": 60}, False),
        ("run_seconds", {"unit": "s"}, None),
    ],
)
def test_shared_cores_matter_to_times_alone(metric: str, bound: dict[str, Any], passed: bool | None) -> None:
    named = Recipe.model_validate(OFFERED | {"fixed": {}, "metrics": {metric: bound}})
    [one] = verdict((0, 8, 99.0), recipe=named, slots__cores_shared=True).benchmarks
    [rule] = [rule for rule in one.rules if rule.name == "slots"]
    assert rule.passed is passed
    assert rule.reason.endswith("; the recipe bounds no time") == (passed is None)


def test_a_recipe_for_a_trial_allows_synthetic_data() -> None:
    trial = Recipe.model_validate({**OFFERED, "metrics": {"run_seconds": {}}, "synthetic_data": True})
    [one] = verdict((0, 8, 99.0), recipe=trial, parameters={"steps": 5}, data__synthetic=True).benchmarks
    assert ("data", None) in [(rule.name, rule.passed) for rule in one.rules]
    assert one.reportable


@pytest.mark.parametrize("name", names())
def test_a_shipped_recipe_is_one(name: str) -> None:
    found, _ = read(name)
    assert found.recipe == name
    found.check_workload(modules.workload(found.workload))
    assert not all(bound.stated_only for bound in found.metrics.values())


def test_recipes_of_one_campaign_share_a_table() -> None:
    other = Recipe.model_validate({"recipe": "o", "workload": "lstm", "metrics": {"run_seconds": {}}})
    first: Measurements = replace(measured("lstm", [(0, 8, 99.0)]), benchmark="other", recipe=other)
    full = replace(measured("lstm", [(0, 8, 99.0)]), recipe=Recipe.model_validate(OFFERED))
    found = judge([first, full])
    assert [one["first_loss"] for one in found.benchmarks] == [None, None]
    assert all(one[key] is None or one[key] >= 0 for one in found.benchmarks for _, key in found.columns)


def test_recipes_of_one_name_must_agree() -> None:
    def found(name: str, recipe: dict[str, Any]) -> Measurements:
        changes: dict[str, Any] = {"parameters": {"steps": 5}, "recipe": Recipe.model_validate(recipe)}
        return changed(measured("lstm", [(0, 8, 99.0)]), benchmark=name, **changes)

    def results(*others: dict[str, Any]) -> list[bool | None]:
        every = [found(str(number), one) for number, one in enumerate([OFFERED, *others])]
        return [one.rules[0].passed for one in judge(every).benchmarks]

    assert results(OFFERED, OFFERED | {"title": "again", "mutable": {"batch_size": 4}}) == [True] * 3
    assert results(OFFERED | {"recipe": "other", "metrics": {"loss": {}}}) == [True] * 2
    assert results(OFFERED | {"metrics": {"loss": {"at_most": 3}}}, OFFERED) == [False] * 3


def test_a_plan_names_synthetic_data() -> None:
    run = PlannedRun(workload="lstm", run_class="recipe", parameters={}, at_once=1, share_of_system=None)
    assert preflight(run) == []
    assert preflight(replace(run, synthetic_data=True)) == ["lstm will read synthetic data"]


def test_instances_that_are_replaced_break_a_recipe() -> None:
    [kept] = verdict((0, 8, 99.0)).benchmarks
    [replaced] = verdict((0, 8, 99.0), superseded__number=1).benchmarks
    results = {one.name: (one.passed, one.reason) for one in replaced.rules}
    assert {one.name: one.passed for one in kept.rules}["replaced"] is True
    assert results["replaced"] == (
        False,
        "1 instance was replaced with metrics known: that selects results",
    )
    assert not replaced.reportable


def test_a_profile_breaks_a_recipe_that_bounds_no_time() -> None:
    named = Recipe.model_validate(OFFERED | {"fixed": {}, "metrics": {"score": {"at_least": 1, "unit": "%"}}})
    [one] = verdict((0, 8, 99.0), recipe=named, work__profiled=1, times__missing=1).benchmarks
    passed = {rule.name: rule.passed for rule in one.rules}
    assert passed["slots"] is False
    assert passed["time"] is None
