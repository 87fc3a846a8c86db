"""The project's own code, as the driver runs it."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.version import PACKAGES, __version__, package_files
from workloads.provenance.code import listing_document
from workloads.provenance.documents import document_key

_GIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class DriverCode:
    """Version, packages and checkout of the driver.

    Parameters
    ----------
    packages
        Key of each package's listing.
    listings
        Listing of each package by its key.
    commit, modified
        Commit of the checkout, and whether files of the packages differ from it; None without one.
    """

    version: str
    packages: Mapping[str, str]
    listings: Mapping[str, Mapping[str, Any]]
    commit: str | None
    modified: bool | None

    def facts(self) -> dict[str, Any]:
        """Return JSON-ready data for the ledger, without the listings."""
        return {
            "version": self.version,
            "packages": dict(self.packages),
            "commit": self.commit,
            "modified": self.modified,
        }


@functools.cache
def driver_code() -> DriverCode:
    """Return the code of this process; files that change later are not what it imported."""
    documents = {name: listing_document(name, files) for name, files in package_files().items()}
    keys = {name: document_key(one) for name, one in documents.items()}
    return DriverCode(
        __version__,
        keys,
        {keys[name]: one for name, one in documents.items()},
        *_checkout(Path(__file__).parents[2]),
    )


def _checkout(root: Path) -> tuple[str | None, bool | None]:
    """Return the commit of a checkout, and whether its packages were modified since."""
    if not (root / ".git").exists():
        return None, None
    try:
        commit = _git(root, "rev-parse", "HEAD").strip()
        return commit, bool(_git(root, "status", "--porcelain", "--", *PACKAGES).strip())
    except (OSError, subprocess.SubprocessError):  # no git, or a checkout of another user
        return None, None


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=_GIT_SECONDS).stdout
