"""The command that starts a module of this project in an interpreter of its own."""

from __future__ import annotations

import sys


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the words that run a module.

    ``-P``: a file ``random.py`` in the working directory is not the module that Python itself has.
    """
    return [sys.executable, "-P", "-m", module, *arguments]
