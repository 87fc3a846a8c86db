"""The file of a package: a zip archive with a manifest, in which no byte can change unseen.

``manifest-sha256.txt`` lists the SHA-256 of every other member but the signature; its own SHA-256 is the
package's root hash. The archive's comment holds the SHA-256 of all bytes before that digest, which covers
what members do not: names, headers and padding.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import socket
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from orchestrator.errors import OrchestratorError
from orchestrator.rundir.journal import sync_folder

MANIFEST = "manifest-sha256.txt"
SIGNATURE = f"{MANIFEST}.sig"
COMMENT = b"sha256:"
DIGEST_BYTES = 64
_PIECE_BYTES = 1 << 20
_LARGE_BYTES = 1 << 31
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that zip knows: equal members make equal files

Progress = Callable[[str], None]


class PackageError(OrchestratorError):
    """A package cannot be written or read."""


class PackageWriter:
    """Members of a new package; each is added once, and the manifest comes last."""

    def __init__(self, archive: zipfile.ZipFile, progress: Progress) -> None:
        self._archive = archive
        self._progress = progress
        self.digests: dict[str, str] = {}
        self.sizes: dict[str, int] = {}

    def add(self, name: str, content: bytes) -> None:
        """Add a member."""
        with self._member(name, len(content)) as stream:
            stream.write(content)
        self._note(name, hashlib.sha256(content).hexdigest(), len(content))

    def add_file(self, name: str, file: Path) -> None:
        """Add a file as it is."""
        digest, size = hashlib.sha256(), 0
        with file.open("rb") as source, self._member(name, file.stat().st_size) as stream:
            while piece := source.read(_PIECE_BYTES):
                digest.update(piece)
                stream.write(piece)
                size += len(piece)
        self._note(name, digest.hexdigest(), size)

    def manifest(self) -> bytes:
        """Return the manifest of all members so far."""
        return "".join(f"{self.digests[name]}  {name}\n" for name in sorted(self.digests)).encode()

    def add_folders(self, names: Iterable[str]) -> None:
        """Add entries of folders, as names with a slash at the end; they have no content to list."""
        for name in names:
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system = 3
            info.external_attr = (0o40755 << 16) | 0x10
            self._archive.writestr(info, b"")

    def add_unlisted(self, name: str, content: bytes) -> None:
        """Add the manifest or its signature."""
        with self._member(name, len(content)) as stream:
            stream.write(content)

    def _member(self, name: str, size: int) -> IO[bytes]:
        if name in self.digests or any(character in name for character in "\r\n\\"):
            raise PackageError(f"{name!r} cannot be a file of a package: rename it in the run directory")
        info = zipfile.ZipInfo(name, _EPOCH)
        info.create_system = 3
        info.external_attr = 0o644 << 16
        info.compress_type = zipfile.ZIP_STORED if name.endswith(".zip") else zipfile.ZIP_DEFLATED
        return self._archive.open(info, "w", force_zip64=size >= _LARGE_BYTES)

    def _note(self, name: str, digest: str, size: int) -> None:
        self.digests[name] = digest
        self.sizes[name] = size
        self._progress(name)


@contextmanager
def new_package(to: Path, progress: Progress) -> Iterator[PackageWriter]:
    """Open a new package to write to; it gets its name when it is whole and on disk, or nothing is left.

    Raises
    ------
    PackageError
        If the file is there already, or its folder is not.
    OSError
        If it cannot be written.
    """
    if to.exists():
        raise PackageError(f"{to} is there already; give the package another name")
    if not to.parent.is_dir():
        raise PackageError(f"the package's folder {to.parent} does not exist; make it first")
    _remove_stale(to)
    partial = to.with_name(f"{_prefix(to)}{os.getpid()}.partial")
    try:
        with partial.open("xb") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
                yield PackageWriter(archive, progress)
                archive.comment = COMMENT + b"0" * DIGEST_BYTES
            stream.flush()
            with partial.open("rb") as written:
                digest = digest_before(written, partial.stat().st_size - DIGEST_BYTES)
            stream.seek(-DIGEST_BYTES, os.SEEK_END)
            stream.write(digest.encode())
            stream.flush()
            os.fsync(stream.fileno())
        if to.exists():
            raise PackageError(f"{to} was written by another process; give the package another name")
        partial.rename(to)
        sync_folder(to.parent)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OSError(error.errno, error.strerror, str(to)) from None
        raise
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def folder_beside(to: Path) -> Iterator[Path]:
    """Make a folder beside a package for what goes into it; it is removed at the end."""
    folder = to.with_name(f"{_prefix(to)}{os.getpid()}.partial.d")
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prefix(to: Path) -> str:
    return f".{to.name}.{socket.gethostname()}-"


def _remove_stale(to: Path) -> None:
    """Remove what processes of this host left beside a package when they were killed."""
    import psutil  # here: a browser's Python, which verifies packages, has none

    prefix = _prefix(to)
    for left in to.parent.iterdir():
        number = left.name.removeprefix(prefix).partition(".")[0]
        if left.name.startswith(prefix) and number.isdecimal() and not psutil.pid_exists(int(number)):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def digest_before(stream: IO[bytes], end: int) -> str:
    """Return the SHA-256 of the first bytes of a file."""
    digest = hashlib.sha256()
    stream.seek(0)
    while end > 0 and (piece := stream.read(min(_PIECE_BYTES, end))):
        digest.update(piece)
        end -= len(piece)
    return digest.hexdigest()


def free_bytes(folder: Path) -> int:
    """Return the bytes that are free where a folder is."""
    return shutil.disk_usage(folder).free
