from __future__ import annotations

import pytest

from workloads.deep500.operators.benchmark import WORKLOAD, OperatorParameters
from workloads.deep500.operators.catalogue import OPERATORS
from workloads.deep500.operators.sizes import SIZES
from workloads.description import WorkloadError

NAMED = [(operator, size) for operator, sizes in SIZES.items() for size in sizes]


def refused(message: str, **parameters: object) -> None:
    values = WORKLOAD.resolve(parameters)
    with pytest.raises(WorkloadError, match=message):
        WORKLOAD.check_ranks(values, 1)


@pytest.mark.parametrize(("operator", "size"), NAMED)
def test_every_named_size_has_arrays_and_operations(operator, size):
    values = WORKLOAD.resolve({"operator": operator, "size": size})
    WORKLOAD.check_ranks(values, 1)
    described, lengths = WORKLOAD.typed(values).problem()
    forward, gradient = (described.operations(lengths, one) for one in ("forward", "gradient"))
    assert 0 < forward <= gradient
    assert described.elements(lengths, "forward") < described.elements(lengths, "gradient")


def test_every_operator_has_sizes_for_two_cores():
    assert SIZES.keys() == OPERATORS.keys()
    assert all(any(name.startswith("demo") for name in sizes) for sizes in SIZES.values())


def test_a_convolution_of_resnet50_is_that_of_the_network():
    operator, size = OperatorParameters(operator="conv2d", size="resnet50-conv3_3x3_stride").problem()
    assert operator.shape("y", size) == (32, 28, 28, 128)
    assert operator.shape("kernel", size) == (3, 3, 128, 128)
    assert operator.operations(size, "forward") == 2 * 32 * 28 * 28 * 128 * 9 * 128
    assert operator.operations(size, "gradient") == 3 * operator.operations(size, "forward")


def test_dimensions_have_defaults():
    operator, size = OperatorParameters(operator="matmul", size="m=3, k=5").problem()
    assert operator.shape("a", size) == (3, 5)
    assert operator.shape("y", size) == (3, 3)


@pytest.mark.parametrize(
    ("operator", "size", "message"),
    [
        ("matmul", "demo-z", r"size 'demo-z' is none of matmul; did you mean demo-[abc]\?; or write m=8$"),
        ("matmul", "", "size '' is none of matmul"),
        ("matmul", "m=4,kk=5", "matmul has no dimension 'kk'; did you mean k"),
        ("matmul", "m=4,m=5", "names m twice"),
        ("matmul", "m=0", "m must be from 1 to 1000000000, not 0"),
        ("matmul", "m=9999999999", "m must be from 1 to"),
        ("matmul", "m=-1", "'m=-1' is no name=number"),
        ("matmul", "m=²", "is no name=number"),
        ("matmul", "n=4", "lacks m"),
        ("conv2d", "h=4,c=1,k=1,r=5", "the output of conv2d would have no elements"),
        ("max_pool", "h=8,c=1,r=2,pad=1", "pad=1 must be less than half of the window"),
        ("average_pool", "h=8,c=1,r=3,pad=1", "average_pool has no dimension 'pad'"),
        ("relu", "n=4\nn=5", "is no name=number"),
    ],
)
def test_a_size_that_cannot_be_is_refused_in_words(operator, size, message):
    refused(message, operator=operator, size=size)


def test_a_framework_and_a_file_fit_each_other():
    refused("framework is own and implementation native: write implementation: FILE", framework="own")
    refused(
        "framework is jax and .* mine.py: write framework: own", framework="jax", implementation="mine.py"
    )


def test_packages_are_those_of_the_framework():
    assert WORKLOAD.packages(WORKLOAD.resolve({"framework": "jax"}), 1) == ("numpy", "keras", "jax")
    own = WORKLOAD.resolve({"framework": "own", "implementation": "mine.py"})
    assert WORKLOAD.packages(own, 1) == ("numpy",)


def test_a_size_beyond_the_memory_is_refused_by_estimate():
    values = WORKLOAD.resolve({"operator": "matmul", "size": "m=40000"})
    with pytest.raises(
        WorkloadError, match=r"needs about 54\.6 GiB of memory, and its slot has 8\.0 GiB: give"
    ):
        WORKLOAD.check_memory(values, 8 * 2**30)
    WORKLOAD.check_memory(values, 64 * 2**30)
    WORKLOAD.check_memory(values, None)
