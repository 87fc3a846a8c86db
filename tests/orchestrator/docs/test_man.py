"""Every command has a manual page, and groff formats it without a warning."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from orchestrator.cli import COMMANDS, Group
from orchestrator.docs.man import write


def test_every_command_and_group_has_a_page(tmp_path: Path) -> None:
    def pages(commands: Mapping[str, str | Group], words: str) -> Iterator[str]:
        for name, place in commands.items():
            yield f"{words}-{name}.1"
            if isinstance(place, Group):
                yield from pages(place.commands, f"{words}-{name}")

    expected = {page for commands in COMMANDS.values() for page in pages(commands, "orchestrator")}
    assert {file.name for file in write(tmp_path)} == {"orchestrator.1", *expected}
    page = (tmp_path / "orchestrator-site-check.1").read_text()
    assert "\\fB\\-\\-probe\\fR\n" in page
    assert "\n\\fBorchestrator\\-site\\fR(1)\n" in page


def test_groff_has_no_warning(tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("apt-get install groff-base")
    files = write(tmp_path)
    command = ["groff", "-man", "-ww", "-K", "utf8", "-T", "utf8", "-z", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
