"""Judging how an attempt ended. Pure: facts in, verdict out."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Any

from db.states import AttemptState
from orchestrator.host.gpus import bare
from orchestrator.protocol.numbers import finite
from orchestrator.protocol.report import Category, Observed, TrainingError, TrainingResult

_CAP_TOLERANCE = 1.01  # frameworks count in their own units


@dataclass(frozen=True, slots=True)
class Ending:
    """What the supervisor saw of an attempt's end.

    Parameters
    ----------
    exit_code
        Exit code of the process; negative for a signal, None if it never started.
    result, error
        The process's own last report.
    ended_for
        Why the supervisor ended it, or None if it ended by itself: ``timeout``, ``memory``,
        ``walltime`` (its block was about to end), ``cancelled``, ``orphaned`` (the worker above it
        died), ``terminated`` (a signal from outside).
    oom_kills
        How often the kernel's out-of-memory killer fired on the node meanwhile.
    cores
        The cores of each rank.
    devices
        The GPUs of each rank, by name.
    device_memory_bytes
        What a rank may use of a GPU's memory; None where it has the GPU to itself.
    timeout_seconds, memory_bytes
        The slot's limits.
    whole_block
        Whether it began when its block did, so that no block would have been longer.
    problem
        Why the process could not be started or watched, if so.
    """

    exit_code: int | None
    result: TrainingResult | None
    error: TrainingError | None
    ended_for: str | None
    oom_kills: int
    cores: tuple[tuple[int, ...], ...]
    timeout_seconds: float
    memory_bytes: int | None
    devices: tuple[tuple[str, ...], ...] = ()
    device_memory_bytes: int | None = None
    whole_block: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict: final state, whose fault it was, a short reason to count by, and one line for people."""

    state: AttemptState
    category: Category | None = None
    reason: str | None = None
    message: str | None = None


def judge(ending: Ending) -> Outcome:
    """Return the outcome of an attempt."""
    if ending.problem is not None:
        return Outcome(AttemptState.FAILED, "infrastructure", "cannot start", ending.problem)
    if ending.ended_for is not None:
        return _ended(ending)
    if ending.exit_code is not None and ending.exit_code < 0:
        return _signalled(-ending.exit_code, ending.oom_kills)
    if ending.error is not None:
        return _reported(ending.error)
    if ending.exit_code != 0:
        return _failed(
            f"exit code {ending.exit_code}", f"the process ended with exit code {ending.exit_code}"
        )
    if ending.result is None:
        return _failed("no result", "the process ended well but reported no result")
    return _measured(ending.result, ending)


def _ended(ending: Ending) -> Outcome:
    if ending.ended_for == "timeout":
        return Outcome(
            AttemptState.TIMED_OUT,
            "benchmark",
            "timeout",
            f"it ran longer than its timeout of {ending.timeout_seconds:g} s",
        )
    if ending.ended_for == "walltime" and ending.whole_block:
        return Outcome(
            AttemptState.TIMED_OUT,
            "benchmark",
            "walltime",
            "it takes longer than the walltime of a whole block",
        )
    if ending.ended_for == "walltime":
        return Outcome(AttemptState.CANCELLED, "neutral", "walltime", "its block was about to end")
    if ending.ended_for == "memory":
        return _failed(
            "out of memory", f"it used more than the {(ending.memory_bytes or 0) / 2**20:.0f} MiB of its slot"
        )
    if ending.ended_for == "terminated":
        return Outcome(
            AttemptState.FAILED, "infrastructure", "terminated", "somebody sent its supervisor SIGTERM"
        )
    if ending.ended_for == "orphaned":
        return Outcome(AttemptState.LOST, "infrastructure", "worker died", "its worker process died")
    return Outcome(AttemptState.CANCELLED, "neutral", "cancelled", "the campaign was stopped")


def _signalled(number: int, oom_kills: int) -> Outcome:
    name = signal_name(number)
    if number == signal.SIGKILL and oom_kills:
        return _failed("out of memory", "the kernel's out-of-memory killer fired on the node")
    if number in (signal.SIGKILL, signal.SIGTERM):
        # Nobody kills itself so: somebody outside did, and the instance may be tried again for free.
        return Outcome(AttemptState.FAILED, "infrastructure", f"killed by {name}", f"somebody sent it {name}")
    return _failed(f"crashed with {name}", f"the process died of {name}")


def _reported(error: TrainingError) -> Outcome:
    reasons = {
        "data": "data error",
        "memory": "out of memory",
        "parameters": "bad parameters",
        "command": "command failed",
        "rank lost": "rank lost",
    }
    reason = reasons.get(error.kind, "exception")
    where = f" ({error.where})" if error.where else ""
    return _failed(reason, f"{error.message}{where}")


def _measured(result: TrainingResult, slot: Ending) -> Outcome:
    seconds, accuracy = result.fom_seconds, result.accuracy
    for name, value in (("fom_seconds", seconds), ("accuracy", accuracy)):
        if value is None and name == "accuracy":
            continue
        if not isinstance(value, int | float) or isinstance(value, bool):
            return _failed("no result", f"{name} is {value!r}, not a number")
        if not finite(value):
            return _failed("NaN result", f"{name} is {value}")
    if seconds <= 0:
        return _failed("no result", f"fom_seconds is {seconds}, not above zero")
    if result.accuracies is not None and len(set(result.accuracies)) > 1:
        return _failed("ranks disagree", f"its ranks found accuracies {list(result.accuracies)}")
    ranks = result.observed.ranks or (result.observed,)
    for rank, (one, own) in enumerate(zip(ranks, slot.cores, strict=True)):
        wrong = _mismatch(one, own, slot.devices[rank] if slot.devices else (), slot.device_memory_bytes)
        if wrong:
            who = "it" if len(slot.cores) == 1 else f"rank {rank}"
            return Outcome(AttemptState.FAILED, "infrastructure", "slot mismatch", f"{who} {wrong}")
    return Outcome(AttemptState.SUCCEEDED)


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
    if not opened:  # a program that reports no GPUs proves nothing; the rulebook judges that
        return ""
    if sorted(map(bare, opened)) != sorted(map(bare, devices)):
        return f"opened GPUs {', '.join(opened) or 'none'}, its slot has {', '.join(devices) or 'none'}"
    cap = observed.stated("device_memory_bytes")
    if memory is not None and not (isinstance(cap, int | float) and cap <= memory * _CAP_TOLERANCE):
        return f"held its GPU's memory to {cap} bytes, its slot has {memory}"
    return ""


def signal_name(number: int) -> str:
    """Return a signal's name; real-time signals have none of their own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _failed(reason: str, message: str) -> Outcome:
    return Outcome(AttemptState.FAILED, "benchmark", reason, message)


def _same(stated: Any, cores: tuple[int, ...]) -> bool:
    try:
        return sorted(stated) == sorted(cores)
    except TypeError:  # a program may state what are no numbers
        return False


def _list(cores: Any) -> str:
    try:
        return ",".join(str(core) for core in sorted(cores))
    except TypeError:
        return repr(cores)
