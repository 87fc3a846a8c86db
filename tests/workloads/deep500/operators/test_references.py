from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.deep500.operators import loops
from workloads.deep500.operators import arrays as made
from workloads.deep500.operators.catalogue import OPERATORS
from workloads.deep500.rounding import rounded
from workloads.description import WorkloadError

SMALL = st.integers(1, 4)
EACH = pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
TINY = {
    "conv2d": "n=2,h=5,w=4,c=2,k=3,r=3,s=2,stride=2,pad=1",
    "matmul": "m=2,n=3,k=4",
    "batch_norm": "n=3,h=2,w=1,c=2",
    "max_pool": "n=2,h=5,w=4,c=2,r=3,s=2,stride=2,pad=0",
    "average_pool": "n=2,h=5,w=4,c=2,r=3,s=2,stride=1",
    "softmax": "n=3,c=4",
    "lstm_cell": "n=2,d=3,u=2",
    "attention": "b=2,a=1,t=3,s=2,e=2",
    **dict.fromkeys(("add", "relu", "gelu", "tanh"), "n=7"),
}


def reference(operator, arrays, size, wanted=None):
    direction = "gradient" if len(arrays) > len(operator.inputs) else "forward"
    return operator.reference(arrays, size, wanted or operator.results(direction))


def random_arrays(operator, size, direction, seed=1):
    random = np.random.default_rng(seed)
    singles = made.given_arrays(operator, size, direction, "float32", 1.0, random)
    return {name: one.astype(float) for name, one in singles.items()}


@st.composite
def problems(draw, operator):
    """Draw a small size that has an output, and arrays for it."""
    names = [name for name in operator.dimensions if name != "pad"]
    text = ",".join(f"{name}={draw(SMALL)}" for name in names)
    if "pad" in operator.dimensions and draw(st.booleans()):
        text += ",pad=1"
    try:
        size = operator.size(text, {})
    except WorkloadError:
        size = operator.size(TINY[operator.name], {})
    return size, random_arrays(operator, size, "forward", draw(st.integers(0, 2**32)))


@EACH
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_reference_is_what_plain_loops_compute(operator, data):
    size, arrays = data.draw(problems(operator))
    expected = getattr(loops, operator.name)(arrays, size)
    found = reference(operator, arrays, size)
    assert found.keys() == expected.keys() == operator.outputs.keys()
    for name, one in expected.items():
        assert found[name].shape == operator.shape(name, size)
        np.testing.assert_allclose(found[name], one, rtol=1e-12, atol=1e-12)


@EACH
@pytest.mark.parametrize("seed", [1, 2])
def test_a_gradient_is_that_of_central_differences(operator, seed):
    size = operator.size(TINY[operator.name], {})
    arrays = random_arrays(operator, size, "gradient", seed)
    found = reference(operator, arrays, size)
    slopes = {name: arrays[f"d_{name}"] for name in operator.outputs}

    def weighted_sum(arrays):
        inputs = {name: arrays[name] for name in operator.inputs}
        outputs = reference(operator, inputs, size)
        return sum(float((slopes[name] * one).sum()) for name, one in outputs.items())

    for name in operator.inputs:
        numerical = np.empty(operator.shape(name, size))
        for place in np.ndindex(*numerical.shape):
            moved = []
            for step in (1e-5, -1e-5):
                changed = arrays[name].copy()
                changed[place] += step
                moved.append(weighted_sum(arrays | {name: changed}))
            numerical[place] = (moved[0] - moved[1]) / 2e-5
        assert found[f"d_{name}"].shape == numerical.shape
        np.testing.assert_allclose(found[f"d_{name}"], numerical, rtol=1e-6, atol=1e-8)


@EACH
@pytest.mark.parametrize("direction", ["forward", "gradient"])
def test_a_part_of_a_reference_is_that_part_of_the_whole(operator, direction, monkeypatch):
    monkeypatch.setattr(made, "LARGEST_WORK", 200)
    size = operator.size(TINY[operator.name], {})
    arrays = random_arrays(operator, size, direction)
    whole = reference(operator, arrays, size)
    assert whole.keys() == set(operator.results(direction))
    for part in operator.parts:
        indices = made.part_indices(operator, part, size, direction, np.random.default_rng(2))
        found = made.reference_of(operator, part, size, arrays, indices)
        for name in set(part.results) & set(whole):
            np.testing.assert_allclose(
                found[name], made.taken(operator, name, whole[name], indices), rtol=1e-12
            )
            assert found[name].size < whole[name].size or not indices


def test_a_large_reference_is_cut_to_a_limited_work():
    operator = OPERATORS["conv2d"]
    size = operator.size("n=32,h=56,c=64,k=64,r=3,pad=1", {})
    indices = made.part_indices(operator, operator.parts[0], size, "forward", np.random.default_rng(1))
    assert {axis: len(some) for axis, some in indices.items()} == {"n": 4, "k": 8}
    assert all(len(set(some)) == len(some) for some in indices.values())


@pytest.mark.parametrize("name", OPERATORS)
def test_every_result_is_in_one_part(name):
    operator = OPERATORS[name]
    results = [one for part in operator.parts for one in part.results]
    assert sorted(results) == sorted(operator.results("gradient"))
    assert set(operator.terms) <= set(results)


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_numbers_are_rounded_to_the_nearest_of_a_precision(precision):
    import ml_dtypes

    numbers = np.random.default_rng(1).standard_normal(10000, dtype=np.float32)
    numbers = np.concatenate(
        [numbers, numbers * 1e-6, numbers * 1e4, np.float32([0, -0.0, 1, 65519, 1.00390625, np.inf, np.nan])]
    )
    dtype = {"float32": np.float32, "bfloat16": ml_dtypes.bfloat16, "float16": np.float16}[precision]
    expected = numbers.astype(dtype).astype(np.float32)
    for kind in (np.float32, np.float64):
        found = rounded(numbers.astype(kind), precision)
        assert found.dtype == kind
        np.testing.assert_array_equal(found, expected)


def test_inputs_that_overflow_are_refused():
    operator = OPERATORS["tanh"]
    with pytest.raises(WorkloadError, match=r"input_scale 1e\+06 overflows float16: x has infinite numbers"):
        size = {"n": 100}
        made.given_arrays(operator, size, "forward", "float16", 1e6, np.random.default_rng(1))
