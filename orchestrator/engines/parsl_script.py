"""Run a script of Parsl without what it does not use: ``parsl_script.py {SCRIPT ...|--interchange}``.

Parsl imports SQLAlchemy for its monitoring, which is off, and rewrites its own functions with typeguard's
checks: two thirds of the start of each of its processes. A quarter of the rest is requests, which asks a web
service for the host's address; here Parsl is given the address. The processes that a worker pool starts read
this file as their main module; the workers among them then import Parsl, and the process that holds what they
share does not. The workers pickle plainly (`parsl_pickles`).
"""

import importlib
import signal
import sys
import types
from multiprocessing import current_process
from pathlib import Path
from typing import Any

sys.modules["sqlalchemy"] = None  # type: ignore[assignment]
_UNCHECKED: Any = types.ModuleType("typeguard")
_UNCHECKED.typechecked = lambda checked: checked
sys.modules["typeguard"] = _UNCHECKED
sys.modules["requests"] = types.ModuleType("requests")
# The process that holds what workers share; ended at once, it would leave the folder of its socket in /tmp.
if current_process().name.startswith("SyncManager"):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())


def __getattr__(name: str) -> Any:
    """Return what a worker takes from its main module, once it pickles plainly."""
    if name.startswith("__"):
        raise AttributeError(name)
    importlib.import_module("orchestrator.engines.parsl_pickles").pickle_plainly()
    return getattr(importlib.import_module("parsl.executors.high_throughput.process_worker_pool"), name)


if __name__ == "__main__":
    if sys.argv[1] == "--interchange":
        importlib.import_module("orchestrator.engines.interchange").run()
    else:
        del sys.argv[0]
        exec(compile(Path(sys.argv[0]).read_bytes(), sys.argv[0], "exec"))  # noqa: S102
