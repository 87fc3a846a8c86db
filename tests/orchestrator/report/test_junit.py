"""JUnit XML of verdicts and comparisons, read back by a public reader."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result
from ruamel.yaml import YAML
from typer.testing import CliRunner

from db.reader import Reader
from db.states import InstanceState, RunOutcome
from orchestrator.analysis.base.statistics import Estimate
from orchestrator.analysis.comparison.campaigns import Change, Comparison, Times
from orchestrator.cli import app
from orchestrator.report.junit import Case, JUnit, Suite, comparison_cases, verdict_cases
from orchestrator.review.dossier import Dossier
from orchestrator.simulation.fault_model import FaultModel
from tests.orchestrator.cli.command_line import strict
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.readmes.pages import PAGES, SITE
from tests.requirements import needs

PAGE = f"{SITE}operate/results-for-other-programs.md"
OUTCOMES = {"failure", "error", "skipped"}


def run(*words: str) -> Result:
    return CliRunner().invoke(app, [*words])


def opened(text: str) -> dict[str, dict[str, Any]]:
    """Return the cases of each suite by name, as junitparser reads them."""
    needs("junitparser")
    import junitparser

    return {
        suite.name: {case.name: case for case in suite}
        for suite in junitparser.JUnitXml.fromstring(text.encode())
    }


def assert_valid(text: str) -> None:
    """Check what GitLab's parser and the schema of Jenkins' xUnit plugin demand."""
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    assert root.attrib.keys() <= {"name", "time", "tests", "failures", "errors"}
    for suite in root:
        assert suite.tag == "testsuite"
        assert {"name", "tests", "failures", "errors"} <= suite.attrib.keys()
        assert re.fullmatch(r"\d+\.\d{3}", suite.attrib["time"])
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases)
        for outcome, count in {"failure": "failures", "error": "errors", "skipped": "skipped"}.items():
            assert int(suite.attrib[count]) == len(suite.findall(f"testcase/{outcome}"))
        assert {one.tag for one in suite} <= {"properties", "testcase"}
        names = [(case.attrib["classname"], case.attrib["name"]) for case in cases]
        assert len(set(names)) == len(names)  # GitLab compares branches by them
        for case in cases:
            assert case.attrib.keys() == {"name", "classname", "time"}
            assert case.attrib["classname"].count(".") == 1
            assert {one.tag for one in case} <= OUTCOMES | {"system-out"}
            assert len({one.tag for one in case} & OUTCOMES) <= 1


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Ledgers with a campaign some of whose instances are out of retries, by rulebook."""
    made = tmp_path_factory.mktemp("simulated")
    for rulebook in ("coral2", "none"):
        plan = made_plan(
            {"name": "first", "instances": 40}, {"name": "second", "instances": 8},
            slots=4, rulebook=rulebook, retries={"benchmark": 0, "infrastructure": 0},
        )  # fmt: skip
        toy = SimulatedCampaign(made / rulebook, plan, FaultModel(seed=3, failures=0.2))
        assert toy.run() is RunOutcome.EXHAUSTED
        toy.close()
    return {rulebook: str(made / rulebook / "ledger.sqlite") for rulebook in ("coral2", "none")}


def test_rules_benchmarks_and_instances_are_test_cases(ledgers: dict[str, str]) -> None:
    with Reader(ledgers["coral2"]) as reader:
        dossier = Dossier.read(reader, [reader.campaign("toy")], reviews=False)
        text = verdict_cases(reader, dossier).xml()
        frame = reader.instances("toy", InstanceState.EXHAUSTED)
    assert_valid(text)
    suites = opened(text)
    assert list(suites) == ["toy", "first", "second"]
    [failed] = suites["toy"]["figure of merit"].result
    assert dossier.verdict.reasons[0] in failed.message
    for one in dossier.verdict.benchmarks:
        cases = suites[one.benchmark]
        assert cases["reportable"].is_failure
        for rule in one.rules:
            case = cases[f"rule {rule.name}"]
            assert (case.is_passed, case.is_failure, case.is_skipped) == (
                rule.passed is True, rule.passed is False, rule.passed is None,
            )  # fmt: skip
            assert rule.reason in (case.system_out if case.is_passed else case.result[0].message)
        exhausted = {
            f"instance {number}" for number in frame[frame.benchmark == one.benchmark].benchmark_index
        }
        assert exhausted == {name for name, case in cases.items() if case.is_error}
    assert len(frame) > 5
    number = frame.benchmark_index.iloc[0]
    assert "out of retries after 1 attempt: " in suites["first"][f"instance {number}"].result[0].message


