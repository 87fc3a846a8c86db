"""The triad on cores: a process on each, so that none waits for another's interpreter or page tables.

Every process fills its own arrays, which places them in the memory next to its core. All begin a repetition
together; it lasts from the first one's begin to the last one's end.
"""

from __future__ import annotations

import ctypes
import mmap
import multiprocessing
import os
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ELEMENT_BYTES = 8

_BLOCK = 16 * 1024
"""Elements computed at once: 128 KiB between the two steps stay in a core's own cache."""

_MOST_AT_ONCE = 4096
_PR_SET_PDEATHSIG = 1
_ENDED_SECONDS = 10.0
_B, _C = 2.0, 0.5


@dataclass(frozen=True, slots=True)
class _Child:
    """One process, and the pipe to it: a number of repetitions goes in, their times come back."""

    process: Any
    pipe: Any


Measure = Callable[[float, int, int], list[float]]


@contextmanager
def run_processes(cores: Sequence[int | None], elements: int, scalar: float) -> Iterator[Measure]:
    """Start a process on each core with three filled arrays, and end them all at the end.

    Parameters
    ----------
    cores
        Logical CPU of each process; None to leave it where the node's scheduler puts it.
    elements
        Of each array of each process.

    Yields
    ------
    Callable
        ``measure(seconds, repetitions, warm_up)`` returns the seconds of each repetition.

    Raises
    ------
    RuntimeError
        If a process ends before its work is done.
    ArithmeticError
        If the result of one is wrong.
    MemoryError
        If one cannot allocate its arrays.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read as NumPy is imported; nothing here multiplies matrices
    import numpy as np

    fork = multiprocessing.get_context("fork")
    arrived = np.frombuffer(mmap.mmap(-1, len(cores) * 8), np.int64)
    children = []
    try:
        for number, core in enumerate(cores):
            here, there = fork.Pipe()
            process = fork.Process(
                target=_work, args=(there, arrived, number, core, elements, scalar), daemon=True
            )
            process.start()
            there.close()
            children.append(_Child(process, here))
        _answers(children)  # their arrays are filled
        yield lambda seconds, repetitions, warm_up: _measure(children, seconds, repetitions, warm_up)
    finally:
        for child in children:
            child.process.kill()
        for child in children:
            child.process.join(_ENDED_SECONDS)


def _measure(children: Sequence[_Child], seconds: float, repetitions: int, warm_up: int) -> list[float]:
    """Return the seconds of each repetition, after some that are not counted."""
    _batch(children, warm_up)
    begin = time.monotonic()
    found = _batch(children, repetitions)
    while (left := seconds - (time.monotonic() - begin)) > 0:
        found += _batch(children, min(int(left / statistics.median(found)) + 1, _MOST_AT_ONCE))
    return found


def _batch(children: Sequence[_Child], repetitions: int) -> list[float]:
    """Let all processes make some repetitions, and return the seconds of each."""
    for child in children:
        child.pipe.send(repetitions)
    times = _answers(children)
    return [
        (max(end for _, end in one) - min(begin for begin, _ in one)) / 1e9
        for one in zip(*times, strict=True)
    ]


def _answers(children: Sequence[_Child]) -> list[Any]:
    """Return what each process sends next; raise what it raised, or that it has ended."""
    pending = {child.pipe: number for number, child in enumerate(children)}
    answers: dict[int, Any] = {}
    while pending:
        for ready in connection.wait([*pending]):
            number = pending.pop(ready)
            answers[number] = _received(children[number])
            if isinstance(answers[number], Exception):
                raise answers[number]
    return [answers[number] for number in range(len(children))]


def _received(child: _Child) -> Any:
    try:
        return child.pipe.recv()
    except EOFError:
        child.process.join(_ENDED_SECONDS)
        raise RuntimeError(
            f"a process of the triad ended early (exit code {child.process.exitcode}); -9 is often the "
            "kernel's answer to memory that is not enough: write a smaller array_bytes"
        ) from None


def _work(
    pipe: connection.Connection,
    arrived: NDArray[np.int64],
    number: int,
    core: int | None,
    elements: int,
    scalar: float,
) -> None:
    """Fill arrays, then make as many repetitions as are asked for, until this process is ended."""
    import numpy as np

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if core is not None:
        os.sched_setaffinity(0, (core,))
    try:
        b, c, a = np.full(elements, _B), np.full(elements, _C), np.zeros(elements)
        between = np.empty(min(_BLOCK, elements))
        pipe.send(None)
        turn = 0
        while True:
            times = []
            for _ in range(pipe.recv()):
                turn += 1
                _wait_for_all(arrived, number, turn)
                begin = time.monotonic_ns()
                _triad(a, b, c, scalar, between)
                times.append((begin, time.monotonic_ns()))
            if not (a == _B + scalar * _C).all():
                raise ArithmeticError(f"the triad's result is wrong on logical CPU {core}")  # noqa: TRY301
            pipe.send(times)
    except (ArithmeticError, MemoryError) as error:
        pipe.send(error)


def _wait_for_all(arrived: NDArray[np.int64], number: int, turn: int) -> None:
    """Wait for the other processes without sleeping: waking one takes as long as a short repetition."""
    arrived[number] = turn
    while arrived.min() < turn:
        os.sched_yield()


def _triad(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    c: NDArray[np.float64],
    scalar: float,
    between: NDArray[np.float64],
) -> None:
    import numpy as np

    for begin in range(0, len(a), len(between)):
        end = min(begin + len(between), len(a))
        part = between[: end - begin]
        np.multiply(c[begin:end], scalar, out=part)
        np.add(b[begin:end], part, out=a[begin:end])
