from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import Rule
from orchestrator.rulebooks.provenance import CodeFacts, VariableFacts
from orchestrator.rulebooks.provenance_rules import changes, code, differing, environment, rules_for
from orchestrator.rulebooks.released_code import differences, installed_code
from orchestrator.rulebooks.switches import modifications, switches
from orchestrator.version import __version__
from tests.orchestrator.rulebooks.measured import measured

RELEASED: dict[str, str | None] = dict(installed_code())
ROWS = [(0.0, 1.0, 0.9), (0.0, 1.0, 0.9)]


def ran(*listings: dict[str, str | None], **changes: Any) -> CodeFacts:
    return CodeFacts(**{"recorded": True, "missing": 0, "listings": listings} | changes)


def given(*sets: dict[str, str | None], **changes: Any) -> VariableFacts:
    return VariableFacts(**{"recorded": True, "missing": 0, "sets": sets} | changes)


def test_the_listing_of_the_release_is_that_of_the_workloads() -> None:
    """After a change of workloads: ``python -m orchestrator.rulebooks.released_code --write``."""
    assert differences() == []


@pytest.mark.parametrize("unmodified", [False, True])
@pytest.mark.parametrize(
    ("facts", "passed", "reason"),
    [
        (None, None, "not recorded"),
        (ran(recorded=False, missing=2), None, "not recorded"),
        (ran(RELEASED, recorded=False, missing=1), None, "1 accepted instances reported no code"),
        (ran(RELEASED, missing=1), False, "1 accepted instances reported no code"),
        (ran(RELEASED), True, f"every instance ran the code of release {__version__}"),
        (ran(RELEASED, RELEASED | {"mine.py": "1"}), True, f"the code of release {__version__}"),
        (ran(RELEASED | {"mine.py": "2"}, RELEASED | {"mine.py": "1"}), False, "different code: mine.py"),
        (ran(RELEASED, changed=frozenset({"db/rows.py"})), True, "changed in a later session: db/rows.py"),
    ],
)
def test_one_code_of_all_instances(
    facts: CodeFacts | None, passed: bool | None, reason: str, unmodified: bool
) -> None:
    rule = code(measured("lstm", ROWS, code=facts), unmodified=unmodified)
    assert (rule.name, rule.passed) == ("code", passed)
    assert reason in rule.reason


def test_a_base_run_takes_frameworks_from_the_packages_of_its_interpreter() -> None:
    facts = ran(RELEASED, outside=frozenset({"/fork/keras"}))
    outside = "frameworks from outside the packages of the interpreter: /fork/keras"
    for unmodified in (True, False):
        rule = code(measured("lstm", ROWS, code=facts), unmodified=unmodified)
        assert (rule.passed, rule.reason) == (
            not unmodified, f"every instance ran the same code, with {outside}",
        )  # fmt: skip
    optimized = replace(measured("lstm", ROWS, code=facts), run_class="optimized")
    assert changes(optimized) == [f"code: {outside}"]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"workloads/lstm.py": "0"}, "workloads/lstm.py"),
        ({"workloads/lstm.py": None}, "workloads/lstm.py"),
        ({"workloads/more.py": "0"}, "workloads/more.py"),
        ({"sitecustomize.py": "0"}, "sitecustomize.py"),
        (
            {f"workloads/{name}.py": "0" for name in "abcd"},
            "workloads/a.py, workloads/b.py, workloads/c.py and 1 more",
        ),
    ],
)
def test_a_base_run_needs_the_code_of_a_release(changed: dict[str, str | None], named: str) -> None:
    found = measured("lstm", ROWS, code=ran(RELEASED | changed))
    reason = f"every instance ran the same code, modified from the release: {named}"
    assert (code(found, unmodified=True).passed, code(found, unmodified=True).reason) == (False, reason)
    assert (code(found, unmodified=False).passed, code(found, unmodified=False).reason) == (True, reason)


def test_a_missing_file_is_a_modification() -> None:
    without = {file: digest for file, digest in RELEASED.items() if file != "workloads/lstm.py"}
    assert not code(measured("lstm", ROWS, code=ran(without)), unmodified=True).passed


def test_a_file_that_only_some_imported_is_no_difference() -> None:
    assert differing([{"a": "1"}, {"a": "1", "b": "2"}, {"b": "3"}]) == ["b"]


@pytest.mark.parametrize(
    ("facts", "base", "optimized", "reason"),
    [
        (None, None, None, "not recorded"),
        (given(recorded=False, missing=2), None, None, "not recorded"),
        (given({"OMP_NUM_THREADS": "1"}), True, True, "no known variable"),
        (given({}, missing=1), False, False, "1 accepted instances reported no environment variables"),
        (given({}, {"KERAS_MAX_EPOCHS": "1"}), False, True, "KERAS_MAX_EPOCHS=1 ends trainings after fewer"),
        (given({"XLA_FLAGS": "--a"}, {"XLA_FLAGS": "--a"}), False, True, "XLA_FLAGS=--a changes what XLA"),
    ],
)
def test_variables_that_change_trainings(
    facts: VariableFacts | None, base: bool | None, optimized: bool | None, reason: str
) -> None:
    found = measured("lstm", ROWS, variables=facts)
    assert environment(found, unmodified=True).passed is base
    assert environment(found, unmodified=False).passed is optimized
    assert reason in environment(found, unmodified=True).reason


