"""The pages of a ledger: what they say, their headers, and who may read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from db.ledger import Ledger
from db.reader import Reader
from orchestrator.analysis.live.progress import FigureSoFar
from orchestrator.serve import app, ledger_source
from orchestrator.serve.access import HEADERS, Access
from orchestrator.serve.app import LedgerPages
from orchestrator.serve.ledger_source import LedgerSource
from orchestrator.serve.live_reads import read_live
from tests.db import rows
from tests.harness import wait_for
from tests.orchestrator.serve.made_ledger import EACH, ODD, fill, finish
from workloads.description import WorkloadError

TOKEN = "a-token-of-more-than-22-characters"
OPEN = Access(None, loopback=True)


@contextmanager
def client(url: str, access: Access = OPEN, host: str = "localhost:8600") -> Iterator[TestClient]:
    source = LedgerSource(url)
    served = LedgerPages(source).app(access)
    with TestClient(served, base_url=f"http://{host}", follow_redirects=False) as made:
        yield made
    source.close()


@pytest.fixture
def filled(ledger_url: str) -> str:
    fill(ledger_url)
    return ledger_url


@pytest.fixture
def filled_file(sqlite_url: str) -> str:
    fill(sqlite_url)
    return sqlite_url


def labels(page: str) -> list[str]:
    return re.findall(r"<td><a href=\"/campaigns/toy/instances/[^\"]+\">([^<]+)</a>", page)


def test_every_page_answers_and_names_stay_texts(filled: str) -> None:
    odd_label = "/campaigns/toy/instances/%3Cb%20onload%3Dalert%281%29%3E%26amp%3B%20Gr%C3%B6%C3%9Fe/10"
    with client(filled) as pages:
        first = pages.get("/").text
        assert '<a href="/campaigns/toy">toy</a>' in first
        assert ">running<" in first
        progress = pages.get("/campaigns/toy").text
        assert "running, 20 of 260 done" in progress
        assert "6 of 2" in progress  # slots
        assert "4.9 s" in progress  # longest so far
        assert 'href="/campaigns/toy/instances?reason=timeout"' in progress
        assert odd_label in progress
        story = pages.get(odd_label).text
        assert ">out of retries<" in story
        assert "Traceback\n&lt;b onload=alert(1)&gt;&amp;amp; Größe" in story
        listed = pages.get("/campaigns/toy/instances").text
        report = pages.get("/campaigns/toy/report").text
    for page in (first, progress, story, listed, report):
        assert "<b onload" not in page
        assert "<1>" not in page
        assert ' style="' not in page


def test_the_list_is_walked_page_by_page(filled: str) -> None:
    with client(filled) as pages:
        page = pages.get("/campaigns/toy/instances").text
        found = labels(page)
        assert len(found) == 100
        while later := re.search(r'<a href="([^"]+)">Later</a>', page):
            page = pages.get(later[1].replace("&amp;", "&")).text
            found += labels(page)
        assert len(found) == len(set(found)) == 2 * EACH
        earlier = re.search(r'<a href="([^"]+)">Earlier</a>', page)
        assert earlier is not None
        back = labels(pages.get(earlier[1].replace("&amp;", "&")).text)
        assert back == found[100:200]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("state=exhausted", 2),
        ("state=done&benchmark=p1b1", 10),
        ("reason=timeout&node=n0%3C1%3E", 2),
        ("node=elsewhere", 0),
        ("state=&benchmark=p1b1&node=+&after=p1b1/99", EACH - 100),
    ],
)
def test_filters_choose_instances(filled_file: str, query: str, number: int) -> None:
    with client(filled_file) as pages:
        assert len(labels(pages.get(f"/campaigns/toy/instances?{query}").text)) == number


def test_a_label_leads_to_its_instance(filled_file: str) -> None:
    with client(filled_file) as pages:
        answer = pages.get("/campaigns/toy/instances?find=+p1b1/3+")
        assert (answer.status_code, answer.headers["location"]) == (303, "/campaigns/toy/instances/p1b1/3")
        assert "energy_joules" in pages.get(answer.headers["location"]).text


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/campaigns/tyo", 404, '<a href="/campaigns/toy">toy</a>'),
        ("/campaigns/%3Cb%3E", 404, "no campaign &#39;&lt;b&gt;&#39;"),
        ("/campaigns/nothing/live", 404, "no campaign"),
        ("/campaigns/nothing/report", 404, "no campaign"),
        ("/campaigns/toy/instances/p1b1/999", 404, "p1b1/0"),
        ("/campaigns/toy/instances?after=p1b1/999", 404, "p1b1/0"),
        ("/campaigns/toy/instances?state=dead", 400, "state &#39;dead&#39; is none of planned"),
        ("/campaigns/toy/instances?node=%00", 200, ""),
        ("/?before=nothing", 404, "no campaign"),
        ("/nothing", 404, "404"),
        ("/static/app.py", 404, "404"),
        ("/metrics?campaign=nothing", 404, "no campaign"),
    ],
)
def test_what_does_not_exist_is_said_on_a_page(filled_file: str, path: str, status: int, text: str) -> None:
    with client(filled_file) as pages:
        answer = pages.get(path)
    assert answer.status_code == status
    assert text in answer.text
    assert "<script>" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(filled_file: str, method: str) -> None:
    with client(filled_file) as pages:
        for path in ("/", "/campaigns/toy", "/campaigns/toy/instances", "/metrics"):
            assert pages.request(method, path).status_code == 405


def test_every_answer_has_the_headers_and_no_inline_code(filled_file: str) -> None:
    paths = (
        "/", "/campaigns/toy", "/campaigns/toy/instances", "/campaigns/toy/instances/p1b1/3", "/metrics",
        "/campaigns/none", "/nothing", "/static/live.js", "/static/report.css", "/campaigns/toy/report",
    )  # fmt: skip
    with client(filled_file) as pages:
        for path in paths:
            answer = pages.get(path)
            for name in HEADERS:
                assert name in answer.headers, path
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'")
            assert "unsafe" not in policy
            assert "access-control-allow-origin" not in answer.headers
            assert "server" not in answer.headers
            if not path.endswith("report"):
                assert "<style" not in answer.text
                assert not re.search(r"<script(?! src=\"/static/)|\son\w+=\"|javascript:", answer.text)


def test_other_campaigns_are_listed_some_at_a_time(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        for number in range(53):
            ledger.register(rows.campaign(f"c{number:02}"), [rows.benchmark()], rows.planned(1))
    with client(sqlite_url) as pages:
        page = pages.get("/").text
        assert re.findall(r'<a href="/campaigns/(c\d\d)">', page) == [f"c{n:02}" for n in range(52, 2, -1)]
        older = re.search(r'<a href="([^"]+)">Older</a>', page)
        assert older is not None
        assert re.findall(r'"/campaigns/(c\d\d)"', pages.get(older[1]).text) == ["c02", "c01", "c00"]
        assert "not started, 0 of 1 done" in pages.get("/campaigns/c00").text
        assert "None is like that" in pages.get("/campaigns/c00/instances?state=done").text
        assert "It has not been tried yet" in pages.get("/campaigns/c00/instances/toy/0").text


def test_an_empty_ledger_has_a_page(ledger_url: str) -> None:
    with client(ledger_url) as pages:
        assert "no campaign yet" in pages.get("/").text
        assert "orchestrator_ledger_up 1.0" in pages.get("/metrics").text


def test_a_workload_that_cannot_be_used_has_a_page(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise WorkloadError("no workload <gone>")

    monkeypatch.setattr(app, "read_live", read)
    with client(sqlite_url) as pages:
        answer = pages.get("/campaigns/toy")
    assert answer.status_code == 400
    assert "no workload &lt;gone&gt;" in answer.text


def test_figures_are_of_what_a_campaign_ended_with(filled_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(source: LedgerSource, name: str) -> list[FigureSoFar]:
        return [FigureSoFar("p1b1", "judged", float(read_live(source, name).progress.done), "")]

    monkeypatch.setattr(app, "read_figures", judge)
    monkeypatch.setattr(app, "figures_seconds", lambda _found, _took: 0.0)
    monkeypatch.setattr(app, "poll_seconds", lambda _view, _took: 0.0)
    with client(filled_file) as pages:

        def shown(done: int) -> bool:
            return f'figure="judged"}} {done}.0' in pages.get("/metrics?campaign=toy").text

        wait_for(lambda: shown(20), "figures of a campaign that runs")
        finish(filled_file, 1, 12)
        with Ledger(filled_file) as ledger:
            ledger.end_session(1, 1, "me", "complete")
        wait_for(lambda: shown(21), "figures of the campaign that ended")


# -- the ledger ------------------------------------------------------------------------------


def test_a_ledger_that_is_away_has_a_page_and_comes_back(filled_file: str, tmp_path: Path) -> None:
    file, elsewhere = tmp_path / "ledger.sqlite", tmp_path / "away"
    with client(filled_file) as pages:
        assert pages.get("/").status_code == 200
        file.rename(elsewhere)
        for path in ("/", "/campaigns/toy", "/campaigns/toy/instances", "/campaigns/none"):
            answer = pages.get(path)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), path
            assert "The ledger cannot be read now" in answer.text
        assert "orchestrator_ledger_up 0.0" in pages.get("/metrics").text
        elsewhere.rename(file)
        for path in ("/", "/campaigns/toy", "/campaigns/toy/instances"):
            assert pages.get(path).status_code == 200


def test_a_database_that_refuses_connections_has_a_page() -> None:
    with client("postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=1") as pages:
        answer = pages.get("/")
    assert answer.status_code == 503
    assert "127.0.0.1" in answer.text


def test_pages_are_read_while_a_driver_writes(filled: str) -> None:
    with client(filled) as pages, ExitStack() as stack:
        ledger = stack.enter_context(Ledger(filled))
        assert len(labels(pages.get("/campaigns/toy/instances?state=done").text)) == 20
        ledger.record(1, [rows.report("t11.1", "succeeded", None, fom_seconds=9.5)])
        finish(filled, 1, 12)
        assert "9.5" in pages.get("/campaigns/toy/instances/p1b1/12").text


def test_a_ledger_that_may_not_be_written_is_read_from_one_copy(
    filled_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies: list[Any] = []

    def snapshot(file: Path, *, quiet: bool) -> Any:
        assert quiet
        copies.append(ledger_snapshot(file, quiet=quiet))
        return copies[-1]

    ledger_snapshot = ledger_source.snapshot
    monkeypatch.setattr(ledger_source, "may_write", lambda _: False)
    monkeypatch.setattr(ledger_source, "snapshot", snapshot)
    monkeypatch.setattr(ledger_source, "_SHORTEST_SECONDS", 3600.0)
    with client(filled_file) as pages:
        for path in ("/", "/campaigns/toy", "/campaigns/toy/instances", "/metrics"):
            assert pages.get(path).status_code == 200
        assert len(copies) == 1
        assert Path(copies[0].name).is_dir()
    wait_for(lambda: not Path(copies[0].name).exists(), "the end of what still reads the copy")


def test_an_old_copy_goes_when_its_last_reader_does(
    filled_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_source, "may_write", lambda _: False)
    monkeypatch.setattr(ledger_source, "_SHORTEST_SECONDS", -1e9)
    monkeypatch.setattr(ledger_source, "_SHARE", 1e9)
    source = LedgerSource(filled_file)
    with source.reader() as first:
        finish(filled_file, 1, 12)
        with source.reader() as second:
            assert first.file.parent != second.file.parent
            assert second.counts(1)["p1b1"]["done"] == first.counts(1)["p1b1"]["done"] + 1
        assert first.file.exists()
    assert not first.file.parent.exists()
    source.close()
    assert not second.file.parent.exists()


# -- access ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:9000", 200),
        ("127.0.0.1:8600", 200),
        ("[::1]:8600", 200),
        ("evil.example", 403),
        ("evil.example:8600", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost:8600@evil.example", 403),
        ("", 403),
    ],
)
def test_other_names_do_not_reach_loopback(filled_file: str, host: str, status: int) -> None:
    with client(filled_file) as pages:
        answer = pages.get("/", headers={"host": host})
        assert answer.status_code == status
        assert ("toy" in answer.text) is (status == 200)


def test_a_token_is_asked_for_and_kept_as_a_cookie(filled_file: str) -> None:
    with client(filled_file, Access(TOKEN, loopback=False, cookie="c"), host="login1:8600") as pages:
        for path in ("/", "/campaigns/toy", "/campaigns/toy/live", "/metrics", "/nothing", "/?token=wrong"):
            answer = pages.get(path)
            assert answer.status_code == 401, path
            assert "toy" not in answer.text
        assert pages.get("/static/report.css").status_code == 200
        welcome = pages.get(f"/campaigns/toy?token={TOKEN}")
        assert welcome.status_code == 200
        assert TOKEN not in welcome.text
        assert 'content="0;url=/campaigns/toy"' in welcome.text
        cookie = welcome.headers["set-cookie"]
        assert TOKEN not in cookie
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        assert "Max-Age" not in cookie
        assert pages.get("/campaigns/toy").status_code == 200  # by the cookie
        pages.cookies.clear()
        assert pages.get("/").status_code == 401
        assert pages.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": ""},
        {"cookie": "c=wrong"},
        {"cookie": f"c={TOKEN}"},
        {"cookie": "c=\xff\xfe; [bad"},
    ],
)
def test_wrong_credentials_get_nothing(filled_file: str, headers: dict[str, str]) -> None:
    sent = {name: value.encode("latin-1") for name, value in headers.items()}
    with client(filled_file, Access(TOKEN, loopback=False, cookie="c")) as pages:
        assert pages.get("/", headers=sent).status_code == 401


def test_the_way_on_from_the_token_stays_on_this_server(filled_file: str) -> None:
    with client(filled_file, Access(TOKEN, loopback=False)) as pages:
        welcome = pages.get(f"http://localhost:8600//evil.example/%22%3E%3Cb%3E?token={TOKEN}").text
    assert 'href="/evil.example/%22%3E%3Cb%3E"' in welcome


# -- reading ---------------------------------------------------------------------------------


def test_reading_changes_nothing(filled_file: str) -> None:
    before = rows.everything(filled_file)
    with client(filled_file) as pages:
        for path in ("/", "/campaigns/toy", "/campaigns/toy/instances", "/metrics"):
            assert pages.get(path).status_code == 200
    assert rows.everything(filled_file) == before
    with Reader(filled_file) as reader:
        assert reader.campaign("toy").lease_owner == "me"
    assert ODD in str(before)
