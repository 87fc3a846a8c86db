"""Fetches the published files of a data set into a directory, and unpacks archives."""

from __future__ import annotations

import logging
import shutil
import tarfile
import zlib
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from orchestrator.catalog.data_sources import DataSource, SourceFile
from orchestrator.lifecycle.data.download import download, mismatch, partial_of
from orchestrator.lifecycle.data.recorded import read_record, record
from workloads.data.synthetic import read_marker
from workloads.description import DataError
from workloads.spelling import near

_log = logging.getLogger(__name__)


def chosen(source: DataSource, patterns: Sequence[str]) -> list[SourceFile]:
    """Return the files of a source whose names match one of the patterns; all without patterns.

    Raises
    ------
    DataError
        If a pattern matches no file; the nearest name is suggested.
    """
    names = [file.name for file in source.files]
    for pattern in patterns:
        if not any(fnmatch(name, pattern) for name in names):
            raise DataError(f"no file of the data set is called {pattern}{near(pattern, names)}; see --list")
    return [file for file in source.files if not patterns or any(fnmatch(file.name, one) for one in patterns)]


def address(source: DataSource, file: SourceFile, mirror: str = "") -> str:
    """Return the address of a file, at a mirror where its base address is given."""
    base = mirror or source.base
    return base + ("" if not base or base.endswith("/") else "/") + file.name if base else ""


def listed(source: DataSource, files: Sequence[SourceFile], mirror: str = "") -> list[dict[str, str]]:
    """Return name, address, size and kind of checksum of files, for people."""
    return [
        {
            "name": file.name,
            "url": address(source, file, mirror) or f"needs an account at {source.account}",
            "size": f"{file.bytes:,} bytes"
            if file.bytes is not None
            else f"about {file.stated_size}"
            if file.stated_size
            else "not stated",
            "checksum": ", ".join(
                name for name, digest in (("MD5", file.md5), ("SHA-256", file.sha256)) if digest
            )
            or "not stated",
        }
        for file in files
    ]


def fetch(
    source: DataSource,
    files: Sequence[SourceFile],
    folder: Path,
    mirror: str = "",
    get: Callable[..., None] = download,
) -> list[str]:
    """Fetch files into a directory, except those that are there and right; return the fetched names.

    Archives are unpacked and removed where the workload reads their files. The SHA-256 of every file is
    recorded beside the data, so that later changes are found.

    Raises
    ------
    DataError
        If a file cannot be fetched, is not as published, or is there with other content.
    """
    if source.account and not mirror:
        names = " and ".join(file.name for file in files)
        raise DataError(
            f"{names} need an account at {source.account}: download them by hand, or give a mirror (--url)"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}") from error
    if read_marker(folder) is not None:
        raise DataError(f"{folder}: holds synthetic files; fetch into another directory (--output)")
    return [file.name for file in files if _fetch(source, file, folder, mirror, get)]


def _fetch(source: DataSource, file: SourceFile, folder: Path, mirror: str, get: Callable[..., None]) -> bool:
    """Fetch a file, and unpack it; return false where it was there already."""
    path = folder / file.name
    if _unpacked(file, folder):
        _log.info("%s: was fetched and unpacked before", file.name)
        return False
    there = path.exists()
    if path.is_dir() or (path.is_symlink() and not there):
        what = "is a folder" if there else "is a link to a file that is not there"
        raise DataError(f"{path}: {what}; move it away, and fetch again")
    if there:
        if wrong := mismatch(path, file):
            raise DataError(
                f"{path}: is there, and is not as published: {wrong}; move it away, and fetch again"
            )
        _log.info(
            "%s: is there%s", file.name, "" if file.md5 or file.sha256 else "; no checksum is published"
        )
    else:
        url = address(source, file, mirror)
        _log.info("%s: fetching from %s", file.name, url)
        get(url, path, file)
    if file.unpack:
        names = unpack(path, folder, file.unpack)
        how = "checksum published" if file.md5 or file.sha256 else "no checksum published"
        record(folder, names, f"from {file.name}, {how}", anew=True)
        path.unlink()
        _log.info("%s: unpacked %s", file.name, ", ".join(names))
        return True
    record(folder, [file.name], "" if there else "fetched", anew=not there)
    return not there


def _unpacked(file: SourceFile, folder: Path) -> bool:
    """Tell whether the files that an archive had are all in a directory."""
    if not file.unpack:
        return False
    known = read_record(folder)
    names = [name for name, entry in known.items() if entry.origin.startswith(f"from {file.name},")]
    return bool(names) and all((folder / name).is_file() for name in names)


def unpack(archive: Path, folder: Path, patterns: Sequence[str]) -> list[str]:
    """Write the files of a tar archive whose names match into a directory; return their names.

    Folders of the archive are left out, so that no path in it leads elsewhere; links and devices are skipped.

    Raises
    ------
    DataError
        If the archive is damaged, has no such file, has a name twice, would replace a file that was not
        fetched, or its files cannot be written.
    """
    names: list[str] = []
    known = read_record(folder)
    try:
        with tarfile.open(archive) as content:
            for member in content:
                name = PurePosixPath(member.name).name
                if not member.isreg() or not any(fnmatch(name, pattern) for pattern in patterns):
                    continue
                if name in names:
                    raise DataError(f"{archive}: has {name} twice; try another address (--url)")
                stream = content.extractfile(member)
                if stream is None:
                    continue
                if name not in known and (folder / name).exists():
                    raise DataError(
                        f"{folder / name}: is there, and would be replaced by that of {archive.name}; "
                        "move it away, and fetch again"
                    )
                partial = partial_of(folder / name)
                with stream, partial.open("wb") as file:
                    shutil.copyfileobj(stream, file)
                partial.replace(folder / name)
                names.append(name)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise DataError(f"{archive}: is damaged: {error}; remove it, and fetch again") from error
    except OSError as error:
        raise DataError(f"{archive}: cannot be unpacked: {error.strerror or error}") from error
    if not names:
        raise DataError(f"{archive}: has no file called {' or '.join(patterns)}")
    return sorted(names)
