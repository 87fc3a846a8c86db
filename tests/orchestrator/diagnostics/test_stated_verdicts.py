"""`fom` checks the rows that it judges, keeps what it stated, and says when a later one differs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from db.events import EventKind
from db.evidence import content_hash
from db.reader import Reader
from orchestrator.analysis.verdict.fom import campaigns_named, judge
from orchestrator.cli.look.fom import _show_statement
from orchestrator.diagnostics import stated_verdicts
from orchestrator.diagnostics.stated_verdicts import Statement, check_verdict, fom, state
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import RuleResult, Verdict
from tests.db import rows
from tests.orchestrator.analysis.verdict.test_fom import Book, fill


@pytest.fixture
def ended(ledger_url: str) -> Iterator[Book]:
    book = Book(ledger_url)
    fill(book, received_us=rows.T0)
    book.ledger.end_session(book.number, 1, "me", "complete")
    yield book
    book.ledger.close()


def url(book: Book) -> str:
    return str(book.ledger.url.render_as_string(hide_password=False))


def strict(_: Measurements) -> RuleResult:
    return RuleResult(False, "no seed is random enough", name="seeds")


def ledger_rule(verdict: Verdict) -> RuleResult:
    [rule] = [one for one in verdict.benchmarks[0].rules if one.name == "ledger"]
    return rule


def stated(book: Book, *names: str) -> Statement:
    with Reader(url(book)) as reader:
        campaigns = campaigns_named(reader, names or [book.name])
        return state(url(book), campaigns, check_verdict(reader, campaigns, judge(reader, campaigns).verdict))


def kept(book: Book) -> list[Any]:
    return list(book.ledger.events(book.number, kinds=[EventKind.VERDICT_STATED]))


def test_a_verdict_is_kept_once(ended: Book) -> None:
    assert stated(ended) == Statement()
    assert stated(ended) == Statement()
    [event] = kept(ended)
    assert event.data["rulebook"] == "coral2"
    assert len(event.data["content_sha256"]["toy"]) == 64


def test_a_later_verdict_by_other_rules_names_the_former(
    ended: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated(ended)

    monkeypatch.setattr(common_rules, "seeds", strict)
    hashed: list[int] = []
    content_of = stated_verdicts.content_of

    def counted(reader: Reader, campaign: int, *kinds: Any) -> Any:
        hashed.append(campaign)
        return content_of(reader, campaign, *kinds)

    monkeypatch.setattr(stated_verdicts, "content_of", counted)
    former = stated(ended).former
    assert hashed == [ended.number]  # once, which takes long of a large campaign
    assert former is not None
    assert former.same_data
    assert former.version
    assert "p1b1: rule seeds was pass, is FAIL" in former.differences
    assert len(kept(ended)) == 2
    assert stated(ended) == Statement()


def test_a_verdict_on_edited_rows_says_that_nothing_was_recorded_since(
    ended: Book, capsys: pytest.CaptureFixture[str]
) -> None:
    stated(ended)
    with rows.raw(url(ended)) as connection:
        connection.exec_driver_sql("UPDATE campaigns SET campaign_sha256 = 'other'")
    former = stated(ended).former
    assert former is not None
    assert (former.same_data, former.events_since) == (False, 0)
    assert "p1b1: rule ledger was pass, is FAIL" in former.differences
    _show_statement(Statement(former))
    assert "nothing was recorded since, and rows were edited" in capsys.readouterr().out


_GUARD = "SELECT sql FROM sqlite_master WHERE name = 'attempts_final'"
_FASTER = "UPDATE attempts SET run_stop_us = run_stop_us - 1"


def edited(book: Book, *statements: str) -> None:
    """Change rows as somebody with the file does, and put the trigger back."""
    with rows.raw(url(book)) as connection:
        [guard] = connection.exec_driver_sql(_GUARD).scalars()
        connection.exec_driver_sql("DROP TRIGGER attempts_final")
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(guard)


def sqlite_book(sqlite_url: str) -> Book:
    book = Book(sqlite_url)
    fill(book, received_us=rows.T0)
    book.ledger.end_session(book.number, 1, "me", "complete")
    return book


def test_edited_rows_are_no_yes_though_the_triggers_are_back(sqlite_url: str) -> None:
    book = sqlite_book(sqlite_url)
    before = fom("toy", sqlite_url)
    assert ledger_rule(before).passed
    edited(book, _FASTER)
    rule = ledger_rule(fom("toy", sqlite_url))
    assert not rule.passed
    assert "its rows are not those that session 1 left" in rule.reason
    book.ledger.close()


def test_rows_whose_end_was_hashed_anew_differ_from_the_stored_verdict_for_good(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = sqlite_book(sqlite_url)
    stated(book)
    edited(book, "UPDATE attempts SET run_stop_us = run_stop_us + 5000000, fom_seconds = fom_seconds + 5")
    monkeypatch.setattr(stated_verdicts, "changed_rows", lambda *_: iter(()))  # as if it fitted
    for _ in range(2):
        rule = ledger_rule(fom("toy", sqlite_url))
        assert not rule.passed
        assert "nothing was recorded since its stored verdict, and its rows were edited" in rule.reason
        assert "rows were edited" in stated(book).not_stored
    assert len(kept(book)) == 1
    book.ledger.close()


def test_of_a_large_campaign_parts_are_drawn(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_hash, "PART", 1)
    monkeypatch.setattr(stated_verdicts, "_ALL_COMPARED", 1)
    monkeypatch.setattr(stated_verdicts, "_PARTS_COMPARED", 2)
    book = sqlite_book(sqlite_url)
    reason = ledger_rule(fom("toy", sqlite_url)).reason
    assert "of 4 attempts, rows of 2 of 4 parts, drawn at random, were compared" in reason
    edited(book, f"{_FASTER} WHERE instance_id = 3")
    for drawn, passed in (([1, 2], True), ([1, 4], False)):
        monkeypatch.setattr(stated_verdicts.random, "sample", lambda *_, drawn=drawn: drawn)
        assert ledger_rule(fom("toy", sqlite_url)).passed is passed
    book.ledger.close()


def test_an_end_without_a_hash_is_no_yes(sqlite_url: str) -> None:
    book = sqlite_book(sqlite_url)
    book.ledger.note(book.number, EventKind.CORES_SHARED, "added", data={"campaign": "u", "since_us": 1})
    rule = ledger_rule(fom("toy", sqlite_url))
    assert not rule.passed
    assert "no session has chained the events after the last one's end" in rule.reason
    book.ledger.close()


@pytest.mark.parametrize("kind", [EventKind.CORES_SHARED, EventKind.HOOK_RAN])
def test_a_verdict_on_more_data_counts_what_was_recorded_since(
    ended: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: EventKind
) -> None:
    stated(ended)
    monkeypatch.setattr(common_rules, "seeds", strict)
    ended.ledger.note(ended.number, kind, "it happened", data={"campaign": "u", "since_us": 1})
    former = stated(ended).former
    assert former is not None
    read_by_rules = kind is EventKind.CORES_SHARED
    assert (former.same_data, former.events_since) == (not read_by_rules, 1)
    _show_statement(Statement(former))
    assert ("more was recorded since" in capsys.readouterr().out) == read_by_rules


def test_of_a_campaign_that_runs_nothing_is_kept(ended: Book) -> None:
    rows.begin(ended.ledger, ended.number, this_driver())
    assert stated(ended) == Statement()
    assert kept(ended) == []


def test_several_campaigns_are_kept_apart_from_each_alone(ended: Book) -> None:
    other = Book(url(ended), name="other")
    other.ledger.end_session(other.number, 1, "me", "complete")
    for names in (["toy"], ["toy", "other"], ["other", "toy"]):
        assert stated(ended, *names) == Statement()
    assert [event.subject for event in kept(ended)] == ["", "toy, other"]
    other.ledger.close()


def test_a_ledger_that_cannot_be_written_is_judged(postgres_url: str) -> None:
    book = Book(postgres_url)
    fill(book, received_us=rows.T0)
    book.ledger.end_session(book.number, 1, "me", "complete")
    with rows.raw(postgres_url) as connection:
        name = connection.exec_driver_sql("SELECT current_database()").scalar_one()
        connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    assert "read-only" in stated(book).not_stored
    assert kept(book) == []
    book.ledger.close()


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (["UPDATE campaigns SET campaign_yaml = 'campaign: toy'"], "its campaign file is not what"),
        (["DROP TRIGGER attempts_final", "UPDATE attempts SET fom_seconds = 0.1"], "trigger attempts_final"),
        (["UPDATE documents SET content = replace(content, 'tensorflow', 'torch')"], "its checksum says"),
        (["UPDATE benchmarks SET instances = 5"], "instances planned: 5, in the ledger: 4"),
    ],
)
def test_rows_that_were_edited_make_nothing_reportable(
    sqlite_url: str, statements: list[str], words: str
) -> None:
    book = Book(sqlite_url)
    fill(book, received_us=rows.T0)
    assert ledger_rule(fom("toy", sqlite_url)).passed
    with rows.raw(sqlite_url) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    verdict = fom("toy", sqlite_url)
    book.ledger.close()
    rule = ledger_rule(verdict)
    assert rule.passed is False
    assert words in rule.reason
    assert rule.reason in verdict.reasons
    assert not verdict.benchmarks[0].reportable


def test_the_command_prints_the_former_verdict(
    ended: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from orchestrator.cli.look.fom import fom as command

    command(["toy"], url(ended))
    assert "another verdict" not in capsys.readouterr().out
    monkeypatch.setattr(common_rules, "seeds", strict)
    command(["toy"], url(ended))
    out = capsys.readouterr().out
    assert "another verdict than on" in out
    assert "from the same data:\n" in out
    assert "p1b1: rule seeds was pass, is FAIL" in out
    monkeypatch.undo()
    command(["toy"], url(ended), as_json=True)
    assert (
        "p1b1: rule seeds was FAIL, is pass"
        in json.loads(capsys.readouterr().out)["former_verdict"]["differences"]
    )


def test_what_was_left_out_is_named_with_its_campaign(sqlite_url: str) -> None:
    from orchestrator.review.dossier import _left_out

    planned = "{workload: p1b1, instances: 4, timeout: 60}"
    absent = "{workload: lstm, instances: 1, timeout: 60, optional: true}"
    text = f"campaign: toy\nbenchmarks: [{planned}, {absent}]\n"
    books = [Book(sqlite_url, name=name) for name in ("toy", "other")]
    with rows.raw(sqlite_url) as connection:
        connection.exec_driver_sql("UPDATE campaigns SET campaign_yaml = ?", (text,))
    with Reader(sqlite_url) as reader:
        both = campaigns_named(reader, ["toy", "other"])
        assert _left_out(reader, both) == ["toy/lstm", "other/lstm"]
        assert _left_out(reader, both[:1]) == ["lstm"]
    for book in books:
        book.ledger.close()
