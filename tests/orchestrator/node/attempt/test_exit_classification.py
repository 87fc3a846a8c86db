"""Every way an attempt can end is told apart, and nothing that was not measured is a success."""

from __future__ import annotations

import math
import signal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.states import AttemptState
from orchestrator.node.attempt.exit_classification import ExitFacts, classify_exit
from orchestrator.protocol.report import TrainingError, TrainingResult

RESULT: dict[str, Any] = {"fom_seconds": 2.5, "accuracy": 0.9, "seen": {"cpuset": [0, 1]}}


def ending(**changes: Any) -> ExitFacts:
    facts: dict[str, Any] = {
        "exit_code": 0,
        "result": RESULT,
        "error": None,
        "terminated_by": None,
        "oom_kills": 0,
        "cores": ((0, 1),),
        "timeout_seconds": 90.0,
        "memory_bytes": 2**30,
    }
    facts |= changes
    if facts["result"] is not None:
        facts["result"] = TrainingResult.from_json(facts["result"])
    if facts["error"] is not None:
        facts["error"] = TrainingError.from_json(facts["error"])
    return ExitFacts(**facts)


def error(kind: str, message: str, **changes: Any) -> ExitFacts:
    """Return the end of a process that reported an error of its own."""
    facts: dict[str, Any] = {"exit_code": 1, "result": None, "error": {"kind": kind, "message": message}}
    return ending(**facts | changes)


def killed(number: int, **changes: Any) -> ExitFacts:
    return ending(exit_code=-number, result=None, **changes)


def result(**changes: Any) -> ExitFacts:
    return ending(result=RESULT | changes)


