from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from orchestrator.catalog.registry import describe
from tests.readmes.pages import ROOT
from tests.workloads.deep500.distributed.thread_ranks import run_threads
from workloads.deep500.distributed import own_optimizer
from workloads.deep500.distributed.problem import Sizes, draw
from workloads.deep500.distributed.reference import Replay, error_over_bound, gradient
from workloads.deep500.distributed.schemes import Rules, train
from workloads.deep500.user_module import MODULE
from workloads.description import WorkloadError

SIZES = Sizes(features=5, hidden=4, classes=3, train_rows=40, test_rows=10)
RULES = Rules(0.1, local_steps=2)
STEPS = 6
DECENTRALISED = """
def update(state, parameters, gradient, ranks):
    return parameters - state["learning_rate"] * ranks.all_reduce_mean(gradient)
"""
AVERAGING = """
def update(state, parameters, gradient, ranks):
    moved = parameters - state["learning_rate"] * gradient
    return moved if (state["step"] + 1) % state["local_steps"] else ranks.all_reduce_mean(moved)
"""


@pytest.fixture
def rule(tmp_path):
    def write(text):
        file = tmp_path / "mine.py"
        file.write_text(text)
        return str(file)

    return write


def error(file, ranks=3, scheme="consistent_decentralised"):
    own, problem = own_optimizer.load(file), draw(SIZES, 1)

    def of_rank(rank):
        def slope(vector, step):
            wide = gradient(problem, vector.astype(float), *problem.batch(step, rank.rank, rank.size, 4))
            return wide.astype(np.float32)

        return train(scheme, problem.initial, slope, STEPS, RULES, rank, update=own.begin()).parameters

    found = run_threads(ranks, of_rank)
    replay = Replay(problem, scheme, ranks, STEPS, 4, RULES.learning_rate, RULES.local_steps)
    expected = replay.parameters() if own.reference is None else own.replayed(replay, RULES)
    return max(
        error_over_bound(one, wanted, "float32", STEPS)[0]
        for one, wanted in zip(found, expected, strict=True)
    )


def of_page():
    page = (ROOT / "workloads/deep500/README.md").read_text()
    (text,) = re.findall(
        r"(?:^    def (?:update|reference)\(state, parameters.*\n(?:     .*\n)+\n?){2}",
        page,
        re.MULTILINE,
    )
    return re.sub("^    ", "", text, flags=re.MULTILINE)


def test_a_rule_is_compared_with_the_scheme_that_it_claims_to_be(rule):
    assert error(rule(DECENTRALISED)) <= 1
    assert error(rule(AVERAGING), scheme="model_averaging") <= 1
    assert error(rule(AVERAGING), scheme="consistent_decentralised") > 10


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_rule_of_the_page_is_compared_with_its_own_reference(rule, ranks):
    assert error(rule(of_page()), ranks) <= 1


def test_a_rule_that_is_not_its_reference_is_invalid(rule):
    assert error(rule(of_page().replace("0.9", "0.8", 1))) > 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def reference(*_): pass", "has no function update; write def update(state, parameters, gradient"),
        (f"{DECENTRALISED}\nreference = 3", "has no function reference; write def reference(state"),
        ("x = 1 / 0", "cannot be run: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_is_no_optimizer_is_refused_in_one_line(rule, text, message):
    with pytest.raises(WorkloadError, match=re.escape(message)) as caught:
        own_optimizer.load(rule(text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def update(*_): return None", r"update of the rule must return an array of the parameter's shape"),
        (
            f"{DECENTRALISED}\ndef reference(*_): return 3",
            "must return a list of 3 vectors, one for each rank",
        ),
        (f"{DECENTRALISED}\ndef reference(s, p, g): return [p[0][:2]] * 3", r"and returned the shape \(2,\)"),
    ],
)
def test_results_must_be_parameters(rule, text, message):
    with pytest.raises(WorkloadError, match=message):
        error(rule(text))


def test_a_run_without_a_rule_forgets_that_of_an_earlier_run(rule):
    file = rule(DECENTRALISED)
    assert own_optimizer.load(file) is not None
    assert sys.modules[MODULE].__file__ == file
    assert own_optimizer.load("") is None
    assert MODULE not in sys.modules


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"compression": "top_k"}, "compression top_k is not of a rule, which sends what it computes"),
        ({"scheme": "inconsistent_centralised"}, "called in the same steps on all ranks"),
        ({"rule": "absent.py"}, "rule absent.py: no such file"),
    ],
)
def test_a_plan_refuses_a_rule_that_cannot_be_used(rule, changes, message):
    workload = describe("deep500_distributed")
    with pytest.raises(WorkloadError, match=message):
        workload.check_ranks(workload.resolve({"rule": rule(DECENTRALISED)} | changes), 2)
    workload.check_ranks(workload.resolve({"rule": rule(DECENTRALISED)}), 2)
