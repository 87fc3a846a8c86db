"""The JSON API: its document, its answers, and the same objects from the command line."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from db.records import NewCurve
from db.states import InstanceState
from orchestrator.cli import app as command_line
from orchestrator.outputs.json_values import plain
from orchestrator.serve.access import Access
from orchestrator.serve.api import app as encoding
from orchestrator.serve.api import live_answers
from orchestrator.serve.api.openapi import document
from orchestrator.serve.api.questions import EventsQuery, InstancesQuery
from orchestrator.serve.api.routes import ROUTES, VERSION
from tests.db import rows
from tests.harness import ROOT
from tests.orchestrator.serve.made_ledger import EACH, ODD, fill
from tests.orchestrator.serve.test_pages import OPEN, TOKEN, client

ACTING = Access(TOKEN, loopback=True, cookie="c", actions=True)
PROGRAM = {"authorization": f"Bearer {TOKEN}", "from": "me@laptop"}
OPENAPI_SCHEMA = Path(__file__).with_name("openapi-3.1.json")
"""The schema of the OpenAPI Initiative, https://spec.openapis.org/oas/3.1/schema/2022-10-07."""
READ = [one for one in ROUTES if one.act is None and one.media == "application/json"]


@pytest.fixture
def filled(ledger_url: str) -> str:
    fill(ledger_url)
    with Ledger(ledger_url) as ledger:
        values: dict[str, Any] = {"received_us": rows.T0 + 9, "fom_seconds": 1.0}
        curves = (NewCurve("val_loss", "epoch", "[[1, 0.5], [2, null]]"),)
        done = rows.report("t11.1", "succeeded", InstanceState.DONE, curves=curves, **values)
        ledger.record(1, [done])
    return ledger_url


@pytest.fixture
def filled_file(sqlite_url: str) -> str:
    fill(sqlite_url)
    return sqlite_url


def path_of(route: Any) -> str:
    return VERSION + str(route.path).replace("{name}", "toy").replace("{label:path}", "p1b1/10")


def schema_of(route: Any) -> dict[str, Any]:
    """Return the schema that the document states for an answer."""
    made = document()
    content = made["paths"][VERSION + route.path.replace(":path", "")][route.method.lower()]["responses"]
    return content["200"]["content"][route.media]["schema"] | {"components": made["components"]}