WAYS = {
    "exit 3": (ending(exit_code=3, result=None), "failed benchmark: exit code 3", "exit code 3"),
    "exit 3 after a result": (ending(exit_code=3), "failed benchmark: exit code 3", ""),
    "no result": (ending(result=None), "failed benchmark: no result", "reported no result"),
    "exception": (
        ending(exit_code=1, error={"kind": "exception", "message": "ValueError: x", "where": "a.py:3"}),
        "failed benchmark: exception",
        "ValueError: x (a.py:3)",
    ),
    "an error of a kind never heard of": (
        ending(exit_code=1, result=None, error={}),
        "failed benchmark: exception",
        "no message",
    ),
    "data": (
        error("data", "train.csv: line 3"),
        "failed benchmark: data error",
        "train.csv: line 3",
    ),
    "parameters": (
        error("parameters", "no such"),
        "failed benchmark: bad parameters",
        "no such",
    ),
    "MemoryError": (
        error("memory", "out of memory"),
        "failed benchmark: out of memory",
        "out of memory",
    ),
    "memory of a GPU": (
        error("gpu memory", "CUDA out of memory"),
        "failed benchmark: out of memory of its GPU",
        "CUDA out of memory",
    ),
    "no space left": (
        error("disk", "OSError: [Errno 28] No space left on device: 'run.log'"),
        "failed infrastructure: disk full",
        "No space left on device: 'run.log'; free some space",
    ),
    "no space left on a node's own disk": (
        error("node disk", "OSError: [Errno 28] No space left on device"),
        "failed benchmark: out of disk",
        "No space left on device; its node's own disk is full",
    ),
    "SIGABRT of a command on a full disk": (
        killed(signal.SIGABRT, error={"kind": "node disk", "message": "the command died of SIGABRT"}),
        "failed benchmark: out of disk",
        "the command died of SIGABRT; its node's own disk is full",
    ),
    "SIGKILL of a command on a full disk": (
        killed(signal.SIGKILL, error={"kind": "node disk", "message": "the command died of SIGKILL"}),
        "failed infrastructure: killed by SIGKILL",
        "another process sent the training SIGKILL",
    ),
    "an error although it left with 0": (
        ending(error={"kind": "exception", "message": "x"}),
        "failed benchmark: exception",
        "x",
    ),
    "SIGSEGV": (
        killed(signal.SIGSEGV),
        "failed benchmark: crashed with SIGSEGV",
        "SIGSEGV",
    ),
    "SIGABRT of a command": (
        killed(signal.SIGABRT, error={"kind": "command", "message": "its last words were 'bad shard'"}),
        "failed benchmark: crashed with SIGABRT",
        "its last words were 'bad shard'",
    ),
    "SIGKILL of a command": (
        killed(signal.SIGKILL, error={"kind": "command", "message": "the command died of SIGKILL"}),
        "failed infrastructure: killed by SIGKILL",
        "another process sent the training SIGKILL",
    ),
    "SIGSEGV after a result": (
        ending(exit_code=-signal.SIGSEGV),
        "failed benchmark: crashed with SIGSEGV",
        "",
    ),
    "SIGABRT after an error": (
        ending(exit_code=-signal.SIGABRT, error={"message": "x"}),
        "failed benchmark: crashed with SIGABRT",
        "",
    ),
    "SIGKILL from outside": (
        killed(signal.SIGKILL),
        "failed infrastructure: killed by SIGKILL",
        "another process sent",
    ),
    "SIGTERM from outside": (
        killed(signal.SIGTERM),
        "failed infrastructure: killed by SIGTERM",
        "another process sent",
    ),
    "SIGKILL by the kernel": (
        killed(signal.SIGKILL, oom_kills=1),
        "failed benchmark: out of memory",
        "kernel",
    ),
    "SIGTERM while the kernel killed another": (
        killed(signal.SIGTERM, oom_kills=1),
        "failed infrastructure: killed by SIGTERM",
        "",
    ),
    "a real-time signal": (killed(40), "failed benchmark: crashed with signal 40", ""),
    "a signal without a name": (killed(99), "failed benchmark: crashed with signal 99", ""),
    "timeout": (
        ending(terminated_by="timeout", exit_code=-15, result=None),
        "timed_out benchmark: timeout",
        "90 s",
    ),
    "timeout after a result": (ending(terminated_by="timeout"), "timed_out benchmark: timeout", "90 s"),
    "memory": (
        ending(terminated_by="memory", exit_code=-9, result=None),
        "failed benchmark: out of memory",
        "1024 MiB",
    ),
    "worker died": (
        ending(terminated_by="orphaned", exit_code=-15),
        "lost infrastructure: worker died",
        "worker process died",
    ),
    "cancelled": (
        ending(terminated_by="cancelled", exit_code=-15),
        "cancelled neutral: cancelled",
        "stopped",
    ),
    "cancelled by a user": (
        ending(terminated_by="user", exit_code=-15),
        "cancelled neutral: cancelled by user",
        "a user cancelled it",
    ),
    "withdrawn": (
        ending(terminated_by="withdrawn", exit_code=-15),
        "cancelled neutral: withdrawn",
        "the driver had given it up",
    ),
    "cannot start": (
        ending(exit_code=None, result=None, start_error="OSError: no such file"),
        "failed infrastructure: cannot start",
        "no such file",
    ),
    "NaN accuracy": (result(accuracy=math.nan), "failed benchmark: NaN result", "accuracy is nan"),
    "infinite accuracy": (result(accuracy=-math.inf), "failed benchmark: NaN result", "accuracy is -inf"),
    "NaN time": (result(fom_seconds=math.nan), "failed benchmark: NaN result", "fom_seconds is nan"),
    "infinite time": (result(fom_seconds=math.inf), "failed benchmark: NaN result", "fom_seconds is inf"),
    "no time": (result(fom_seconds=None), "failed benchmark: no result", "fom_seconds is None"),
    "zero time": (result(fom_seconds=0.0), "failed benchmark: no result", "not above zero"),
    "negative time": (result(fom_seconds=-1.0), "failed benchmark: no result", "not above zero"),
    "time too short": (result(fom_seconds=1e-320), "failed benchmark: no result", "below a picosecond"),
    "time as text": (result(fom_seconds="2.5"), "failed benchmark: no result", "'2.5', not a number"),
    "true as time": (result(fom_seconds=True), "failed benchmark: no result", "True, not a number"),
    "accuracy as text": (result(accuracy="high"), "failed benchmark: no result", "'high', not a number"),
    "other cores": (
        result(seen={"cpuset": [0, 1, 2, 3]}),
        "failed infrastructure: slot mismatch",
        "0,1,2,3, its slot has 0,1",
    ),
    "fewer cores": (result(seen={"cpuset": [0]}), "failed infrastructure: slot mismatch", ""),
    "cores as texts": (
        result(seen={"cpuset": ["0", "1"]}),
        "failed infrastructure: slot mismatch",
        "0,1, its slot has 0,1",
    ),
    "cores of two kinds": (
        result(seen={"cpuset": [0, "1"]}),
        "failed infrastructure: slot mismatch",
        "[0, '1'], its slot has 0,1",
    ),
    "a core that is no list": (
        result(seen={"cpuset": 0}),
        "failed infrastructure: slot mismatch",
        "on cores 0,",
    ),
    "GPUs that are no list": (
        result(seen={"cpuset": [0, 1], "gpus": "GPU-a"}),
        "failed infrastructure: slot mismatch",
        "opened GPUs 'GPU-a', its slot has none",
    ),
    "no core at all": (result(seen={"cpuset": []}), "failed infrastructure: slot mismatch", ""),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_failing_is_told_apart(way: str) -> None:
    facts, verdict, said = WAYS[way]
    outcome = classify_exit(facts)
    assert f"{outcome.state} {outcome.category}: {outcome.reason}" == verdict
    assert outcome.message
    assert said in outcome.message


@pytest.mark.parametrize(
    "facts",
    [
        ending(),
        result(accuracy=None),
        result(accuracy=0),
        result(fom_seconds=3),
        result(seen={}),
        result(seen={"cpuset": [1, 0]}),
        result(seen={"cpuset": None, "gpus": None}),
        ending(oom_kills=2),  # of another job
        ending(memory_bytes=None),
    ],
    ids=[
        "plain",
        "no accuracy",
        "accuracy 0",
        "whole seconds",
        "saw nothing",
        "any order",
        "nulls",
        "oom",
        "no limit",
    ],
)
def test_what_was_measured_is_a_success(facts: ExitFacts) -> None:
    outcome = classify_exit(facts)
    assert outcome.state is AttemptState.SUCCEEDED
    assert (outcome.category, outcome.reason, outcome.message) == (None, None, None)


numbers = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**400), 10**400), st.floats(), st.text(max_size=3)
)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(-70, 70) | st.none(),
    st.none() | st.fixed_dictionaries({"fom_seconds": numbers, "accuracy": numbers}),
    st.none() | st.just({"kind": "exception", "message": "x"}),
    st.sampled_from([None, "timeout", "memory", "cancelled", "orphaned"]),
    st.integers(0, 2),
)
def test_only_a_clean_end_with_good_numbers_succeeds(
    exit_code: int | None,
    reported: dict[str, Any] | None,
    error: dict[str, Any] | None,
    terminated_by: str | None,
    oom_kills: int,
) -> None:
    outcome = classify_exit(
        ending(
            exit_code=exit_code,
            result=reported,
            error=error,
            terminated_by=terminated_by,
            oom_kills=oom_kills,
        )
    )
    assert outcome.state.final
    clean = exit_code == 0 and error is None and terminated_by is None and reported is not None
    if outcome.state is AttemptState.SUCCEEDED:
        assert clean
        assert reported is not None
        assert 0 < float(reported["fom_seconds"]) < math.inf
        assert reported["accuracy"] is None or math.isfinite(reported["accuracy"])
    else:
        assert outcome.category
        assert outcome.reason
        assert outcome.message


