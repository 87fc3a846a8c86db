"""Run a script of Parsl without SQLAlchemy: ``python parsl_script.py SCRIPT ARGUMENTS...``.

Parsl imports SQLAlchemy for its monitoring, which is off: half of the start of each of its processes. The
processes that a worker pool starts read this file as their main module; those that are workers then import
Parsl, and the one that holds what they share does not.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

sys.modules["sqlalchemy"] = None  # type: ignore[assignment]


def __getattr__(name: str) -> Any:
    """Return what a process of a worker pool takes from its main module."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("parsl.executors.high_throughput.process_worker_pool"), name)


if __name__ == "__main__":
    del sys.argv[0]
    exec(compile(Path(sys.argv[0]).read_bytes(), sys.argv[0], "exec"))  # noqa: S102
