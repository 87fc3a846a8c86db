"""The matrix of faults, printed when all tests are over; where processes share them, put together."""

from __future__ import annotations

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


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # one of several processes
        session.config.workeroutput[_TOLD] = _matrix(session.config).told()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    _matrix(node.config).add(getattr(node, "workeroutput", {}).get(_TOLD, ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _matrix(config).told():
        terminalreporter.section("kill matrix")
        for line in _matrix(config).table():
            terminalreporter.write_line(line)
