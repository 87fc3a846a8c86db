"""Nodes on which attempts only fail are found once and excluded."""

from __future__ import annotations

from typing import Any

import msgspec.structs
import pytest

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.observers.node_health import FAILURES_OF_A_NODE, NodeHealth
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.signal_files import EXCLUDED
from tests.orchestrator.driver.fakes import RecordedEvents, attempt, failed, succeeded


@pytest.fixture
def events() -> RecordedEvents:
    return RecordedEvents()


@pytest.fixture
def health(events: Any) -> NodeHealth:
    return NodeHealth(events)


def end(health: NodeHealth, report: AttemptReport, times: int = 1) -> None:
    for _ in range(times):
        health.attempt_ended(attempt(), report, InstanceState.PLANNED)


def test_a_node_that_only_fails_is_named_once(health: NodeHealth) -> None:
    end(health, failed(), FAILURES_OF_A_NODE)
    (node,) = health.newly_failing()
    assert (node.pool, node.name) == ("p1", "n7")
    assert str(node) == "node n7 is excluded after 4 failures in a row: no GPU"
    end(health, failed())
    assert health.newly_failing() == []


def test_a_bad_node_is_known_again_in_another_block(health: NodeHealth) -> None:
    end(health, failed(), FAILURES_OF_A_NODE)
    assert [node.pool for node in health.newly_failing()] == ["p1"]
    end(health, failed(pool="p2"))
    assert [(node.pool, node.failures) for node in health.newly_failing()] == [("p2", 5)]
    end(health, succeeded(pool="p2"))
    end(health, failed(pool="p3"))
    assert health.newly_failing() == []


def test_a_success_or_a_failure_of_the_benchmark_itself_clears_or_spares_a_node(health: NodeHealth) -> None:
    for _ in range(3):
        end(health, failed(), FAILURES_OF_A_NODE - 1)
        end(health, succeeded())
        end(health, failed(category="benchmark"))
    assert health.newly_failing() == []


class Engine:
    """Notes which nodes were excluded."""

    def __init__(self) -> None:
        self.excluded: list[tuple[str, ...]] = []
        self.drained: list[tuple[str, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *words: (self.drained if name == "drain_pool" else self.excluded).append(words)


def test_a_failing_node_is_excluded_and_recorded(health: NodeHealth, events: RecordedEvents) -> None:
    engine: Any = Engine()
    end(health, failed(), FAILURES_OF_A_NODE)
    health.tick(engine)
    health.tick(engine)
    assert engine.excluded == [("p1", "n7")]
    assert [(kind, subject) for kind, subject, _ in events.found] == [(EventKind.NODE_EXCLUDED, "n7")]


def test_the_excluded_nodes_of_an_instance_over_several_are_named(
    health: NodeHealth, events: RecordedEvents
) -> None:
    engine: Any = Engine()
    refused = msgspec.structs.replace(failed(category="neutral"), failure_reason=EXCLUDED, nodes=("n8", "n9"))
    end(health, refused, 2)
    health.tick(engine)
    assert [subject for _, subject, _ in events.found] == ["n8", "n9"]  # launched from n7
    assert events.found[0][2].startswith("node n8 is on the campaign's exclude list, and ")
    assert [pool for (pool,) in engine.drained] == ["p1"]


def test_the_only_node_is_kept(events: Any) -> None:
    health, engine = NodeHealth(events, local_pools=[""]), Engine()
    end(health, failed(), FAILURES_OF_A_NODE)
    health.tick(engine)  # type: ignore[arg-type]
    assert engine.excluded == []
