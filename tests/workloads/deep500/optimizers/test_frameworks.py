"""Each framework's optimizers stay within the bound; a wrong rule of a user does not."""

from __future__ import annotations

import json
import re
import sys
import textwrap

import keras
import numpy as np
import pytest

from orchestrator.rulebooks import recipe_file
from tests.requirements import needs
from tests.workloads.deep500.optimizers.framework_errors import errors, of_framework
from tests.workloads.orders import ROOT, call
from workloads import modules
from workloads.context import Context, SlotView
from workloads.deep500.optimizers import gradients
from workloads.deep500.optimizers.benchmark import WORKLOAD, OptimizerParameters, run
from workloads.deep500.optimizers.reference import trajectory
from workloads.deep500.optimizers.rules import load_rule
from workloads.deep500.optimizers.updates import Update, framework_update, rule_of, rule_update
from workloads.deep500.user_module import MODULE
from workloads.description import WorkloadError
from workloads.metrics.outputs import LARGEST
from workloads.runtime.framework import configure_framework

BOUNDS = recipe_file.read("deep500-optimizer")[0].metrics
ADAM = """
    def new_input(state):
        one, two, step = state["beta_1"], state["beta_2"], state["step"]
        state["rate"] = state["learning_rate"] / (1 - one**step)
        state["correction"] = (1 - two**step) ** 0.5

    def update_rule(state, name, parameter, gradient):
        one, two = state["beta_1"], state["beta_2"]
        mean, square = state.get(name, (0 * gradient, 0 * gradient))
        mean, square = one * mean + (1 - one) * gradient, two * square + (1 - two) * gradient**2
        state[name] = mean, square
        return parameter - state["rate"] * mean / (square**0.5 / state["correction"] + state["epsilon"])
"""


@pytest.fixture(scope="module", autouse=True)
def tensorflow():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


@pytest.fixture
def rule(tmp_path):
    def write(text):
        file = tmp_path / "rule.py"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return str(file)

    return write


def found_invalid(found):
    """Return the points whose error is above the bound."""
    return {key for key, error in found.items() if not error <= 1}


# Keras computes the corrections in the type of the variables: in bfloat16 0.999 is 1, and nothing moves.
KERAS_ADAM = {"adam native bfloat16 drawn", "adam native float16 drawn"}


def test_keras_on_tensorflow_takes_the_references_steps():
    found = of_framework("tensorflow")
    assert found_invalid(found) == KERAS_ADAM
    assert all(error > 0 for error in found.values())


@pytest.mark.slow
def test_keras_on_jax_takes_them():
    needs("jax")
    assert found_invalid(_elsewhere("jax")) == KERAS_ADAM


@pytest.mark.slow
def test_pytorch_takes_them_with_its_own_optimizers_and_with_keras():
    needs("torch")
    of_keras = {one.replace("native", "keras") for one in KERAS_ADAM}
    assert found_invalid(_elsewhere("torch")) == of_keras


def _elsewhere(framework):
    return json.loads(
        call("tests.workloads.deep500.optimizers.framework_errors:main", framework, framework=framework)
    )


@pytest.mark.parametrize("first", [3, 5])
def test_weights_of_accelegrad_that_grow_a_step_off_are_no_valid_steps(monkeypatch, first):
    wrong = "workloads.deep500.optimizers.accelegrad.accelegrad_weight"
    monkeypatch.setattr(wrong, lambda number: max(1.0, (number + 4 - first) / 4))
    found = errors(OptimizerParameters(optimizer="accelegrad", tensors=2, elements=200))
    assert found["error_over_bound"] > 10


def test_accelegrad_puts_the_parameters_where_the_reference_takes_the_gradient():
    settings, places = OptimizerParameters(optimizer="accelegrad").settings(), []

    def slope(_, where):
        places.append(where[0])
        return 10 * where

    variable = keras.Variable([1.0])
    own = framework_update(settings, "tensorflow", "native", [variable])
    for step in trajectory(settings, np.array([1.0]), slope, [0.1] * 9):
        before = float(variable.value[0])
        own.begin(step.rate)
        assert float(variable.value[0]) == pytest.approx(places[-1], abs=1e-6)
        assert (abs(places[-1] - before) > 1e-3) == (step.number > 5)
        own.apply([keras.ops.convert_to_tensor(step.gradient.astype("float32"))], step.rate)


