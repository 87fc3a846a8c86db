"""The client of the API, against a served ledger."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from db.connection.connect import parse_url
from db.ledger import Ledger
from db.schema import upgrade
from orchestrator.client import ApiError, Client
from tests.orchestrator.serve.made_ledger import EACH, fill, finish, serving

TOKEN = "a-token-of-more-than-22-characters"


def secret(folder: Path) -> Path:
    file = folder / "token"
    file.write_text(TOKEN)
    file.chmod(0o600)
    return file


def test_a_served_ledger_is_read_changed_and_followed(sqlite_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)
    options = ("--allow-actions", "--token-file", str(secret(tmp_path)))
    with serving(sqlite_url, tmp_path, *options) as (_, address):
        served = Client(address, TOKEN, user="me@laptop")
        assert [one["campaign"] for one in served.campaigns()] == ["toy"]
        assert served.campaign("toy")["instances"]["done"] == 20
        assert len(list(served.instances("toy"))) == 2 * EACH
        assert {one["state"] for one in served.instances("toy", state="exhausted")} == {"exhausted"}
        assert served.instance("toy", "p1b1/10")["attempts"][0]["failure_reason"] == "timeout"
        assert len(list(served.attempts("toy", benchmark="p1b1"))) == 14
        assert {one["unit"] for one in served.metrics("toy")} == {"J"}
        assert list(served.curves("toy")) == []
        verdict = served.verdict("toy")
        assert verdict["rulebook"] == "none"
        assert served.verdict("toy") == verdict
        assert "<testsuites" in served.report("toy", "junit")
        assert [one["instances"] for one in served.retry("toy", "p1b1/10")] == [1]
        assert not served.pause("toy", "p1b1")[0]["applied"]
        assert not served.unpause("toy", "p1b1")[0]["applied"]

        seen: list[str] = []
        stream = served.follow("toy", "transition")
        follows = threading.Thread(target=lambda: seen.extend(one["kind"] for one in stream))
        follows.start()
        finish(sqlite_url, 1, 11)
        assert served.drain("toy")["asked"]
        with Ledger(sqlite_url) as ledger:
            ledger.end_session(1, 1, "me", "drained")
        follows.join(60)
        assert set(seen) == {"transition"}
        assert "stop_requested" in [one["kind"] for one in served.events("toy")]

        with pytest.raises(ApiError, match="no campaign 'tyo'") as unknown:
            served.campaign("tyo")
        assert unknown.value.status == 404
        with pytest.raises(ApiError, match="a token is needed") as refused:
            Client(address).campaign("toy")
        assert refused.value.status == 401
    with pytest.raises(ApiError, match="cannot be reached"):
        served.campaign("toy")


@pytest.mark.slow
def test_a_stored_file_is_launched_and_extended(tmp_path: Path) -> None:
    ledger = f"sqlite:///{tmp_path}/ledger.sqlite"
    upgrade(parse_url(ledger))
    (tmp_path / "stored").mkdir()
    benchmark = "{name: b, workload: perceptron, instances: 2, timeout: 60}"
    (tmp_path / "stored" / "short.yaml").write_text(f"campaign: short\nbenchmarks: [{benchmark}]\n")
    options = ("--allow-actions", "--campaigns", "stored", "--token-file", str(secret(tmp_path)))
    with serving(ledger, tmp_path, *options) as (_, address):
        served = Client(address, TOKEN, user="me@laptop")
        assert served.files() == [{"file": "short.yaml"}]
        with pytest.raises(ApiError, match=r"no campaign file 'long\.yaml' is stored"):
            served.launch("long.yaml")
        started = served.launch("short.yaml", name="one")
        assert started["campaign"] == "one"
        assert [one["kind"] for one in served.follow("one")][-1] == "session_ended"
        assert served.campaign("one")["outcome"] == "complete"
        assert served.add("one", "b=+1")["instances"] == {"b": 1}
        (launched,) = served.events("one", "launch_requested")
        assert launched["message"].startswith("launch of short.yaml requested by me@laptop over the API at ")
        (extended,) = served.events("one", "campaign_extended")
        assert extended["data"]["by"].startswith("me@laptop over the API")
        with pytest.raises(ApiError, match="'one'"):
            served.launch("short.yaml", name="one")


class _Other(BaseHTTPRequestHandler):
    """No server of this project: it leads elsewhere, says what is no JSON, or breaks off."""

    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        broken = "broken" in self.path
        self.send_response(302 if "away" in self.path else 200)
        self.send_header("Location", f"/elsewhere{self.path.replace('away', 'here')}")
        self.send_header("Content-Length", "9" if broken else "6")
        self.end_headers()
        self.wfile.write(b"<html>")

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def other() -> Iterator[str]:
    _Other.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Other) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_token_goes_nowhere_else_and_a_change_stays_a_change(other: str) -> None:
    client = Client(other, f"{TOKEN}\n", user="an")
    for ask in (client.campaign, client.drain):
        with pytest.raises(ApiError, match=r"302 .*leads to /elsewhere/api/.*which is not followed") as led:
            ask("away")
        assert led.value.status == 302
    assert not [path for path in _Other.seen if path.startswith("/elsewhere")]


def test_an_answer_of_another_server_is_one_error(other: str) -> None:
    with pytest.raises(ApiError, match="no `orchestrator serve` is there"):
        Client(other).campaign("toy")
    for ask in (Client(other).verdict, Client(other).report):
        with pytest.raises(ApiError, match="broke off"):
            ask("broken")


@pytest.mark.parametrize("address", ["", "localhost:8600", "http://localhost:8600/?token=SECRET"])
def test_a_wrong_address_is_one_error_without_its_token(address: str) -> None:
    with pytest.raises(ApiError) as wrong:
        Client(address, user="李").campaign("toy")
    assert "SECRET" not in str(wrong.value)
    with pytest.raises(ApiError, match="characters that no token has"):
        Client("http://localhost:8600", "a\nb")
