"""The matrix of faults, printed when all tests are over; where processes share them, put together."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.faults.matrix import Matrix

_MATRIX = pytest.StashKey[Matrix]()
_TOLD = "kill matrix"


def _matrix(config: pytest.Config) -> Matrix:
    return config.stash.setdefault(_MATRIX, Matrix())


@pytest.fixture(scope="session")
def matrix(request: pytest.FixtureRequest) -> Matrix:
    return _matrix(request.config)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workeroutput"):  # one of several processes
        config.workeroutput[_TOLD] = _matrix(config).told()
    elif session.exitstatus == pytest.ExitCode.OK and _whole(config) and _matrix(config).missing():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _whole(config: pytest.Config) -> bool:
    """Tell whether every test must have run: in continuous integration, and nobody chose among them."""
    option = config.option
    names = ("keyword", "markexpr", "ignore", "deselect", "collectonly", "lf", "stepwise")
    chosen = any(getattr(option, name, None) for name in names)
    by_path = config.args_source is pytest.Config.ArgsSource.ARGS
    return os.environ.get("CI") == "true" and not chosen and not by_path


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    _matrix(node.config).add(getattr(node, "workeroutput", {}).get(_TOLD, ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _matrix(config).told():
        terminalreporter.section("kill matrix")
        for line in _matrix(config).table():
            terminalreporter.write_line(line)
    if _whole(config) and (missing := _matrix(config).missing()):
        terminalreporter.write_line(f"the run fails: cells of the kill matrix not played: {len(missing)}")
