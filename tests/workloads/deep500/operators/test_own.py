from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.workloads.conftest import run_here
from tests.workloads.deep500.operators.own_files import CPP, PYTHON
from workloads.deep500.operators import arrays as made
from workloads.deep500.operators.benchmark import WORKLOAD
from workloads.deep500.operators.catalogue import OPERATORS
from workloads.deep500.operators.compiled import CompiledOperator
from workloads.description import WorkloadError

SHORT = {"framework": "own", "budget_seconds": 0.0}


@pytest.fixture
def measure(tmp_path):
    """Run a file's operator in this process."""

    def measure(source, suffix=".py", **parameters):
        file = tmp_path / f"mine{suffix}"
        file.write_text(source)
        operator = {"operator": "tanh", "size": "n=50"}
        if suffix != ".py":
            operator = {"operator": "matmul", "size": "m=5,n=6,k=7"}
        return run_here(
            "deep500_operator",
            {**operator, **SHORT, "implementation": str(file), **parameters},
            cache=tmp_path / "cache",
        )

    return measure


@pytest.mark.parametrize("direction", ["forward", "gradient"])
@pytest.mark.parametrize(("source", "suffix"), [(PYTHON, ".py"), (CPP, ".cpp")])
def test_a_right_operator_is_valid_and_timed(measure, source, suffix, direction):
    done = measure(source, suffix, direction=direction)
    assert 0 <= done.metric("error_over_bound") <= 1
    assert done.metric("wallclock_seconds") > 0
    assert done.metric("flop_per_second") > 0
    assert done.metric("compile_seconds") > 0
    assert done.metric("compared_share") == 1
    assert done.result.observed["framework"] == "own"
    assert len(done.result.observed["implementation_sha256"]) == 64
    assert done.marks == ["ready", "run_start"]


@pytest.mark.parametrize(
    ("source", "suffix", "right", "wrong"),
    [
        (PYTHON, ".py", 'np.tanh(inputs["x"])}', 'np.tanh(inputs["x"]) + 1e-4}'),
        (CPP, ".cpp", "l < k; ++l) sum", "l + 1 < k; ++l) sum"),
    ],
)
def test_a_wrong_operator_is_invalid(measure, source, suffix, right, wrong):
    assert right in source
    assert measure(source.replace(right, wrong), suffix).metric("error_over_bound") > 1


@pytest.mark.parametrize(
    ("source", "suffix", "right", "wrong"),
    [
        (PYTHON, ".py", "(1 - np.tanh", "(1.001 - np.tanh"),
        (CPP, ".cpp", "out[1].data[l * n + j] += y[i * n + j]", "out[1].data[l * n + j] += y[j * m + i]"),
    ],
)
def test_a_wrong_gradient_is_invalid_where_it_is_measured(measure, source, suffix, right, wrong):
    assert right in source
    source = source.replace(right, wrong)
    assert measure(source, suffix).metric("error_over_bound") <= 1
    assert measure(source, suffix, direction="gradient").metric("error_over_bound") > 1


def test_the_tolerance_is_that_of_the_precision(measure):
    rough = PYTHON.replace('np.tanh(inputs["x"])}', 'np.tanh(inputs["x"]) * np.float32(1.002)}')
    assert measure(rough, precision="float32").metric("error_over_bound") > 1
    assert measure(rough, precision="bfloat16").metric("error_over_bound") <= 1


def test_an_overflow_is_invalid_and_counted(measure):
    halves = PYTHON.replace(
        'np.tanh(inputs["x"])}',
        'np.tanh(inputs["x"]).astype(np.float16) * np.float16(60000) * np.float16(9)}',
    )
    with np.errstate(over="ignore"):
        done = measure(halves, precision="float16")
    assert done.metric("error_over_bound") == 1e300
    assert 0 < done.metric("nonfinite_outputs") <= 50


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1 /", "mine.py cannot be imported: SyntaxError"),
        ("raise SystemExit(3)", "mine.py cannot be imported: SystemExit: 3"),
        ("forward = 3", "mine.py has no function forward"),
        ("def forward(inputs, size): return {}", "mine.py returned no output y, only nothing"),
        (
            "def forward(inputs, size): return {'y': inputs['x'][:3]}",
            r"mine.py returned output y with shape \(3,\), not \(50,\)",
        ),
    ],
)
def test_a_python_file_that_cannot_be_used_is_refused_in_words(measure, source, message):
    with pytest.raises(WorkloadError, match=message):
        measure(source)


@pytest.mark.parametrize(
    ("returned", "message"),
    [("None", "returned a NoneType, not a mapping"), ("{'y': 'x'}", "returned output y that is no array")],
)
def test_results_that_are_no_arrays_are_refused_in_words(measure, returned, message):
    with pytest.raises(WorkloadError, match=message):
        measure(f"def forward(inputs, size): return {returned}")


def test_an_operator_that_changes_its_inputs_is_not_compared_with_what_it_left(measure):
    zeros = "float sum = 0; const_cast<float *>(in[0].data)[i * k] = 0;"
    with pytest.raises(WorkloadError, match=r"mine\.cpp changed its input a: let it write to its results"):
        measure(CPP.replace("float sum = 0;", zeros), ".cpp")


