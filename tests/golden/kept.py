"""Brings kept ledgers back and asks the command line about their campaigns.

The command line asks, so that little here depends on how the product is built inside.
"""

from __future__ import annotations

import io
import re
import runpy
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
QUESTIONS = ("fom", "status")
"""Commands whose JSON is kept, each in a folder of its name."""


def dumps() -> dict[str, Path]:
    """Return every kept ledger by its name."""
    own = {file.stem: file for file in (FOLDER / "ledgers").glob("*.sql")}
    return dict(sorted((own | {"toy": ROOT / "tests/db/schemas/0001.sql"}).items()))


def campaigns(dump: Path) -> list[str]:
    """Return the names of the campaigns in a ledger."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(dump.read_bytes().decode())
        return [name for (name,) in connection.execute("SELECT name FROM campaigns ORDER BY name")]


def restored(dump: Path, folder: Path) -> Path:
    """Return a file with a ledger as it was left, brought to today's schema by the command line."""
    file = folder / f"{dump.stem}.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(dump.read_bytes().decode())
    said("ledger", "upgrade", "--ledger", str(file))
    return file


def answer(question: str, campaign: str, ledger: Path) -> bytes:
    """Return the JSON that a command prints of a campaign, without the time at which it was asked."""
    found = said(question, campaign, "--json", "--ledger", str(ledger))
    return re.sub(rb'^  "at": ".*",\n', b"", found, count=1, flags=re.MULTILINE)


def said(*words: str) -> bytes:
    """Return what ``python -m orchestrator`` with these words prints; it must exit with 0."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["orchestrator", *words]),
        mock.patch.object(sys, "path", list(sys.path)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            runpy.run_module("orchestrator", run_name="__main__", alter_sys=False)
        except SystemExit as end:
            code = end.code
    if code not in (0, None):
        raise AssertionError(f"orchestrator {' '.join(words)} exits with {code}: {err.getvalue()}")
    return out.getvalue().encode()


def expected(question: str, ledger: str, campaign: str) -> Path:
    """Return the file that keeps an answer."""
    return FOLDER / question / ledger / f"{campaign}.json"


def answers(dump: Path, file: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield question, campaign and answer for every campaign of a restored ledger."""
    for campaign in campaigns(dump):
        for question in QUESTIONS:
            yield question, campaign, answer(question, campaign, file)