def test_a_campaign_without_figures_skips_its_benchmarks(
    ledgers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("report", "toy", "--format", "junit", "--ledger", ledgers["none"])
    facts = strict(run(*words, "--json").stdout)
    text = (tmp_path / "toy.xml").read_text()
    assert (facts["file"], facts["preview"], facts["figures"]) == ("toy.xml", None, [])
    assert_valid(text)
    suites = opened(text)
    assert suites["first"]["reportable"].is_skipped
    assert suites["toy"]["figure of merit"].is_skipped
    cases = [case for suite in suites.values() for case in suite.values()]
    assert f"{len(cases)} test cases" in facts["verdict"]
    assert f"{sum(case.is_error for case in cases)} errors" in facts["verdict"]
    assert run(*words, "--output", "-").stdout == text
    assert run(*words, "--figures", "x").exit_code == 2


def test_each_benchmark_of_a_comparison_is_a_test_case() -> None:
    def found(name: str, ratio: float, low: float) -> Change:
        return Change("new", name, Estimate(ratio, low, ratio + 0.1), Estimate(1.0, None, None), 0.5, None)

    one = Estimate(1.0, None, None)
    times = Times("old", "a.b", "s", 5, one, 1.0, 1.0, one, None)  # type: ignore[arg-type]
    changes = (found("a.b", 1.2, 1.1), found("even", 1.01, 0.9), found("unsure", 1.2, 0.9))
    made = comparison_cases(
        Comparison("old", None, (times,), changes, {"new": ("gone",)}, {}, {"new": None}), 0.03
    )
    assert_valid(made.xml())
    assert str(made) == "4 test cases, 2 passed, 2 failures, 0 errors, 0 skipped"
    [cases] = opened(made.xml()).values()
    assert (
        cases["a.b"].result[0].message
        == "the median is 1.2 (1.1 to 1.3) times the baseline's, more than 1.03"
    )
    assert cases["gone"].is_failure
    assert cases["even"].is_passed
    assert cases["unsure"].is_passed


def test_odd_texts_are_escaped() -> None:
    odd = "<b>&\"' \x00\x1b\ud800 時間"
    made = JUnit(odd, [Suite(odd, "a", [Case(odd, "error", odd, [odd, odd])], [(odd, odd)])])
    assert_valid(made.xml())
    [case] = next(iter(opened(made.xml()).values())).values()
    shown = "<b>&\"' \\x00\\x1b\\ud800 時間"
    assert (case.name, case.result[0].message, case.system_out) == (shown, shown, f"{shown}\n{shown}")


def test_the_pipelines_of_the_page_are_files_of_gitlab_and_github() -> None:
    gitlab, github = (
        YAML(typ="safe", pure=True).load(text)
        for text in re.findall(r"^```yaml\n(.*?)^```", PAGES[PAGE], re.MULTILINE | re.DOTALL)
    )
    job = gitlab["weekly"]
    assert job["stage"] in gitlab["stages"]
    written = set(job["artifacts"]["reports"]["junit"])
    assert written <= set(job["artifacts"]["paths"])
    lines = [*job["script"], *job["after_script"]]
    assert written == {name for line in lines for name in re.findall(r"\S+\.xml", line)}
    steps = github["jobs"]["weekly"]["steps"]
    assert all(("run" in step) != ("uses" in step) for step in steps)
    commands = [step["run"] for step in steps if "run" in step]
    assert [line.replace('"', "") for line in commands] == [line for line in lines if "html" not in line]
