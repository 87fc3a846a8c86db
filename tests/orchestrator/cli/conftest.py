"""One process from which a module's command lines are forked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.orchestrator.cli.command_line import CommandLine


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    opened = CommandLine(tmp_path_factory.mktemp("outputs"))
    yield opened
    opened.close()
