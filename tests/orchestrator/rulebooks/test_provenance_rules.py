from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.rulebooks import released_code
from orchestrator.rulebooks.data_files import INSTALLED, data_from
from orchestrator.rulebooks.model import RuleResult
from orchestrator.rulebooks.provenance import CodeFacts, VariableFacts
from orchestrator.rulebooks.provenance_rules import code, differing, environment, results
from orchestrator.rulebooks.released_code import differences, installed_code, write
from orchestrator.rulebooks.switches import modifications, switches
from orchestrator.version import __version__
from tests.orchestrator.rulebooks.measured import measured

PROJECT: dict[str, str | None] = dict(installed_code())
RELEASED = {file: digest for file, digest in PROJECT.items() if file.startswith("workloads/")}
ROWS = [(0.0, 1.0, 0.9), (0.0, 1.0, 0.9)]


@pytest.fixture(autouse=True)
def _release(tmp_path: Path) -> Iterator[None]:
    """Judge by a listing in which the installed code is a release."""
    write(tmp_path)
    with data_from(tmp_path):
        yield


def ran(*listings: dict[str, str | None], **changes: Any) -> CodeFacts:
    known = {"recorded": True, "missing": 0, "listings": listings, "drivers": (PROJECT,)}
    return CodeFacts(**known | {"versions": frozenset({__version__})} | changes)


def given(*sets: dict[str, str | None], **changes: Any) -> VariableFacts:
    return VariableFacts(**{"recorded": True, "missing": 0, "sets": sets} | changes)


def test_a_release_lists_all_four_packages_and_names_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {file.partition("/")[0] for file in PROJECT} == {"orchestrator", "workloads", "sites", "db"}
    assert differences() == []
    changed = {**installed_code(), "orchestrator/node/ranks/mark_arrivals.py": "0"}
    monkeypatch.setattr(released_code, "installed_code", lambda: changed)
    assert differences() == ["orchestrator/node/ranks/mark_arrivals.py"]
    monkeypatch.setattr("sys.argv", ["released_code", "--write"])
    assert released_code.main() == 1
    assert "raise the version" in capsys.readouterr().err


def test_the_listings_of_releases_that_are_kept_are_never_of_changed_code() -> None:
    """A version that is listed was released: whoever changes its code raises the version."""
    with data_from(INSTALLED):
        assert __version__ not in released_code.released_code() or differences() == []


@pytest.mark.parametrize("unmodified", [False, True])
@pytest.mark.parametrize(
    ("facts", "passed", "reason"),
    [
        (None, None, "not recorded"),
        (ran(recorded=False, missing=2), None, "not recorded"),
        (ran(RELEASED, recorded=False, missing=1), None, "1 accepted instance reported no code"),
        (ran(RELEASED, missing=1), False, "1 accepted instance reported no code"),
        (ran(RELEASED), True, f"every instance ran the code of release {__version__}"),
        (ran(RELEASED, RELEASED | {"mine.py": "1"}), True, f"the code of release {__version__}"),
        (ran(RELEASED | {"mine.py": "2"}, RELEASED | {"mine.py": "1"}), False, "different code: mine.py"),
        (ran(RELEASED, changed=frozenset({"db/rows.py"})), True, "changed in a later session: db/rows.py"),
    ],
)
def test_one_code_of_all_instances(
    facts: CodeFacts | None, passed: bool | None, reason: str, unmodified: bool
) -> None:
    rule = code(measured("lstm", ROWS, provenance__code=facts), unmodified=unmodified)
    assert (rule.name, rule.passed) == ("code", passed)
    assert reason in rule.reason


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        (
            ran(
                RELEASED, elsewhere=frozenset({"/f/keras/__init__.py", "/f/keras/src/__init__.py", "/f/q.py"})
            ),
            "with modules from outside of the interpreter's packages: /f/keras, /f/q.py",
        ),
        (
            ran(RELEASED, start_up=frozenset({"/venv/a.pth"})),
            "with files of no installed package that Python ran first: /venv/a.pth",
        ),
        (
            ran(RELEASED, programs=frozenset({"/usr/bin/dash in place of /x/python"})),
            "under another program than the site's interpreter: /usr/bin/dash in place of /x/python",
        ),
    ],
)
def test_a_base_run_has_nothing_beside_the_packages_of_its_interpreter(facts: CodeFacts, named: str) -> None:
    for unmodified in (True, False):
        rule = code(measured("lstm", ROWS, provenance__code=facts), unmodified=unmodified)
        assert (rule.passed, rule.reason) == (not unmodified, f"every instance ran the same code, {named}")
        assert rule.declared == (() if unmodified else (f"code: {named}",))


