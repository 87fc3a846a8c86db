"""Keep a module that is imported from ending this process, keeping it for ever, or taking its cores."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

IMPORT_SECONDS = 300.0
"""Time that an import may take; TensorFlow on a slow file system takes minutes."""
NOTICE_SECONDS = 10.0
"""Time after which an import is named on standard error, so that a command is not silent meanwhile."""


@contextmanager
def guarded_import(name: str, seconds: float = IMPORT_SECONDS) -> Iterator[None]:
    """Raise `RuntimeError` where the block calls ``os._exit``, and `TimeoutError` where it takes too long.

    The time is limited on the main thread alone, and only where nothing else uses the timer. This thread has
    the cores again that it had before: OpenMP binds it to one where OMP_PROC_BIND is set.

    Parameters
    ----------
    name
        What is imported, as it is named to the user when it takes long.
    """
    begin = time.monotonic()
    end, own, guarding = os._exit, os.getpid(), True
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None  # not in a browser

    def refused(status: int = 0) -> None:
        if not guarding or os.getpid() != own:  # a process that the import forked ends so
            end(status)
        raise RuntimeError(f"it calls os._exit({status}), which would end this command without a word")

    def late(_: int, frame: FrameType | None) -> None:
        place = f"in {frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "running"
        taken = time.monotonic() - begin
        if taken >= seconds:
            raise TimeoutError(f"it has not been imported after {seconds:g} s, and is {place}")
        # Not `print`: the signal may arrive while the module itself writes to standard error.
        os.write(2, f"{name} is still being imported after {taken:.0f} s, and is {place}\n".encode())
        signal.setitimer(signal.ITIMER_REAL, seconds - taken, 1.0)

    limited = (
        hasattr(signal, "setitimer")  # which Python in a browser has not
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )
    os._exit = refused  # type: ignore[assignment]
    if limited:
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, min(NOTICE_SECONDS, seconds), 1.0)
    try:
        yield
    finally:
        if limited:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        os._exit = end
        guarding = False
        if cores is not None and os.sched_getaffinity(0) != cores:
            os.sched_setaffinity(0, cores)
