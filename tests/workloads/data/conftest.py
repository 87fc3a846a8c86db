"""Folders of source files and of caches, and a disk that is soon full."""

from __future__ import annotations

import pytest

from tests.small_disk import mounted
from workloads.data import cache


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.csv").write_text("1,2\n")
    return folder


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store" / "cache"


@pytest.fixture
def settled(monkeypatch):
    """Files have keys at once, without two seconds of rest."""
    monkeypatch.setattr(cache, "_SETTLED_NS", -(10**18))


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own with room for 512 KiB."""
    with mounted(tmp_path / "disk", "512k") as folder:
        yield folder
