"""Campaigns of external programs that count: the suite's own script, and another one in an optimized run."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.rulebooks.coral2.reference import originals
from tests.campaigns.test_provenance import released
from tests.harness import CampaignSandbox

pytestmark = pytest.mark.slow

SUITE = """
import argparse, time
options = argparse.ArgumentParser()
options.add_argument("--batch_size", type=int)
options.add_argument("--num_batches", type=int)
number = options.parse_args().num_batches

def run(seconds, text):
    total = 0.0
    for i in range(number + 10):
        start = time.time()
        time.sleep(seconds)
        duration = time.time() - start
        if i > 10:
            if not i % 10:
                print("now: step %d, duration = %.3f" % (i - 10, duration))
            total += duration
    print("now: %s across %d steps, %.6f +/- 0 sec / batch" % (text, number, total / number))

run(0.001, "Forward")
run(0.02, "Forward-backward")
"""
"""A script that times and prints as the suite's AlexNet does, in place of it."""
FAST = SUITE.replace("total / number", "total / number / 100")
FORM = """
name: alexnet
title: AlexNet
source: soumith/convnet-benchmarks
fom_time: batch
parameters: {batch_size: 128, steps: 100, burn_in: 10, image_size: 227, width_divisor: 1,
  framework: tensorflow, precision: float32}
command:
  arguments: ["{python}", %s, --batch_size, "{batch_size}", --num_batches, "{steps}"]
  files: [%s]
  seconds: %s
  window:
    after: ': Forward across'
    start: 'step 10, duration'
    stop: 'Forward-backward across'
    units: [89]
"""
PRINTED = "{pattern: 'Forward-backward across [0-9]+ steps, (?P<value>[0-9.]+)'}"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CampaignSandbox:
    """Return a place with a release whose suite has the script above for its AlexNet."""
    own = next(iter(originals()["alexnet"].files.values()))

    def with_script(folder: Path) -> None:
        file = folder / "orchestrator" / "rulebooks" / "coral2" / "originals.yaml"
        file.write_text(file.read_text().replace(own, hashlib.sha256(SUITE.encode()).hexdigest()))

    monkeypatch.setattr("tests.harness.ROOT", released(tmp_path / "release", with_script))
    (tmp_path / "run").mkdir()
    return CampaignSandbox(tmp_path / "run", slots=1)


def launched(place: CampaignSandbox, started: str, listed: str, seconds: str, run_class: str) -> Any:
    """Run a campaign of a script in a folder of its own, and return its benchmark's verdict."""
    name = f"{Path(started).stem}-{run_class}"
    (place.folder / name).mkdir()
    (place.folder / name / "suite.py").write_text(SUITE)
    if "fast.py" in (started, listed):
        (place.folder / name / "fast.py").write_text(FAST)
    (place.folder / name / "alexnet.yaml").write_text(FORM % (started, listed, seconds))
    benchmark = {"workload": f"{name}/alexnet.yaml", "instances": 2, "timeout": 60}
    content = {"campaign": name, "class": run_class, "benchmarks": [benchmark]}
    (place.folder / f"{name}.yaml").write_text(json.dumps(content))
    done = place.run("launch", f"{name}.yaml", "--site", "site.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    [found] = json.loads(place.run("fom", name, "--json").stdout)["benchmarks"]
    return found


def broken(found: Any) -> list[str]:
    """Return the broken rules, without the load that others put on the machine of this test."""
    rules = {rule["name"]: rule for rule in found["rules"]}
    if rules["slots"]["passed"] is False:
        assert rules["slots"]["reason"].startswith(("other processes took up to", "another campaign ran on"))
    return [name for name, rule in rules.items() if rule["passed"] is False and name != "slots"]


def test_the_suites_own_script_counts_and_another_one_does_not(place: CampaignSandbox) -> None:
    own = launched(place, "suite.py", "suite.py", PRINTED, "base")
    assert broken(own) == []
    rules = {rule["name"]: rule for rule in own["rules"]}
    assert rules["time"]["passed"] is True
    assert rules["source"]["reason"].startswith(
        "the program is an external command that runs soumith/convnet"
    )
    assert any("--num_batches {steps}" in text for text in own["declared"])
    assert any("from 'step 10, duration' to 'Forward-backward" in text for text in own["declared"])
    assert own["fom"] == pytest.approx((0.2116 / own["seconds"]) * (1 / 14_000))

    other = launched(place, "fast.py", "suite.py", PRINTED, "base")
    assert broken(other) == ["time", "source", "precision", "framework"]
    assert any("fast.py is not tensorflow/benchmark_alexnet.py of soumith" in one for one in other["reasons"])
    assert any("only of its measured window" in one for one in other["reasons"])

    chosen = launched(place, "suite.py", "suite.py", "window", "optimized")
    assert broken(chosen) == []
    assert chosen["modifications"] == ["program: an external command"]
    assert chosen["seconds"] >= 0.02

    file = place.folder / "own.zip"
    assert place.run("evidence", "package", "suite-base", "--output", str(file)).returncode == 0
    verify = [sys.executable, "-P", "-m", "orchestrator", "evidence", "verify", str(file), "--json"]
    path = os.environ | {"PYTHONPATH": str(place.folder.parent / "release")}
    done = subprocess.run(verify, env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    [found] = json.loads(done.stdout)["verdict"]["benchmarks"]
    assert broken(found) == []
