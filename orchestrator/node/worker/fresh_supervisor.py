"""A supervisor in an interpreter of its own, as the worker sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from orchestrator.host.file_end import last_lines
from orchestrator.host.own_modules import module_command


class FreshSupervisor:
    """A supervisor that takes one order.

    Parameters
    ----------
    command
        What is run in place of the supervisor.

    Attributes
    ----------
    last_words
        The last lines that it wrote to standard error, once the exchange is over.
    """

    def __init__(
        self, directory: str, environment: Mapping[str, str], command: Sequence[str] | None = None
    ) -> None:
        self.last_words = ""
        # In memory: it must be there on a full disk, too. Processes that it leaves may hold a pipe open.
        self._errors = os.fdopen(os.memfd_create("supervisor-stderr"), "rb")
        self._process = subprocess.Popen(
            command or module_command("orchestrator.node.attempt.supervisor"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=directory,
            env=environment,
            start_new_session=True,
        )

    def exchange(self, order: bytes, left: Callable[[], float]) -> bytes | None:
        """Return its answer to its order; None if none comes in time, and the process still runs.

        Parameters
        ----------
        left
            Returns for how many more seconds it may be waited for.
        """
        answer: bytes | None = None
        sent: bytes | None = order
        while answer is None and (seconds := left()) > 0:
            with suppress(subprocess.TimeoutExpired):
                answer = self._process.communicate(sent, timeout=seconds)[0]
            sent = None
        with self._errors as stream:
            self.last_words = last_lines(stream)
        if self.last_words:
            with suppress(OSError, ValueError):
                print(self.last_words, file=sys.stderr, flush=True)  # into the worker pool's own log
        return answer

    def exit_code(self) -> int:
        """Return how it ended."""
        return self._process.returncode
