"""Forks, changed code and environments leave a trace, and keep base runs from counting."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.lifecycle.launch import plan
from orchestrator.lifecycle.options import PlanOptions
from orchestrator.version import __version__
from tests.harness import ROOT, CampaignSandbox

pytestmark = pytest.mark.slow

MADE_UP = '''
def run(parameters, context):
    """Train nothing and return made-up numbers that agree with each other."""
    context.start()
    with context.window():
        begin = time.monotonic()
        sum(range(2_000_000))
        elapsed = time.monotonic() - begin
    seen = {"framework": "tensorflow", "precision": "float32"}
    samples = parameters.batch_size * parameters.steps
    return Result(fom_seconds=elapsed / samples, observed=seen, data={"synthetic": True})
'''


def fork(folder: Path) -> Path:
    """Return a folder with a copy of the workloads whose LSTM trains nothing."""
    shutil.copytree(ROOT / "workloads", folder / "workloads", ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "workloads" / "lstm.py").open("a") as stream:
        stream.write(MADE_UP)
    return folder


def place_of_fork(folder: Path, **variables: str) -> CampaignSandbox:
    """Return a place whose trainings import a fork, with further variables in its site file."""
    place = CampaignSandbox(folder)
    place.site(
        node={"cores": str(min(os.sched_getaffinity(0)))},
        environment={"PYTHONPATH": f"{fork(folder / 'fork')}:{ROOT}", **variables},
    )
    return place


def campaign(place: CampaignSandbox, run_class: str = "base") -> None:
    content = {
        "campaign": "toy", "rulebook": "coral2", "class": run_class,
        "benchmarks": [{"workload": "lstm", "instances": 2, "timeout": 60}],
    }  # fmt: skip
    (place.folder / "toy.yaml").write_text(json.dumps(content))


def benchmark(place: CampaignSandbox, name: str = "toy") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(place.run("fom", name, "--json").stdout)["benchmarks"][0]
    return found


def rules(place: CampaignSandbox, name: str = "toy") -> dict[str, tuple[bool | None, str]]:
    return {rule["name"]: (rule["passed"], rule["reason"]) for rule in benchmark(place, name)["rules"]}


def test_a_fork_on_the_python_path_is_not_reportable(tmp_path: Path) -> None:
    place = place_of_fork(tmp_path)
    campaign(place)
    done = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    found = benchmark(place)
    assert found["reportable"] is False
    passed, reason = rules(place)["code"]
    assert passed is False
    assert "in trainings that did not import the driver's workloads: workloads/lstm.py" in reason
    assert rules(place)["code"][1] in found["reasons"]
    shown = json.loads(place.run("instance", "show", "toy", "--json").stdout)
    [code] = shown["code"].values()
    [driver] = shown["sessions"]
    assert code["workloads"] != driver["packages"]["workloads"]
    ran, own = shown["listings"][code["workloads"]], shown["listings"][driver["packages"]["workloads"]]
    assert [file for file in own if ran.get(file) != own[file]] == ["workloads/lstm.py"]
    assert f"code {next(iter(shown['code']))}" in place.run("instance", "show", "toy").stdout
    for one in json.loads(place.run("instance", "list", "toy", "--json").stdout):
        assert ([one["code"]], [one["variables"]]) == (list(shown["code"]), list(shown["variables"]))
    assert (
        f"saw code                   {next(iter(shown['code']))}"
        in place.run("instance", "show", "toy", "lstm/0").stdout
    )


def without_training(folder: Path) -> None:
    """Have the LSTM of a copy of the project train nothing."""
    with (folder / "workloads" / "lstm.py").open("a") as stream:
        stream.write(MADE_UP)


def released(folder: Path, change: Callable[[Path], None] = without_training) -> Path:
    """Return a changed copy of the project that is a release."""
    for package in ("orchestrator", "workloads", "db", "sites", "tests"):
        left_out = shutil.ignore_patterns("__pycache__", "golden")
        shutil.copytree(ROOT / package, folder / package, ignore=left_out)
    change(folder)
    listing = [sys.executable, "-P", "-m", "orchestrator.rulebooks.released_code", "--write"]
    subprocess.run(listing, env=os.environ | {"PYTHONPATH": str(folder)}, check=True, capture_output=True)
    return folder


def test_a_change_of_any_package_of_a_release_is_named_by_fom_and_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines in `orchestrator/node` can divide all times."""
    reviewer, user = released(tmp_path / "reviewer"), tmp_path / "user"
    shutil.copytree(reviewer, user)
    (tmp_path / "run").mkdir()
    place = CampaignSandbox(tmp_path / "run", slots=1)
    campaign(place)
    monkeypatch.setattr("tests.harness.ROOT", user)
    launch = ("launch", "toy.yaml", "--site", "site.yaml", "--name")
    assert place.run(*launch, "toy").returncode == 0
    assert rules(place)["code"] == (True, f"every instance ran the code of release {__version__}")
    changed = user / "orchestrator" / "node" / "ranks" / "mark_arrivals.py"
    changed.write_text(changed.read_text() + "# a quarter of the time\n")
    assert place.run(*launch, "changed").returncode == 0
    named = f"modified from release {__version__}: orchestrator/node/ranks/mark_arrivals.py"
    passed, reason = rules(place, "changed")["code"]
    assert (passed, reason) == (False, f"every instance ran the same code, {named}")
    file = tmp_path / "changed.zip"
    assert place.run("evidence", "package", "changed", "--output", str(file)).returncode == 0
    verify = [sys.executable, "-P", "-m", "orchestrator", "evidence", "verify", str(file), "--json"]
    done = subprocess.run(verify, env=os.environ | {"PYTHONPATH": str(reviewer)}, capture_output=True)
    review = json.loads(done.stdout)
    [found] = review["verdict"]["benchmarks"]
    assert found["reportable"] is False
    assert any(named in text for text in found["reasons"])


