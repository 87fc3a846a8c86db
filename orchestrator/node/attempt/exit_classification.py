"""Classify how an attempt ended, from what its supervisor measured. Pure: no clock, no I/O."""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace
from typing import Any

from db.states import CANCELLED_BY_USER, AttemptState
from orchestrator.host.gpus import bare
from orchestrator.protocol.report import (
    OUT_OF_DISK,
    OUT_OF_GPU_MEMORY,
    OUT_OF_MEMORY,
    Category,
    Observed,
    TrainingError,
    TrainingResult,
    finite,
)
from orchestrator.rundir.signal_files import WITHDRAWN
from workloads.runtime.host_facts import signal_name

_SHORTEST_SECONDS = 1e-12
"""Ratios of shorter times are no floating-point numbers."""
_CAP_TOLERANCE = 1.01  # frameworks count in their own units


@dataclass(frozen=True, slots=True)
class ExitFacts:
    """Facts that the supervisor knows of an attempt's end.

    Parameters
    ----------
    exit_code
        Exit code of the process; negative for a signal, None if it never started.
    terminated_by
        Why the supervisor ended it, or None if it ended by itself: ``timeout``, ``memory``,
        ``walltime`` (its block was about to end), ``cancelled`` (its campaign was stopped), ``user`` (a user
        cancelled the instance), ``withdrawn`` (the driver gave it up), ``orphaned`` (its worker died),
        ``terminated`` (the supervisor received a signal from outside the campaign).
    oom_kills
        How many processes the kernel's out-of-memory killer ended on the node meanwhile.
    devices
        The GPUs of each rank, by name.
    device_memory_bytes
        Bytes that a rank may use of a GPU's memory; None if it has the GPU to itself.
    had_full_block
        Whether it started with its block, so that no block would have given it more time.
    start_error
        Why the process could not be started or watched, if so.
    """

    exit_code: int | None
    result: TrainingResult | None
    error: TrainingError | None
    terminated_by: str | None
    oom_kills: int
    cores: tuple[tuple[int, ...], ...]
    timeout_seconds: float
    memory_bytes: int | None
    devices: tuple[tuple[str, ...], ...] = ()
    device_memory_bytes: int | None = None
    had_full_block: bool = False
    start_error: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """Final state, failure category, a short reason to group by, and a message of one line."""

    state: AttemptState
    category: Category | None = None
    reason: str | None = None
    message: str | None = None


def classify_exit(facts: ExitFacts) -> AttemptOutcome:
    """Return the outcome of an attempt."""
    if facts.start_error is not None:
        return _external("cannot start", facts.start_error)
    if facts.terminated_by is not None:
        return _terminated(facts)
    if facts.exit_code is not None and facts.exit_code < 0:
        signalled = _signalled(-facts.exit_code, facts.oom_kills)
        stated = facts.error
        if stated is not None and signalled.category == "benchmark":
            if stated.kind in ("disk", "node disk"):  # as the last words of a command say
                return _reported(stated)
            if stated.kind == "command":
                return replace(signalled, message=stated.message)
        return signalled
    if facts.error is not None:
        return _reported(facts.error)
    if facts.exit_code != 0:
        return _failed(f"exit code {facts.exit_code}", f"the process ended with exit code {facts.exit_code}")
    if facts.result is None:
        return _failed("no result", "the process exited with 0 but reported no result")
    return _measured(facts.result, facts)


def _terminated(facts: ExitFacts) -> AttemptOutcome:
    if facts.terminated_by == "timeout":
        return AttemptOutcome(
            AttemptState.TIMED_OUT,
            "benchmark",
            "timeout",
            f"it ran longer than its timeout of {facts.timeout_seconds:g} s",
        )
    if facts.terminated_by == "walltime" and facts.had_full_block:
        return AttemptOutcome(
            AttemptState.TIMED_OUT,
            "benchmark",
            "walltime",
            "it runs longer than a whole block's walltime; ask for longer blocks in the site file",
        )
    if facts.terminated_by == "walltime":
        return AttemptOutcome(AttemptState.CANCELLED, "neutral", "walltime", "its block was about to end")
    if facts.terminated_by == "memory":
        return _failed(
            OUT_OF_MEMORY, f"it used more than the {(facts.memory_bytes or 0) / 2**20:.0f} MiB of its slot"
        )
    if facts.terminated_by == "terminated":
        return _external(
            "terminated",
            "its supervisor received SIGTERM, SIGINT or SIGHUP from outside the campaign; "
            "look for the sender in the batch system's log",
        )
    if facts.terminated_by == "orphaned":
        return AttemptOutcome(AttemptState.LOST, "infrastructure", "worker died", "its worker process died")
    if facts.terminated_by == "user":
        return AttemptOutcome(AttemptState.CANCELLED, "neutral", CANCELLED_BY_USER, "a user cancelled it")
    if facts.terminated_by == "withdrawn":
        return AttemptOutcome(AttemptState.CANCELLED, "neutral", WITHDRAWN, "the driver had given it up")
    return AttemptOutcome(AttemptState.CANCELLED, "neutral", "cancelled", "the campaign was stopped")


