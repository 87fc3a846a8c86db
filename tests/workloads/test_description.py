from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.catalog.registry import describe
from workloads.description import (
    DataFormat,
    Parameter,
    ParameterRule,
    QualityTarget,
    Workload,
    WorkloadError,
    broken_rules,
    resolve,
)
from workloads.modules import names

KNOWN = (
    Parameter("epochs", 100, "passes", minimum=1),
    Parameter("rate", 0.5, "step", minimum=0),
    Parameter("mode", "fast", "how", choices=("fast", "slow")),
    Parameter("shuffle", True, "rows"),
    Parameter("loader", "a", "how", choices=("a", "b", "c")),
)
WORKLOAD = Workload("w", "t", "s", "m:f", KNOWN, "run")
RULES = {
    "epochs": ParameterRule(at_least=100),
    "rate": ParameterRule((0.5,)),
    "loader": ParameterRule(("a", "b")),
}
values = st.fixed_dictionaries(
    {},
    optional={
        "epochs": st.integers(1, 10**6),
        "rate": st.floats(0, 1e6),
        "mode": st.sampled_from(["fast", "slow"]),
        "shuffle": st.booleans(),
        "loader": st.sampled_from(["a", "b", "c"]),
    },
)


@given(values)
def test_given_values_override_defaults_and_nothing_else(given_values):
    resolved = resolve(KNOWN, given_values, "workload w")
    assert resolved == {p.name: p.default for p in KNOWN} | given_values
    assert resolve(KNOWN, resolved, "workload w") == resolved


@given(values)
def test_broken_rules_are_exactly_the_ruled_parameters_that_differ(given_values):
    broken = broken_rules(RULES, WORKLOAD.resolve(given_values))
    expected = (given_values.get("epochs", 100) < 100) + (given_values.get("rate", 0.5) != 0.5)
    assert len(broken) == expected + (given_values.get("loader") == "c")


def test_broken_rules_say_what_the_rules_allow():
    parameters = WORKLOAD.resolve({"epochs": 5, "rate": 0.1, "loader": "c"})
    assert broken_rules(RULES, parameters) == [
        "epochs is 5, rules say at least 100",
        "rate is 0.1, rules say 0.5",
        "loader is c, rules say one of a, b",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epoch": 3}, "workload w has no parameter 'epoch'; did you mean epochs?"),
        ({"zzz": 3}, "workload w has no parameter 'zzz'; it has epochs, rate, mode, shuffle, loader"),
        ({"epochs": 0}, "workload w: epochs must be at least 1, not 0"),
        ({"epochs": 1.5}, "workload w: epochs must be a whole number, not 1.5"),
        ({"epochs": True}, "workload w: epochs must be a whole number, not True"),
        ({"rate": float("nan")}, "workload w: rate must be a finite number, not nan"),
        ({"rate": "1"}, "workload w: rate must be a number, not '1'"),
        ({"mode": "slower"}, "workload w: mode must be one of fast, slow, not 'slower'; did you mean slow?"),
        ({"loader": "a\0"}, "workload w: loader must hold no NUL character and no surrogate, not 'a\\x00'"),
        (
            {"loader": "\udcff"},
            "workload w: loader must hold no NUL character and no surrogate, not '\\udcff'",
        ),
        ({"shuffle": 1}, "workload w: shuffle must be true or false, not 1"),
    ],
)
def test_what_does_not_fit_is_named(changes, message):
    with pytest.raises(WorkloadError) as caught:
        WORKLOAD.resolve(changes)
    assert str(caught.value) == message


def test_whole_numbers_do_for_numbers():
    assert WORKLOAD.resolve({"rate": 2})["rate"] == 2.0
    assert type(WORKLOAD.resolve({"rate": 2})["rate"]) is float


def test_sizes_resolve_like_parameters():
    sizes = DataFormat((), "m:f", "m:g", (Parameter("rows", 3000, "cases", minimum=2),))
    assert sizes.resolve_sizes({"rows": 5}) == {"rows": 5}
    with pytest.raises(WorkloadError, match="the data maker: rows must be at least 2"):
        sizes.resolve_sizes({"rows": 1})


@pytest.mark.parametrize("name", names())
def test_built_in_defaults_fit_themselves(name):
    workload = describe(name)
    resolved = workload.resolve({})
    assert resolved == {p.name: p.default for p in workload.parameters}
    assert json.loads(json.dumps(workload.to_dict()))["name"] == name


@pytest.mark.parametrize(
    ("rule", "kept", "broken", "words"),
    [
        (ParameterRule(at_least=3), [3, 3.5, 10**9], [2, "4", True, None, float("nan")], "at least 3"),
        (ParameterRule((3,)), [3, 3.0], [4, "3", None], "3"),
        (ParameterRule(("a", "b")), ["a", "b"], ["c", None, ["a"]], "one of a, b"),
    ],
)
def test_a_rule_says_which_values_keep_it(rule, kept, broken, words):
    assert all(rule.met_by(value) for value in kept)
    assert not any(rule.met_by(value) for value in broken)
    assert str(rule) == words


def test_a_rule_may_bind_those_alone_that_have_its_parameter():
    rules = {"depth": ParameterRule((5,), if_stated=True)}
    assert broken_rules(rules, {}) == broken_rules(rules, {"depth": 5}) == []
    assert broken_rules(rules, {"depth": 4}) == ["depth is 4, rules say 5"]


@pytest.mark.parametrize("given", [{}, {"values": (1,), "at_least": 1}])
def test_a_rule_has_one_demand(given):
    with pytest.raises(ValueError, match="either values or at_least"):
        ParameterRule(**given)


def test_a_target_has_a_direction():
    high, low = QualityTarget("iou", at_least=0.82), QualityTarget("error", at_most=0.124)
    assert (str(high), high.bound, high.met_by(0.82), high.met_by(0.81)) == ("iou >= 0.82", 0.82, True, False)
    assert (str(low), low.bound, low.met_by(0.124), low.met_by(0.13)) == (
        "error <= 0.124",
        0.124,
        True,
        False,
    )
    assert not high.met_by(float("nan"))
    assert not low.met_by(float("nan"))
    for bounds in ({}, {"at_least": 1.0, "at_most": 2.0}):
        with pytest.raises(ValueError, match="at_least or at_most"):
            QualityTarget("iou", **bounds)


@pytest.mark.parametrize(
    ("name", "given", "ranks", "packages"),
    [
        ("p1b1", {}, 1, ("keras", "tensorflow")),
        ("lstm", {"framework": "jax"}, 1, ("keras", "jax")),
        ("vgg", {"framework": "torch"}, 2, ("keras", "torch")),
        ("resnet50", {}, 1, ("keras", "tensorflow")),
        ("resnet50", {}, 4, ("keras", "tensorflow", "horovod")),
    ],
)
def test_a_workload_names_the_packages_it_imports(name, given, ranks, packages):
    workload = describe(name)
    assert workload.packages(workload.resolve(given), ranks) == packages


def test_the_lstm_has_no_accuracy_and_counts_samples():
    assert describe("lstm").accuracy_metric == ""
    assert describe("lstm").fom_time == "sample"
