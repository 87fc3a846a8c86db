"""A PostgreSQL server that may be killed, and a disk that may be filled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.server import Server
from tests.small_disk import mounted


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as started:
        yield started


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 16 MiB."""
    with mounted(tmp_path / "disk", "16m") as folder:
        yield folder