def test_other_prefixes_and_search_paths_are_declared() -> None:
    """The suite allows other versions of TensorFlow and its dependencies, and asks to report them."""
    facts = ran(
        RELEASED, prefixes=frozenset({"/spack/keras/site-packages"}), search=frozenset({"PYTHONPATH=/spack"})
    )
    for unmodified in (True, False):
        rule = code(measured("lstm", ROWS, provenance__code=facts), unmodified=unmodified)
        assert rule.passed
        assert rule.declared == (
            "packages were imported from /spack/keras/site-packages", "PYTHONPATH=/spack was set",
        )  # fmt: skip


def test_one_interpreter_of_all_instances() -> None:
    facts = ran(RELEASED, interpreters={"/usr/bin/python3": frozenset({"1", "2"})})
    rule = code(measured("lstm", ROWS, provenance__code=facts), unmodified=False)
    assert (rule.passed, rule.reason) == (
        False, "accepted instances ran different builds of /usr/bin/python3",
    )  # fmt: skip


def test_one_version_of_each_library_of_all_instances() -> None:
    libraries = {"keras": frozenset({"3.5"}), "numpy": frozenset({"2.0", "1.26"})}
    rule = code(measured("lstm", ROWS, provenance__code=ran(RELEASED, libraries=libraries)), unmodified=False)
    assert (rule.passed, rule.reason) == (
        False, "accepted instances imported different versions: numpy 1.26 and 2.0",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"workloads/lstm.py": "0"}, "workloads/lstm.py"),
        ({"workloads/lstm.py": None}, "workloads/lstm.py"),
        ({"workloads/more.py": "0"}, "workloads/more.py"),
        (
            {f"workloads/{name}.py": "0" for name in "abcd"},
            "workloads/a.py, workloads/b.py, workloads/c.py and 1 more",
        ),
        ({"orchestrator/node/ranks/mark_arrivals.py": "0"}, "orchestrator/node/ranks/mark_arrivals.py"),
        ({"db/ledger.py": "0", "sites/more.py": "0"}, "db/ledger.py, sites/more.py"),
    ],
)
def test_a_base_run_needs_the_code_of_a_release(changed: dict[str, str | None], named: str) -> None:
    """Five lines in `orchestrator/node` would quarter all times."""
    own = {file: digest for file, digest in changed.items() if file.startswith("workloads/")}
    found = measured("lstm", ROWS, provenance__code=ran(RELEASED | own, drivers=(PROJECT | changed,)))
    reason = f"every instance ran the same code, modified from release {__version__}: {named}"
    base, other = code(found, unmodified=True), code(found, unmodified=False)
    assert (base.passed, base.reason, base.declared) == (False, reason, ())
    assert (other.passed, other.reason) == (True, reason)
    assert other.declared == (f"code: modified from release {__version__}: {named}",)


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        (ran(RELEASED | {"sitecustomize.py": "0"}), f"modified from release {__version__}: sitecustomize.py"),
        (ran(RELEASED, drivers=()), "of a driver that recorded no code"),
        (ran(RELEASED, drivers=(PROJECT, {})), f"modified from release {__version__}: db/"),
        (
            ran(RELEASED, odd_nodes=frozenset({"n2"})),
            "with another installation of this project on nodes n2",
        ),
        (
            ran(RELEASED | {"workloads/lstm.py": "0"}),
            "in trainings that did not import the driver's workloads: workloads/lstm.py",
        ),
    ],
)
def test_trainings_driver_and_nodes_have_one_code(facts: CodeFacts, named: str) -> None:
    rule = code(measured("lstm", ROWS, provenance__code=facts), unmodified=True)
    assert rule.passed is False
    assert named in rule.reason


def test_a_checkout_that_is_no_release_says_so() -> None:
    """Code is compared between instances all the same, and its commit is named."""
    driver, checkout = PROJECT | {"db/ledger.py": "0"}, "version 9.9.9, commit 0123abcd with changes"
    facts = ran(RELEASED, drivers=(driver,), versions=frozenset({"9.9.9"}), checkouts=frozenset({checkout}))
    found = measured("lstm", ROWS, provenance__code=facts)
    text = f"which is of no release: {checkout} (that of a release is at the tag of its version)"
    assert code(found, unmodified=True).reason == f"every instance ran the same code, {text}"
    assert code(found, unmodified=True).passed is False
    assert code(found, unmodified=False).declared == (f"code: {text}",)


def test_a_missing_file_is_a_modification() -> None:
    without = {file: digest for file, digest in RELEASED.items() if file != "workloads/lstm.py"}
    assert not code(measured("lstm", ROWS, provenance__code=ran(without)), unmodified=True).passed


