"""A campaign that was moved to another database is worth what it was: the same figure of merit."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from db.connection.connect import parse_url
from db.reader import Reader
from db.schema import upgrade
from db.transfer.export import Export, write
from db.transfer.importer import copy, import_campaigns
from db.transfer.snapshot import Snapshot
from tests.db import rows
from tests.orchestrator.analysis.judged import fom
from tests.orchestrator.analysis.verdict.test_fom import Book, fill


def quiet(table: str, done: int, total: int) -> None:
    pass


def by_copy(origin: str, url: str, folder: Path) -> None:
    copy(origin, url, [], quiet)


def by_export(origin: str, url: str, folder: Path) -> None:
    with Reader(origin) as reader, Snapshot(reader) as source:
        write(source, folder / "export", "csv", quiet)
    import_campaigns(url, Export(folder / "export"), quiet)


@pytest.mark.parametrize("way", [by_copy, by_export])
def test_the_figure_of_merit_moves_along(
    way: Callable[[str, str, Path], None], postgres_url: str, tmp_path: Path
) -> None:
    origin = f"sqlite:///{tmp_path}/origin.sqlite"
    upgrade(parse_url(origin))
    book = Book(origin)
    fill(book, received_us=rows.T0)
    book.ledger.end_session(book.number, 1, "me", "complete")
    before = book.verdict
    book.ledger.close()
    assert before.benchmarks[0]["fom"]
    urls = [origin, postgres_url, f"sqlite:///{tmp_path}/again.sqlite"]
    for step, (one, other) in enumerate(itertools.pairwise(urls)):
        (tmp_path / str(step)).mkdir()
        way(one, other, tmp_path / str(step))
        assert fom("toy", other) == before
        assert rows.everything(other) == rows.everything(origin)
