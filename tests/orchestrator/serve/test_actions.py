"""Acting from the pages: each action once, who may ask for it, and the refusals."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from db.ledger import Ledger
from db.reader import Reader
from orchestrator.serve.access import Access
from tests.db import rows
from tests.orchestrator.serve.made_ledger import fill
from tests.orchestrator.serve.test_pages import OPEN, TOKEN, client

ACTING = Access(TOKEN, loopback=True, cookie="c", actions=True)
COOKIE = {"cookie": f"c={ACTING.cookie_value}"}
BROWSER = COOKIE | {"origin": "http://localhost:8600", "sec-fetch-site": "same-origin"}


@pytest.fixture
def filled(ledger_url: str) -> str:
    fill(ledger_url)
    return ledger_url


@pytest.fixture
def filled_file(sqlite_url: str) -> str:
    fill(sqlite_url)
    return sqlite_url


def asked(url: str, action: str, headers: Mapping[str, str] = BROWSER, **form: str) -> tuple[int, str]:
    """Send a form; return status and text of the answer, or of the page to which it leads."""
    with client(url, ACTING) as pages:
        answer = pages.post(f"/campaigns/toy/actions/{action}", data=form, headers=headers)
        if answer.status_code != 303:
            return answer.status_code, answer.text
        address = answer.headers["location"]
        assert address.startswith("/campaigns/toy?notice=")
        first, second = (pages.get(address, headers=COOKIE).text for _ in range(2))
        assert 'class="outcome"' not in second  # a notice is shown once
        said = re.search(r'<p class="outcome" role="status">(.*?)</p>', first)
        assert said is not None
        return 303, said[1]


def requests_of(url: str) -> list[tuple[str, str | None]]:
    """Return the requests that the ledger keeps, and who asked."""
    with Reader(url) as reader:
        kinds = ("stop_requested", "instances_requested")
        return [(one.message, one.subject) for one in reader.events(1) if one.kind in kinds]


def test_a_drain_asks_the_driver_once(filled: str) -> None:
    status, said = asked(filled, "drain")
    assert (status, said) == (
        303, "toy: asked its driver to drain; what runs finishes, and nothing new starts",
    )  # fmt: skip
    asked(filled, "drain")  # a second press must not cancel what runs
    with Reader(filled) as reader:
        assert reader.campaign("toy").stop_request == "drain"
    source = "browser at testclient"
    assert requests_of(filled) == [(f"stop requested: drain, by {source}", source)]


def test_benchmarks_are_paused_and_unpaused(filled: str) -> None:
    assert asked(filled, "pause", chosen="p1b1") == (303, "toy: asked its driver to pause p1b1")
    with Ledger(filled) as ledger:
        ledger.apply_requests(1, 1)  # as the driver does
    with client(filled, ACTING) as pages:
        page = pages.get("/campaigns/toy", headers=COOKIE).text
    assert re.search(r'<select id="unpause-chosen" name="chosen">\s*<option>p1b1</option>', page)
    assert asked(filled, "unpause", chosen="p1b1") == (303, "toy: asked its driver to unpause p1b1")
    assert [source for _, source in requests_of(filled)] == ["browser at testclient"] * 2


def test_an_instance_out_of_retries_is_planned_again(filled: str) -> None:
    with client(filled, ACTING) as pages:
        page = pages.get("/campaigns/toy/instances/p1b1/10", headers=COOKIE).text
    assert '<input type="hidden" name="chosen" value="p1b1/10">' in page
    assert "Retry p1b1/10</button>" in page
    assert asked(filled, "retry", chosen=" p1b1/10 ") == (303, "toy: asked its driver to retry p1b1/10")
    with Ledger(filled) as ledger:
        ledger.apply_requests(1, 1)
        assert ledger.find_instance(1, "p1b1/10").state == "planned"


def test_without_a_driver_a_retry_is_applied_and_a_drain_refused(filled_file: str) -> None:
    with Ledger(filled_file) as ledger:
        ledger.end_session(1, 1, "me", "exhausted")
    status, text = asked(filled_file, "drain")
    assert status == 400
    assert "no driver runs toy: nothing is to drain" in text
    assert asked(filled_file, "retry", chosen="p1b1/10") == (303, "toy: 1 instance planned again (p1b1/10)")


@pytest.mark.parametrize(
    ("action", "chosen", "line"),
    [
        ("retry", " ", "nothing is named: name instances to retry, such as p1b1/3, p1b1/5..20 or p1b1"),
        ("retry", "p1b1/999", "p1b1/999: p1b1 has the instances 0 to 129"),
        ("retry", "p1b2", "no benchmark &#39;p1b2&#39;"),
        ("pause", "", "nothing is named: name a benchmark to pause"),
        ("unpause", "", "nothing is named: name a benchmark to unpause"),
        ("pause", "p1b1/3", "only whole benchmarks are paused; name p1b1"),
        ("burn", "p1b1", "no action &#39;burn&#39;: there are drain, pause, unpause, retry"),
        ("retry", "p" * 20_000, "the form is longer than 16,384 bytes"),
    ],
)
def test_a_wrong_form_changes_nothing_and_says_why(
    filled_file: str, action: str, chosen: str, line: str
) -> None:
    status, text = asked(filled_file, action, chosen=chosen)
    assert status in (400, 413)
    assert line in text
    assert requests_of(filled_file) == []


@pytest.mark.parametrize(
    ("headers", "status", "line"),
    [
        ({}, 401, "A token is needed"),
        ({"origin": "http://localhost:8600", "sec-fetch-site": "same-origin"}, 401, "A token is needed"),
        ({"authorization": "Bearer wrong"}, 401, "A token is needed"),
        (COOKIE, 403, "the form is of another site"),
        (BROWSER | {"origin": "http://evil.example"}, 403, "the form is of another site"),
        (BROWSER | {"origin": "http://localhost:9000"}, 403, "the form is of another site"),
        (BROWSER | {"origin": "null"}, 403, "the form is of another site"),
        (BROWSER | {"sec-fetch-site": "cross-site"}, 403, "the form is of another site"),
        (BROWSER | {"sec-fetch-site": "same-site"}, 403, "the form is of another site"),
        (BROWSER | {"host": "evil.example", "origin": "http://evil.example"}, 403, "localhost"),
    ],
)
def test_others_change_nothing(filled_file: str, headers: dict[str, str], status: int, line: str) -> None:
    before = rows.everything(filled_file)
    found, text = asked(filled_file, "drain", headers)
    assert (found, line in text) == (status, True)
    assert rows.everything(filled_file) == before


def test_the_token_in_an_address_and_reading_methods_change_nothing(filled_file: str) -> None:
    before = rows.everything(filled_file)
    with client(filled_file, ACTING) as pages:
        path = "/campaigns/toy/actions/drain"
        assert pages.post(f"{path}?token={TOKEN}", headers={"origin": BROWSER["origin"]}).status_code == 401
        for method in ("GET", "HEAD", "PUT"):
            assert pages.request(method, path, headers=BROWSER).status_code == 405
        wrong = pages.post("/campaigns/tyo/actions/drain", headers=BROWSER)
        assert wrong.status_code == 404
        assert '<a href="/campaigns/toy">toy</a>' in wrong.text
    assert rows.everything(filled_file) == before


def test_a_program_with_the_token_needs_no_origin(filled_file: str) -> None:
    assert asked(filled_file, "drain", COOKIE | {"authorization": f"Bearer {TOKEN}"})[0] == 303


@pytest.mark.parametrize("access", [OPEN, Access(TOKEN, loopback=True, cookie="c")])
def test_without_the_option_nothing_acts_and_no_form_is_shown(filled_file: str, access: Access) -> None:
    before = rows.everything(filled_file)
    headers = BROWSER | {"cookie": f"c={access.cookie_value}"}
    with client(filled_file, access) as pages:
        answer = pages.post("/campaigns/toy/actions/drain", headers=headers)
        assert answer.status_code == 403
        assert "start them with `orchestrator serve --allow-actions` to act" in answer.text
        for path in ("/campaigns/toy", "/campaigns/toy/instances/p1b1/10"):
            assert '<form method="post"' not in pages.get(path, headers=headers).text
    assert rows.everything(filled_file) == before
