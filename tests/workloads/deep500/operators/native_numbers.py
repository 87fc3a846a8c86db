"""Measure every operator of a framework.

`main` prints a JSON line for each point: its parameters, and its metrics.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.workloads.conftest import run_here
from workloads.deep500.operators.sizes import SIZES

HALVES = ("conv2d", "matmul", "attention")
"""Operators that are measured in float16 too."""


def points() -> Iterator[dict[str, object]]:
    for operator, sizes in SIZES.items():
        # The last is the one with stride and padding, where there is one.
        size = [name for name in sizes if name.startswith("demo")][-1]
        for precision in ("float32", "bfloat16", *(["float16"] if operator in HALVES else [])):
            yield {"operator": operator, "size": size, "precision": precision, "direction": "gradient"}
    yield {"operator": "lstm_cell", "size": "demo-a", "direction": "forward"}
    # Products of 128 terms as large as 90,000 are beyond the largest number of float16, 65,504.
    yield {"operator": "matmul", "size": "demo-c", "precision": "float16", "input_scale": 300.0}


def main(framework: str) -> None:
    for point in points():
        done = run_here("deep500_operator", {**point, "framework": framework, "budget_seconds": 0.0})
        metrics = {one.name: one.value for one in (*done.result.metrics, *done.measured)}
        print(json.dumps({"point": point, "metrics": metrics, "observed": done.result.observed["framework"]}))
