"""Tell whether a user's module takes, while it is imported, what each new process has of its own.

That is entropy and the process id. Forked processes share what their server took: an unseeded generator,
whose stream would be the same in all trainings, an identifier, or the name of a temporary folder. Entropy
that a library in C reads is not seen, nor that of `/dev/urandom`.
"""

from __future__ import annotations

import os
import random
import sys
import uuid
from collections.abc import Callable
from typing import Any

from workloads.forking.loaded_files import is_of_others

_SOURCES = (
    (os, "urandom"),
    (os, "getrandom"),
    (os, "getpid"),
    (random, "_urandom"),
    (random.Random, "seed"),
    (uuid, "uuid1"),
)
"""Functions that return it; `_urandom` for `secrets`, and so for NumPy's generators."""
_IMPORT_SYSTEM = "<frozen importlib"


def draws_in(load: Callable[[], object], package: str) -> str | None:
    """Import; return the first module of a user that has drawn while its own lines ran, or None.

    Parameters
    ----------
    package
        A user's package, which may be installed. Other installed packages and Python's own draw what no
        result depends on, such as keys of connections.
    """
    drawn: list[str] = []

    def noting(draw: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any) -> Any:
            # Logging reads the process id for others, too.
            module = _module_that_calls() if draw is getpid else _module_that_runs()
            if module is not None and not is_of_others(*module, {package}):
                drawn.append(module[0])
            return draw(*arguments)

        return noted

    getpid, seed = os.getpid, random.Random.seed

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        (noting(seed) if a is None else seed)(self, a, version)

    before = [(place, name, getattr(place, name)) for place, name in _SOURCES]
    for place, name, draw in before:
        setattr(place, name, seeded if draw is seed else noting(draw))
    try:
        load()
    finally:
        for place, name, draw in before:
            setattr(place, name, draw)
    return next(iter(drawn), None)


def _module_that_calls() -> tuple[str, str] | None:
    """Return name and file of the module whose lines call a noted function; None for none."""
    frame = sys._getframe(2)
    return str(frame.f_globals.get("__name__")), frame.f_code.co_filename


def _module_that_runs() -> tuple[str, str] | None:
    """Return name and file of the module whose import runs the calling code; None for one without lines."""
    frame = sys._getframe(1)
    while (before := frame.f_back) is not None:
        frame = before
        if frame.f_code.co_name == "<module>":
            return str(frame.f_globals.get("__name__")), frame.f_code.co_filename
        if frame.f_code.co_filename.startswith(_IMPORT_SYSTEM):
            return None
    return None
