"""The role of the page reads a PostgreSQL ledger, for `query` and `serve`, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy.engine import make_url

from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from tests.conftest import Postgres
from tests.db.filled import fill
from tests.orchestrator.serve.test_pages import client
from tests.readmes.pages import PAGES, block


@pytest.fixture
def role_url(postgres: Postgres, postgres_url: str) -> Iterator[str]:
    """URL of a filled ledger for the role that the page makes."""
    import psycopg

    fill(postgres_url)
    statements = block(PAGES["db/README.md"], "psql")
    statements = statements.replace("DATABASE ledger", f"DATABASE {make_url(postgres_url).database}")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(statements.encode())
        try:
            yield make_url(postgres_url).set(username="ledger_reader").render_as_string(hide_password=False)
        finally:
            connection.execute(b"DROP OWNED BY ledger_reader")
            connection.execute(b"DROP ROLE ledger_reader")


def test_it_reads_and_cannot_write(role_url: str) -> None:
    with Reader(role_url) as reader:
        assert reader.query("SELECT name FROM campaigns")[1] == [("toy",)]
        assert reader.query("SELECT count(*) FROM counted")[1][0][0] > 0
        number = reader.campaign("toy").campaign_id
    with client(role_url) as browser:
        assert "toy" in browser.get("/").text
        assert browser.get("/campaigns/toy").status_code == 200
    with Ledger(role_url) as book, pytest.raises(LedgerError, match="permission denied"):
        book.note(number, "hook_ran", "something")
