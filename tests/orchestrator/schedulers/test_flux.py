"""What is particular to Flux: reasons of waiting, constraints on nodes, ids in ASCII."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from orchestrator.schedulers.flux import FluxFamily
from orchestrator.schedulers.launchers import launcher_words
from orchestrator.schedulers.model import JobRequest, JobState
from sites.schedulers import Flux


def family(**keys: str) -> FluxFamily:
    return FluxFamily(Flux.model_validate({"walltime": 3600, **keys}))


@pytest.mark.parametrize(
    ("dependencies", "reason", "advice"),
    [
        ("max-running-jobs-user-limit", "", "fewer scheduler.max_blocks or nodes need less"),
        ("max-resources-user-limit", "", "fewer scheduler.max_blocks or nodes need less"),
        ("", "queue pbatch is stopped", "ask the machine's staff"),
        ("", "insufficient resources", None),
        ("", "", None),
    ],
)
def test_a_waiting_job_has_its_reason(dependencies: str, reason: str, advice: str | None) -> None:
    line = f"ƒ7|DEPEND||16|||{dependencies}|{reason}||\n"
    (job,) = family().parse_status(["f7"], 0, line, "")
    assert job.state is JobState.QUEUED
    assert (job.pending is None) == (advice is None)
    if job.pending is not None and advice is not None:
        assert advice in job.pending.advice
        assert not job.pending.hopeless


@pytest.mark.parametrize(
    ("urgency", "estimate", "reason"),
    [
        ("16", "1784700000.5", "SCHED, expected to start at 2026-07-22T06:00:00"),
        ("16", "", "SCHED"),
        ("16", "soon", "SCHED"),
        ("16", "1e99", "SCHED"),
        ("0", "1784700000.5", "SCHED"),
    ],
)
def test_a_waiting_job_has_its_expected_start(
    urgency: str, estimate: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    (job,) = family().parse_status(["f7"], 0, f"ƒ7|SCHED||{urgency}|||||{estimate}|\n", "")
    assert job.reason == reason


def test_a_job_that_cannot_be_satisfied_says_why() -> None:
    note = "unsatisfiable request: need 9 exclusive node(s), only 2 eligible"
    (job,) = family().parse_status(["f7"], 0, f"ƒ7|INACTIVE|FAILED|16|1|alloc||||{note}\n", "")
    assert (job.state, job.reason) == (JobState.FAILED, f"FAILED (alloc: {note})")


@pytest.mark.parametrize(
    ("requires", "excluded", "directive"),
    [
        (None, (), None),
        ("mi300a", (), "--requires=mi300a"),
        (None, ("n1", "n2"), "--requires='not hosts:n1,n2'"),
        ("a|b", ("n1",), "--requires='(a|b) and not hosts:n1'"),
    ],
)
def test_nodes_are_constrained(
    requires: str | None, excluded: tuple[str, ...], directive: str | None
) -> None:
    keys = {"requires": requires} if requires else {}
    request = JobRequest("eto-1", 2, 60.0, Path("/out"), "true", exclude_nodes=excluded)
    found = [line for line in family(**keys).directives(request) if line.startswith("--requires")]
    assert found == ([directive] if directive else [])


def test_the_launcher_waits_for_all_of_a_block_and_ends_all_of_an_instance() -> None:
    block = launcher_words("flux", ["-o", "mpibind=off"], 2)
    assert block[:4] == ["flux", "run", "--nodes=2", "--ntasks=2"]
    assert "exit-timeout=none" in block
    assert "exit-on-error" not in block
    assert block[-2:] == ["-o", "mpibind=off"]
    instance = launcher_words("flux", [], 2, ["n1", "n2"])
    assert "exit-on-error" in instance
    assert instance[-1] == "--requires=hosts:n1,n2"
