"""Compares the files of a data set with published checksums, and with those recorded when first seen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator.catalog.data_sources import DataSource, SourceFile
from orchestrator.host.atomic_files import atomic_write
from orchestrator.lifecycle.data.download import digests, mismatch
from workloads.data.synthetic import read_marker
from workloads.description import DataError

RECORD = ".checksums.json"
"""File of a data directory with recorded checksums; hidden, so that it is no part of the data."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A file as it was when first seen.

    Parameters
    ----------
    sha256
        Its SHA-256.
    date
        Day on which it was recorded, UTC.
    origin
        Where it came from, such as an archive and who publishes its checksum; empty where unknown.
    """

    sha256: str
    date: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """A file of a data set, and how it compares.

    Parameters
    ----------
    name
        Name in the data directory.
    state
        ``as published``, ``differs``, ``as recorded``, ``changed``, ``not known`` or ``missing``.
    note
        Checksum, date, or what differs.
    """

    name: str
    state: str
    note: str

    @property
    def wrong(self) -> bool:
        """True if the file is not the published or recorded one."""
        return self.state in ("differs", "changed", "missing")


def read_record(folder: Path) -> dict[str, Recorded]:
    """Return the recorded checksums of a data directory, by file name.

    Raises
    ------
    DataError
        If the record cannot be read.
    """
    path = folder / RECORD
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): Recorded(**entry) for name, entry in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: cannot be read: {error}; remove it, and record anew") from error


def record(folder: Path, names: Sequence[str], origin: str = "", *, anew: bool = False) -> None:
    """Add the SHA-256 of files to a data directory's record.

    Parameters
    ----------
    origin
        Where the files came from.
    anew
        Replace the entries of recorded files, which are kept otherwise.

    Raises
    ------
    DataError
        If the record, or a file, cannot be read, or the record cannot be written.
    """
    known = read_record(folder)
    today = datetime.now(UTC).date().isoformat()
    fresh = [name for name in names if anew or name not in known]
    try:
        digest = {name: digests(folder / name, "sha256")["sha256"] for name in fresh}
        entries = known | {name: Recorded(digest[name], today, origin) for name in fresh}
        text = json.dumps({name: asdict(entry) for name, entry in sorted(entries.items())}, indent=2) + "\n"
        atomic_write(folder / RECORD, text)
    except OSError as error:
        raise DataError(f"{folder / RECORD}: cannot be written: {error.strerror}") from error


def recordable(folder: Path) -> list[str]:
    """Return the names of the files of a data directory itself that are not hidden."""
    return sorted(path.name for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def compare(folder: Path, source: DataSource | None) -> list[Compared]:
    """Compare the files of a data directory itself with published and recorded checksums.

    Nothing is compared where this project made the files.

    Raises
    ------
    DataError
        If the record cannot be read.
    """
    if read_marker(folder) is not None:
        return []
    known = read_record(folder)
    published = {file.name: file for file in source.files} if source else {}
    names = sorted({*recordable(folder), *known})
    return [_compare(folder / name, published.get(name), known.get(name)) for name in names]


def _compare(path: Path, published: SourceFile | None, known: Recorded | None) -> Compared:
    if not path.is_file():
        return Compared(path.name, "missing", f"recorded on {known.date}" if known else "")
    if published is not None and (published.bytes is not None or published.md5 or published.sha256):
        if wrong := mismatch(path, published):
            return Compared(path.name, "differs", wrong)
        if published.md5 or published.sha256:
            return Compared(path.name, "as published", f"{'SHA-256' if published.sha256 else 'MD5'} agrees")
    if known is None:
        return Compared(path.name, "not known", "no checksum is published; --record keeps its own")
    digest = digests(path, "sha256")["sha256"]
    if digest != known.sha256:
        return Compared(
            path.name, "changed", f"since {known.date}: SHA-256 {digest[:12]}…, was {known.sha256[:12]}…"
        )
    origin = f", {known.origin}" if known.origin else ""
    return Compared(path.name, "as recorded", f"on {known.date}: SHA-256 {digest[:12]}…{origin}")


def published_facts(files_sha256: Mapping[str, Any], source: DataSource | None) -> dict[str, str]:
    """Return how the hashes of a data set's files compare with published ones, as facts of the data set.

    ``published`` says who publishes the SHA-256 of all files; it is empty where a file is left to compare.
    ``unlike_published`` names the files that differ. No facts where no source of the data set is known.
    """
    if source is None:
        return {}
    known = {file.name: file.sha256 for file in source.files if file.sha256 and not file.unpack}
    differing = [name for name, digest in known.items() if files_sha256.get(name, digest) != digest]
    if differing:
        return {"unlike_published": ", ".join(differing), "published": source.source}
    read = {name for name in known if name in files_sha256}
    return {"published": source.source} if read and read == set(files_sha256) else {"published": ""}
