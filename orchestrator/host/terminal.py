"""Go on when the terminal of this process closes."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.host.signal_log import SignalLog

_log = logging.getLogger(__name__)


@contextmanager
def surviving_hangup(message: str) -> Iterator[None]:
    """Go on after SIGHUP, which a closing terminal sends; log a message then, and print nothing more there.

    An ignored SIGHUP, as nohup leaves it, stays ignored. Off the main thread this does nothing.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        yield
        return
    terminals = [number for number in (0, 1, 2) if _is_terminal(number)]

    with SignalLog(_log) as log:

        def hung_up(*_: object) -> None:
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in terminals:
                os.dup2(nothing, number)
            os.close(nothing)
            log.warning(message)

        before = signal.signal(signal.SIGHUP, hung_up)
        try:
            yield
        finally:
            signal.signal(signal.SIGHUP, before)


def _is_terminal(number: int) -> bool:
    try:
        return os.isatty(number)
    except OSError:  # closed
        return False
