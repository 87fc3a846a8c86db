"""External commands: two scripts that are not ours, and what a command is given."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.catalog import registry
from tests.workloads.external.files import SCORE, description, go, result, write
from tests.workloads.orders import ROOT, send
from workloads.description import WorkloadError, broken_rules

TOYS = ROOT / "tests" / "toys" / "external"


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


def test_a_script_that_prints() -> None:
    report = send("tests/toys/external/old_keras.yaml", {"epochs": 4}, seed=3)
    found = result(report)
    assert report.marks == ["ready", "run_start", "run_stop"]
    start, stop = (line["at_us"] for line in report.lines[1:3])
    assert found["fom_seconds"] == pytest.approx((stop - start) / 1e6)
    assert 0.93 < found["accuracy"] < 0.9375  # of the fourth epoch, the last
    metrics = {one["name"]: one for one in found["metrics"]}
    assert metrics["val_loss"]["value"] == pytest.approx(1 - found["accuracy"], abs=1e-5)
    assert metrics["script_time"]["unit"] == "s"
    assert 0 < metrics["script_time"]["value"] < found["fom_seconds"]
    seen = found["seen"]
    assert seen["framework"] == "external"
    own = seen["external"]
    assert own["command"] == [
        sys.executable, "old_keras.py", "--epochs", "4", "--rng_seed", "3", "--quiet"
    ]  # fmt: skip
    assert own["directory"] == str(TOYS)
    assert own["lines"]["accuracy"].startswith("Test correlation: 0.93")
    (absent,) = own["absent_metrics"]
    assert absent.startswith("metrics.never: no line of the output matches 'never printed")
    assert "never" not in metrics
    # Its output is passed on byte by byte, as it was.
    assert "\b\r10/10 [==========]" in report.stdout.replace("\n", "\r")
    assert report.stderr == "Using TensorFlow backend.\n"


def test_a_script_that_writes_json(tmp_path: Path) -> None:
    found = result(send("tests/toys/external/modern.yaml", {"steps": 10}))
    assert found["accuracy"] == pytest.approx(1 - 0.9**10)
    metrics = {one["name"]: one["value"] for one in found["metrics"]}
    assert metrics["loss"] == pytest.approx(0.9**20)
    assert 0 < metrics["last_batch"] < 1
    assert 0 < found["fom_seconds"] < found["phases"]["command"]  # per batch, told by the script
    assert found["seen"]["seconds_from"] == "key timing.mean of JSON file result.json"
    assert not Path(found["seen"]["external"]["directory"]).exists()  # the scratch directory
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_file_is_described_like_any_workload() -> None:
    workload = registry.describe("tests/toys/external/old_keras.yaml")
    assert (workload.name, workload.entry) == ("old-keras", "workloads.external:run")
    assert str(workload.own_target) == "correlation >= 0.5"
    assert workload.resolve({"epochs": 5}) == {"epochs": 5, "flag": "--quiet"}
    short = broken_rules(workload.own_rules, workload.resolve({"epochs": 1}))
    assert short == ["epochs is 1, rules say at least 3"]
    json.dumps(workload.to_dict())
    with pytest.raises(WorkloadError, match="has no parameter 'epoch'; did you mean epochs"):
        workload.resolve({"epoch": 5})


def test_the_training_process_needs_neither_a_framework_nor_a_yaml_library() -> None:
    program = (
        "import sys, workloads.run, workloads.external\n"
        "heavy = ('tensorflow', 'keras', 'numpy', 'pydantic', 'ruamel.yaml', 'yaml')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_original_data_may_be_read(tmp_path: Path) -> None:
    content = description("import sys; print(sys.argv[1])", data="p1b1", accuracy=SCORE)
    content["command"]["arguments"].append("score 1 {data}")
    file = write(tmp_path, content)
    data = registry.describe("p1b1").data
    assert data is not None
    # Its parameters are not those of the workload whose data it reads.
    assert registry.describe(file).data == replace(data, checks_parameters=False)
    assert send(file).last["error"]["kind"] == "data"  # no directory given
    (tmp_path / "SYNTHETIC.json").write_text("")
    found = result(send(file, data=str(tmp_path)))
    assert found["seen"]["external"]["command"][-1] == f"score 1 {tmp_path}"
    assert found["data"] == {"synthetic": True}
    (tmp_path / "SYNTHETIC.json").unlink()
    assert result(send(file, data=str(tmp_path)))["data"] == {}  # what it read only the script knows


def test_every_field_is_filled(tmp_path: Path) -> None:
    program = "import sys, os; print('score 1'); print(sys.argv[1:], os.getcwd(), os.listdir(sys.argv[-1]))"
    content = description(program, parameters={"rate": 0.1, "on": True, "word": "a b"}, accuracy=SCORE)
    fields = ["{rate}|{on}|{word}", "{seed}", "{cores}", "{core_list}", "{folder}", "{{seed}}", "{output}"]
    content["command"]["arguments"] += fields
    report = send(write(tmp_path, content), seed=9, cores=[4, 7])
    *given, output = result(report)["seen"]["external"]["command"][3:]
    assert given == ["0.1|True|a b", "9", "2", "4,7", str(tmp_path), "{seed}"]
    assert f"{[*given, output]} {tmp_path} []" in report.stdout  # a fresh, empty directory
    assert not Path(output).exists()


def test_the_environment_is_set_unset_and_never_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONE", "1")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # the supervisor sets it, for our own sake
    program = (
        "import os, hashlib; e = os.environ\n"
        "print('score', len(e['TOKEN']), 'GONE' in e, 'PYTHONSAFEPATH' in e, e['OMP_NUM_THREADS'])"
    )
    environment = {"TOKEN": "s3cret-{seed}", "GONE": None}
    report = go(tmp_path, program, environment=environment, accuracy=SCORE)
    assert report.stdout == "score 8 False False 1\n"
    assert "s3cret" not in json.dumps(report.lines) + report.stderr
    failed = go(tmp_path, "raise SystemExit(4)", environment=environment)
    assert "s3cret" not in json.dumps(failed.lines) + failed.stderr


def test_a_script_may_import_what_lies_beside_it_wherever_it_is_started(tmp_path: Path) -> None:
    for name in ("old_keras.py", "old_keras_lib.py", "old_keras.yaml"):
        shutil.copy(TOYS / name, tmp_path)
    assert result(send(str(tmp_path / "old_keras.yaml")))["accuracy"] > 0.8


def test_no_shell_ever_sees_an_argument(tmp_path: Path) -> None:
    content = description("import sys; print('score 1', sys.argv[1])", parameters={"word": "$(id) `id`; *"})
    content["command"]["arguments"].append("{word}")
    assert send(write(tmp_path, content)).stdout == "score 1 $(id) `id`; *\n"


def test_it_stays_in_the_runners_process_group_without_the_report_descriptor(tmp_path: Path) -> None:
    program = (
        "import os, stat; print('score', int(os.getpgid(0) == os.getpgid(os.getppid())),"
        "sum(os.path.exists(f'/proc/self/fd/{n}') for n in range(3, 64)), os.read(0, 1))"
    )
    assert go(tmp_path, program, accuracy=SCORE).stdout == "score 1 0 b''\n"