def rule_errors(file, **changes):
    parameters = OptimizerParameters(**{"rule": file, "tensors": 2, "elements": 200} | changes)
    return errors(parameters, lambda variables: rule_update(rule_of(file, parameters.settings()), variables))


def test_a_right_rule_is_valid(rule):
    found = rule_errors(rule(ADAM))
    assert all(BOUNDS[name].met_by(found[name]) for name in ("error_over_bound", "nonfinite_outputs"))
    assert found["error_over_bound"] > 0


def test_the_rule_of_the_page_is_valid(rule):
    page = (ROOT / "workloads" / "deep500" / "README.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^    def update_rule\(.*\n(?:     .*\n)+", page, re.MULTILINE)
    assert 0 < rule_errors(rule(text), optimizer="momentum")["error_over_bound"] <= 1


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return parameter - state", "return parameter + state"),
        (" / (1 - one**step)", ""),
        ("(1 - two**step) ** 0.5", "1.0"),
    ],
)
def test_a_wrong_rule_is_invalid_in_every_precision(rule, precision, right, wrong):
    assert right in ADAM
    found = rule_errors(rule(ADAM.replace(right, wrong)), precision=precision)
    assert found["error_over_bound"] > 2
    assert not BOUNDS["error_over_bound"].met_by(found["error_over_bound"])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            'square**0.5 / state["correction"] + state["epsilon"]',
            '(square + state["epsilon"])**0.5 / state["correction"]',
        ),
        ('+ state["epsilon"])', ")"),
        ("(1 - two) * gradient**2", "(1 - one) * gradient**2"),
    ],
)
def test_a_small_mistake_is_invalid_in_float32(rule, right, wrong):
    assert right in ADAM
    assert rule_errors(rule(ADAM.replace(right, wrong)))["error_over_bound"] > 10


def test_a_rule_of_another_framework_is_valid_by_its_own_definition_alone(rule):
    file = rule(ADAM)
    assert rule_errors(file, definition="torch")["error_over_bound"] <= 1
    assert rule_errors(file, definition="keras")["error_over_bound"] > 10


def test_the_gradient_is_taken_where_the_rule_puts_the_parameter(rule):
    file = rule("""
        def prepare_parameter(state, name, parameter):
            return parameter + 1

        def update_rule(state, name, parameter, gradient):
            return parameter - 1 - state["learning_rate"] * gradient
    """)
    assert rule_errors(file, optimizer="gradient_descent")["max_error"] < 1e-5


def test_numbers_that_are_not_finite_are_counted_and_have_the_largest_error(rule):
    found = rule_errors(rule(ADAM.replace("return parameter", "return 1e30 * parameter")))
    assert found["error_over_bound"] == LARGEST
    assert "max_error" not in found
    assert found["nonfinite_outputs"] == 400
    assert not any(BOUNDS[name].met_by(found[name]) for name in ("error_over_bound", "nonfinite_outputs"))


def test_the_largest_error_is_that_of_all_steps(rule):
    found = rule_errors(
        rule("""
        def update_rule(state, name, parameter, gradient):
            state[name] = parameter if state["step"] == 1 else state[name]
            wrong = 1.0 if state["step"] == 3 else 0.0
            return state[name] + wrong
    """),
        optimizer="gradient_descent",
    )
    assert found["worst_step"] == 3
    assert found["max_error"] == pytest.approx(1, abs=0.2)


