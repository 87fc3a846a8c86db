"""Shared readings, event streams, tokens and metrics, each alone."""

from __future__ import annotations

import asyncio
import math
import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.datastructures import Headers

from db.errors import LedgerError, UnknownCampaignError
from db.ledger import Ledger
from orchestrator.analysis.live.progress import FigureSoFar
from orchestrator.cli.look.serve import serve
from orchestrator.errors import CampaignError
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.serve import server, shared_reads
from orchestrator.serve.access import Access, TokenError, make_token, token_of
from orchestrator.serve.ledger_source import LedgerSource
from orchestrator.serve.live_reads import read_live
from orchestrator.serve.metrics import exposition
from orchestrator.serve.pages import campaign_list, event_stream
from orchestrator.serve.pages.live_sections import facts, headline
from orchestrator.serve.server import AddressError, address_of, is_loopback, listening
from orchestrator.serve.shared_reads import FollowedReads, SharedReads
from tests.db import rows
from tests.orchestrator.serve.made_ledger import EACH, ODD, fill
from workloads.description import WorkloadError

# -- shared readings -------------------------------------------------------------------------


def test_all_who_ask_at_once_share_a_reading() -> None:
    read: list[str] = []

    async def main() -> Sequence[str]:
        shared = SharedReads(lambda key: read.append(key) or f"<{key}>", lambda _value, _took: math.inf)
        return await asyncio.gather(*(shared.get(key) for key in "abab" * 10))

    assert asyncio.run(main()) == ["<a>", "<b>", "<a>", "<b>"] * 10
    assert sorted(read) == ["a", "b"]


def test_an_old_value_is_read_anew_and_few_are_kept() -> None:
    read: list[str] = []

    async def main() -> None:
        old = SharedReads(lambda key: read.append(key) or len(read), lambda _value, _took: -1.0)
        assert [await old.get("a"), await old.get("a")] == [1, 2]
        assert old.known("a") == 2
        old.begin("a")
        assert await old.get("a") == 3  # the one that was begun
        assert old.known("b") is None
        for number in range(100):
            await old.get(str(number))
        assert old.known("a") is None
        assert old.known("99") == 103

    asyncio.run(main())


def test_what_is_asked_for_is_kept_and_metrics_fit() -> None:
    read: list[str] = []

    async def main() -> None:
        shared = SharedReads(lambda key: read.append(key) or key, lambda _value, _took: math.inf, kept=2)
        for key in ("a", "b", "a", "c", "a"):
            assert await shared.get(key) == key
        assert (shared.known("b"), read) == (None, ["a", "b", "c"])

    asyncio.run(main())
    assert shared_reads._KEPT >= 2 * campaign_list._MEASURED


