"""Contents of a package: rows, journals, logs, texts, the rulebook's files, and the verdict."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from db.event_chain import UNCHAINED
from db.evidence.kept_logs import logs_of
from db.plain import RowReader
from db.records import CampaignRow
from db.states import AttemptState
from db.transfer import export
from db.transfer.altered import WithoutEvents
from db.transfer.snapshot import Snapshot
from orchestrator.review.container import PackageWriter, folder_beside
from orchestrator.review.rulebook_files import rulebook_folders, source_files
from orchestrator.review.secrets import masked, signs_of_secrets
from orchestrator.review.texts import ROWS, campaign_texts, is_journal, log_names
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import read_log


def add_rows(package: PackageWriter, source: Snapshot, to: Path, ended_us: int) -> None:
    """Add all rows of the campaigns, one file per table, exported into a folder beside the package first."""
    with folder_beside(to) as folder:
        rows = folder / ROWS
        export.write(WithoutEvents(source, UNCHAINED), rows, "csv", lambda *_: None, ended_us)
        for file in sorted(rows.iterdir()):
            package.add_file(f"{ROWS}/{file.name}", file)


def add_campaign(package: PackageWriter, reader: RowReader, row: CampaignRow, logs: str) -> Iterator[str]:
    """Add texts, journals, logs and descriptions of a campaign; yields what deserves a look, a line each."""
    place = f"campaigns/{row.name}"
    for name, content in campaign_texts(reader, row).items():
        package.add(name, content)
        for sign in signs_of_secrets(content):
            yield f"{name} may hold a secret ({sign}): look before you hand the package on"
    yield from _add_journals(package, row, place)
    if logs != "none":
        _add_logs(package, reader, row, place, failures_only=logs == "failures")


def _add_journals(package: PackageWriter, row: CampaignRow, place: str) -> Iterator[str]:
    """Add every file of journals as it is; packed ones stay packed."""
    folder = RunDirectory(Path(row.run_directory)).journals
    added = 0
    for directory, folders, names in os.walk(folder):
        folders.sort()
        for file in (Path(directory, name) for name in sorted(names)):
            if file.is_symlink() or not file.is_file():
                yield f"{file} is no regular file and was left out"
                continue
            if not is_journal(file.name):
                yield f"{file} is no journal and was left out"
                continue
            package.add_file(f"{place}/journals/{file.relative_to(folder).as_posix()}", file)
            added += 1
    if not added:
        yield (
            f"{row.name} has no journals in {folder}, so that its verification will fail: "
            "package where it ran"
        )


def _add_logs(
    package: PackageWriter, reader: RowReader, row: CampaignRow, place: str, *, failures_only: bool
) -> None:
    """Add logs of attempts and of the drivers, passwords in addresses replaced."""
    run = RunDirectory(Path(row.run_directory))
    for file in sorted(run.path.glob(f"{run.driver_log.name}*")):
        if file.is_file():
            package.add(f"{place}/logs/{file.name}", masked(file.read_bytes()))
    seen, names = set(), log_names(reader, row)
    for state, *paths in logs_of(reader, row.campaign_id):
        if failures_only and state == AttemptState.SUCCEEDED:
            continue
        for path in filter(None, paths):
            content = read_log(path)
            name = names[path]
            if content is not None and name not in seen:
                seen.add(name)
                package.add(name, masked(content))


def add_rulebook(package: PackageWriter, name: str) -> None:
    """Add the files of the project's rulebooks, and those beside a rulebook of another package."""
    for place, folder in rulebook_folders(name).items():
        for file in source_files(folder):
            package.add_file(f"{place}/{file.relative_to(folder).as_posix()}", file)