def test_the_document_is_openapi() -> None:
    official = json.loads(OPENAPI_SCHEMA.read_text())
    jsonschema.Draft202012Validator(official).validate(document())
    for made in document()["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(made)
    with pytest.raises(jsonschema.ValidationError, match="pathz"):
        jsonschema.Draft202012Validator(official).validate({**document(), "pathz": {}})


def test_the_page_has_every_route() -> None:
    page = (ROOT / "orchestrator/docs/pages/operate/json-api.md").read_text()
    for one in ROUTES:
        path = one.path.replace("{name}", "NAME").replace("{label:path}", "INSTANCE")
        command = f"`{one.command}`" if one.command else ""
        assert f"| `{one.method} {path}` | {one.summary} | {command} |" in page


def test_every_answer_has_its_schema(filled: str) -> None:
    with client(filled) as api:
        assert api.get("/openapi.json").json() == document()
        for route in READ:
            answer = api.get(
                path_of(route), params={"benchmark": "p1b1"} if route.query is InstancesQuery else {}
            )
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"] == "application/json"
            jsonschema.Draft202012Validator(schema_of(route)).validate(answer.json())
            assert not route.paged or answer.json()["items"], route.path


def printed(*words: str) -> Any:
    found = CliRunner().invoke(command_line, [*words, "--json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_the_command_line_prints_the_same_objects(filled_file: str) -> None:
    ledger = ("--ledger", filled_file)
    with Ledger(filled_file) as book:
        book.end_session(1, 1, "me", "exhausted")
    with client(filled_file) as api:

        def got(path: str) -> Any:
            return api.get(f"{VERSION}/campaigns/toy{path}").json()

        volatile = {"at": "", "progress": {}}  # the age of what runs
        assert got("") | volatile == printed("status", "toy", *ledger) | volatile
        listed = printed("instance", "list", "toy", *ledger)
        listed.sort(key=lambda one: (one["benchmark"], one["benchmark_index"]))
        assert got("/instances?limit=1000")["items"] == listed
        assert got("/instances/p1b1/10") == printed("instance", "show", "toy", "p1b1/10", *ledger)
        assert got("/verdict") == printed("fom", "toy", *ledger)
    shown = CliRunner().invoke(command_line, ["events", "toy", "--json", *ledger]).stdout.splitlines()
    with client(filled_file) as api:
        assert got("/events")["items"] == [json.loads(line) for line in shown]


def walked(api: TestClient, path: str) -> Iterator[list[Any]]:
    address = path
    while address is not None:
        page = api.get(address).json()
        yield page["items"]
        address = page["next"]


def test_pages_are_walked_by_key(filled: str) -> None:
    with client(filled) as api:
        path = f"{VERSION}/campaigns/toy/instances"
        pages = list(walked(api, f"{path}?limit=70"))
        assert [len(page) for page in pages] == [70, 70, 70, 50]
        labels = [(one["benchmark"], one["benchmark_index"]) for page in pages for one in page]
        assert set(labels) == {(name, k) for name in (ODD, "p1b1") for k in range(EACH)}
        assert [k for name, k in labels if name == "p1b1"] == list(range(EACH))
        done = [one for page in walked(api, f"{path}?limit=3&state=done&benchmark=p1b1") for one in page]
        assert {one["state"] for one in done} == {"done"}
        assert len(done) == 11
        last = [page[-1:] for page in walked(api, f"{VERSION}/campaigns/toy/events?limit=1&kind=transition")]
        numbers = [one["event"] for page in last for one in page]
        assert numbers == sorted(set(numbers))
        metrics = [one for page in walked(api, f"{VERSION}/campaigns/toy/metrics?limit=9") for one in page]
        assert len(metrics) == 20


def test_campaigns_are_walked_newest_first(filled_file: str) -> None:
    with Ledger(filled_file) as ledger:
        for k in range(3):
            ledger.register(rows.campaign(name=f"c{k}", uid=f"u{k}"), [rows.benchmark("p1b1", 1)], [])
    with client(filled_file) as api:
        found = [one["campaign"] for page in walked(api, f"{VERSION}/campaigns?limit=2") for one in page]
    assert found == ["c2", "c1", "c0", "toy"]


def test_what_has_not_changed_is_not_sent_again(filled_file: str) -> None:
    with Ledger(filled_file) as ledger:
        new = rows.campaign(name="new", uid="n")
        ledger.register(new, [rows.benchmark("p1b1", 1)], rows.planned(1, "p1b1"))
    paths = (
        "/campaigns/new",
        "/campaigns/new/instances",
        "/campaigns/toy/instances",
        "/campaigns/toy/verdict",
    )
    with client(filled_file) as api:
        for path in paths:
            tag = api.get(VERSION + path).headers["etag"]
            again = api.get(VERSION + path, headers={"if-none-match": f'"other", {tag}'})
            assert (again.status_code, again.content) == (304, b"")
            assert api.get(VERSION + path, headers={"if-none-match": '"other"'}).status_code == 200


def test_answers_are_encoded_beside_others(filled_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set()

    def noted(value: Any) -> Any:
        threads.add(threading.current_thread().name)
        return plain(value)

    monkeypatch.setattr(encoding, "plain", noted)
    with client(filled_file) as api:
        for path in ("/campaigns/toy/instances", "/campaigns/toy/verdict"):
            assert api.get(VERSION + path).status_code == 200
    assert threads == {"AnyIO worker thread"}  # that of the event loop answers meanwhile


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/campaigns/tyo", 404, "has no campaign 'tyo'"),
        ("/campaigns/toy/instances/p1b1/999", 404, "no instance 'p1b1/999'"),
        ("/campaigns/toy/instances?after=nt3/1", 400, "after: no instance 'nt3/1'"),
        ("/campaigns?after=nobody", 400, "after: "),
        ("/campaigns/toy/instances?limit=100000", 400, "limit: Input should be less than or equal to 1000"),
        ("/campaigns/toy/instances?limit=x", 400, "limit: Input should be a valid integer"),
        ("/campaigns/toy/instances?state=asleep", 400, "state: Input should be 'planned'"),
        ("/campaigns/toy/events?kind=party", 400, "kind.0: Input should be"),
        ("/campaigns/toy/events?after=-1&limit=0", 400, "after: Input should be greater than or equal to 0; "
         "and 1 more problem"),
        ("/campaigns/toy/report?format=pdf", 400, "format: Input should be 'html'"),
        ("/campaigns/toy?token=x", 400, "token: there is no such parameter"),
        ("/nothing", 404, "there is no such path; /openapi.json lists all"),
    ],
)  # fmt: skip
def test_wrong_questions_get_one_clear_error(filled_file: str, path: str, status: int, words: str) -> None:
    with client(filled_file) as api:
        answer = api.get(VERSION + path)
    problem = answer.json()["error"]
    assert (answer.status_code, problem["status"]) == (status, status)
    assert problem["message"].startswith(words) or words in problem["message"]
    assert "\n" not in problem["message"]


@pytest.mark.parametrize("path", ["/api/v1/campaigns", "/openapi.json", "/api", "/api/v2/x"])
def test_without_the_token_there_is_one_error(filled_file: str, path: str) -> None:
    with client(filled_file, ACTING) as api:
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic x"}):
            answer = api.get(f"{path}?token={TOKEN}", headers=headers)
            assert (answer.status_code, answer.json()["error"]["status"]) == (401, 401)
        evil = api.get(path, headers=PROGRAM | {"host": "evil.example"})
        assert (evil.status_code, list(evil.json())) == (403, ["error"])
    with client(filled_file) as api:
        assert api.delete(path).json()["error"]["status"] in (404, 405)


def test_an_unreadable_ledger_is_503(filled_file: str) -> None:
    with client(filled_file) as api:
        Path(filled_file.removeprefix("sqlite:///")).unlink()
        answer = api.get(f"{VERSION}/campaigns")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


def posted(url: str, path: str, body: Any, access: Access = ACTING, **headers: str) -> tuple[int, Any]:
    with client(url, access) as api:
        answer = api.post(f"{VERSION}/campaigns{path}", json=body, headers=PROGRAM | headers)
        return answer.status_code, answer.json()


def asked_by(url: str) -> list[str]:
    with Reader(url) as reader:
        kinds = ("stop_requested", "instances_requested")
        return [one.subject for one in reader.events(1, kinds=kinds)]


def test_changes_are_asked_for_and_name_who_asked(filled: str) -> None:
    assert posted(filled, "/toy/drain", {}) == (200, {"campaign": "toy", "asked": True, "outcome": None})
    (status, (asked,)) = posted(filled, "/toy/pause", {"benchmarks": ["p1b1"]})
    assert (status, asked["applied"]) == (200, False)
    assert posted(filled, "/toy/unpause", {"benchmarks": ["p1b1"]})[0] == 200
    (status, (asked,)) = posted(filled, "/toy/retry", {"selection": ["p1b1/10"]})
    assert (status, asked["instances"]) == (200, 1)
    assert asked_by(filled) == ["me@laptop over the API at testclient"] * 4
    assert posted(filled, "/toy/add", {"instances": ["p1b1=+2"]})[0] in (400, 409)  # a driver runs it


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "words"),
    [
        ("/toy/pause", {}, {}, 400, "benchmarks: Field required"),
        ("/toy/pause", {"benchmarks": []}, {}, 400, "benchmarks: List should have at least 1 item"),
        ("/toy/pause", {"benchmarks": ["p1b1/3"]}, {}, 400, "only whole benchmarks are paused; name p1b1"),
        ("/toy/pause", {"benchmarks": "p1b1"}, {}, 400, "benchmarks: Input should be a valid"),
        ("/toy/drain", {"now": True}, {}, 400, "now: there is no such parameter"),
        ("/toy/drain", [], {}, 400, "body: Input should be an object"),
        ("/toy/burn", {}, {}, 404, "there is no such path"),
        ("/tyo/drain", {}, {}, 404, "has no campaign 'tyo'"),
        ("/toy/retry", {"selection": ["p" * 70_000]}, {}, 413, "the body is longer than 65,536 bytes"),
        ("/toy/drain", {}, {"content-type": "text/plain"}, 415, "send the body as application/json"),
        ("", {"file": "demo.yaml"}, {}, 400, "nothing can be launched: `orchestrator serve --campaigns DIR`"),
        ("", {"file": "../demo.yaml"}, {}, 400, "file: String should match pattern"),
    ],
)
def test_a_wrong_change_changes_nothing(
    filled_file: str, path: str, body: Any, headers: dict[str, str], status: int, words: str
) -> None:
    before = rows.everything(filled_file)
    found, problem = posted(filled_file, path, body, **headers)
    assert (found, list(problem)) == (status, ["error"])
    assert words in problem["error"]["message"]
    assert rows.everything(filled_file) == before


