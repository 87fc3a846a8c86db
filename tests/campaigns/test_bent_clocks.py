"""Trainings that say they took less time than they did: their supervisors saw otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ROOT, CampaignSandbox

pytestmark = pytest.mark.slow

SLOW_CLOCK = """
import sys, time
if "workloads.run" in sys.orig_argv:
    true = time.monotonic_ns, time.time_ns
    since = true[0](), true[1]()
    time.monotonic_ns = lambda: since[0] + (true[0]() - since[0]) // 4
    time.time_ns = lambda: since[1] + (true[1]() - since[1]) // 4
"""
"""A module that Python imports when it starts; clocks go at a quarter of their speed."""
LATE_MARKS = """
import json, sys
if "workloads.run" in sys.orig_argv:
    dumps = json.dumps
    def shifted(message, **options):
        if dict(message).get("mark") == "run_start":
            message = {**message, "at_us": message["at_us"] + 4_000_000}
        return dumps(message, **options)
    json.dumps = shifted
"""


SECOND_STOP = """
import os, sys
if "workloads.run" in sys.orig_argv:
    write = os.write
    def twice(descriptor, line):
        if b'{"mark": "run_stop"' in line:
            write(descriptor, line)
        return write(descriptor, line)
    os.write = twice
"""


def on_the_path(folder: Path, module: str) -> dict[str, Any]:
    """Return a site whose PYTHONPATH has a module that Python imports when it starts."""
    (folder / "first").mkdir()
    (folder / "first" / "sitecustomize.py").write_text(module)
    return {"environment": {"PYTHONPATH": f"{folder / 'first'}:{ROOT}"}}


def in_the_packages(folder: Path, module: str) -> dict[str, Any]:
    """Return a site whose interpreter has a `.pth` file that imports a module."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    [packages] = (folder / "venv" / "lib").glob("python3*/site-packages")
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))
    (packages / "bent.py").write_text(module)
    (packages / "zz.pth").write_text("import bent\n")
    return {
        "interpreter": str(folder / "venv" / "bin" / "python"),
        "environment": {"PYTHONPATH": str(ROOT)},
    }


def in_a_script(folder: Path, module: str) -> dict[str, Any]:
    """Return a site whose interpreter is a shell script that runs a module before each program."""
    found = on_the_path(folder, module)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={folder / "first"}:{ROOT} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return found | {"interpreter": str(script), "environment": {"PYTHONPATH": str(ROOT)}}


Way = Callable[[Path, str], dict[str, Any]]


def marks_rule(
    folder: Path, module: str = "", way: Way = on_the_path, **parameters: float
) -> tuple[bool | None, str]:
    """Run two instances with a module that Python imports first; return the rule about their marks."""
    place = CampaignSandbox(folder)
    core = str(min(os.sched_getaffinity(0)))
    place.site(node={"cores": core}, **way(folder, module))
    benchmark = {
        "workload": "tests.toys.busy", "instances": 2, "timeout": 120, "parameters": parameters,
    }  # fmt: skip
    content = {"campaign": "toy", "rulebook": "none", "benchmarks": [benchmark]}
    (folder / "toy.yaml").write_text(json.dumps(content))
    done = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"][0]
    [rule] = [one for one in found["rules"] if one["name"] == "marks"]
    return rule["passed"], rule["reason"]


def test_an_honest_training_passes(tmp_path: Path) -> None:
    passed, reason = marks_rule(tmp_path, cpu_seconds=0.5)
    assert passed is True
    assert reason.startswith("every mark arrived within 0.")


@pytest.mark.parametrize("way", [on_the_path, in_the_packages, in_a_script])
def test_a_slow_clock_of_a_training_is_seen_by_its_supervisor(tmp_path: Path, way: Way) -> None:
    passed, reason = marks_rule(tmp_path, SLOW_CLOCK, way)
    assert passed is False
    assert "s after its date, allowed is 1 s" in reason


def test_marks_that_are_shifted_on_their_way_are_seen(tmp_path: Path) -> None:
    passed, reason = marks_rule(tmp_path, LATE_MARKS)
    assert passed is False
    assert "before its date, allowed is 0.1 s" in reason


def test_a_mark_that_is_reported_twice_is_seen(tmp_path: Path) -> None:
    passed, reason = marks_rule(tmp_path, SECOND_STOP)
    assert passed is False
    assert reason == "beside the reports of a training its supervisor got a second run_stop"


def test_a_training_that_goes_on_after_it_says_that_it_has_stopped(tmp_path: Path) -> None:
    passed, reason = marks_rule(tmp_path, cpu_seconds=17.0, said_seconds=1.0)
    assert passed is False
    assert "s of CPU time after its run had stopped, allowed are 15 s" in reason


def test_a_short_training_that_says_too_early_that_it_has_stopped_is_declared(tmp_path: Path) -> None:
    """Less than what is allowed after the stop, and more than the whole run."""
    passed, reason = marks_rule(tmp_path, cpu_seconds=4.0, said_seconds=1.0)
    assert passed is True
    assert "s of CPU time after its run had stopped; the shortest took " in reason
