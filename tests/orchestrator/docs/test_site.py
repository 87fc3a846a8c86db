"""The site is built without a dead link or a missing anchor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.docs.__main__ import PAGES, write
from tests.requirements import needs


def test_every_page_is_written(tmp_path: Path) -> None:
    write(tmp_path, PAGES)
    written = sum(1 for _ in (tmp_path / "pages").rglob("*.md"))
    assert written == sum(map(len, PAGES.values()))


@pytest.mark.slow
def test_it_is_built_strictly(tmp_path: Path) -> None:
    needs("mkdocs", "material")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        str(write(tmp_path, PAGES)),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "index.html").is_file()
