"""What is common to the operators of all frameworks, with one that computes with NumPy."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from workloads.deep500.operators import arrays as made
from workloads.deep500.operators import native
from workloads.deep500.operators.catalogue import OPERATORS
from workloads.deep500.operators.windows import average_pool
from workloads.description import WorkloadError

OPERATOR = OPERATORS["average_pool"]
SIZE = OPERATOR.size("n=2,h=5,w=4,c=3,r=2,stride=1", {})


def channels_first(operator, size, inputs, slopes):
    """Average pooling of images that are stored channel by channel."""
    seen.append(inputs[0].shape)

    def pool():
        x = inputs[0].transpose(0, 2, 3, 1)
        arrays = {"x": x} | ({"d_y": slopes[0].transpose(0, 2, 3, 1)} if slopes else {})
        found = average_pool(arrays, size, ["y", "d_x"] if slopes else ["y"])
        return [one.transpose(0, 3, 1, 2) for one in found.values()]

    return pool


seen: list[tuple[int, ...]] = []


@pytest.fixture
def framework(monkeypatch):
    module = SimpleNamespace(
        LAYOUTS={"average_pool": {"x": "n c h w", "y": "n c p q"}},
        UNSUPPORTED=(NotImplementedError,),
        place=lambda array, precision: array,
        fetch=lambda array: array,
        compiled=channels_first,
    )
    monkeypatch.setattr(native, "load", lambda name: module)
    seen.clear()
    return module


@pytest.mark.parametrize("direction", ["forward", "gradient"])
def test_arrays_have_the_frameworks_order_of_axes_and_results_the_operators(framework, direction):
    arrays = made.given_arrays(OPERATOR, SIZE, direction, "float32", 1.0, np.random.default_rng(1))
    step = native.NativeStep("numpy", OPERATOR, SIZE, "float32", arrays)
    found = step.fetch(step())
    assert seen == [(2, 3, 5, 4)]
    expected = average_pool(arrays, SIZE, OPERATOR.results(direction))
    assert found.keys() == expected.keys()
    for name, one in expected.items():
        np.testing.assert_allclose(found[name], one, rtol=1e-5, atol=1e-6)


def test_what_a_framework_does_not_have_is_refused_in_words(framework):
    def compiled(operator, size, inputs, slopes):
        raise NotImplementedError('"avg_pool2d" not implemented for Half\nand a long trace')

    framework.compiled = compiled
    arrays = made.given_arrays(OPERATOR, SIZE, "forward", "float16", 1.0, np.random.default_rng(1))
    with pytest.raises(WorkloadError, match=r'numpy has no average_pool in float16 here: "avg.* for Half$'):
        native.NativeStep("numpy", OPERATOR, SIZE, "float16", arrays)
