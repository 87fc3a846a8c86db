"""Spans of threads and streams add up to calls and seconds of kernels, without those that they called."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from workloads.runtime.profiling.kernels import Kernel, Profile, Span, profile_of, read_profile

S = 1_000_000_000


def test_the_time_of_a_kernel_is_without_that_of_kernels_within() -> None:
    first = [
        Span(0, 4 * S, "aten::linear"),
        Span(1 * S, 3 * S, "aten::addmm"),
        Span(5 * S, 6 * S, "aten::addmm"),
    ]
    found = profile_of("torch", 10.0, "host", [first, [Span(5 * S, 7 * S, "aten::relu")]])
    assert found.kernels == (
        Kernel("aten::addmm", "gemm", 2, 3.0),
        Kernel("aten::linear", "gemm", 1, 2.0),
        Kernel("aten::relu", "element_wise", 1, 2.0),
    )
    assert (found.seconds, found.kernel_seconds, found.busy_seconds) == (10.0, 7.0, 6.0)


def test_one_name_in_two_classes_is_two_kernels() -> None:
    spans = [Span(0, S, "Mul"), Span(S, 3 * S, "Mul", "model/batch_normalization")]
    found = profile_of("tensorflow", 3.0, "host", [spans])
    assert {kernel.kind: kernel.seconds for kernel in found.kernels} == {
        "element_wise": 1.0,
        "batch_normalization": 2.0,
    }


def test_shares_of_classes_are_of_the_time_of_kernels() -> None:
    spans = [Span(0, 3 * S, "Conv2D"), Span(3 * S, 4 * S, "HorovodAllreduce")]
    metrics = {one.name: one.value for one in profile_of("tensorflow", 8.0, "device", [spans]).metrics()}
    assert metrics["profile_convolution_percent"] == 75.0
    assert metrics["profile_allreduce_percent"] == 25.0
    assert metrics["profile_gemm_percent"] == 0.0
    assert metrics["profile_kernel_seconds"] == 4.0
    assert sum(value for name, value in metrics.items() if name.endswith("_percent")) == 100.0


def test_an_all_reduce_that_no_profiler_saw_is_absent() -> None:
    found = profile_of("tensorflow", 8.0, "host", [[Span(0, 3 * S, "Conv2D")]])
    assert "profile_allreduce_percent" not in {one.name for one in found.metrics()}
    seen = profile_of("torch", 8.0, "host", [[Span(0, 3 * S, "gloo:all_reduce")]])
    assert seen.by_class()["allreduce"] == 3.0


def test_a_profile_without_kernels_has_no_shares() -> None:
    assert [one.name for one in Profile("jax", "host", 5.0, 0.0).metrics()] == [
        "profile_seconds",
        "profile_busy_seconds",
        "profile_kernel_seconds",
    ]


def test_a_profile_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "profiles" / "toy-0.1.json.gz"
    profile = Profile("torch", "device", 5.0, 1.5, (Kernel("aten::mm", "gemm", 3, 1.5),))
    profile.write(file)
    assert read_profile(file) == profile
    assert list(file.parent.iterdir()) == [file]


def test_a_profile_of_sums_alone_does_not_say_how_long_any_kernel_ran() -> None:
    found = Profile("nsys", "device", 5.0, None, (Kernel("aten::mm", "gemm", 3, 1.5),))
    assert "profile_busy_seconds" not in {one.name for one in found.metrics()}


def test_spans_of_a_line_that_overlap_are_no_longer_than_the_line() -> None:
    spans = [Span(0, 4 * S, "Mul"), Span(3 * S, 6 * S, "Add")]
    found = profile_of("tensorflow", 10.0, "host", [spans])
    assert (found.kernel_seconds, found.busy_seconds) == (6.0, 6.0)


GOOD = {"profiler": "torch", "place": "host", "seconds": 5.0, "busy_seconds": 1.0}
KERNEL = {"name": "aten::mm", "kind": "gemm", "calls": 1, "seconds": 1.0}


def packed(content: bytes) -> bytes:
    """Return packed content; without a time, by which the tests of several workers would differ."""
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"no gzip", packed(b"{"), packed(b"{}"), packed(b"null")),
        packed(b"[" * 100_000),
        bytes(200) + packed(b"{}"),
        packed(json.dumps(GOOD | {"kernels": []}).encode())[:-9] + b"\xff" * 9,
        *(
            packed(json.dumps(content).encode())
            for content in (
                GOOD | {"kernels": [{"a": 1}]},
                GOOD | {"kernels": [KERNEL], "place": "moon"},
                GOOD | {"kernels": [KERNEL], "seconds": "5"},
                GOOD | {"kernels": [KERNEL], "seconds": math.nan},
                GOOD | {"kernels": [KERNEL | {"kind": "foo"}]},
                GOOD | {"kernels": [KERNEL | {"name": 3}]},
                GOOD | {"kernels": 3},
            )
        ),
    ],
)
def test_a_file_that_is_no_profile_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "toy-0.1.json.gz"
    file.write_bytes(content)
    with pytest.raises((OSError, ValueError)):
        read_profile(file)
