"""A package that the trainings' Python lacks is found before anything is made or submitted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.host.interpreter import absent_packages
from orchestrator.lifecycle.checks import packages as package_checks
from orchestrator.lifecycle.checks.packages import look_for_packages
from orchestrator.lifecycle.launch import launch, plan
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions
from orchestrator.planning.plan import Plan
from orchestrator.planning.plan_facts import plan_facts

BATCH = {
    "scheduler": {"type": "slurm", "walltime": "1 h"},
    "node": {"cores": "0-3", "memory": "8 GiB"},
    "address": "127.0.0.1",
}
LSTM = {"workload": "lstm", "instances": 1, "timeout": 60}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python(folder: Path, *has: str) -> str:
    """Make a Python that has packages by these names, and no others of the trainings'."""
    packages = folder / "packages"
    for name in has:
        (packages / name).mkdir(parents=True)
        (packages / name / "__init__.py").write_text(
            "raise ImportError('nothing is imported to look for it')\n"
        )
    file = folder / "somepython"
    file.write_text(
        f'#!/bin/sh\necho asked >> {folder}/asked\nPYTHONPATH={packages} exec {sys.executable} -S "$@"\n'
    )
    file.chmod(0o755)
    return str(file)


def written(folder: Path, *benchmarks: dict[str, Any], **site: Any) -> tuple[str, str]:
    """Write a campaign and a site; return their paths."""
    campaign = {"campaign": "toy", "class": "optimized", "benchmarks": list(benchmarks)}
    (folder / "toy.yaml").write_text(json.dumps(campaign))
    (folder / "site.yaml").write_text(json.dumps({"site": "here", **site}))
    return str(folder / "toy.yaml"), str(folder / "site.yaml")


def planned_of(files: tuple[str, str]) -> Plan:
    """Return the plan of a campaign file and a site file."""
    campaign, site = files
    return plan(campaign, PlanOptions(site=site))


def missing_packages(planned: Plan) -> list[str]:
    """Return what is missing, of a Python that gave an answer."""
    found = look_for_packages(planned)
    assert found.unknown is None
    return list(found.missing)


def test_a_missing_backend_is_named_with_who_needs_it_and_how_to_get_it(place: Path) -> None:
    interpreter = python(place, "keras", "tensorflow")
    jax = LSTM | {"parameters": {"framework": "jax"}}
    torch = LSTM | {"parameters": {"framework": "torch"}}
    files = written(
        place,
        jax | {"name": "one"},
        LSTM,
        jax | {"name": "two"},
        torch | {"name": "three"},
        interpreter=interpreter,
    )
    assert missing_packages(planned_of(files)) == [
        f"benchmarks one, two: jax is not installed for {interpreter}; in the project's folder: "
        f"{interpreter} -m pip install '.[jax]'",
        f"benchmark three: torch is not installed for {interpreter}; in the project's folder: "
        f"{interpreter} -m pip install '.[torch]'",
    ]
    assert (place / "asked").read_text() == "asked\n"  # once


def test_horovod_is_needed_by_several_ranks_only(place: Path) -> None:
    interpreter = python(place, "keras", "tensorflow")
    resnet50 = {"workload": "resnet50", "instances": 1, "timeout": 60}
    assert missing_packages(planned_of(written(place, resnet50, interpreter=interpreter))) == []
    cores = {"cores": "0-1"} | {"memory": "4 GiB"}
    site = BATCH | {"node": cores, "interpreter": interpreter}
    [line] = missing_packages(planned_of(written(place, resnet50 | {"slot": {"ranks": 2}}, **site)))
    assert line.startswith("benchmark resnet50: horovod is not installed")
    assert line.endswith(f"uv pip install --python {interpreter} '.[cpu,horovod]'")


def test_keras_alone_is_missed_by_its_name(place: Path) -> None:
    [line] = missing_packages(planned_of(written(place, LSTM, interpreter=python(place, "tensorflow"))))
    assert line.startswith("benchmark lstm: keras is not installed")
    assert line.endswith("-m pip install '.[cpu]'")


def test_a_launch_is_refused_before_anything_is_made(place: Path) -> None:
    files = written(place, LSTM, interpreter=python(place))
    with pytest.raises(CampaignError, match=r"^benchmark lstm: tensorflow is not installed for [^\n]*$"):
        launch(files[0], LaunchOptions(site=files[1], ledger=f"sqlite:///{place}/ledger.sqlite"))
    assert {file.name for file in place.iterdir()} == {"toy.yaml", "site.yaml", "somepython", "asked"}


def test_a_plan_tells_it_and_goes_on(place: Path) -> None:
    written(place, LSTM, interpreter=python(place))
    shown = CliRunner().invoke(app, ["plan", "toy.yaml", "--site", "site.yaml"])
    assert shown.exit_code == 0
    assert "Packages are missing for the trainings:\n  benchmark lstm: tensorflow is not" in shown.stdout
    told = CliRunner().invoke(app, ["plan", "toy.yaml", "--site", "site.yaml", "--json"])
    [line] = json.loads(told.stdout)["missing_packages"]
    assert line in shown.stdout


def test_nothing_is_asked_where_no_framework_is_needed(place: Path) -> None:
    toy = {"workload": "tests.toys.behave", "instances": 1, "timeout": 60}
    assert missing_packages(planned_of(written(place, toy, interpreter=python(place)))) == []
    assert not (place / "asked").exists()


def test_a_batch_sites_python_that_is_not_here_is_not_asked(place: Path) -> None:
    files = written(place, LSTM, **BATCH, interpreter="/no/such/python")
    assert missing_packages(planned_of(files)) == []


