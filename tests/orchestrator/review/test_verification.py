"""What an attacker changes in a package, or in the ledger before it, is named; honest packages verify."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from orchestrator.review.texts import as_json
from orchestrator.review.verification import verify
from orchestrator.rulebooks.data_files import INSTALLED
from orchestrator.rundir.chain import CHAIN, GENESIS, chain_after
from orchestrator.rundir.journal import decode, encode
from tests.orchestrator.review.packages import (
    Members,
    edited,
    findings,
    journals,
    packaged,
    repacked,
    simulated,
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a campaign with failures and duplicates whose driver was killed once."""
    return simulated(tmp_path_factory.mktemp("campaign"), crash_at=14)


@pytest.fixture(scope="module")
def whole(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packaged(url, tmp_path_factory.mktemp("package") / "toy.zip").file


def halve(row: dict[str, str]) -> None:
    """Let a run end after half of its time."""
    if row["run_stop_us"] and row["fom_seconds"]:
        half = (int(row["run_stop_us"]) - int(row["run_start_us"])) // 2
        row["run_stop_us"] = str(int(row["run_stop_us"]) - half)
        row["fom_seconds"] = repr(float(row["fom_seconds"]) / 2)


def halved_rows(content: Members) -> None:
    content["rows/attempts.csv"] = edited(content["rows/attempts.csv"], halve)


def halved_journals(content: Members) -> None:
    """Halve rows and journals alike, with chains and checksums computed anew."""
    halved_rows(content)
    for name in journals(content):
        chain, lines = GENESIS, []
        for line in content[name].split(b"\n")[:-1]:
            report = decode(line)
            assert report is not None
            if report.get("result"):
                half = (report["run_stop_us"] - report["run_start_us"]) // 2
                report["run_stop_us"] -= half
                report["result"]["fom_seconds"] /= 2
            del report[CHAIN]
            lines.append(encode(report, chain))
            chain = chain_after(chain, lines[-1].rstrip(b"\n"))
        content[name] = b"".join(lines)


def without_a_line(number: int) -> Callable[[Members], None]:
    def change(content: Members) -> None:
        name = max(journals(content), key=lambda one: len(content[one]))
        lines = content[name].splitlines(keepends=True)
        del lines[number]
        content[name] = b"".join(lines)

    return change


def swapped_lines(content: Members) -> None:
    name = max(journals(content), key=lambda one: len(content[one]))
    lines = content[name].splitlines(keepends=True)
    lines[0], lines[1] = lines[1], lines[0]
    content[name] = b"".join(lines)


def without_a_journal(content: Members) -> None:
    del content[max(journals(content), key=lambda one: len(content[one]))]


def without_journals(content: Members) -> None:
    for name in journals(content):
        del content[name]


def without_chains(content: Members) -> None:
    for name in journals(content):
        reports = [decode(line) or {} for line in content[name].split(b"\n")[:-1]]
        content[name] = b"".join(encode({k: v for k, v in one.items() if k != CHAIN}) for one in reports)


def without_heads(content: Members) -> None:
    content["rows/events.csv"] = edited(
        content["rows/events.csv"], lambda row: row["kind"] != "journal_heads"
    )


def better_verdict(content: Members) -> None:
    verdict = json.loads(content["verdict.json"])
    verdict["benchmarks"][0]["instances_per_hour"] *= 3
    content["verdict.json"] = json.dumps(verdict).encode()


def better_metric(content: Members) -> None:
    """Let an accepted attempt have measured one more number."""
    accepted: list[dict[str, str]] = []
    edited(content["rows/attempts.csv"], lambda row: row["state"] == "succeeded" and accepted.append(row))
    values = [*(accepted[0][name] for name in ("campaign_id", "instance_id", "attempt_number"))]
    content["rows/metrics.csv"] += ",".join([*values, "epochs_run", "100.0", ""]).encode() + b"\r\n"


def without_failures(content: Members) -> None:
    """Remove what is known of attempts that failed; the journals keep their reports."""
    failed = set()

    def keep(row: dict[str, str]) -> bool:
        if row["state"] != "failed":
            return True
        failed.add((row["instance_id"], row["attempt_number"]))
        return False

    content["rows/attempts.csv"] = edited(content["rows/attempts.csv"], keep)
    content["rows/events.csv"] = edited(
        content["rows/events.csv"], lambda row: (row["instance_id"], row["attempt_number"]) not in failed
    )


def easier_rules(content: Members) -> None:
    name = "rulebook/coral2/reference.yaml"
    content[name] = content[name].replace(b"minimum:", b"minimum: 0.0 #")


def other_campaign_text(content: Members) -> None:
    content["campaigns/toy/campaign.yaml"] = b"campaign: toy\n"


ATTACKS = [
    (halved_rows, "its journal"),
    (halved_journals, "are not those that the ledger has the hash of"),
    (without_a_line(2), "a line was changed, removed or moved"),
    (without_a_line(-1), "lines, and the ledger has the hash of"),
    (swapped_lines, "a line was changed, removed or moved"),
    (without_a_journal, "is not there, and the ledger has the hash of its"),
    (without_journals, "is accepted, and no journal in toy/journals has its report"),
    (without_chains, "are unchained"),
    (without_heads, "its rows have no heads of journals"),
    (better_verdict, "verdict: benchmarks[behave].instances_per_hour: the package states"),
    (better_metric, "the ledger has another metric"),
    (without_failures, "attempts, numbered up to"),
    (easier_rules, "the rulebook's files are not those of version"),
    (other_campaign_text, "campaign.yaml is not the text that its rows give"),
]


def test_a_campaign_with_failures_kills_and_several_sessions_verifies(whole: Path) -> None:
    found = verify(whole)
    assert found.findings == []
    assert found.reports >= 12
    assert found.verdict is not None
    assert found.verdict["benchmarks"][0]["accepted"] == 12


@pytest.mark.parametrize(("change", "named"), ATTACKS, ids=[one.__qualname__ for one, _ in ATTACKS])
def test_a_change_with_every_hash_computed_anew_is_named(
    whole: Path, tmp_path: Path, change: Callable[[Members], None], named: str
) -> None:
    found = findings(repacked(whole, tmp_path / "changed.zip", change))
    assert any(named in one for one in found), found
    assert not any("\n" in one for one in found)


def test_a_ledger_edited_before_it_is_packaged_is_named(url: str, tmp_path: Path) -> None:
    copy = tmp_path / "edited.sqlite"
    shutil.copy(url, copy)
    with closing(sqlite3.connect(copy)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE attempts SET fom_seconds = fom_seconds / 3")
        for _, sql in triggers:
            connection.execute(sql)
        connection.commit()
    found = findings(packaged(str(copy), tmp_path / "edited.zip").file)
    assert any("the ledger has fom_seconds" in one for one in found), found


def test_data_of_another_version_are_named_with_both_versions(whole: Path, tmp_path: Path) -> None:
    def change(content: Members) -> None:
        facts = json.loads(content["package.json"])
        content["package.json"] = as_json(facts | {"version": "0.0.1"})
        content["rulebook/switches.yaml"] += b"# an older file\n"

    found = verify(repacked(whole, tmp_path / "older.zip", change))
    assert found.findings == []
    assert any("packaged by version 0.0.1" in one and "agrees by both" in one for one in found.notes)
    assert (INSTALLED / "switches.yaml").read_bytes().count(b"an older file") == 0


def test_a_newer_format_is_refused_in_one_line(whole: Path, tmp_path: Path) -> None:
    def change(content: Members) -> None:
        content["package.json"] = b'{"format": 99}'

    [finding] = findings(repacked(whole, tmp_path / "newer.zip", change))
    assert "it is of format 99" in finding


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("package.json", b""),
        ("package.json", b"[]"),
        ("verdict.json", b'{"a":' * 30000),
        ("rows/events.csv", b"\xff\xfe"),
        ("rows/attempts.csv", b"no,columns\r\n"),
    ],
)
def test_members_that_hold_nonsense_are_findings(
    whole: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    def change(members: Members) -> None:
        members[name] = content

    assert findings(repacked(whole, tmp_path / "nonsense.zip", change))


def test_rows_that_no_ledger_would_hold_are_a_finding(whole: Path, tmp_path: Path) -> None:
    def change(content: Members) -> None:
        content["rows/benchmarks.csv"] = edited(
            content["rows/benchmarks.csv"], lambda row: row.update(parameters="[" * 100_000)
        )

    found = findings(repacked(whole, tmp_path / "odd.zip", change))
    assert any("cannot be judged" in one or "contradict" in one for one in found), found


def test_an_archive_of_journals_that_unpacks_to_gigabytes(whole: Path, tmp_path: Path) -> None:
    def change(content: Members) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("1/0a/w.journal", bytes(1000))
        bomb = bytearray(packed.getvalue())
        place = bomb.index(b"PK\1\2") + 24
        bomb[place : place + 4] = struct.pack("<I", 3 << 30)
        content["campaigns/toy/journals/9.zip"] = bytes(bomb)

    found = findings(repacked(whole, tmp_path / "bomb.zip", change))
    assert any("9.zip would unpack to 3,221,225,472 bytes" in one for one in found), found