def test_a_browser_needs_its_own_origin(filled_file: str) -> None:
    cookie = {"cookie": f"c={ACTING.cookie_value}"}
    with client(filled_file, ACTING) as api:
        path = f"{VERSION}/campaigns/toy/drain"
        refused = api.post(path, json={}, headers=cookie)
        assert (refused.status_code, "another site" in refused.json()["error"]["message"]) == (403, True)
        assert (
            api.post(path, json={}, headers=cookie | {"origin": "http://localhost:8600"}).status_code == 200
        )


def test_without_allow_actions_nothing_changes(filled_file: str) -> None:
    before = rows.everything(filled_file)
    status, problem = posted(filled_file, "/toy/drain", {}, Access(TOKEN, loopback=True))
    assert (status, problem["error"]["message"]) == (
        403, "these pages only read: start them with `orchestrator serve --allow-actions` to act",
    )  # fmt: skip
    assert posted(filled_file, "/toy/drain", {}, OPEN)[0] == 403
    assert rows.everything(filled_file) == before


def test_a_report_has_three_formats(filled_file: str) -> None:
    with client(filled_file) as api:
        texts = {
            form: api.get(f"{VERSION}/campaigns/toy/report?format={form}") for form in ("html", "md", "junit")
        }
    assert {form: one.headers["content-type"].partition(";")[0] for form, one in texts.items()} == {
        "html": "text/html", "md": "text/markdown", "junit": "application/xml",
    }  # fmt: skip
    assert "<testsuites" in texts["junit"].text
    assert re.match("# ", texts["md"].text)


