"""The JSON API under requests that nobody would write: one clear JSON error, and nothing changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from db.ledger import Ledger
from orchestrator.serve.api.routes import ROUTES, VERSION
from tests.db import rows
from tests.orchestrator.serve.made_ledger import fill
from tests.orchestrator.serve.test_api import ACTING, PROGRAM
from tests.orchestrator.serve.test_pages import client

EXAMPLES = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
HOSTILE = (
    "", " ", "..", "toy", "p1b1/3", "p1b1/03", "%00", "\0", "\n", "\x1b[31m", "'; DROP TABLE events;--",
    "{name}", "٣", "p1b1/٣", "🦄" * 300, "9" * 400, "1e999", "NaN", "-1", "nt3[a=b/c]/1",
)  # fmt: skip
WORDS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
NAMES = st.one_of(
    st.sampled_from(["after", "limit", "state", "benchmark", "node", "reason", "kind", "format"]), WORDS
)
READING = [one.path for one in ROUTES if one.act is None and one.media != "text/event-stream"]
CHANGING = [one.path for one in ROUTES if one.act is not None]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["benchmarks", "selection", "where", "instances", "file", "name", "site"])


@pytest.fixture
def api(ledger_url: str) -> Iterator[TestClient]:
    """A server of a ledger with two campaigns, whose keys differ."""
    fill(ledger_url)
    with Ledger(ledger_url) as ledger:
        ledger.register(
            rows.campaign(name="other", uid="o"), [rows.benchmark("nt3", 1)], rows.planned(1, "nt3")
        )
    with client(ledger_url, ACTING) as made:
        made.headers.update(PROGRAM)
        made.ledger_url = ledger_url  # type: ignore[attr-defined]
        yield made


def is_clear(answer: Any) -> None:
    """Refuse everything but an answer, or one error of one line."""
    assert answer.status_code in (200, 400, 404, 405, 409, 413, 415), (answer.status_code, answer.text)
    if answer.status_code == 200:
        return
    assert answer.headers["content-type"] == "application/json"
    problem = answer.json()
    assert list(problem) == ["error"]
    assert problem["error"]["status"] == answer.status_code
    assert problem["error"]["message"]
    assert "\n" not in problem["error"]["message"]
    assert "Traceback" not in problem["error"]["message"]


@EXAMPLES
@given(
    path=st.sampled_from(READING),
    name=WORDS,
    label=WORDS,
    query=st.lists(st.tuples(NAMES, WORDS), max_size=4),
)
def test_hostile_questions(
    api: TestClient, path: str, name: str, label: str, query: list[tuple[str, str]]
) -> None:
    filled = VERSION + path.replace("{name}", "toy" if len(name) % 2 else "\0")
    address = filled.replace("\0", quoted(name)).replace("{label:path}", quoted(label))
    is_clear(api.get(address, params=query))


@EXAMPLES
@given(path=st.sampled_from(CHANGING), body=JSON | st.dictionaries(KEYS, JSON, max_size=3))
def test_hostile_changes(api: TestClient, path: str, body: Any) -> None:
    before = rows.everything(api.ledger_url)  # type: ignore[attr-defined]
    content = None if body is None else json.dumps(body)
    answer = api.post(
        VERSION + path.replace("{name}", "toy"), content=content, headers={"content-type": "application/json"}
    )
    is_clear(answer)
    if answer.status_code != 200:
        assert rows.everything(api.ledger_url) == before  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["instances", "attempts", "metrics", "curves"])
def test_keys_of_other_campaigns(api: TestClient, path: str) -> None:
    answer = api.get(f"{VERSION}/campaigns/toy/{path}?after=nt3/0")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("after: no instance 'nt3/0'")
    assert api.get(f"{VERSION}/campaigns/toy/instances/nt3/0").status_code == 404


def quoted(text: str) -> str:
    return quote(text, safe="/") or "%20"
