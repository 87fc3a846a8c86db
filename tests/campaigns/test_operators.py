"""A real campaign of operators in files: right ones pass, wrong ones fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness import CampaignSandbox
from tests.workloads.deep500.operators.own_files import CPP, PYTHON

pytestmark = pytest.mark.slow

WRONG_OPERATOR = PYTHON.replace('np.tanh(inputs["x"])}', 'np.tanh(inputs["x"]) + 1e-4}')
WRONG_GRADIENT = CPP.replace("+= y[i * n + j] * a", "+= 1.01f * y[i * n + j] * a")


def test_the_verdict_is_the_validation(tmp_path: Path) -> None:
    files = {"right.py": PYTHON, "wrong.py": WRONG_OPERATOR, "right.cpp": CPP, "wrong.cpp": WRONG_GRADIENT}
    for name, source in files.items():
        (tmp_path / name).write_text(source)
    place = CampaignSandbox(tmp_path)
    benchmarks = [
        {
            "recipe": "deep500-operator",
            "name": name.replace(".", "-"),
            "matrix": {"direction": ["forward", "gradient"]},
            "parameters": {
                "framework": "own",
                "implementation": name,
                "operator": "tanh" if name.endswith("py") else "matmul",
                "size": "demo-a",
                "budget_seconds": 0.02,
            },
            "timeout": 60,
        }
        for name in files
    ]
    content = {"campaign": "own", "rulebook": "recipe", "processes": "warm", "benchmarks": benchmarks}
    (tmp_path / "own.yaml").write_text(json.dumps(content))
    ended = place.run("launch", "own.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stderr
    assert place.done() == 8
    found = place.run("fom", "own", "--json")
    passed = {one["benchmark"]: one["metrics_passed"] for one in json.loads(found.stdout)["benchmarks"]}
    assert len(passed) == 8
    invalid = {name for name, number in passed.items() if not number}
    assert invalid == {
        "wrong-py[direction=forward]", "wrong-py[direction=gradient]", "wrong-cpp[direction=gradient]",
    }  # fmt: skip
    assert "wrong-cpp[direction=gradient]: error_over_bound failed: " in ended.stdout + ended.stderr