def test_a_file_that_only_some_imported_is_no_difference() -> None:
    assert differing([{"a": "1"}, {"a": "1", "b": "2"}, {"b": "3"}]) == ["b"]


@pytest.mark.parametrize(
    ("facts", "base", "optimized", "reason"),
    [
        (None, None, None, "not recorded"),
        (given(recorded=False, missing=2), None, None, "not recorded"),
        (given({"OMP_NUM_THREADS": "1"}), True, True, "no known variable"),
        (given({}, missing=1), False, False, "1 accepted instance reported no environment variables"),
        (given({"XLA_FLAGS": "--xla_cpu_enable_fast_math=true"}), False, True, "changes the arithmetic of"),
        (given({"TF_XLA_FLAGS": "--tf_xla_auto_jit=2"}), True, True, "TF_XLA_FLAGS=--tf_xla_auto_jit=2 lets"),
        (given({}, {"KERAS_MAX_EPOCHS": "1"}), False, True, "KERAS_MAX_EPOCHS=1 ends trainings after fewer"),
        (given({"XLA_FLAGS": "--a"}, {"XLA_FLAGS": "--a"}), True, True, "XLA_FLAGS=--a changes what XLA"),
    ],
)
def test_variables_that_change_trainings(
    facts: VariableFacts | None, base: bool | None, optimized: bool | None, reason: str
) -> None:
    found = measured("lstm", ROWS, provenance__variables=facts)
    assert environment(found, unmodified=True).passed is base
    assert environment(found, unmodified=False).passed is optimized
    assert reason in environment(found, unmodified=True).reason


@pytest.mark.parametrize(
    ("name", "harmless", "harmful"),
    [
        ("KERAS_MAX_STEPS_PER_EPOCH", "", "40"),
        ("KERAS_HOME", "/dev/null/keras", "/home/me/.keras"),
        ("KERAS_HOME", "/dev/null/keras", ""),
        ("PYTHONHOME", "", "/other"),
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


def test_compilation_by_xla_is_declared() -> None:
    found = measured(
        "lstm", ROWS, provenance__variables=given({"TF_XLA_FLAGS": "--tf_xla_auto_jit=2", "XLA_FLAGS": "--a"})
    )
    rule = environment(found, unmodified=True)
    assert rule.declared == (
        "TF_XLA_FLAGS=--tf_xla_auto_jit=2 lets XLA compile parts of TensorFlow's graph",
        "XLA_FLAGS=--a changes what XLA compiles",
    )


def test_every_switch_is_among_the_recorded_variables() -> None:
    from workloads.provenance.variables import recorded_variables

    names = [one.name.replace("*", "X") for one in switches()]
    assert recorded_variables(dict.fromkeys(names, "1")) == dict.fromkeys(sorted(names), "1")


def test_one_container_of_all_instances() -> None:
    one, other = {"sha256:a": "train:1"}, {"sha256:b": "train:2"}
    passed = code(measured("lstm", ROWS, provenance__code=ran(RELEASED, containers=one)), unmodified=True)
    assert passed.passed
    assert passed.reason.endswith("in the container train:1 (sha256:a)")
    assert (
        "container"
        not in code(
            measured("lstm", ROWS, provenance__code=ran(RELEASED, containers={"": ""})), unmodified=True
        ).reason
    )
    for containers, named in (
        (one | other, "train:1 (sha256:a), train:2 (sha256:b)"),
        (one | {"": ""}, "none, train:1 (sha256:a)"),
    ):
        rule = code(
            measured("lstm", ROWS, provenance__code=ran(RELEASED, containers=containers)), unmodified=False
        )
        assert not rule.passed
        assert rule.reason == f"accepted instances ran in different containers: {named}"


def test_forked_instances_are_counted_and_change_nothing_else() -> None:
    def rule(forked: int) -> RuleResult:
        found = measured("lstm", ROWS, provenance__code=ran(RELEASED, forked=forked))
        [one] = [one for one in results(found, unmodified=True) if one.name == "code"]
        return one

    text = "2 accepted instances were forked from a process that had imported their framework"
    assert rule(2).reason == f"{rule(0).reason}; {text}"
    assert (rule(2).passed, rule(2).declared) == (rule(0).passed, rule(0).declared)


def test_lines_that_ran_before_instances_are_declared() -> None:
    def rule(setups: int) -> RuleResult:
        found = measured("lstm", ROWS, provenance__code=ran(RELEASED, setups=setups))
        [one] = [one for one in results(found, unmodified=True) if one.name == "code"]
        return one

    assert rule(0).declared == ()
    assert rule(2).passed
    text = "instance_setup ran shell lines before 2 accepted instances, outside of the timed part"
    assert (rule(2).declared, rule(2).reason) == ((text,), f"{rule(0).reason}; {text}")