def test_gradients_that_are_not_numbers_are_no_valid_steps(monkeypatch):
    monkeypatch.setattr(gradients, "drawn", lambda number, *_: np.full(number, np.nan))
    found = errors(OptimizerParameters(tensors=1, elements=5))
    assert found["error_over_bound"] == LARGEST
    assert found["nonfinite_outputs"] == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such file; a relative path begins at "),
        ("def update_rule(:", "is no Python: SyntaxError: "),
        ("import sys; sys.exit(3)", "cannot be run: SystemExit: 3"),
        ("\0", "is no Python: "),
        ("x = 1 / 0", "cannot be run: ZeroDivisionError: division by zero"),
        ("update_rule = 3", "has no function update_rule; write def update_rule"),
        ("def new_input(state): pass", "has no function update_rule; write def update_rule"),
        ("new_input = None\ndef update_rule(*_): pass", "has no function new_input"),
    ],
)
def test_a_file_that_is_no_rule_is_refused_in_one_line(tmp_path, text, message):
    file = tmp_path / "rülé ☃.py"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(WorkloadError, match=r"^rule .*rülé ☃.py: ") as caught:
        load_rule(str(file), {})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_without_a_rule_forgets_that_of_an_earlier_run(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def update_rule(state, name, parameter, gradient):\n    return parameter\n")
    settings = OptimizerParameters().settings()
    assert rule_of(str(file), settings) is not None
    assert sys.modules[MODULE].__file__ == str(file)
    assert rule_of("", settings) is None
    assert MODULE not in sys.modules


def test_a_plan_refuses_a_file_that_is_no_rule(rule):
    for given, message in (("absent.py", "no such file"), (rule("if"), "is no Python: SyntaxError")):
        with pytest.raises(WorkloadError, match=message):
            WORKLOAD.check_ranks(WORKLOAD.resolve({"rule": given}), 1)
    WORKLOAD.check_ranks(WORKLOAD.resolve({"rule": rule(ADAM)}), 1)


def test_a_file_that_was_changed_is_read_again(rule):
    for number in (1.0, 2.0):
        loaded = load_rule(rule(f"def update_rule(*_): return {number}"), {})
        assert loaded.update_rule() == number


def test_a_file_with_another_ending_is_refused(tmp_path):
    (tmp_path / "rule.txt").write_text("x = 1", encoding="utf-8")
    with pytest.raises(WorkloadError, match=r"must be a Python file, with the ending \.py"):
        load_rule(str(tmp_path / "rule.txt"), {})


@pytest.mark.parametrize(("returned", "named"), [("None", "NoneType"), ("gradient[:3]", r"the shape \(3,\)")])
def test_what_a_rule_returns_must_be_a_parameter(rule, returned, named):
    file = rule(f"def update_rule(state, name, parameter, gradient): return {returned}")
    with pytest.raises(WorkloadError, match=f"must return an array of the parameter's shape .*{named}"):
        rule_errors(file)


def test_an_update_of_a_framework_has_nothing_to_begin():
    assert Update(lambda gradients, rate: None).begin(0.1) is None


def test_a_run_reports_the_errors_and_the_seconds_of_a_step(run, capsys):
    done = run(
        "deep500_optimizer",
        {"optimizer": "adagrad", "tensors": 2, "elements": 100, "steps": 5, "budget_seconds": 0.1},
    )
    assert 0 < done.metric("error_over_bound") <= 1
    assert done.metric("worst_step") in range(1, 6)
    assert done.metric("elements") == 200
    assert done.result.observed["optimizer"] == "keras"
    assert done.result.observe_after() == {"precision": "float32", "precision_asked": "float32"}
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "step,max_error,error_over_bound"
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "2", "3", "4", "5"]


def test_what_does_not_fit_the_slot_is_refused():
    with pytest.raises(WorkloadError, match=r"needs about 715\.3 GiB of memory, and its slot has 2\.0 GiB"):
        WORKLOAD.check_memory(WORKLOAD.resolve({"elements": 10**9}), 2**31)
    WORKLOAD.check_memory(WORKLOAD.resolve({}), 2**31)


@pytest.mark.parametrize("name", ["momentum", "beta_1", "beta_2", "rho"])
def test_a_share_of_one_is_refused(name):
    with pytest.raises(WorkloadError, match=f"{name} must be below 1, not 1"):
        run(OptimizerParameters(**{name: 1.0}), Context(seed=1, slot=SlotView()))


@pytest.mark.parametrize("workload", ["deep500_optimizer", "deep500_training"])
def test_nesterov_without_momentum_is_refused_where_pytorch_refuses_it(workload):
    one = modules.workload(workload)
    given = one.resolve({"optimizer": "nesterov", "momentum": 0.0, "framework": "torch"})
    with pytest.raises(WorkloadError, match=r"momentum must be above 0 for nesterov of torch\.optim"):
        one.check_ranks(given, 1)
    for other in ({"framework": "tensorflow"}, {"implementation": "keras"}, {"optimizer": "momentum"}):
        one.check_ranks(given | other, 1)


def test_the_packages_are_those_of_the_framework():
    assert WORKLOAD.packages(WORKLOAD.resolve({"framework": "torch"}), 1) == ("keras", "torch")
