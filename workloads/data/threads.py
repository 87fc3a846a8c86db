"""Work on files in threads: reading, decoding and encoding hold no lock that threads share."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_TaskT = TypeVar("_TaskT")
_ValueT = TypeVar("_ValueT")


def in_threads(work: Callable[[_TaskT], _ValueT], tasks: Iterable[_TaskT]) -> Iterator[_ValueT]:
    """Yield what `work` makes of each task, in order, using every core this process may use.

    After an error no further task is begun.
    """
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        yield from pool.map(work, tasks)
    finally:
        pool.shutdown(cancel_futures=True)


def ahead(
    work: Callable[[_TaskT], _ValueT], tasks: Iterable[_TaskT], *, threads: int = 1, most: int = 2
) -> Generator[_ValueT]:
    """Yield what `work` makes of each task, in order; at most `most` are made before they are asked for."""
    waiting: deque[Future[_ValueT]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for task in tasks:
            waiting.append(pool.submit(work, task))
            if len(waiting) > most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
