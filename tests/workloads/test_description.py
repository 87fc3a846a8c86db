from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.catalog.registry import describe
from workloads.description import DataFormat, Parameter, Workload, WorkloadError, resolve
from workloads.modules import names

KNOWN = (
    Parameter("epochs", 100, "passes", minimum=1, rule="at least"),
    Parameter("rate", 0.5, "step", minimum=0, rule="fixed"),
    Parameter("mode", "fast", "how", choices=("fast", "slow")),
    Parameter("shuffle", True, "rows"),
    Parameter("loader", "a", "how", choices=("a", "b", "c"), rule="fixed", allowed=("b",)),
)
WORKLOAD = Workload("w", "t", "s", "m:f", KNOWN, "run")
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
    broken = WORKLOAD.broken_rules(WORKLOAD.resolve(given_values))
    expected = (given_values.get("epochs", 100) < 100) + (given_values.get("rate", 0.5) != 0.5)
    assert len(broken) == expected + (given_values.get("loader") == "c")


def test_broken_rules_say_what_the_rules_allow():
    parameters = WORKLOAD.resolve({"epochs": 5, "rate": 0.1, "loader": "c"})
    assert WORKLOAD.broken_rules(parameters) == [
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
        ({"mode": "slower"}, "workload w: mode must be one of fast, slow, not 'slower'"),
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
def test_built_in_defaults_fit_themselves_and_keep_the_rules(name):
    workload = describe(name)
    resolved = workload.resolve({})
    assert resolved == {p.name: p.default for p in workload.parameters}
    assert workload.broken_rules(resolved) == []
    assert json.loads(json.dumps(workload.to_dict()))["name"] == name


@pytest.mark.parametrize(
    ("name", "metric", "minimum", "fom_time"),
    [("p1b1", "pearson_correlation", 0.7808, "run"), ("p3b1", "geometric_mean_f1", 0.5637, "run")],
)
def test_quality_targets_of_the_suite(name, metric, minimum, fom_time):
    workload = describe(name)
    assert (workload.quality.metric, workload.quality.minimum, workload.fom_time) == (
        metric,
        minimum,
        fom_time,
    )
    assert workload.broken_rules(workload.resolve({"epochs": 1}))


@pytest.mark.parametrize("name", ["p1b1", "p3b1"])
def test_a_base_run_reads_the_files_as_they_are_distributed(name):
    workload = describe(name)

    def broken(loader):
        return workload.broken_rules(workload.resolve({"loader": loader}))

    assert broken("numpy") == broken("pandas") == broken("pandas_low_memory_false") == []
    assert broken("cache") == ["loader is cache, rules say one of numpy, pandas, pandas_low_memory_false"]


def test_lstm_has_no_quality_target_and_counts_samples():
    assert describe("lstm").quality is None
    assert describe("lstm").fom_time == "sample"