@pytest.mark.parametrize(
    ("name", "harmless", "harmful"),
    [
        ("KERAS_MAX_STEPS_PER_EPOCH", "", "40"),
        ("KERAS_HOME", "/dev/null/keras", "/home/me/.keras"),
        ("KERAS_HOME", "/dev/null/keras", ""),
        ("TF_XLA_FLAGS", "", "--tf_xla_auto_jit=2"),
        (
            "XLA_FLAGS",
            "--xla_gpu_cuda_data_dir=/usr/cuda",
            "--xla_gpu_cuda_data_dir=/a --xla_cpu_enable_fast_math=true",
        ),
        ("ONEDNN_DEFAULT_FPMATH_MODE", "strict", "BF16"),
        ("TF_SET_ONEDNN_FPMATH_MODE", "STRICT", "any"),
        ("NVIDIA_TF32_OVERRIDE", "0", "1"),
        ("TF_ENABLE_AUTO_MIXED_PRECISION_GRAPH_REWRITE", "false", "1"),
        ("OMP_NUM_THREADS", "1", None),
    ],
)
def test_values_decide_whether_a_switch_counts(name: str, harmless: str, harmful: str | None) -> None:
    assert modifications({name: harmless}) == []
    if harmful is not None:
        assert len(modifications({name: harmful})) == 1


def test_every_switch_is_among_the_recorded_variables() -> None:
    from workloads.provenance.variables import recorded_variables

    names = [one.name.replace("*", "X") for one in switches()]
    assert recorded_variables(dict.fromkeys(names, "1")) == dict.fromkeys(sorted(names), "1")


def test_one_container_of_all_instances() -> None:
    one, other = {"sha256:a": "train:1"}, {"sha256:b": "train:2"}
    passed = code(measured("lstm", ROWS, code=ran(RELEASED, containers=one)), unmodified=True)
    assert passed.passed
    assert passed.reason.endswith("in the container train:1 (sha256:a)")
    assert (
        "container"
        not in code(measured("lstm", ROWS, code=ran(RELEASED, containers={"": ""})), unmodified=True).reason
    )
    for containers, named in (
        (one | other, "train:1 (sha256:a), train:2 (sha256:b)"),
        (one | {"": ""}, "none, train:1 (sha256:a)"),
    ):
        rule = code(measured("lstm", ROWS, code=ran(RELEASED, containers=containers)), unmodified=False)
        assert not rule.passed
        assert rule.reason == f"accepted instances ran in different containers: {named}"


def test_forked_instances_are_counted_and_change_nothing_else() -> None:
    def rule(forked: int) -> Rule:
        found = measured("lstm", ROWS, code=ran(RELEASED, forked=forked))
        [one] = [one for one in rules_for(found, unmodified=True) if one.name == "code"]
        return one

    text = "2 accepted instances were forked from a process that had imported their framework"
    assert rule(2).reason == f"{rule(0).reason}; {text}"
    assert (rule(2).passed, rule(2).declared) == (rule(0).passed, rule(0).declared)


@pytest.mark.parametrize("isolated", [True, False])
def test_instances_of_reused_processes_are_declared_or_break_the_rule(isolated: bool) -> None:
    found = measured("lstm", ROWS, code=ran(RELEASED, reused=2))
    [rule] = [one for one in rules_for(found, isolated=isolated) if one.name == "code"]
    text = "2 accepted instances ran in a process that runs one after another"
    assert text in rule.reason
    assert text in rule.declared
    assert rule.passed is not isolated


@pytest.mark.parametrize(("name", "passes"), [("coral2", False), ("mlperf_hpc", False), ("none", True)])
def test_suites_ask_for_a_process_of_each_instance(name: str, passes: bool) -> None:
    run_class = registry.load(name).RUN_CLASSES[0]
    found = measured("lstm", ROWS, run_class=run_class, code=ran(RELEASED, reused=2))
    [benchmark] = registry.load(name).judge([found]).benchmarks
    [rule] = [one for one in benchmark.rules if one.name == "code"]
    assert bool(rule.passed) is passes, rule.reason


def test_lines_that_ran_before_instances_are_declared() -> None:
    def rule(setups: int) -> Rule:
        found = measured("lstm", ROWS, code=ran(RELEASED, setups=setups))
        [one] = [one for one in rules_for(found, unmodified=True) if one.name == "code"]
        return one

    assert rule(0).declared == ()
    assert rule(2).passed
    text = "instance_setup ran shell lines before 2 accepted instances, outside of the timed part"
    assert (rule(2).declared, rule(2).reason) == ((text,), f"{rule(0).reason}; {text}")
