"""Commands print on streams that take ASCII alone, and do not fail where nobody reads."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import ROOT
from tests.orchestrator.serve.made_ledger import fill


def printed(folder: Path, *words: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "orchestrator", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    assert b"Traceback" not in ended.stderr
    return ended.stdout.decode("ascii")


@pytest.mark.parametrize("words", [["fom", "toy", "--rules"], ["status", "toy"]])
def test_figures_of_merit_and_their_rules(sqlite_url: str, tmp_path: Path, words: list[str]) -> None:
    fill(sqlite_url)
    assert "toy" in printed(tmp_path, *words, "--ledger", sqlite_url)


def test_characters_are_written_in_ascii() -> None:
    code = (
        "from orchestrator.cli.terminal.plain_output import plain_where_needed\n"
        "plain_where_needed()\n"
        "print('2 \\u00d7 3 \\u00b5s \\u2265 1 \\u4e00')\n"
    )
    shown = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "2 x 3 us >= 1 ?\n"


CLOSED = """
import os, sys
from orchestrator.cli.terminal.plain_output import closed_output_is_no_error
with closed_output_is_no_error():
    print("text\\n" * int(sys.argv[1]))
sys.exit(3)
"""


@pytest.mark.parametrize("lines", [1, 100_000])
@pytest.mark.parametrize("is_terminal", [False, True])
def test_the_exit_code_does_not_depend_on_who_reads(lines: int, is_terminal: bool) -> None:
    reader, writer = pty.openpty() if is_terminal else os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-P", "-c", CLOSED, str(lines)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (3, "")


def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-P", "-c", CLOSED, "1"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "No space left on device" in ended.stderr


def test_what_would_control_a_terminal_is_escaped() -> None:
    code = (
        "import sys\n"
        "from rich.console import Console\n"
        "from orchestrator.cli.terminal.plain_output import plain_where_needed\n"
        "plain_where_needed()\n"
        "print('a\\x1b]0;title\\x07b\\r\\nc')\n"
        "print('error \\x1b[2J', file=sys.stderr)\n"
        "Console(force_terminal=True, color_system='standard').print('d', style='bold')\n"
        "from rich.live import Live\n"
        "from orchestrator.cli.terminal.plain_output import console_of\n"
        "console = console_of()\n"
        "console._force_terminal = True\n"
        "with Live('e', console=console, auto_refresh=False):\n"
        "    pass\n"
    )
    shown = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert shown.stdout == b"a\\x1b]0;title\\x07b\\r\nc\n\x1b[1md\x1b[0m\n\x1b[?25le\n\x1b[?25h"
    assert shown.stderr == b"error \\x1b[2J\n"


def test_an_error_quotes_no_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"campaign: toy\nbenchmarks: [{{workload: lstm, instances: {'x' * 40_000}}}]\n")
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "orchestrator", "plan", str(file)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "characters more" in ended.stderr
    assert all(len(line) < 1_700 for line in ended.stderr.splitlines())
