"""`logs`: the end of what drivers and attempts wrote, and where it is."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.cli import app
from tests.db import rows
from tests.orchestrator.cli.instance.test_listing import Looked


@pytest.fixture
def looked(tmp_path: Path, sqlite_url: str) -> Looked:
    found = Looked(tmp_path, sqlite_url)
    found.folder.mkdir(parents=True)
    return found


def logs(looked: Looked, *words: str) -> Any:
    return CliRunner().invoke(app, ["logs", "toy", *words, "--ledger", looked.url])


def test_the_end_of_a_drivers_log(looked: Looked) -> None:
    file = looked.folder / "driver.log"
    file.write_text("".join(f"line {number}\n" for number in range(100)))
    lines = logs(looked).stdout.splitlines()
    assert lines == [f"==> driver.log: {file} <==", *(f"line {number}" for number in range(60, 100))]


def test_all_of_it_with_its_older_parts_first(looked: Looked) -> None:
    for name in ("driver.log.2", "driver.log.1", "driver.log", "detached.log"):
        (looked.folder / name).write_text(f"of {name}")
    lines = logs(looked, "--all").stdout.splitlines()
    assert lines[1::2] == ["of driver.log.2", "of driver.log.1", "of driver.log", "of detached.log"]
    assert logs(looked, "--path").stdout.splitlines() == [
        str(looked.folder / name) for name in ("driver.log.2", "driver.log.1", "driver.log", "detached.log")
    ]


def test_no_log_of_a_driver(looked: Looked) -> None:
    assert f"toy: {looked.folder} has no log of a driver" in str(logs(looked).exception)
    shown = logs(looked, "--json")
    assert shown.exit_code == 1
    facts = json.loads(shown.stdout)
    assert (facts["logs"], len(facts["missing"])) == ([], 1)


def test_logs_that_a_user_removed(looked: Looked) -> None:
    with Ledger(looked.url) as book:
        campaign = book.campaign("toy").campaign_id
        book.note(campaign, EventKind.FILES_REMOVED, "logs, 2.0 KiB", at_us=rows.T0)
    assert "toy: its logs were removed at" in str(logs(looked).exception)


def test_the_logs_of_every_attempt(looked: Looked) -> None:
    first = looked.tried(1, "failed", kept=True, content=b"one\n\x1b[31mtwo\xff")
    looked.tried(2, "succeeded", kept=False)
    shown = logs(looked, "toy/0")
    assert shown.stdout.splitlines() == [
        f"==> stdout of toy/0, attempt 1: {first} <==",
        "one",
        "\\x1b[31mtwo\ufffd",
        f"==> stderr of toy/0, attempt 1: {first.with_suffix('.err')} <==",
        "trouble of 1",
    ]
    assert "toy/0, attempt 2 succeeded, and the campaign says `logs: failures`" in shown.stderr
    assert logs(looked, "toy/0", "--all").stdout_bytes.splitlines()[2] == b"\x1b[31mtwo\xff"
    assert logs(looked, "toy/0", "--path").stdout.splitlines() == [str(first), str(first.with_suffix(".err"))]
    facts = json.loads(logs(looked, "toy/0", "--json").stdout)
    assert [one["lines"] for one in facts["logs"]] == [["one", "\x1b[31mtwo\ufffd"], ["trouble of 1"]]


def test_an_empty_log_is_said_to_be_empty(looked: Looked) -> None:
    first = looked.tried(1, "failed", kept=True, content=b"")
    assert f"==> stdout of toy/0, attempt 1: {first} (empty) <==" in logs(looked, "toy/0").stdout.splitlines()


def test_a_packed_log(looked: Looked) -> None:
    out = looked.tried(1, "failed", kept=True)
    with zipfile.ZipFile(out.parent.parent.with_suffix(".zip"), "w") as archive:
        archive.writestr(out.relative_to(out.parent.parent).as_posix(), "packed\n")
    out.unlink()
    assert logs(looked, "toy/0").stdout.splitlines()[:2] == [
        f"==> stdout of toy/0, attempt 1: {out} (packed in logs/{looked.session}.zip) <==",
        "packed",
    ]


@pytest.mark.parametrize(
    ("instance", "said"),
    [("toy/1", "toy/1: it has not been tried yet"), ("toi/0", "no instance 'toi/0'; write benchmark/number")],
)
def test_an_instance_without_logs(looked: Looked, instance: str, said: str) -> None:
    assert said in str(logs(looked, instance).exception)
