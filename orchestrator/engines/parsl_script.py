"""Run a script of Parsl without what it does not use: ``parsl_script.py {SCRIPT ...|--interchange}``.

Parsl imports SQLAlchemy for its monitoring, which is off, and rewrites its own functions with typeguard's
checks: two thirds of the start of each of its processes. A quarter of the rest is requests, which asks a web
service for the host's address; here Parsl is given the address. The processes that a worker pool starts are
forks (`worker_template`), or new interpreters that read this file as their main module. Workers take Parsl's
functions from it, and pickle plainly (`parsl_pickles`).
"""

import importlib
import sys
import types
from pathlib import Path
from typing import Any

sys.modules["sqlalchemy"] = None  # type: ignore[assignment]
_UNCHECKED: Any = types.ModuleType("typeguard")
_UNCHECKED.typechecked = lambda checked: checked
sys.modules["typeguard"] = _UNCHECKED
sys.modules["requests"] = types.ModuleType("requests")


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
        code = importlib.import_module("orchestrator.engines.worker_template").start()
        if code is None:
            exec(compile(Path(sys.argv[0]).read_bytes(), sys.argv[0], "exec"))  # noqa: S102
        else:
            exec(code, {})  # noqa: S102  in a process of the pool
