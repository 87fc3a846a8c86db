"""What an attacker changes in a package, or in the ledger before it, is named; honest packages verify."""

from __future__ import annotations

import csv
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

from db.column_values import sha256
from orchestrator.review.readable import readable
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
    verified_alone,
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a campaign with failures and duplicates whose driver was killed once."""
    return simulated(tmp_path_factory.mktemp("campaign"), crash_at=14)


@pytest.fixture(scope="module")
def whole(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packaged(url, tmp_path_factory.mktemp("package") / "toy.zip").file


def test_a_package_verifies_without_numpy_and_without_a_database(whole: Path) -> None:
    """A browser has Python, and not all of its packages."""
    assert verified_alone(whole, "numpy", "pandas") == "[] []\n"


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


def easier_target(content: Members) -> None:
    """Lower the target in the row, in the description, and in what names its key."""
    rows = list(csv.DictReader(io.StringIO(content["rows/documents.csv"].decode(), newline="")))
    [old] = [row for row in rows if '"own_target"' in row["content"]]
    text = old["content"].replace('"at_least": 0.0', '"at_least": -1.0')
    assert text != old["content"]
    key = sha256(text)
    content["rows/documents.csv"] = edited(
        content["rows/documents.csv"],
        lambda row: row["sha256"] != old["sha256"] or row.update(sha256=key, content=text),
    )
    content["rows/events.csv"] = content["rows/events.csv"].replace(old["sha256"].encode(), key.encode())
    easier_row(content)
    known = json.loads(content["campaigns/toy/documents.json"])
    known[key] = json.loads(text) if known.pop(old["sha256"]) else None
    content["campaigns/toy/documents.json"] = as_json(known)


def easier_row(content: Members) -> None:
    content["rows/benchmarks.csv"] = edited(
        content["rows/benchmarks.csv"], lambda row: row.update(quality_target="-1.0")
    )


def without_session(number: int) -> Callable[[Members], None]:
    """Remove all that is known of a session."""

    def change(content: Members) -> None:
        gone = set()

        def keep(row: dict[str, str]) -> bool:
            if row["session_number"] != str(number):
                return True
            gone.add((row["instance_id"], row["attempt_number"]))
            return False

        def keep_event(row: dict[str, str]) -> bool:
            mine = (row["instance_id"], row["attempt_number"]) in gone
            return not mine and row["subject"] != f"session {number}"

        def keep_instance(row: dict[str, str]) -> None:
            if (row["instance_id"], row["accepted_attempt"]) in gone:
                row.update(accepted_attempt="", state="planned")

        content["rows/attempts.csv"] = edited(content["rows/attempts.csv"], keep)
        content["rows/events.csv"] = edited(content["rows/events.csv"], keep_event)
        content["rows/instances.csv"] = edited(content["rows/instances.csv"], keep_instance)
        for table in ("sessions", "blocks"):
            name = f"rows/{table}.csv"
            content[name] = edited(content[name], lambda row: row["session_number"] != str(number))
        for name in journals(content):
            if f"/journals/{number}/" in name:
                del content[name]

    return change


def without_last_heads(content: Members) -> None:
    content["rows/events.csv"] = edited(
        content["rows/events.csv"],
        lambda row: not (row["kind"] == "journal_heads" and row["subject"] == "session 2"),
    )


def without_event(kind: str) -> Callable[[Members], None]:
    def change(content: Members) -> None:
        content["rows/events.csv"] = edited(content["rows/events.csv"], lambda row: row["kind"] != kind)

    return change


def with_event(content: Members) -> None:
    """Add, at the end, that the other campaign left the cores before the first run."""
    lines: list[dict[str, str]] = []
    edited(content["rows/events.csv"], lambda row: lines.append(dict(row)))
    row = lines[-1] | {"event_id": str(int(lines[-1]["event_id"]) + 1), "kind": "cores_free", "data": "{}"}
    out = io.StringIO(newline="")
    csv.DictWriter(out, list(row), lineterminator="\r\n").writerow(row)
    content["rows/events.csv"] += out.getvalue().encode()


def moved_event(content: Members) -> None:
    content["rows/events.csv"] = edited(
        content["rows/events.csv"],
        lambda row: row["kind"] != "driver_died" or row.update(at_us=str(int(row["at_us"]) - 10**9)),
    )


def without_links(content: Members) -> None:
    """Remove all links, as if an earlier version had run the campaign."""

    def change(row: dict[str, str]) -> None:
        if row["kind"] in ("journal_heads", "session_ended"):
            kept = json.loads(row["data"])
            gone = ("events", "rows_sha256")
            row["data"] = json.dumps({name: value for name, value in kept.items() if name not in gone})

    content["rows/events.csv"] = edited(content["rows/events.csv"], change)


def shifted_seeds(content: Members) -> None:
    content["rows/instances.csv"] = edited(
        content["rows/instances.csv"], lambda row: row.update(seed=str(int(row["seed"]) + 1000))
    )


def a_lost_attempt_that_took_no_time(content: Members) -> None:
    content["rows/attempts.csv"] = edited(
        content["rows/attempts.csv"],
        lambda row: row["state"] != "lost" or row.update(run_start_us="", process_stop_us=""),
    )


def added(name: str) -> Callable[[Members], None]:
    def change(content: Members) -> None:
        content[name] = b"figure of merit: 100\n"

    return change


def retold(name: str, old: bytes, new: bytes) -> Callable[[Members], None]:
    def change(content: Members) -> None:
        assert old in content[name]
        content[name] = content[name].replace(old, new)

    return change


def better_texts(content: Members) -> None:
    """Change the verdict for programs and the one for people alike."""
    better_verdict(content)
    content["fom.txt"] = readable(json.loads(content["verdict.json"]))


ATTACKS = [
    (easier_target, "its rows are not those that session 2 left"),
    (easier_row, "behave is registered with target score ≥ -1.0"),
    (without_session(1), "has attempts numbered up to 2; in the ledger: 1"),
    (without_session(2), "some were removed or added"),
    (without_last_heads, "session 2 ended without a record of its journals' last heads"),
    (without_event("session_started"), "some were removed or added"),
    (without_event("driver_died"), "some were removed or added"),
    (without_event("session_ended"), "the end of session 2 is not recorded with a hash of the rows"),
    (retold("rows/campaigns.csv", b"complete", b"drained"), "session 2 ended as complete"),
    (with_event, "no session has chained the events after the last one's end: 1 cores_free"),
    (moved_event, "some were changed, removed or added"),
    (without_links, "its rows and events are not chained"),
    (shifted_seeds, "12 instances have another seed than the campaign's seed 2017"),
    (a_lost_attempt_that_took_no_time, "its rows are not those that session 2 left"),
    (better_texts, "verdict: benchmarks[behave].instances_per_hour: the package states"),
    (retold("fom.txt", b"accepted: 12", b"accepted: 99"), "fom.txt is not the text"),
    (retold("campaigns/toy/nodes.json", b"[]", b"[1]"), "nodes.json is not the text"),
    (retold("campaigns/toy/documents.json", b"behave", b"p1b1"), "documents.json is not the text"),
    (retold("package.json", b'  "toy"', b'  "toy", "toy"'), "package.json"),
    (retold("rulebook/common_rules.py", b"a", b"b"), "the rulebook's files are not those of version"),
    (added("code.json"), "code.json is no file that packages have"),
    (added("rows/more.csv"), "rows/more.csv is no file that packages have"),
    (added("rulebook/README.txt"), "the rulebook's files are not those of version"),
    (added("campaigns/toy/journals/1/README.txt"), "README.txt is no file that packages have"),
    (added("campaigns/toy/logs/more.txt"), "more.txt is no file that packages have"),
    (added("campaigns/other/campaign.yaml"), "campaigns/other/campaign.yaml is no file that packages have"),
    (halved_rows, "its journal"),
    (halved_journals, "not what the ledger has the hash of"),
    (without_a_line(2), "a line was changed, removed or moved"),
    (without_a_line(-1), "lines, and the ledger has the hash of"),
    (swapped_lines, "a line was changed, removed or moved"),
    (without_a_journal, "is not there, and the ledger has the hash of its"),
    (without_journals, "is accepted, and no journal in toy/journals has its report"),
    (without_chains, "is not part of its chain"),
    (without_heads, "its rows have no heads of journals"),
    (better_verdict, "verdict: benchmarks[behave].instances_per_hour: the package states"),
    (better_metric, "the ledger has another metric"),
    (without_failures, "has attempts numbered up to"),
    (easier_rules, "the rulebook's files are not those of version"),
    (other_campaign_text, "campaign.yaml is not the text that its rows give"),
]


def test_a_campaign_with_failures_kills_and_several_sessions_verifies(whole: Path) -> None:
    found = verify(whole)
    assert found.findings == []
    assert found.reports >= 12
    assert found.verdict is not None
    assert found.verdict["benchmarks"][0]["accepted"] == 12


@pytest.mark.parametrize(
    ("change", "named"),
    ATTACKS,
    ids=[f"{k}-{one.__qualname__.partition('.')[0]}" for k, (one, _) in enumerate(ATTACKS)],
)
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
