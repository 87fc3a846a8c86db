"""Tell whether a user's module draws random numbers that nothing seeds while it is imported.

Each new process draws others. Forked ones share what their server has drawn: an unseeded generator, whose
stream would be the same in all trainings, an identifier, or the name of a temporary folder.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from typing import Any

from workloads.forking.loaded_files import is_of_others

_SOURCES = ((os, "urandom"), (random, "_urandom"), (random.Random, "seed"))
"""Functions that read entropy; the second one for `secrets`, and so for NumPy's generators."""
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
            if (module := _module_that_runs()) is not None and not is_of_others(*module, {package}):
                drawn.append(module[0])
            return draw(*arguments)

        return noted

    seed = random.Random.seed

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
