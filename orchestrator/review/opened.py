"""Opens a package: every member against the manifest, and nothing unpacked that is not safe."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from orchestrator.review.container import (
    COMMENT,
    DIGEST_BYTES,
    MANIFEST,
    SIGNATURE,
    PackageError,
    Progress,
    digest_before,
    free_bytes,
)

_PIECE_BYTES = 1 << 20
_SMALL_BYTES = 256 << 20
_LARGEST_RATIO = 250  # of bytes to packed bytes; texts and journals reach 30
_LARGEST_LOG_RATIO = 1_100  # logs are read and not unpacked; deflate reaches 1,032
_LARGEST_MANIFEST = 64 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_DAMAGE = (
    EOFError, zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(slots=True)
class Opened:
    """A package that was unpacked.

    Parameters
    ----------
    root
        SHA-256 of the manifest: the package's root hash; None without one.
    signature
        The signature's text, where there is one.
    sizes, digests
        Bytes and SHA-256 of each member, but for the manifest and the signature.
    problems
        What is not as it was written, each naming the member.
    """

    root: str | None = None
    manifest: bytes = b""
    signature: bytes | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def unpack(file: Path, folder: Path, wanted: Callable[[str], bool], progress: Progress) -> Opened:
    """Compare a package with its manifest, and unpack its wanted members into a folder.

    Raises
    ------
    PackageError
        If it is no package, was cut short, or is not safe to unpack.
    OSError
        If it cannot be read, or the folder not be written.
    """
    found = Opened()
    try:
        with _opened(file) as stream, zipfile.ZipFile(stream) as archive:
            infos = _safe_members(file, archive, folder, wanted)
            if not _is_whole(stream):
                found.problems.append(f"{file.name} is not byte by byte the file that was written")
            _read_members(archive, infos, found, folder, wanted, progress)
    except zipfile.BadZipFile as error:
        raise PackageError(f"{file} is no package, or was cut short: {error}; ask for it again") from None
    except _DAMAGE as error:
        raise PackageError(f"{file} is damaged: {error}; ask for it again") from None
    except OSError as error:
        if error.errno != errno.EINVAL:  # of a place before the file's beginning
            raise
        raise PackageError(f"{file} is damaged: its directory names impossible places; ask again") from None
    return found


def _opened(file: Path) -> IO[bytes]:
    """Open a regular file; the opening of others, and the reading, may never end."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise PackageError(f"{file} is not a regular file; name the package's file")


def oversized_archives(folder: Path) -> list[str]:
    """Return the archives below a folder that would unpack to far more than archives of journals do."""
    found = []
    for file in sorted(folder.rglob("*.zip")):
        try:
            with zipfile.ZipFile(file) as archive:
                size = sum(info.file_size for info in archive.infolist())
        except (*_DAMAGE, OSError):  # the comparison with the rows names what is damaged
            continue
        if size > _SMALL_BYTES + _LARGEST_RATIO * file.stat().st_size:
            found.append(f"{file.relative_to(folder)} would unpack to {size:,} bytes")
    return found


def _safe_members(
    file: Path, archive: zipfile.ZipFile, folder: Path, wanted: Callable[[str], bool]
) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name if all of them can be unpacked safely."""
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        # The name as the archive has it: zipfile cuts it at a zero byte.
        name = info.orig_filename
        if name in infos:
            raise PackageError(f"{file} has two members {name!r}: it was made by another program")
        if name.endswith("/") and not info.file_size and _is_safe(name[:-1]):
            continue  # a folder, which its members make
        if not _is_safe(name):
            raise PackageError(
                f"{file} has a member {name!r}, which would leave its folder: nothing was unpacked"
            )
        if info.flag_bits & 1 or info.compress_type not in _METHODS:
            raise PackageError(
                f"{file}: member {name!r} is encrypted, or packed in another way than packages are"
            )
        infos[name] = info
    size = sum(info.file_size for name, info in infos.items() if wanted(name))
    read, packed = sum(info.file_size for info in infos.values()), file.stat().st_size
    if size > _SMALL_BYTES + _LARGEST_RATIO * packed or read > _SMALL_BYTES + _LARGEST_LOG_RATIO * packed:
        raise PackageError(
            f"{file} of {packed:,} bytes would unpack to {read:,}, as no package does: nothing was unpacked"
        )
    if size > (free := free_bytes(folder)):
        raise PackageError(
            f"{file} unpacks to {size:,} bytes, and {folder} has {free:,}: set TMPDIR to a place with more"
        )
    return infos


def _is_safe(name: str) -> bool:
    path = PurePosixPath(name)
    plain = name.isprintable() and "\\" not in name and not name.endswith("/")
    return plain and str(path) == name and not path.is_absolute() and ".." not in path.parts and name != "."


def _is_whole(stream: IO[bytes]) -> bool:
    """Return whether the digest at the end is that of all bytes before it."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - DIGEST_BYTES - len(COMMENT)))
    ending = stream.read()
    return (
        ending.startswith(COMMENT)
        and ending[len(COMMENT) :] == digest_before(stream, size - DIGEST_BYTES).encode()
    )


def _read_members(
    archive: zipfile.ZipFile,
    infos: dict[str, zipfile.ZipInfo],
    found: Opened,
    folder: Path,
    wanted: Callable[[str], bool],
    progress: Progress,
) -> None:
    listed: dict[str, str] = {}
    if MANIFEST not in infos or infos[MANIFEST].file_size > _LARGEST_MANIFEST:
        found.problems.append(f"{MANIFEST} is missing: it is no package, or one that did not end")
        return
    try:
        found.manifest = archive.read(infos[MANIFEST])
        listed = dict(_listed(found.manifest))
    except _DAMAGE as error:
        found.problems.append(f"{MANIFEST} is damaged: {error}")
        return
    found.root = hashlib.sha256(found.manifest).hexdigest()
    if SIGNATURE in infos and infos[SIGNATURE].file_size <= _PIECE_BYTES:
        try:
            found.signature = archive.read(infos[SIGNATURE])
        except _DAMAGE as error:
            found.problems.append(f"{SIGNATURE} is damaged: {error}")
    for name in sorted(listed.keys() - infos.keys()):
        found.problems.append(f"{name} is missing")
    for name, info in infos.items():
        if name in (MANIFEST, SIGNATURE):
            continue
        progress(name)
        if name not in listed:
            found.problems.append(f"{name} was added: the manifest does not list it")
            continue
        try:
            digest = _unpack_member(archive, info, folder / name if wanted(name) else None)
        except _DAMAGE as error:
            found.problems.append(f"{name} is damaged: {error}")
            continue
        found.sizes[name], found.digests[name] = info.file_size, digest
        if digest != listed[name]:
            found.problems.append(f"{name} was changed: its SHA-256 is not that of the manifest")


def _unpack_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, to: Path | None) -> str:
    digest = hashlib.sha256()
    if to is not None:
        to.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(info) as stream:
        target = to.open("xb") if to is not None else None
        try:
            while piece := stream.read(_PIECE_BYTES):
                digest.update(piece)
                if target is not None:
                    target.write(piece)
        finally:
            if target is not None:
                target.close()
    return digest.hexdigest()


def _listed(manifest: bytes) -> Iterator[tuple[str, str]]:
    """Yield name and SHA-256 of the members that a manifest lists."""
    names = set()
    for number, line in enumerate(manifest.decode().split("\n")[:-1], 1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in names:
            raise ValueError(f"line {number} is not a SHA-256, two spaces and a name of its own")
        names.add(match[2])
        yield match[2], match[1]
    if not manifest.endswith(b"\n"):
        raise ValueError("its last line was cut short")