def test_inputs_cannot_be_changed(measure):
    with pytest.raises(ValueError, match="read-only"):
        measure("def forward(inputs, size):\n    inputs['x'][:] = 0\n    return {'y': inputs['x']}")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            CPP.replace("float sum = 0;", "float sum = 0 0;"),
            r"cannot compile .*mine\.cpp: mine\.cpp:\d+:\d+: error",
        ),
        ("int unused;", "has no deep500_version; include deep500_operator.h"),
        (CPP.replace("return DEEP500_VERSION", "return 7"), "functions of version 7, not 1"),
        (CPP.replace("return 0;", "return 5;", 1), "deep500_forward of .*mine.cpp failed: it returned 5"),
    ],
)
def test_a_cpp_file_that_cannot_be_used_is_refused_in_words(measure, source, message):
    with pytest.raises(WorkloadError, match=message) as error:
        measure(source, ".cpp")
    assert "\n" not in str(error.value)


def test_a_number_that_is_not_written_is_invalid(measure):
    source = CPP.replace("out[0].data[i * n + j] = sum;", "if (i) out[0].data[i * n + j] = sum;")
    done = measure(source, ".cpp")
    assert done.metric("nonfinite_outputs") == 6
    assert done.metric("error_over_bound") == 1e300


def test_a_missing_compiler_is_refused_in_words(measure, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler -O1")
    with pytest.raises(
        WorkloadError, match=r"no C\+\+ compiler on this node \(looked for CXX=no-such-compiler\)"
    ):
        measure(CPP, ".cpp")


@pytest.mark.parametrize(
    ("name", "message"), [("no.py", "does not exist; a relative path begins at"), ("no.f90", "must be a")]
)
def test_a_missing_file_is_refused_in_words(run, name, message):
    with pytest.raises(WorkloadError, match=message):
        run("deep500_operator", SHORT | {"operator": "tanh", "size": "demo-b", "implementation": name})


def test_a_library_is_compiled_once_by_its_content(tmp_path, monkeypatch):
    calls = tmp_path / "calls"
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\necho called >> {calls}\nexec c++ "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("CXXFLAGS", "-O1")
    operator, size = OPERATORS["matmul"], {"m": 5, "n": 6, "k": 7}
    arrays = made.given_arrays(operator, size, "forward", "float32", 1.0, np.random.default_rng(1))

    def product(source: str):
        library = CompiledOperator(tmp_path / "mine.cpp", source.encode(), tmp_path / "cache", operator, size)
        return library.function("forward")(arrays, size)["y"]

    with ThreadPoolExecutor(2) as both:
        for found in both.map(product, [CPP, CPP]):
            np.testing.assert_allclose(found, arrays["a"] @ arrays["b"], rtol=1e-4, atol=1e-5)
    before = len(calls.read_text().splitlines())
    assert before <= 2
    product(CPP)
    assert len(calls.read_text().splitlines()) == before
    product(CPP + "// changed\n")
    assert len(calls.read_text().splitlines()) == before + 1
    assert sorted(one.suffix for one in (tmp_path / "cache" / "deep500-operators").iterdir()) == [
        ".so",
        ".so",
    ]


@pytest.mark.parametrize("form", ['"start.h"', "<start.h>"])
def test_a_file_that_a_source_includes_is_part_of_its_library(tmp_path, form):
    operator, size = OPERATORS["matmul"], {"m": 1, "n": 1, "k": 1}
    arrays = {"a": np.ones((1, 1), np.float32), "b": np.ones((1, 1), np.float32)}
    source = f"#include {form}\n" + CPP.replace("float sum = 0;", "float sum = START;")
    for start in (2, 5):
        (tmp_path / "start.h").write_text(f"#define START {start}\n")
        file = tmp_path / "mine.cpp"
        library = CompiledOperator(file, source.encode(), tmp_path / "cache", operator, size)
        assert library.function("forward")(arrays, size)["y"] == start + 1
        included = hashlib.sha256((tmp_path / "start.h").read_bytes()).hexdigest()
        assert library.observed["implementation_includes_sha256"] == {"start.h": included}


def test_a_plan_refuses_a_missing_file():
    given = WORKLOAD.resolve(SHORT | {"implementation": "missing.cpp"})
    with pytest.raises(WorkloadError, match=r"implementation missing\.cpp does not exist"):
        WORKLOAD.check_ranks(given, 1)


def test_a_part_of_the_results_is_compared_where_the_reference_takes_long(measure, monkeypatch):
    monkeypatch.setattr(made, "LARGEST_WORK", 500)
    assert 0 < measure(PYTHON).metric("compared_share") < 1
    wrong = measure(PYTHON.replace('np.tanh(inputs["x"])}', '0 * inputs["x"]}'))
    assert wrong.metric("error_over_bound") > 1


def test_a_heatmap_is_kept_on_wish(measure):
    done = measure(PYTHON, heatmap=True, direction="gradient")
    assert 0 <= done.metric("difference_heatmap") < 1e-3
    with pytest.raises(KeyError, match="difference_heatmap"):
        measure(PYTHON).metric("difference_heatmap")


def test_a_file_of_any_name_is_used(tmp_path):
    file = tmp_path / "mein Öperator 'x'.cpp"
    file.write_text(CPP)
    done = run_here(
        "deep500_operator", SHORT | {"operator": "matmul", "size": "m=3", "implementation": str(file)}
    )
    assert done.metric("error_over_bound") <= 1


def test_a_folder_is_refused_in_words(run, tmp_path):
    (tmp_path / "mine.py").mkdir()
    with pytest.raises(WorkloadError, match=r"mine\.py is no regular file"):
        run("deep500_operator", SHORT | {"operator": "tanh", "implementation": str(tmp_path / "mine.py")})