def test_metrics_leave_out_a_driver_that_died_an_hour_ago(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        rows.begin(ledger, rows.register(ledger), seconds=60)
        ends = ledger.campaign("toy").lease_expires_us
        assert ends is not None
        assert campaign_list.measured(ledger, ends + 3_599_000_000) == ["toy"]
        assert campaign_list.measured(ledger, ends + 3_601_000_000) == []


def test_an_error_is_for_those_who_ask_now() -> None:
    answers = [LedgerError("away"), "back"]

    def read(_: str) -> str:
        answer = answers.pop(0)
        if isinstance(answer, str):
            return answer
        raise answer

    async def main() -> None:
        shared = SharedReads(read, lambda _value, _took: math.inf)
        found = await asyncio.gather(shared.get("a"), shared.get("a"), return_exceptions=True)
        assert [str(one) for one in found] == ["away", "away"]
        assert await shared.get("a") == "back"

    asyncio.run(main())


@pytest.mark.parametrize("seconds", [math.inf, -1.0])
def test_a_reading_that_failed_is_not_begun_again_at_once(seconds: float) -> None:
    read: list[str] = []

    def fail(key: str) -> str:
        read.append(key)
        raise OSError(key)

    async def main() -> None:
        shared = SharedReads(fail, lambda _value, _took: math.inf, lambda _took: seconds)
        with pytest.raises(OSError, match="a"):
            await shared.get("a")
        shared.begin("a")
        assert list(shared._running) == ([] if seconds > 0 else ["a"])
        with pytest.raises(OSError, match="a"):
            await shared.get("a")  # who asks for the value gets the error of a reading of now
        assert read == ["a", "a"]

    asyncio.run(main())


def test_one_who_leaves_does_not_end_the_reading_of_others() -> None:
    go = threading.Event()

    async def main() -> None:
        shared = SharedReads(lambda _: go.wait(60), lambda _value, _took: math.inf)
        first, second = asyncio.create_task(shared.get("a")), asyncio.create_task(shared.get("a"))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        go.set()
        assert await second is True

    asyncio.run(main())


# -- event streams ---------------------------------------------------------------------------


def test_a_stream_says_what_changed_and_ends_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_PAUSE_SECONDS", 0.001)
    stopping = asyncio.Event()
    answers: list[str | Exception] = [
        "<p>1</p>\n<p>2</p>", "<p>1</p>\n<p>2</p>", "<p>4</p>", LedgerError("no\nway"), "3",
        CampaignError("a"), WorkloadError("b"), UnknownCampaignError("x"),
    ]  # fmt: skip

    async def read() -> dict[str, str]:
        answer = answers.pop(0)
        if not answers:
            stopping.set()
        if isinstance(answer, str):
            return {"progress": answer, "figures": answer[:1]}
        raise answer

    async def main() -> list[bytes]:
        return [event async for event in event_stream.follow(read, stopping)]

    assert asyncio.run(main()) == [
        b"event: progress\ndata: <p>1</p>\ndata: <p>2</p>\n\nevent: figures\ndata: <\n\n",
        b":\n\n",
        b"event: progress\ndata: <p>4</p>\n\n",
        b"event: problem\ndata: The ledger cannot be read, trying again: no\ndata: way\n\n",
        b"event: progress\ndata: 3\n\nevent: figures\ndata: 3\n\n",
        b"event: problem\ndata: The campaign cannot be shown, trying again: a\n\n",
        b"event: problem\ndata: The campaign cannot be shown, trying again: b\n\n",
        b"event: problem\ndata: The ledger no longer has this campaign.\n\n",
    ]


# -- readings that follow a campaign ---------------------------------------------------------


def test_what_follows_a_campaign_is_read_anew_only_where_it_may_differ(sqlite_url: str) -> None:
    fill(sqlite_url)
    running = view_of(sqlite_url)
    ended = replace(running, driver=None)
    changed = replace(ended, progress=replace(ended.progress, benchmarks=ended.progress.benchmarks[:1]))
    read: list[str] = []
    seen = {"toy": ended}

    async def main() -> None:
        followed = FollowedReads(lambda name: read.append(name) or [name], lambda _a, _b: -1.0, seen.get)

        async def number_after(status: CampaignStatus) -> int:
            followed.begin(status)
            await asyncio.gather(*followed._reads._running.values())
            return len(read)

        assert [await number_after(ended) for _ in range(3)] == [1, 1, 1]
        assert followed.known("toy") == ["toy"]
        seen["toy"] = changed
        assert [await number_after(changed) for _ in range(2)] == [2, 2]
        assert [await number_after(running) for _ in range(2)] == [3, 4]

    asyncio.run(main())


# -- headlines -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figures", "words", "kind"),
    [
        (None, "being judged", "plain"),
        ([], "no figure of merit", "plain"),
        ([FigureSoFar("", "fom", 0.123456, "s", True)], "figure of merit 0.1235 s, reportable", "good"),
        ([FigureSoFar("", "fom", 2.0, "", False)], "figure of merit 2, not reportable", "bad"),
        ([FigureSoFar("", "fom", 2.0, "", None)], "figure of merit 2, not judged yet", "plain"),
        ([FigureSoFar("b", "fom", 2.0, "", True), FigureSoFar("c", "fom", 2.0, "", False)],
         "1 of 2 figures reportable", "plain"),
    ],
)  # fmt: skip
def test_the_headline_of_an_ended_campaign_has_its_figure_with_the_verdict(
    sqlite_url: str, figures: list[FigureSoFar] | None, words: str, kind: str
) -> None:
    fill(sqlite_url)
    view = view_of(sqlite_url)
    assert headline(view, figures) == ("running, 20 of 260 done", "plain")
    ended = replace(view, driver=None, row=replace(view.row, outcome="complete", lease_owner=None))
    assert headline(ended, figures) == (f"complete, 20 of 260 done; {words}", kind)


# -- tokens and addresses --------------------------------------------------------------------


