"""Where a ledger may be, how its address is read, and what an error may say of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import traceback
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import URL

from db.connection.connect import URL_VARIABLE, check_place, file_system, parse_url, redacted_url
from db.errors import LedgerError, SchemaError
from db.ledger import Ledger
from db.reader import Reader
from db.schema import upgrade
from tests.db import rows

SECRET = "hunter2"

Partition = namedtuple("Partition", "mountpoint fstype")


# -- addresses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("sqlite:////data/l.sqlite", "sqlite:////data/l.sqlite"),
        ("sqlite:///l.sqlite", "sqlite:///{here}/l.sqlite"),
        ("l.sqlite", "sqlite:///{here}/l.sqlite"),
        ("sub/l.db", "sqlite:///{here}/sub/l.db"),
        ("/data/l.sqlite3", "sqlite:////data/l.sqlite3"),
        ("~/l.sqlite", "sqlite:///{home}/l.sqlite"),
        ("sqlite:///~/l.sqlite", "sqlite:///{home}/l.sqlite"),
        ("postgresql://me@db.example/ledger", "postgresql://me@db.example/ledger"),
        ("postgresql+psycopg://me@db.example:5433/ledger", "postgresql://me@db.example:5433/ledger"),
        (f"postgresql://me:{SECRET}@db.example/ledger", "postgresql://me:***@db.example/ledger"),
        (None, "sqlite:///{here}/ledger.sqlite"),
        ("", "sqlite:///{here}/ledger.sqlite"),
    ],
)
def test_addresses(
    given_text: str | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert redacted_url(parse_url(given_text)) == expected.format(here=tmp_path, home=Path.home())


def test_the_option_comes_before_the_environment_before_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, "/elsewhere/env.sqlite")
    assert redacted_url(parse_url(None)) == "sqlite:////elsewhere/env.sqlite"
    assert redacted_url(parse_url("/here/option.sqlite")) == "sqlite:////here/option.sqlite"


def test_a_plain_path_is_that_file_whatever_signs_it_has(tmp_path: Path) -> None:
    for name in ("what?.sqlite", "100%.sqlite", "a b#c.sqlite", "a@b:c.sqlite"):
        file = tmp_path / name
        with Ledger.open(str(file)) as ledger:
            rows.register(ledger)
        assert file.is_file()
        with Reader(str(file)) as reader:
            assert [row.name for row in reader.campaigns()] == ["toy"]


@pytest.mark.parametrize(
    "text",
    [
        "ledger",
        "mysql://me@host/name",
        "oracle://x",
        "://",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        ":memory:",
        f"postgresql://me:{SECRET}@host:port/name",
        f"postgresql://me:{SECRET}/x@host/name:y",
        f"postgresql://me:x@{SECRET}@host/name",
        f"postgresql://me:{SECRET}@[::1/name",
    ],
)
def test_what_is_no_address_is_refused_in_one_line_without_its_password(text: str) -> None:
    with pytest.raises(LedgerError) as caught:
        redacted_url(parse_url(text))
        Reader(text)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)


passwords = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=6).map(
    lambda s: f"pw{s}!"
)


@settings(max_examples=50, deadline=None)
@given(password=passwords, in_query=st.booleans())
def test_no_password_is_ever_shown(password: str, in_query: bool) -> None:
    if in_query:
        url = URL.create("postgresql", "me", host="h", database="d", query={"password": password})
    else:
        url = URL.create("postgresql", "me", password, "h", 5432, "d")
    parsed = parse_url(url.render_as_string(hide_password=False))
    assert (parsed.query.get("password") if in_query else parsed.password) == password  # it still connects
    for text in (redacted_url(parsed), str(parsed) if not in_query else ""):
        assert password not in text
        assert quote(password, safe="") not in text


def test_a_ledger_never_says_its_password(postgres_url: str) -> None:
    with_password = postgres_url.replace("postgres:@", f"postgres:{SECRET}@")
    assert SECRET in with_password
    for address in (with_password, f"{postgres_url}&password={SECRET}"):
        assert SECRET not in upgrade(parse_url(address))
        with Ledger(address) as ledger:
            assert SECRET not in str(ledger)
            for wrong in (
                lambda ledger=ledger: ledger.query("SELECT nonsense FROM nowhere"),
                lambda ledger=ledger: ledger.campaign("nobody"),
                lambda ledger=ledger: ledger.submit(1, 1, [rows.attempt(99)]),
                lambda ledger=ledger: rows.begin(ledger, 99),
            ):
                with pytest.raises(LedgerError) as caught:
                    wrong()
                assert SECRET not in str(caught.value)
    with rows.raw(postgres_url) as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")
    for address in (with_password, f"{postgres_url}&password={SECRET}"):
        with pytest.raises(SchemaError) as refused:
            Reader(address)
        assert SECRET not in str(refused.value)


# -- out of reach ----------------------------------------------------------------------------


@pytest.fixture
def closed_port() -> int:
    """A loopback port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("use", [Reader, Ledger, Ledger.open, lambda url: upgrade(parse_url(url))])
