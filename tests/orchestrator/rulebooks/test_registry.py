"""Rulebooks by name, from this project and from installed packages."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from orchestrator.rulebooks import registry
from orchestrator.rulebooks.coral2.rulebook import NAME
from workloads import plugins

ROOT = Path(__file__).parents[3]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """Return the list of entry points that other packages have installed."""
    found: list[EntryPoint] = []
    monkeypatch.setattr(plugins, "offered", lambda group: EntryPoints(found).select(group=group))
    return found


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, registry.GROUP)


def test_a_checkout_that_is_not_installed_has_its_own_rulebooks(installed: list[EntryPoint]) -> None:
    assert registry.names() == ("coral2", "hpcai500", "mlperf_hpc", "none", "recipe")
    for name in registry.names():
        assert name == registry.load(name).name


def test_the_projects_entry_points_are_its_own_table() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][registry.GROUP] == registry._BUILT_IN


def test_the_nearest_name_is_suggested(installed: list[EntryPoint]) -> None:
    with pytest.raises(ValueError, match="no rulebook 'coral-2'; did you mean coral2"):
        registry.load("coral-2")
    with pytest.raises(ValueError, match=r"no rulebook 'xyz'; installed: coral2, .*, none, recipe"):
        registry.load("xyz")


@pytest.mark.parametrize(
    ("name", "workloads", "hint"),
    [
        ("coral2", ["mine", "p1b1"], ""),
        ("none", ["mine"], ""),
        ("recipe", ["mine"], ""),
        ("coral2", ["mine"], "`rulebook: none`, for counts, times and throughput"),
        ("mlperf_hpc", ["lstm"], "times and throughput, or `rulebook: coral2`, whose suite has lstm"),
    ],
)
def test_a_suite_without_any_of_a_campaigns_workloads_is_a_misfit(
    name: str, workloads: list[str], hint: str
) -> None:
    found = registry.misfit(name, workloads)
    assert found.endswith(hint)
    assert bool(found) is bool(hint)


def test_an_installed_package_adds_a_rulebook(installed: list[EntryPoint]) -> None:
    installed.append(entry("theirs", "orchestrator.rulebooks.coral2.rulebook:RULEBOOK"))
    assert "theirs" in registry.names()
    assert registry.load("theirs").name == NAME


def test_an_installed_package_cannot_take_over_a_name(installed: list[EntryPoint]) -> None:
    installed.append(entry("none", "orchestrator.rulebooks.coral2.rulebook:RULEBOOK"))
    assert registry.names().count("none") == 1
    assert registry.load("none").name == "none"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no_such_module", "cannot be loaded: ModuleNotFoundError"),
        ("orchestrator.rulebooks.means:no_such_name", "cannot be loaded: AttributeError"),
        ("orchestrator.rulebooks.means", "its entry point names a module, not a Rulebook"),
    ],
)
def test_a_rulebook_that_cannot_be_used_says_why(installed: list[EntryPoint], value: str, said: str) -> None:
    installed.append(entry("theirs", value))
    with pytest.raises(ValueError, match=said):
        registry.load("theirs")


def test_the_class_of_a_campaign_is_the_rulebooks() -> None:
    book = registry.load("coral2")
    assert registry.run_class_of(book, "") == "base"
    assert registry.run_class_of(book, "optimized") == "optimized"
    with pytest.raises(
        ValueError, match="has 'base' or 'optimized', not 'optimised'; did you mean optimized"
    ):
        registry.run_class_of(book, "optimised")