def test_a_token_file_is_made_for_its_owner_alone_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "token"
    made = token_of(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert token_of(file) == made
    assert len(made) >= 43
    assert made != make_token()
    file.write_text(f"  {'x' * 22}\n")
    assert token_of(file) == "x" * 22


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        ("x" * 40, 0o644, "can be read by others: chmod 600"),
        ("x" * 40, 0o620, "can be read by others"),
        ("short", 0o600, "needs a token of 22 or more"),
        ("", 0o600, "needs a token"),
        ("x" * 30 + " y", 0o600, "needs a token"),
        ("é" * 30, 0o600, "needs a token"),
    ],
)
def test_a_bad_token_file_is_refused(text: str, mode: int, message: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(TokenError, match=message):
        token_of(file)


def test_the_cookie_depends_on_the_token() -> None:
    first, second = Access(make_token(), loopback=True), Access(make_token(), loopback=True)
    assert first.cookie_value != second.cookie_value
    assert not Access(None, loopback=True).knows_token("")
    assert not first.knows_token(None)


@pytest.mark.parametrize(
    "sent",
    [
        "bad{}=1; c={}",
        "foo[bar]=1; c={}",
        'c={}; "; x',
        "c=old; c={}",
        'a="1; c={}',
        "\xff;c={} ",
        "c;=;; c={}",
    ],
)
def test_malformed_cookies_of_other_programs_hide_nothing(sent: str) -> None:
    access = Access(make_token(), loopback=True, cookie="c")
    right = sent.replace("c={}", f"c={access.cookie_value}")
    assert access.may_read(Headers({"cookie": right}))
    assert not access.may_read(Headers({"cookie": right.replace("c=", "d=")}))
    assert not access.may_read(Headers({"cookie": sent}))


@pytest.mark.parametrize("terminal", [True, False])
def test_the_token_of_a_file_is_printed_on_a_terminal_alone(
    terminal: bool,
    sqlite_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(
        source: LedgerSource,
        opened: socket.socket,
        _: Access,
        ready: Callable[[], None],
        campaigns: Path | None,
    ) -> None:
        ready()
        opened.close()
        source.close()

    monkeypatch.setattr(server, "serve", run)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    file = tmp_path / "tk"
    serve("127.0.0.1", 0, file, ledger=sqlite_url)
    printed = capsys.readouterr().out
    assert (file.read_text() in printed) is terminal
    assert (f"/  (the token is in {file}; Ctrl-C ends it)" in printed) is not terminal


def test_loopback_is_known_by_its_addresses() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("127.1.2.3")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("192.0.2.1")
    with pytest.raises(AddressError, match=r"--host nowhere\.invalid: "):
        is_loopback("nowhere.invalid")


def test_a_port_in_use_is_one_line() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert address_of(first, "127.0.0.1") == f"http://127.0.0.1:{port}/"
        assert address_of(first, "0.0.0.0") == f"http://{socket.gethostname()}:{port}/"
        assert address_of(first, "::1") == f"http://[::1]:{port}/"
        with pytest.raises(AddressError) as raised:
            listening("127.0.0.1", port)
    assert str(raised.value) == f"127.0.0.1 port {port}: {os.strerror(98)}; name another --port"


# -- metrics ---------------------------------------------------------------------------------


def samples(text: bytes) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return values by name and labels, the campaign left out, as Prometheus reads them."""
    found = {}
    for family in text_string_to_metric_families(text.decode()):
        assert family.documentation
        for one in family.samples:
            labels = tuple(value for name, value in sorted(one.labels.items()) if name != "campaign")
            assert one.labels.get("campaign", "toy") == "toy"
            assert (one.name, labels) not in found
            found[one.name, labels] = one.value
    return found


def view_of(url: str) -> CampaignStatus:
    return read_live(LedgerSource(url), "toy")


def test_busy_slots_are_unknown_without_a_driver(sqlite_url: str) -> None:
    fill(sqlite_url)
    view = view_of(sqlite_url)
    assert facts(view)["slots busy"] == "6 of 2"
    dead = replace(view, driver=None)
    assert "slots busy" not in facts(dead)
    assert ("orchestrator_slots_busy", ()) not in samples(exposition([dead], {}))


def test_metrics_are_what_the_ledger_has(ledger_url: str) -> None:
    fill(ledger_url)
    figures = {"toy": [FigureSoFar("p1b1", "fom", 2.5, "")]}
    found = samples(exposition([view_of(ledger_url)], figures))
    assert found["orchestrator_ledger_up", ()] == 1
    assert found["orchestrator_driver_up", ()] == 1
    states = {"planned": EACH - 14, "running": 3, "done": 10, "exhausted": 1}
    for name in ("p1b1", ODD):
        for state, number in states.items():
            assert found["orchestrator_instances", (name, state)] == number
    assert found["orchestrator_longest_fom_time", ("p1b1", "s")] == pytest.approx(4.9)
    assert found["orchestrator_failures_total", ("timeout",)] == 2
    assert found["orchestrator_attempts", ("running",)] == 6
    assert found["orchestrator_slots", ()] == 2
    assert found["orchestrator_slots_busy", ()] == 6
    assert found["orchestrator_fom", ("p1b1", "fom")] == 2.5
    assert found["orchestrator_campaign_info", ("running", "none", "base", ODD)] == 1


def test_metrics_of_no_ledger_say_so() -> None:
    assert samples(exposition([], {}, up=False)) == {("orchestrator_ledger_up", ()): 0.0}


def test_acting_asks_for_a_token_on_loopback(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[Access] = []

    def run(
        source: LedgerSource,
        opened: socket.socket,
        access: Access,
        ready: Callable[[], None],
        campaigns: Path | None,
    ) -> None:
        given.append(access)
        ready()
        opened.close()
        source.close()

    monkeypatch.setattr(server, "serve", run)
    serve("127.0.0.1", 0, allow_actions=True, ledger=sqlite_url)
    serve("127.0.0.1", 0, ledger=sqlite_url)
    acting, reading = given
    assert acting.actions
    assert f"?token={acting.token}" in capsys.readouterr().out
    assert (reading.actions, reading.token) == (False, None)