@pytest.mark.parametrize("place", ["user", "query"])
def test_an_unreachable_server_is_one_line_without_the_password(
    use: Callable[[str], object], place: str, closed_port: int
) -> None:
    user = f"me:{SECRET}" if place == "user" else "me"
    query = f"?password={SECRET}" if place == "query" else ""
    with pytest.raises(LedgerError) as caught:
        use(f"postgresql://{user}@127.0.0.1:{closed_port}/ledger{query}")
    said = str(caught.value)
    assert "\n" not in said
    assert "refused" in said
    assert f"127.0.0.1:{closed_port}/ledger" in said
    assert SECRET not in said
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_an_unknown_option_of_the_address_is_one_line(postgres_url: str) -> None:
    with pytest.raises(LedgerError) as caught:
        Reader(postgres_url.replace("postgres:@", f"postgres:{SECRET}@") + "&nonsense=1")
    assert "\n" not in str(caught.value)
    assert "nonsense" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_database_that_does_not_exist(postgres_url: str) -> None:
    with pytest.raises(LedgerError, match=r"test_none.*does not exist"):
        Reader(postgres_url.replace(str(parse_url(postgres_url).database), "test_none"))


# -- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("use", [Reader, Ledger, Ledger.open, lambda url: upgrade(parse_url(url))])
@pytest.mark.parametrize(
    "content",
    [b"instance,seconds\n" * 100, b"SQLite format 3\0" + b"\xff" * 4096, b"x"],
    ids=["text", "torn", "x"],
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    use: Callable[[str], object], content: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "notes.sqlite"
    file.write_bytes(content)
    with pytest.raises(LedgerError) as caught:
        use(str(file))
    assert "\n" not in str(caught.value)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("use", [Reader, Ledger, Ledger.open, lambda name: upgrade(parse_url(name))])
def test_another_programs_database_is_refused_and_left_alone(
    use: Callable[[str], object], tmp_path: Path
) -> None:
    import sqlite3

    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    content = file.read_bytes()
    with pytest.raises(SchemaError, match="has tables that are not a ledger's; name another --ledger"):
        use(str(file))
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_a_reader_makes_nothing(tmp_path: Path) -> None:
    for name in ("missing.sqlite", "no/folder/l.sqlite"):
        with pytest.raises(LedgerError, match="no ledger at"):
            Reader(str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "l.sqlite").mkdir()
    for use in (Reader, Ledger):
        with pytest.raises(LedgerError) as caught:
            use(str(tmp_path / "l.sqlite"))
        assert "\n" not in str(caught.value)


def test_opening_makes_the_file_with_its_tables_once(tmp_path: Path) -> None:
    url = str(tmp_path / "new.sqlite")
    with Ledger.open(url) as ledger:
        rows.register(ledger)
    with Ledger.open(url) as ledger:
        assert [row.name for row in ledger.campaigns()] == ["toy"]


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    file.touch()
    with pytest.raises(SchemaError, match="ledger init"):
        Reader(str(file))
    with Ledger.open(str(file)) as ledger:
        assert ledger.campaigns() == []


# -- places ----------------------------------------------------------------------------------


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    for use in (Ledger, Ledger.open):
        with pytest.raises(LedgerError, match=rf"folder {tmp_path}/none does not exist"):
            use(str(tmp_path / "none" / "l.sqlite"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_leave_to_write_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(LedgerError, match="not writable"):
        Ledger.open(str(tmp_path / "l.sqlite"))
    assert list(tmp_path.iterdir()) == []


SHARED = ["nfs", "nfs4", "lustre", "gpfs", "beegfs", "ceph", "cifs", "smb3", "afs", "panfs", "dvs", "wekafs"]
SHARED += ["fuse.sshfs", "fuse.glusterfs", "fuse.ceph-fuse", "fuse.dfuse", "ocfs2", "gfs2", "pvfs2"]


@pytest.mark.parametrize("kind", SHARED)
def test_shared_file_systems_are_refused_with_advice(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = [Partition("/", "ext4"), Partition(str(tmp_path), kind)]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: mounts)
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    for use in (Ledger, Ledger.open):
        with pytest.raises(LedgerError, match=rf"on {kind}, .* postgresql://"):
            use(str(folder / "l.sqlite"))
    assert list(folder.iterdir()) == []


def test_a_link_into_a_shared_file_system_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (tmp_path / "link").symlink_to(shared)
    mounts = [Partition("/", "ext4"), Partition(str(shared), "lustre")]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: mounts)
    with pytest.raises(LedgerError, match="lustre"):
        check_place(parse_url(str(tmp_path / "link" / "l.sqlite")))


@pytest.mark.parametrize("kind", ["ext4", "xfs", "tmpfs", "overlay", "zfs", "btrfs", "fuse.fuse-overlayfs"])
def test_local_file_systems_are_welcome(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = [Partition("/", "nfs4"), Partition(str(tmp_path), kind)]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: mounts)
    with Ledger.open(str(tmp_path / "l.sqlite")) as ledger:
        assert ledger.campaigns() == []


def test_the_last_mount_on_a_place_is_the_one_that_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An automounter's mount point is listed twice: as autofs, and as what was mounted over it."""
    mounts = [Partition(str(tmp_path), "autofs"), Partition(str(tmp_path), "nfs4")]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: mounts)
    assert file_system(tmp_path / "x") == "nfs4"


def test_this_machines_file_system_is_found(tmp_path: Path) -> None:
    assert file_system(tmp_path)
    assert file_system(Path("/proc")) == "proc"


def test_a_server_has_no_place_to_check() -> None:
    assert check_place(parse_url("postgresql://me@nowhere.example/ledger")) is None  # type: ignore[func-returns-value]


_LOCKED = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:  # the bytes that SQLite's readers of a file lock together
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
"""


def test_looking_at_a_ledger_releases_no_locks_of_this_process(tmp_path: Path) -> None:
    file = tmp_path / "l.sqlite"
    Ledger.open(str(file)).close()
    with Reader(str(file)) as reader:
        assert reader.campaigns() == []
        with Ledger.open(str(file)):
            pass
        taken = subprocess.run([sys.executable, "-c", _LOCKED, str(file)], capture_output=True, check=False)
    assert b"BlockingIOError" in taken.stderr


@pytest.mark.parametrize("content", [b"campaign: toy\n", b"campaign: toy\n" * 100])
def test_another_file_is_no_ledger(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "l.sqlite").write_bytes(content)
    with pytest.raises(LedgerError, match=r"l\.sqlite is not an SQLite database"):
        Ledger.open(str(tmp_path / "l.sqlite"))
    assert (tmp_path / "l.sqlite").read_bytes() == content