def test_a_batch_sites_python_that_is_here_is_asked(place: Path) -> None:
    files = written(place, LSTM, **BATCH, interpreter=python(place))
    with pytest.raises(CampaignError, match="tensorflow is not installed"):
        package_checks.check_packages(planned_of(files))


def test_what_a_blocks_setup_may_bring_is_told_and_not_refused(
    place: Path, info_log: pytest.LogCaptureFixture
) -> None:
    scheduler = BATCH["scheduler"] | {"prologue": ["module load tensorflow"]}  # type: ignore[operator]
    files = written(place, LSTM, **BATCH | {"scheduler": scheduler}, interpreter=python(place))
    package_checks.check_packages(planned_of(files))
    [line] = info_log.messages
    assert "tensorflow is not installed" in line
    assert "unless the site's setup lines bring it" in line


@pytest.mark.parametrize("answer", ["exit 3", "echo no JSON", "echo 3", "true"])
def test_a_python_that_gives_no_answer(answer: str, tmp_path: Path) -> None:
    file = tmp_path / "python"
    file.write_text(f"#!/bin/sh\n{answer}\n")
    file.chmod(0o755)
    assert absent_packages(str(file), ["keras"], {}) is None


def test_that_it_gave_no_answer_is_told(place: Path, info_log: pytest.LogCaptureFixture) -> None:
    interpreter = place / "nopython"
    interpreter.write_text("#!/bin/sh\nexit 1\n")
    interpreter.chmod(0o755)
    files = written(place, LSTM, interpreter=str(interpreter))
    line = (
        f"{interpreter} was asked for keras, tensorflow, and gave no answer; "
        "`orchestrator site check` looks closer"
    )
    with pytest.raises(CampaignError, match="gave no answer"):
        package_checks.check_packages(planned_of(files))
    elsewhere = written(place, LSTM, **BATCH, interpreter=str(interpreter))
    package_checks.check_packages(planned_of(elsewhere))
    assert info_log.messages == [line]
    files = written(place, LSTM, interpreter=str(interpreter))
    shown = CliRunner().invoke(app, ["plan", "toy.yaml", "--site", "site.yaml"])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[-1] == line
    assert "Packages are missing" not in shown.stdout
    told = CliRunner().invoke(app, ["plan", "toy.yaml", "--site", "site.yaml", "--json"])
    facts = json.loads(told.stdout)
    assert (facts["missing_packages"], facts["unknown_packages"]) == ([], line)


def test_a_folder_of_that_name_is_no_package(place: Path) -> None:
    (place / "keras").mkdir()
    assert absent_packages(python(place), ["keras"], {"PATH": "/usr/bin:/bin"}) == {"keras"}


def test_a_sites_variables_count(place: Path) -> None:
    brought = place / "brought"
    for name in ("keras", "tensorflow"):
        (brought / name).mkdir(parents=True)
        (brought / name / "__init__.py").touch()
    bare = place / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    files = written(place, LSTM, interpreter=str(bare), environment={"PYTHONPATH": str(brought)})
    assert missing_packages(planned_of(files)) == []


def test_an_optional_benchmark_is_left_out_where_a_package_is_missing(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    interpreter = python(place, "keras", "tensorflow")
    optional = LSTM | {"name": "one", "parameters": {"framework": "jax"}, "optional": True}
    planned = planned_of(written(place, optional, LSTM | {"instances": 3}, interpreter=interpreter))
    reduced = package_checks.check_packages(planned)
    install = f"{interpreter} -m pip install '.[jax]'"
    why = f"jax is not installed for {interpreter}; in the project's folder: {install}"
    assert caplog.messages == [f"benchmark one is optional and left out: {why}"]
    assert reduced.left_out == {"one": why}
    assert [(one.name, one.first_instance) for one in reduced.benchmarks] == [("lstm", 0)]
    assert [one.instance_id for one in reduced.instances()] == [0, 1, 2]
    assert plan_facts(reduced)["left_out"] == {"one": why}
    shown = CliRunner().invoke(app, ["plan", "toy.yaml", "--site", "site.yaml"]).stdout
    assert f"These optional benchmarks are left out:\n  one: {why}" in shown
    simulated = ["--simulate", "--runs", "1", "--set", "lstm.expected_runtime=9s"]
    shown = CliRunner().invoke(app, ["plan", "toy.yaml", "--site", "site.yaml", *simulated]).stdout
    assert "complete: 3 of 3 instances" in shown
    assert f"These optional benchmarks are left out:\n  one: {why}" in shown


def test_a_campaign_of_optional_benchmarks_alone_needs_one_that_can_run(place: Path) -> None:
    interpreter = python(place, "keras", "tensorflow")
    optional = LSTM | {"name": "one", "parameters": {"framework": "jax"}, "optional": True}
    planned = planned_of(written(place, optional, interpreter=interpreter))
    with pytest.raises(CampaignError, match="benchmark one: jax is not installed"):
        package_checks.check_packages(planned)


def test_the_demo_runs_without_horovod_and_leaves_resnet50_out(place: Path) -> None:
    (place / "site.yaml").write_text(
        json.dumps({"site": "here", "interpreter": python(place, "keras", "tensorflow")})
    )
    reduced = package_checks.check_packages(planned_of(("demo", "site.yaml")))
    assert list(reduced.left_out) == ["resnet50"]
    assert "uv pip install" in reduced.left_out["resnet50"]
    assert [one.name for one in reduced.benchmarks] == [
        "p1b1", "p3b1", "lstm", "alexnet", "googlenet", "overfeat", "vgg"
    ]  # fmt: skip
