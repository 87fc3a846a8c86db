"""Optional packages and commands that some tests need: without them they are skipped, but never in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec

import pytest

from orchestrator.host._linux import open_perf_event


def needs(*packages: str) -> None:
    """Skip the calling test or module unless all packages are installed; where CI is set, fail it."""
    missing = [package for package in packages if find_spec(package) is None]
    if not missing:
        return
    _absent(f"{', '.join(missing)} is not installed: `make setup backends`")


def needs_command(name: str, package: str) -> None:
    """Skip the calling test or module unless a command is installed; where CI is set, fail it."""
    if shutil.which(name) is None:
        _absent(f"{name} is not installed: `apt-get install {package}`")


def needs_variable(name: str, value: str) -> str:
    """Return a variable of the environment; without it, skip the calling test or module, in CI fail it."""
    if not os.environ.get(name):
        _absent(f"{name} is not set: {value}")
    return os.environ[name]


def needs_counting() -> None:
    """Skip the calling test unless the kernel lets this user count events of own processes; in CI fail it."""
    try:
        os.close(open_perf_event(1, 1, os.getpid()))
    except OSError as error:
        _absent(f"perf_event_open: {error.strerror}: `sysctl kernel.perf_event_paranoid=2`")


def needs_reader(module: str, value: str) -> str:
    """Return the Python that reads other programs' files, if it has a module; else skip, and in CI fail."""
    python = needs_variable("READERS_PYTHON", value)
    if subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode:
        _absent(f"the Python of READERS_PYTHON has no {module}: {value}")
    return python


def _absent(said: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(said, pytrace=False)
    pytest.skip(said, allow_module_level=True)
