"""`fom` checks the rows that it judges, keeps what it stated, and says when a later one differs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from db.events import EventKind
from db.reader import Reader
from orchestrator.analysis.fom import campaigns_named, judge
from orchestrator.cli.fom import _show_statement
from orchestrator.diagnostics import stated_verdicts
from orchestrator.diagnostics.stated_verdicts import Statement, checked, fom, state
from orchestrator.lifecycle.driver_identity import this_driver
from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import Rule, Verdict
from tests.db import rows
from tests.orchestrator.analysis.test_fom import Book, fill


@pytest.fixture
def ended(ledger_url: str) -> Iterator[Book]:
    book = Book(ledger_url)
    fill(book, received_us=rows.T0)
    book.ledger.end_session(book.number, 1, "me", "complete")
    yield book
    book.ledger.close()


def url(book: Book) -> str:
    return str(book.ledger.url.render_as_string(hide_password=False))


def ledger_rule(verdict: Verdict) -> Rule:
    [rule] = [one for one in verdict.benchmarks[0].rules if one.name == "ledger"]
    return rule


def stated(book: Book, *names: str) -> Statement:
    with Reader(url(book)) as reader:
        campaigns = campaigns_named(reader, names or [book.name])
        verdict = checked(reader, campaigns, judge(reader, campaigns).verdict)
        return state(url(book), reader, campaigns, verdict)


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

    def strict(found: Measurements) -> Rule:
        return Rule("seeds", False, "no seed is random enough")

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


@pytest.mark.parametrize("kind", [EventKind.CORES_SHARED, EventKind.HOOK_RAN])
def test_a_verdict_on_more_data_counts_what_was_recorded_since(
    ended: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: EventKind
) -> None:
    stated(ended)
    monkeypatch.setattr(common_rules, "seeds", lambda _: Rule("seeds", False, "no seed is random enough"))
    ended.ledger.note(ended.number, kind, "it happened", data={"campaign": "u", "since_us": 1})
    former = stated(ended).former
    assert former is not None
    read_by_rules = kind is EventKind.CORES_SHARED
    assert (former.same_data, former.events_since) == (not read_by_rules, 1)
    _show_statement(Statement(former))
    assert ("more was recorded since" in capsys.readouterr().out) == read_by_rules


def test_a_verdict_of_a_version_that_hashed_otherwise_names_no_edit(
    ended: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stated(ended)
    monkeypatch.setattr(common_rules, "seeds", lambda _: Rule("seeds", False, "no seed is random enough"))
    last = stated_verdicts._last

    def older(*given: Any) -> Any:
        event, document = last(*given)
        return event, {name: value for name, value in document.items() if name != "content_events"}

    monkeypatch.setattr(stated_verdicts, "_last", older)
    former = stated(ended).former
    assert former is not None
    assert former.same_data is None
    _show_statement(Statement(former))
    assert "cannot be compared" in capsys.readouterr().out


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
        (["UPDATE benchmarks SET instances = 5"], "5 instances are planned, 4 are there"),
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
    from orchestrator.cli.fom import fom as command

    command(["toy"], url(ended))
    assert "another verdict" not in capsys.readouterr().out
    monkeypatch.setattr(common_rules, "seeds", lambda found: Rule("seeds", False, "no"))
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
    from orchestrator.cli.fom import _left_out

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