@pytest.mark.parametrize(
    ("told", "state"),
    [
        (4 << 30, "succeeded"),
        ((4 << 30) - 5, "succeeded"),
        (8 << 30, "failed"),
        (None, "failed"),
        (4e9, "succeeded"),
        ("4e9", "failed"),
    ],
)
def test_a_gpu_memory_cap_is_proven(told: object, state: str) -> None:
    seen = {"cpuset": [0, 1], "gpus": [{"uuid": "GPU-a"}], "device_memory_bytes": told}
    found = classify_exit(
        ending(result=RESULT | {"seen": seen}, devices=(("GPU-a",),), device_memory_bytes=4 << 30)
    )
    assert found.state.value == state
    if state == "failed":
        assert (found.category, found.reason) == ("infrastructure", "slot mismatch")


def test_another_gpu_or_none_is_a_mismatch() -> None:
    for uuids in (["GPU-b"], ["GPU-a", "GPU-b"]):
        seen = {"cpuset": [0, 1], "gpus": [{"uuid": one} for one in uuids]}
        found = classify_exit(ending(result=RESULT | {"seen": seen}, devices=(("GPU-a",),)))
        assert found.reason == "slot mismatch"
        assert "its slot has GPU-a" in (found.message or "")


def test_a_program_that_tells_of_no_gpu_is_left_to_the_rulebook() -> None:
    silent = RESULT | {"seen": {"cpuset": [0, 1], "gpus": []}}
    found = classify_exit(ending(result=silent, devices=(("GPU-a",),), device_memory_bytes=1 << 30))
    assert found.state.value == "succeeded"


def test_an_attempt_that_its_block_ended_is_no_failure_unless_no_block_is_longer() -> None:
    late = classify_exit(ending(terminated_by="walltime"))
    assert (late.state.value, late.category, late.reason) == ("cancelled", "neutral", "walltime")
    never = classify_exit(ending(terminated_by="walltime", had_full_block=True))
    assert (never.state.value, never.category, never.reason) == ("timed_out", "benchmark", "walltime")
