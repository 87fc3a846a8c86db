"""`ledger trace`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.ledger import Ledger
from tests.orchestrator.cli.command_line import CommandLine
from tests.orchestrator.serve.made_ledger import fill
from tests.orchestrator.telemetry.collector import collecting

SPANS = 22 + 2
"""Attempts that `fill` ends; the session, and the campaign."""


def test_the_command_sends_all_campaigns(run: CommandLine, sqlite_url: str, tmp_path: Path) -> None:
    number = fill(sqlite_url)
    with Ledger(sqlite_url) as ledger:
        ledger.end_session(number, 1, "me", "drained")
    with collecting() as collector:
        done = run(
            "ledger", "trace", "--follow", "--json", "--ledger", sqlite_url,
            cwd=tmp_path,
            OTEL_EXPORTER_OTLP_ENDPOINT=f"{collector.address}/",
            OTEL_EXPORTER_OTLP_HEADERS="x-key=secret",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"collector": collector.address, "spans": {"toy": SPANS}}
        assert {header["x-key"] for header in collector.headers} == {"secret"}
        assert len(collector.spans) == SPANS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no collector is named; write --endpoint http://HOST:4318, or set OTEL_EXPORTER_OTLP_ENDPOINT"),
        (["--endpoint", "localhost:4318"], "localhost:4318 is no address; write one such as http://HOST:4318"),
    ],
)  # fmt: skip
def test_a_wrong_address_is_one_line(
    options: list[str], message: str, run: CommandLine, sqlite_url: str, tmp_path: Path
) -> None:
    done = run("ledger", "trace", *options, "--ledger", sqlite_url, cwd=tmp_path)
    assert (done.returncode, done.stderr.strip(), done.stdout) == (1, f"error: {message}", "")
