"""Packages of two small campaigns, and a site that lists them."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from orchestrator.listing import building, rows
from orchestrator.listing.rows import Row
from tests.orchestrator.listing.made_lists import built
from tests.orchestrator.review.packages import packaged, simulated

_verified: dict[str, Row] = {}


class Packages(NamedTuple):
    """Files of packages: two of one campaign, with other logs, and one of another campaign."""

    first: Path
    again: Path
    other: Path

    def into(self, folder: Path, *names: str) -> Path:
        """Return a folder with copies of some of them."""
        folder.mkdir(exist_ok=True)
        for name in names:
            shutil.copyfile(getattr(self, name), folder / f"{name}.zip")
        return folder


@pytest.fixture(autouse=True)
def verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify equal packages once in all tests: each verification takes half a second."""
    real = rows.read_row

    def read_row(file: Path, **options: Any) -> tuple[Row | None, list[str]]:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if options.get("signers") is None and digest in _verified:
            return _verified[digest], []
        row, findings = real(file, **options)
        if row is not None:
            _verified[digest] = row
        return row, findings

    for module in (building, rows):
        monkeypatch.setattr(module, "read_row", read_row)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    folder = tmp_path_factory.mktemp("packages")
    urls = [simulated(tmp_path_factory.mktemp(f"campaign-{name}"), instances=4) for name in ("one", "two")]
    return Packages(
        packaged(urls[0], folder / "first.zip").file,
        packaged(urls[0], folder / "again.zip", logs="none").file,
        packaged(urls[1], folder / "other.zip").file,
    )


@pytest.fixture
def site(packages: Packages, tmp_path: Path) -> Path:
    """Return a site that lists two campaigns."""
    return built(packages.into(tmp_path / "in", "first", "other"), tmp_path / "site").site
