"""Parsl's classes that the driver uses, imported without the modules that they need for other uses.

Parsl rewrites its own functions with typeguard's checks, and imports SQLAlchemy's object mapper for its
monitoring, which is off: half of the time that its import takes. In the processes that
Parsl starts, `parsl_script` leaves them out, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_UNCHECKED: Any = ModuleType("typeguard")
_UNCHECKED.typechecked = lambda checked: checked
_INSTEAD: dict[str, Any] = {"typeguard": _UNCHECKED, "sqlalchemy.orm": None}


@contextmanager
def _instead() -> Iterator[None]:
    """Keep modules from being imported that are not yet, until Parsl is."""
    instead = {name: module for name, module in _INSTEAD.items() if name not in sys.modules}
    sys.modules.update(instead)
    try:
        yield
    finally:
        for name in instead:
            del sys.modules[name]


with _instead():
    from parsl.app.python import PythonApp
    from parsl.config import Config
    from parsl.dataflow.dflow import DataFlowKernel
    from parsl.executors import HighThroughputExecutor
    from parsl.executors.errors import BadStateException
    from parsl.executors.high_throughput.executor import DEFAULT_LAUNCH_CMD
    from parsl.jobs.states import JobState as ParslState
    from parsl.jobs.states import JobStatus
    from parsl.launchers import SimpleLauncher
    from parsl.providers import LocalProvider
    from parsl.providers.base import ExecutionProvider

__all__ = [
    "DEFAULT_LAUNCH_CMD",
    "BadStateException",
    "Config",
    "DataFlowKernel",
    "ExecutionProvider",
    "HighThroughputExecutor",
    "JobStatus",
    "LocalProvider",
    "ParslState",
    "PythonApp",
    "SimpleLauncher",
]
