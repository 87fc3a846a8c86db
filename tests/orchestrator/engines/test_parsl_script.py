"""Parsl's processes start without what they need not, and a pool's import Parsl when they need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import parsl.config

from orchestrator.engines.parsl_internals import _PYTHON

# What `multiprocessing` does with the main module in a process that it starts.
CHILD = """
import runpy, sys
main = runpy.run_path(sys.argv[1], run_name="__mp_main__")
before = "parsl" in sys.modules
worker = main["__getattr__"]("worker")
print(before, worker.__module__, sys.modules["sqlalchemy"])
"""


def run(*command: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_script_goes_without_sqlalchemy_and_has_its_own_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, parsl\nprint(__name__, sys.argv[1:], sys.modules['sqlalchemy'])")
    assert run(*_PYTHON, str(script), "--port", "7").split() == ["__main__", "['--port',", "'7']", "None"]


def test_a_script_of_parsl_imports_no_http_client(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, parsl.addresses\nprint('urllib3' in sys.modules)")
    assert run(*_PYTHON, str(script)) == "False\n"


def test_parsls_functions_are_not_rewritten_to_check_types(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from parsl.config import Config\nprint(Config.__init__.__code__.co_filename)")
    assert run(*_PYTHON, str(script)).strip() == parsl.config.__file__


def test_a_process_of_a_worker_pool_imports_parsl_for_a_worker_alone() -> None:
    pool = "parsl.executors.high_throughput.process_worker_pool"
    assert run(sys.executable, "-c", CHILD, _PYTHON[-1]).split() == ["False", pool, "None"]
