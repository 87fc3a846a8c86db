"""Command lines of the tests of commands."""

from __future__ import annotations

import pytest

from tests.orchestrator.cli.command_line import CommandLine


@pytest.fixture(scope="session")
def run() -> CommandLine:
    return CommandLine()
