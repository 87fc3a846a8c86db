"""The rule about marks, by facts that are made up."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.rulebooks import registry
from orchestrator.rulebooks.mark_facts import MarkFacts
from orchestrator.rulebooks.mark_rules import marks
from tests.orchestrator.rulebooks.measured import measured

HONEST: dict[str, Any] = {
    "latest_seconds": 0.02,
    "earliest_seconds": -0.001,
    "stretch_seconds": 0.02,
    "shortest_seconds": 100.0,
    "busiest_share": 0.99,
    "cpu_before_seconds": 8.0,
    "cpu_after_seconds": 0.3,
    "after_seconds": 0.2,
    "after_window_seconds": 3.0,
}


def rule(**changes: Any) -> Any:
    return marks(measured("lstm", [(0, 100, 0.9)], marks=MarkFacts(**HONEST | changes)))


def test_what_agrees_passes() -> None:
    assert (rule().passed, rule().reason, rule().declared) == (True, "every mark arrived within 0.020 s", ())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"latest_seconds": 18.0}, "arrived 18.000 s after its date, allowed is 1 s"),
        ({"earliest_seconds": -4.0}, "arrived 4.000 s before its date, allowed is 0.1 s"),
        # 19 s of CPU time in a run of 6 s on a core
        ({"busiest_share": 19 / 7}, "used 271% of the CPU time that the cores of its slot have"),
        ({"cpu_before_seconds": 61.0}, "61.0 s of CPU time before its run started, allowed are 60 s"),
        ({"cpu_after_seconds": 18.0}, "18.0 s of CPU time after its run had stopped, allowed are 15 s"),
        ({"after_seconds": 24.5}, "ended 24.5 s after its run had stopped, allowed are 15 s"),
        ({"after_window_seconds": 80.0}, "went on for 80.0 s after its timed window"),
        ({"disordered": 1}, "1 accepted instance has marks that stop before they start"),
        ({"refused": frozenset({"a second run_stop"})}, "its supervisor got a second run_stop"),
        ({"undated": 2}, "2 accepted instances have marks that no supervisor dated"),
    ],
)
def test_what_contradicts_its_supervisor_fails(changes: dict[str, Any], words: str) -> None:
    assert rule(**changes).passed is False
    assert words in rule(**changes).reason


def test_evaluation_after_the_window_is_known() -> None:
    assert rule(after_window_seconds=80.0, phases_after_seconds=70.0).passed is True


def test_lines_that_the_site_runs_after_an_attempt_are_no_work_of_its_processes() -> None:
    assert rule(after_seconds=60.0, teardown_seconds=59.5).passed is True
    assert rule(after_seconds=60.0, teardown_seconds=40.0).passed is False


def test_counting_the_work_of_a_large_network_on_a_slow_core_breaks_no_rule() -> None:
    """Twice what ResNet-50 took for it on a core of a present server."""
    found = rule(cpu_after_seconds=9.2, after_seconds=11.0)
    assert found.passed is True
    assert len(found.declared) == 2


def test_an_interval_that_the_supervisor_saw_last_longer_is_declared() -> None:
    short = rule(shortest_seconds=1.4, stretch_seconds=0.5, latest_seconds=0.6, after_window_seconds=1.0)
    assert short.passed is True
    assert short.declared == (
        "by the supervisor's clock an accepted instance took up to 0.5 s longer than by its own marks; the "
        "shortest took 1.4 s",
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cpu_after_seconds": 4.5}, "a rank used up to 4.5 s of CPU time after its run had stopped"),
        ({"after_seconds": 14.0}, "ended up to 14 s after its run had stopped"),
        ({"after_window_seconds": 30.0, "phases_after_seconds": 20.0}, "up to 10 s after its timed window"),
        ({"cpu_before_seconds": 59.0}, "a rank used up to 59 s of CPU time before its run started"),
        ({"before_seconds": 300.0}, "ran for up to 300 s before its run started"),
    ],
)
def test_what_is_allowed_and_much_for_a_short_interval_is_declared(
    changes: dict[str, Any], words: str
) -> None:
    """Six seconds of work of which one lies between the marks break no bound."""
    short = rule(shortest_seconds=1.4, **{"after_window_seconds": 1.0, **changes})
    assert short.passed is True
    [declared] = short.declared
    assert words in declared
    assert declared.endswith("; the shortest took 1.4 s")


def test_where_nothing_was_dated_nothing_is_decided() -> None:
    assert marks(measured("lstm", [(0, 100, 0.9)])).passed is None


@pytest.mark.parametrize("name", ["coral2", "hpcai500", "mlperf_hpc", "none", "recipe"])
def test_every_rulebook_has_it(name: str) -> None:
    assert "marks" in registry.load(name).sentences