def _signalled(number: int, oom_kills: int) -> AttemptOutcome:
    name = signal_name(number)
    if number == signal.SIGKILL and oom_kills:
        return _failed(OUT_OF_MEMORY, "the kernel's out-of-memory killer fired on the node")
    if number in (signal.SIGKILL, signal.SIGTERM):
        # A process does not send itself these, so the cause is external and no benchmark retry is charged.
        return _external(
            f"killed by {name}",
            f"another process sent the training {name}; look for the sender in the node's system log",
        )
    return _failed(f"crashed with {name}", f"the process crashed with {name}")


def _reported(error: TrainingError) -> AttemptOutcome:
    reasons = {
        "data": "data error",
        "memory": OUT_OF_MEMORY,
        "gpu memory": OUT_OF_GPU_MEMORY,
        "parameters": "bad parameters",
        "command": "command failed",
        "rank lost": "rank lost",
    }
    reason = reasons.get(error.kind, "exception")
    if error.kind == "container":
        return _external("container failed", error.message)
    where = f" ({error.where})" if error.where else ""
    if error.kind == "node disk":
        return _failed(OUT_OF_DISK, f"{error.message}{where}; its node's own disk is full")
    if error.kind == "disk":
        return _external("disk full", f"{error.message}{where}; free some space, or raise the quota")
    return _failed(reason, f"{error.message}{where}")


def _measured(result: TrainingResult, facts: ExitFacts) -> AttemptOutcome:
    seconds, accuracy = result.fom_seconds, result.accuracy
    for name, value in (("fom_seconds", seconds), ("accuracy", accuracy)):
        if value is None and name == "accuracy":
            continue
        if not isinstance(value, int | float) or isinstance(value, bool):
            return _failed("no result", f"{name} is {value!r}, not a number")
        if not finite(value):
            return _failed("NaN result", f"{name} is {value}")
    if seconds < _SHORTEST_SECONDS:
        short = "below a picosecond" if seconds > 0 else "not above zero"
        return _failed("no result", f"fom_seconds is {seconds}, {short}")
    if result.accuracies is not None and len(set(result.accuracies)) > 1:
        return _failed("ranks disagree", f"its ranks report different accuracies: {list(result.accuracies)}")
    ranks = result.observed.ranks or (result.observed,)
    for rank, (one, own) in enumerate(zip(ranks, facts.cores, strict=True)):
        wrong = _mismatch(one, own, facts.devices[rank] if facts.devices else (), facts.device_memory_bytes)
        if wrong:
            who = "it" if len(facts.cores) == 1 else f"rank {rank}"
            return _external("slot mismatch", f"{who} {wrong}")
    return AttemptOutcome(AttemptState.SUCCEEDED)


def _mismatch(
    observed: Observed, cores: tuple[int, ...], devices: tuple[str, ...], memory: int | None
) -> str:
    """Describe how what a rank observed differs from its slot, or return an empty text."""
    cpuset = observed.stated("cpuset")
    if cpuset is not None and not _same(cpuset, cores):
        return f"ran on cores {_list(cpuset)}, its slot has {_list(cores)}"
    if observed.facts.get("gpus"):
        return f"opened GPUs {observed.facts['gpus']!r}, its slot has {', '.join(devices) or 'none'}"
    opened = observed.gpu_names
    if not opened:  # the rulebook decides on programs that report no GPUs
        return ""
    if sorted(map(bare, opened)) != sorted(map(bare, devices)):
        return f"opened GPUs {', '.join(opened) or 'none'}, its slot has {', '.join(devices) or 'none'}"
    cap = observed.stated("device_memory_bytes")
    if memory is not None and not (isinstance(cap, int | float) and cap <= memory * _CAP_TOLERANCE):
        return f"limited its GPU's memory to {cap} bytes, its slot has {memory}"
    return ""


def _external(reason: str, message: str) -> AttemptOutcome:
    return AttemptOutcome(AttemptState.FAILED, "infrastructure", reason, message)


def _failed(reason: str, message: str) -> AttemptOutcome:
    return AttemptOutcome(AttemptState.FAILED, "benchmark", reason, message)


def _same(stated: Any, cores: tuple[int, ...]) -> bool:
    try:
        return sorted(stated) == sorted(cores)
    except TypeError:  # a program may report values that are not numbers
        return False


def _list(cores: Any) -> str:
    try:
        return ",".join(str(core) for core in sorted(cores))
    except TypeError:
        return repr(cores)