def test_a_stream_has_all_events_and_ends_with_the_campaign(filled: str) -> None:
    with Ledger(filled) as ledger:
        ledger.end_session(1, 1, "me", "exhausted")
    with client(filled) as api:
        path = f"{VERSION}/campaigns/toy/events"
        listed = api.get(path).json()["items"]
        text = api.get(f"{path}/stream").text
        later = api.get(f"{path}/stream", headers={"last-event-id": str(listed[0]["event"])}).text
        assert api.get(f"{VERSION}/campaigns/tyo/events/stream").json()["error"]["status"] == 404
    parts = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    assert parts == [*listed, {"campaign": "toy"}]
    assert "event: end" in text
    assert later.count("event: event") == len(listed) - 1


def test_a_stream_goes_on_once_the_ledger_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([PermissionError("the folder is away"), LedgerError("the database is away")])

    async def read(_: object) -> tuple[bool, list[Any]]:
        if error := next(answers, None):
            raise error
        return False, []

    async def streamed() -> bytes:
        context: Any = SimpleNamespace(read=read, stopping=asyncio.Event())
        return b"".join([part async for part in live_answers._events(context, "toy", EventsQuery())])

    monkeypatch.setattr(live_answers, "_PAUSE_SECONDS", 0.0)
    text = asyncio.run(streamed()).decode()
    assert re.findall(r"event: (\w+)", text) == ["problem", "problem", "end"]
    assert '"message": "the folder is away"' in text
