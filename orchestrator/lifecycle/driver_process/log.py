"""The log of a campaign's drivers: ``driver.log`` in its run directory."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler

from orchestrator.rundir.layout import RunDirectory

_FILE_BYTES = 16 << 20
_FILES = 4  # older parts that are kept
_LOGGERS = {"orchestrator": logging.DEBUG, "parsl": logging.WARNING}


@contextmanager
def driver_log(directory: RunDirectory) -> Iterator[None]:
    """Write what the orchestrator logs to the campaign's driver log, and warnings of the engine.

    A file that cannot be written costs the campaign nothing: the console still has the messages.
    """
    handler = _QuietFileHandler(
        directory.driver_log,
        maxBytes=_FILE_BYTES,
        backupCount=_FILES,
        encoding="utf-8",
        errors="backslashreplace",
        delay=True,
    )
    formatter = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)-7s %(name)s: %(message)s")
    formatter.converter = time.gmtime
    formatter.default_time_format = "%Y-%m-%dT%H:%M:%S"
    formatter.datefmt = formatter.default_time_format
    handler.setFormatter(formatter)
    before = {}
    for name, level in _LOGGERS.items():
        logger = logging.getLogger(name)
        before[name] = logger.level
        logger.setLevel(level)
        logger.addHandler(handler)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).setLevel(level)
        handler.close()


class _QuietFileHandler(RotatingFileHandler):
    """A file handler that prints nothing where its file cannot be written."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the name is logging's
        """Drop the record."""
