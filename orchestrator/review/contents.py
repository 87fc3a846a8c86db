"""What belongs into a package: rows, journals, logs, texts, the rulebook's files, and the verdict."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import db
import orchestrator
import sites
import workloads
from db import node_descriptions
from db.documents import campaign_documents
from db.events import EventKind
from db.reader import Reader
from db.records import Campaign
from db.states import AttemptState
from db.transfer import export
from db.transfer.source import Snapshot
from db.transfer.without_events import WithoutEvents
from orchestrator.analysis.registered_workloads import registered_descriptions
from orchestrator.review.container import PackageWriter, folder_beside
from orchestrator.review.secrets import masked, signs_of_secrets
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.data_files import INSTALLED
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import read_log
from orchestrator.version import __version__
from workloads.provenance.code import directory_of, package_listing

FORMAT = 1
LOGS = ("none", "failures", "all")
ROWS, RULEBOOK, VERDICT, FACTS = "rows", "rulebook", "verdict.json", "package.json"
UNLISTED_KINDS = (EventKind.EVIDENCE_PACKAGED, EventKind.VERDICT_STATED)
"""Kinds of events that are no evidence: written when a package or a verdict was."""


def as_json(content: Any) -> bytes:
    """Return JSON data as text that is equal for equal data."""
    return (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, default=str) + "\n").encode()


def add_rows(package: PackageWriter, source: Snapshot, to: Path, ended_us: int) -> None:
    """Add all rows of the campaigns, one file per table, exported into a folder beside the package first."""
    with folder_beside(to) as folder:
        rows = folder / ROWS
        export.write(WithoutEvents(source, UNLISTED_KINDS), rows, "csv", lambda *_: None, ended_us)
        for file in sorted(rows.iterdir()):
            package.add_file(f"{ROWS}/{file.name}", file)


def add_campaign(package: PackageWriter, reader: Reader, row: Campaign, logs: str) -> Iterator[str]:
    """Add texts, journals, logs and descriptions of a campaign; yields what deserves a look, a line each."""
    place = f"campaigns/{row.name}"
    for name, text in (("campaign.yaml", row.campaign_yaml), ("site.yaml", row.site_yaml)):
        yield from _add_text(package, f"{place}/{name}", text.encode())
    yield from _add_workloads(package, reader, row, place)
    nodes, described = node_descriptions.read(reader, row.campaign_id)
    system = {"nodes": [asdict(node) for node in nodes], "documents": described}
    package.add(f"{place}/nodes.json", as_json(system))
    yield from _add_text(
        package, f"{place}/documents.json", as_json(campaign_documents(reader, row.campaign_id))
    )
    yield from _add_journals(package, row, place)
    if logs != "none":
        _add_logs(package, reader, row, place, failures_only=logs == "failures")


def _add_text(package: PackageWriter, name: str, content: bytes) -> Iterator[str]:
    package.add(name, content)
    for sign in signs_of_secrets(content):
        yield f"{name} may hold a secret ({sign}): look before you hand the package on"


def _add_workloads(package: PackageWriter, reader: Reader, row: Campaign, place: str) -> Iterator[str]:
    """Add the text of each external workload as it was registered."""
    for benchmark, document in registered_descriptions(reader, row.campaign_id).items():
        if text := (document or {}).get("text"):
            yield from _add_text(package, f"{place}/workloads/{benchmark}.yaml", text.encode())


def _add_journals(package: PackageWriter, row: Campaign, place: str) -> Iterator[str]:
    """Add every file of journals as it is; packed ones stay packed."""
    folder = RunDirectory(Path(row.run_directory)).journals
    added = 0
    for directory, folders, names in os.walk(folder):
        folders.sort()
        for file in (Path(directory, name) for name in sorted(names)):
            if file.is_symlink() or not file.is_file():
                yield f"{file} is no regular file and was left out"
                continue
            package.add_file(f"{place}/journals/{file.relative_to(folder).as_posix()}", file)
            added += 1
    if not added:
        yield (
            f"{row.name} has no journals in {folder}, so that its verification will fail: "
            "package where it ran"
        )


def _add_logs(
    package: PackageWriter, reader: Reader, row: Campaign, place: str, *, failures_only: bool
) -> None:
    """Add logs of attempts and of the drivers, passwords in addresses replaced."""
    run = RunDirectory(Path(row.run_directory))
    for file in sorted(run.path.glob(f"{run.driver_log.name}*")):
        if file.is_file():
            package.add(f"{place}/logs/{file.name}", masked(file.read_bytes()))
    seen = set()
    for state, *paths in reader.logs_of(row.campaign_id):
        if failures_only and state == AttemptState.SUCCEEDED:
            continue
        for path in filter(None, paths):
            content = read_log(path)
            name = f"{place}/logs/{'/'.join(Path(path).parts[-3:])}"
            if content is not None and name not in seen:
                seen.add(name)
                package.add(name, masked(content))


def add_rulebook(package: PackageWriter, name: str) -> None:
    """Add the files of the project's rulebooks, and those beside a rulebook of another package."""
    _add_sources(package, INSTALLED, RULEBOOK)
    found = registry.load(name)
    module = importlib.import_module(getattr(found, "__name__", type(found).__module__))
    folder = Path(str(module.__file__)).parent
    if INSTALLED not in (folder, *folder.parents):
        _add_sources(package, folder, f"{RULEBOOK}-{name}")


def _add_sources(package: PackageWriter, folder: Path, place: str) -> None:
    for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.yaml")]):
        package.add_file(f"{place}/{file.relative_to(folder).as_posix()}", file)


def add_code(package: PackageWriter) -> None:
    """Add the SHA-256 of every file of the code that packages."""
    files: dict[str, str | None] = {}
    for module in (orchestrator, workloads, sites, db):
        files |= package_listing(directory_of(module))
    package.add("code.json", as_json({"version": __version__, "files": files}))


def facts_of(rows: Sequence[Campaign], logs: str, ended_us: int) -> dict[str, Any]:
    """Return what a package states about itself."""
    return {
        "format": FORMAT,
        "version": __version__,
        "rulebook": rows[0].rulebook,
        "campaigns": [row.name for row in rows],
        "logs": logs,
        "ended_us": ended_us,
    }
