"""The installed version of the project, and the files of its packages."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from workloads.provenance.code import listing_document, package_listing
from workloads.provenance.documents import document_key

__version__ = version("ensemble-throughput-orchestrator")
PACKAGES = ("orchestrator", "workloads", "db", "sites")


def package_files() -> dict[str, Mapping[str, str | None]]:
    """Return the SHA-256 of the files of each package, without importing any."""
    found: dict[str, Mapping[str, str | None]] = {}
    for name in PACKAGES:
        spec = find_spec(name)
        places = list(spec.submodule_search_locations or ()) if spec else []
        found[name] = package_listing(Path(places[0])) if places else {}
    return found


def package_keys() -> dict[str, str]:
    """Return the key of each package's listing, as a driver records it with its session."""
    return {name: document_key(listing_document(name, files)) for name, files in package_files().items()}
