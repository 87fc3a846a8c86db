"""Log messages on the terminal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _ConsoleHandler(logging.Handler):
    """Prints messages as plain lines."""

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._show = show

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        self._show(record.getMessage())


@contextmanager
def console_log(show: Callable[[str], None]) -> Iterator[None]:
    """Show what the orchestrator logs, from level INFO, as long as a command runs.

    Parameters
    ----------
    show
        Prints one line.
    """
    logger = logging.getLogger("orchestrator")
    handler = _ConsoleHandler(show)
    before = logger.level
    logger.setLevel(min(before or logging.INFO, logging.INFO))
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
