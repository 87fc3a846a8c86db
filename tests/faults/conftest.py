"""A PostgreSQL server that may be killed, and a disk that may be filled."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.server import Server
from tests.schedulers.fixtures import missing


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as started:
        yield started


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 16 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], capture_output=True, check=False
    )
    missing([] if mounted.returncode == 0 else ["only root may mount a small disk"])
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
