"""What a driver learns: how long instances take, and which nodes only ever fail."""

from __future__ import annotations

from orchestrator.driver.node_health import FAILURES_OF_A_NODE
from orchestrator.driver.runtime_estimates import ENOUGH, Experience
from orchestrator.protocol.report import AttemptReport
from tests.messages import report


def ended(seconds: float = 1.0, pool: str = "p1") -> AttemptReport:
    start = 1_000_000
    return report(pool=pool, node="n7", process_start_us=start, process_stop_us=start + int(seconds * 1e6))


def failed(pool: str = "p1", category: str = "infrastructure") -> AttemptReport:
    return report(state="failed", category=category, pool=pool, node="n7", message="no GPU")


def test_the_longest_so_far_and_a_margin_is_expected() -> None:
    experience = Experience({"a": 60.0, "b": None}, {"b": 100.0})
    assert experience.expected("a") == 60.0
    assert experience.expected("b") == 100.0 * 1.1
    for seconds in (10.0, 20.0, 5.0):
        experience.learn("a", ended(seconds))
    assert experience.expected("a") == 20.0 * 1.1


def test_a_straggler_among_many_does_not_count() -> None:
    experience = Experience({"a": 60.0}, {"a": 5000.0})
    experience.learn("a", ended(6000.0))
    for k in range(ENOUGH - 1):
        assert experience.expected("a") == 6000.0 * 1.1
        experience.learn("a", ended(10.0 + k % 2))
    assert experience.expected("a") == 6000.0 * 1.1  # one of twenty is no straggler yet
    experience.learn("a", ended(10.0))
    assert experience.expected("a") == 11.0 * 1.1


def test_a_node_that_only_fails_is_named_once() -> None:
    experience = Experience({"a": None})
    for _ in range(FAILURES_OF_A_NODE):
        experience.learn("a", failed())
    (node,) = experience.failing()
    assert (node.pool, node.name) == ("p1", "n7")
    assert str(node) == "node n7 is set aside after 4 failures in a row: no GPU"
    experience.learn("a", failed())
    assert experience.failing() == []


def test_a_bad_node_is_known_again_in_another_block() -> None:
    experience = Experience({"a": None})
    for _ in range(FAILURES_OF_A_NODE):
        experience.learn("a", failed())
    assert [node.pool for node in experience.failing()] == ["p1"]
    experience.learn("a", failed(pool="p2"))
    assert [(node.pool, node.failures) for node in experience.failing()] == [("p2", 5)]
    experience.learn("a", ended(pool="p2"))
    experience.learn("a", failed(pool="p3"))
    assert experience.failing() == []


def test_a_success_or_a_failure_of_the_benchmark_itself_clears_or_spares_a_node() -> None:
    experience = Experience({"a": None})
    for _ in range(3):
        for _ in range(FAILURES_OF_A_NODE - 1):
            experience.learn("a", failed())
        experience.learn("a", ended())
        experience.learn("a", failed(category="benchmark"))
    assert experience.failing() == []