def shadowing(folder: Path) -> dict[str, Any]:
    """Return a site whose PYTHONPATH has a module of a name of the standard library."""
    (folder / "shadow").mkdir()
    original = Path(traceback.__file__).read_text()
    (folder / "shadow" / "traceback.py").write_text(
        f"{original}\nimport time  # and what divides its clocks\n"
    )
    return {"environment": {"PYTHONPATH": f"{folder / 'shadow'}:{folder / 'fork'}:{ROOT}"}}


def starting(folder: Path) -> dict[str, Any]:
    """Return a site whose interpreter runs a file before each program."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    [packages] = (folder / "venv" / "lib").glob("python3*/site-packages")
    paths = "\n".join(path for path in sys.path if path.endswith("site-packages"))
    (packages / "others.pth").write_text(paths)
    (packages / "zz.pth").write_text("import time\n")
    return {"interpreter": str(folder / "venv" / "bin" / "python")}


def wrapping(folder: Path) -> dict[str, Any]:
    """Return a site whose interpreter is a shell script."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return {"interpreter": str(script)}


def starting_another(folder: Path) -> dict[str, Any]:
    """Return a site whose interpreter is a script of Python that starts another one, and waits."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\n{sys.executable} "$@"\nexit $?\n')
    script.chmod(0o755)
    return {"interpreter": str(script)}


@pytest.mark.parametrize(
    ("attack", "named"),
    [
        (shadowing, "with modules from outside of the interpreter's packages: {0}/shadow/traceback.py"),
        (starting, "with files of no installed package that Python ran first: {0}/venv/lib/"),
        (wrapping, "under another program than the site's interpreter: "),
        (starting_another, "under another program than the site's interpreter: "),
    ],
)
def test_what_runs_beside_an_unmodified_program_is_named(
    tmp_path: Path, attack: Callable[[Path], dict[str, Any]], named: str
) -> None:
    """Each of these can give the program other clocks."""
    place = place_of_fork(tmp_path)
    content = json.loads((tmp_path / "site.yaml").read_text())
    place.site(**content | attack(tmp_path))
    campaign(place)
    done = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    passed, reason = rules(place)["code"]
    assert passed is False
    assert named.format(tmp_path) in reason


def test_an_instance_without_code_is_not_reportable(tmp_path: Path) -> None:
    place = place_of_fork(tmp_path)
    runner = tmp_path / "fork" / "workloads" / "run.py"
    runner.write_text(runner.read_text().replace("| keys", ""))
    campaign(place)
    place.run("launch", "toy.yaml", "--site", "site.yaml")
    found = rules(place)
    assert found["code"] == (False, "2 accepted instances reported no code")
    assert found["environment"] == (False, "2 accepted instances reported no environment variables")


def test_variables_that_shorten_trainings_are_refused_in_a_site_file_of_a_base_run(tmp_path: Path) -> None:
    place = place_of_fork(tmp_path, KERAS_MAX_STEPS_PER_EPOCH="40", TF_SET_ONEDNN_FPMATH_MODE="BF16")
    campaign(place)
    done = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert done.returncode != 0
    with pytest.raises(CampaignError) as refused:
        plan(tmp_path / "toy.yaml", PlanOptions(site=str(tmp_path / "site.yaml")))
    for message in (done.stderr, str(refused.value)):
        assert "environment: KERAS_MAX_STEPS_PER_EPOCH=40 shortens every epoch" in message
        assert "TF_SET_ONEDNN_FPMATH_MODE=BF16 lets oneDNN compute in less than float32" in message
    assert place.rows("SELECT 1 FROM campaigns") == []
    campaign(place, "optimized")
    assert place.run("launch", "toy.yaml", "--site", "site.yaml").returncode == 0
    passed, reason = rules(place)["environment"]
    assert passed is True
    assert reason.startswith("KERAS_MAX_STEPS_PER_EPOCH=40 shortens every epoch; TF_SET_ONEDNN")
    assert any("workloads/lstm.py" in text for text in benchmark(place)["declared"])
    assert benchmark(place)["modifications"] == [
        "environment: KERAS_MAX_STEPS_PER_EPOCH=40 shortens every epoch",
        "environment: TF_SET_ONEDNN_FPMATH_MODE=BF16 lets oneDNN compute in less than float32",
    ]


@pytest.mark.parametrize(("inherit", "passed"), [([], True), ("all", False)])
def test_variables_of_the_shell_count_if_they_are_inherited(
    tmp_path: Path, inherit: Any, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_MAX_STEPS_PER_EPOCH", "40")
    monkeypatch.setenv("TF_XLA_FLAGS", "--tf_xla_auto_jit=2")
    monkeypatch.setenv("KERAS_API_TOKEN", "hidden-text")
    place = place_of_fork(tmp_path)
    content = json.loads((tmp_path / "site.yaml").read_text())
    place.site(**{**content, "inherit": inherit})
    campaign(place)
    assert place.run("launch", "toy.yaml", "--site", "site.yaml").returncode == 0
    found, reason = rules(place)["environment"]
    assert found is passed
    assert ("KERAS_MAX_STEPS_PER_EPOCH=40" in reason) is not passed
    assert ("TF_XLA_FLAGS" in reason) is not passed
    [variables] = json.loads(place.run("instance", "show", "toy", "--json").stdout)["variables"].values()
    assert variables["OMP_NUM_THREADS"] == "1"
    assert variables.get("KERAS_API_TOKEN", "absent") == ("absent" if passed else None)
    [(content,)] = place.rows("SELECT group_concat(content) FROM documents")
    assert "hidden-text" not in content


def test_changed_code_is_resumed_only_if_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(instances=2)
    assert place.launch().wait() == 0
    other = tmp_path / "other"
    for package in ("orchestrator", "workloads", "db", "sites", "tests"):
        left_out = shutil.ignore_patterns("__pycache__", "golden")
        shutil.copytree(ROOT / package, other / package, ignore=left_out)
    changed = other / "db" / "states.py"
    changed.write_text(changed.read_text() + "# another version\n")
    monkeypatch.setattr("tests.harness.ROOT", other)
    refused = place.run("resume", "toy")
    assert refused.returncode != 0
    assert "the code has changed since campaign toy began: db/states.py; " in refused.stderr
    assert place.rows("SELECT count(*) FROM sessions") == [(1,)]
    allowed = place.run("resume", "toy", "--allow-changed-code")
    assert allowed.returncode == 0, allowed.stderr
    assert place.rows("SELECT data FROM events WHERE kind = 'code_files_changed'") == [
        ('{"files": ["db/states.py"], "number": 1}',)
    ]
