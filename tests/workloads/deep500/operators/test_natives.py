from __future__ import annotations

import json

import pytest

from tests.requirements import needs
from tests.workloads.orders import call
from workloads.runtime import backends

pytestmark = pytest.mark.slow  # three processes that import a framework each
FILTER = "conv2d"
"""On cores TensorFlow's gradient by a filter of 16 bits is up to four tolerances away."""


@pytest.fixture(scope="module", params=backends.NAMES)
def framework(request):
    needs(request.param)
    return request.param


@pytest.fixture(scope="module")
def measured(framework):
    printed = call("tests.workloads.deep500.operators.native_numbers:main", framework, framework=framework)
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def test_every_operator_is_within_its_tolerance(measured, framework):
    checked = 0
    for one in measured:
        point = one["point"]
        if "input_scale" in point:
            continue
        half_filter = (
            framework == "tensorflow" and point["operator"] == FILTER and point["precision"] != "float32"
        )
        assert one["metrics"]["error_over_bound"] <= (10 if half_filter else 1), one
        assert one["metrics"]["compared_share"] == 1
        assert one["metrics"]["wallclock_seconds"] > 0
        assert one["metrics"]["compile_seconds"] > 0
        assert one["observed"] == framework
        checked += 1
    assert checked >= 27


def test_a_float16_overflow_is_invalid(measured):
    (one,) = [one["metrics"] for one in measured if "input_scale" in one["point"]]
    assert one["error_over_bound"] == 1e300
    assert 0 < one["nonfinite_outputs"] <= 128 * 128
