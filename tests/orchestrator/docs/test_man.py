"""Every command has a manual page, and groff formats it without a warning."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.cli import COMMANDS, Group
from orchestrator.docs.man import write


def test_every_command_and_group_has_a_page(tmp_path: Path) -> None:
    expected = {"orchestrator.1"}
    for commands in COMMANDS.values():
        for name, place in commands.items():
            below = place.commands if isinstance(place, Group) else ()
            expected |= {f"orchestrator-{name}.1", *(f"orchestrator-{name}-{one}.1" for one in below)}
    assert {file.name for file in write(tmp_path)} == expected
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
