"""Listings of source files with their SHA-256: of installed packages, and of what a process imported."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import site
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from workloads.provenance.documents import document_key
from workloads.provenance.local_files import local_devices

OWN = "workloads"
"""The package whose whole tree is listed in a training process; of others, only modules that it imported."""
_SUFFIXES = (".py", ".yaml", ".mako")
# Texts of campaign and site files are in the ledger with each campaign, so that files of these are no code.
_LEFT_OUT = frozenset({"workloads/campaigns", "sites"})
_START_UP = ("sitecustomize", "usercustomize")  # Python imports them before any program if they exist
_FRAMEWORKS = ("horovod", "jax", "jaxlib", "keras", "numpy", "sklearn", "tensorflow", "torch")
_WHOLE_BYTES = 8 << 20
_SAMPLE_BYTES = 4 << 20

Digests = Mapping[str, str | None]
"""SHA-256 by file; None for a file that could not be read."""
_State = tuple[int, ...]
_Files = list[tuple[str, str]]
_hashed: dict[str, tuple[_State, str]] = {}
_listed: dict[tuple[str, str], tuple[_State, _Files, _Files]] = {}
"""Names and paths of the folders and of the files in a folder of a package."""
_whole: dict[str, tuple[dict[str, _State], dict[str, str | None]]] = {}
"""By package, the states of its folders and listed files, and its listing."""
_matching: tuple[Collection[str], str, ModuleType | None, int, list[str]] = ((), "", None, 0, [])
"""Packages, the last module that was imported then, how many there were, and those of the packages."""
_last_listing: tuple[dict[str, Any], str] = ({}, "")
_SETTLED_NS = 60_000_000_000
"""A file that changed later than this ago may change once more within the resolution of its times."""


def file_digest(path: Path | str, *, anew: bool = True) -> str | None:
    """Return a file's SHA-256; None if it cannot be read.

    Of a file above 8 MiB, such as a program, size, first and last 4 MiB are hashed, so that a training does
    not wait for the rest; the text then begins with ``sampled:``. A file that is as it was when this process,
    or the one that it was forked from, has hashed it is not read again.

    Parameters
    ----------
    anew
        Whether to open a file that seems to be as it was, where it is not known to be on a local file system:
        a shared one looks anew at an open.
    """
    known, digest = _hashed.get(str(path), (None, ""))
    try:
        if known is not None and _are_as_they_were({str(path): known}, anew=anew):
            return digest
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        state = _state(found)
        if known != state:
            digest = _digest(descriptor, found.st_size)
            if time.time_ns() - found.st_ctime_ns > _SETTLED_NS:
                _hashed[str(path)] = state, digest
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return digest


def _state(found: os.stat_result) -> _State:
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev


def _are_as_they_were(states: Mapping[str, _State], *, anew: bool) -> bool:
    """Tell whether files still have these states, as far as that is known without opening them."""
    if anew and not local_devices().issuperset(state[-1] for state in states.values()):
        return False
    try:
        return all(_state(os.stat(path)) == state for path, state in states.items())  # noqa: PTH116  half the time
    except OSError:
        return False


def _digest(descriptor: int, size: int) -> str:
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        if size <= _WHOLE_BYTES:
            return hashlib.sha256(stream.read()).hexdigest()
        digest = hashlib.sha256(f"{size} ".encode() + stream.read(_SAMPLE_BYTES))
        stream.seek(size - _SAMPLE_BYTES)
        digest.update(stream.read(_SAMPLE_BYTES))
        return f"sampled:{digest.hexdigest()}"


def package_listing(package: Path, *, anew: bool = True) -> dict[str, str | None]:
    """Return the sources and data files of a package by their path, such as ``workloads/run.py``.

    Parameters
    ----------
    package
        Directory of the package. Equal packages have equal listings, wherever they are installed.
    anew
        As for `file_digest`.

    Returns
    -------
    The same mapping as before where nothing has changed; it must not be changed.
    """
    states, listing = _whole.get(str(package), ({}, {}))
    if states and _are_as_they_were(states, anew=anew):
        return listing
    folders, files = _package_files(package)
    listing = {name: file_digest(path, anew=anew) for name, path in sorted(files)}
    known = [_listed.get(folder) for folder in folders], [_hashed.get(path) for _, path in files]
    found = [None if one is None else one[0] for one in (*known[0], *known[1])]
    states = {path: state for (_, path), state in zip([*folders, *files], found, strict=True) if state}
    if len(states) == len(found):  # else one may change once more unseen
        _whole[str(package)] = states, listing
    return listing


def _package_files(package: Path) -> tuple[_Files, _Files]:
    """Return names and paths of folders and listed files; a folder that is as it was is not read again."""
    folders: _Files = [(package.name, str(package))]
    files: _Files = []
    for below, folder in folders:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        except OSError:
            continue
        try:
            found = os.fstat(descriptor)
            state, *inside = _listed.get((below, folder), (None, [], []))
            if state != _state(found):
                inside = list(_folder_content(below, folder, descriptor))
                if time.time_ns() - found.st_ctime_ns > _SETTLED_NS:
                    _listed[below, folder] = _state(found), inside[0], inside[1]
        except OSError:
            continue
        finally:
            os.close(descriptor)
        folders += inside[0]
        files += inside[1]
    return folders, files


def _folder_content(below: str, folder: str, descriptor: int) -> tuple[_Files, _Files]:
    """Return names and paths of the folders and of the files in a folder of a package."""
    folders, files = [], []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            name = entry.name
            if not entry.is_dir():
                data = not name.endswith(".py")
                if name.endswith(_SUFFIXES) and not (data and below in _LEFT_OUT):
                    files.append((f"{below}/{name}", f"{folder}/{name}"))
            elif name != "__pycache__" and not name.startswith(".") and not entry.is_symlink():
                folders.append((f"{below}/{name}", f"{folder}/{name}"))
    return folders, files


def listing_document(package: str, files: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the document of a package's listing."""
    return {"package": package, "files": files}


def listing_key(listing: dict[str, Any]) -> str:
    """Return the key of a listing's document, which most attempts have in common with the one before."""
    global _last_listing
    files, last = listing["files"], _last_listing[0].get("files")
    if files is not last and listing != _last_listing[0]:
        _last_listing = listing, document_key(listing)
    return _last_listing[1]


def directory_of(package: ModuleType) -> Path:
    """Return the directory that a package was imported from."""
    return Path(next(iter(package.__path__)))


def code_digests(
    references: Iterable[str], called: Mapping[str, Path], *, anew: bool = True
) -> tuple[Digests, Digests]:
    """Return the files of `OWN` where this process imported it from, and the other files that it runs.

    Parameters
    ----------
    references
        Dotted paths of the workload's modules; a part after a colon is ignored.
    called
        Files of an external command, by name.
    anew
        As for `file_digest`.
    """
    root = directory_of(sys.modules[OWN])
    own = package_listing(root, anew=anew)
    below = f"{root}/"
    imported = _imported_files(_tops(references))
    paths: dict[str, Path | str] = {**imported, **called}
    files = {
        name: file_digest(path, anew=anew)
        for name, path in sorted(paths.items())
        if name not in own or not str(path).startswith(below)
    }
    return own, files


def code_files(references: Iterable[str]) -> list[str]:
    """Return the paths of the files that `code_digests` hashes."""
    imported = _imported_files(_tops(references))
    _, own = _package_files(directory_of(sys.modules[OWN]))
    return [path for _, path in own] + list(imported.values())


def _tops(references: Iterable[str]) -> set[str]:
    tops = {reference.partition(":")[0].partition(".")[0] for reference in references}
    return {*tops, OWN, *_START_UP}


def code_documents(
    references: Iterable[str], called: Mapping[str, Path], before: tuple[Digests, Digests] = ({}, {})
) -> list[dict[str, Any]]:
    """Return the documents of the code that this process ran; the first one names all others.

    It has ``packages``, the key of the listing of all files of `OWN`, ``files``, the other files, and
    ``outside``, where frameworks were imported from if not from the interpreter's own packages.

    Parameters
    ----------
    references, called
        As for `code_digests`.
    before
        What that returned before the run. A file that has changed since has no digest: which of its contents
        ran is not known.
    """
    own, files = map(_unchanged, before, code_digests(references, called))
    listing = listing_document(OWN, own)
    code = {"packages": {OWN: listing_key(listing)}, "files": files}
    if outside := _outside_frameworks():
        code["outside"] = outside
    return [code, listing]


def _unchanged(former: Digests, found: Digests) -> Digests:
    """Return digests, None for those that differ from former ones."""
    if former is found:
        return found
    return {name: digest if former.get(name, digest) == digest else None for name, digest in found.items()}


def _outside_frameworks() -> dict[str, str]:
    """Return the directories of frameworks that were imported from elsewhere than installed packages."""
    installed = tuple(site.getsitepackages())
    found = {}
    for name in _FRAMEWORKS:
        if paths := list(getattr(sys.modules.get(name), "__path__", ())):
            directory, inside = _place(paths[0], installed)
            if not inside:
                found[name] = directory
    return found


@functools.cache
def _place(path: str, installed: tuple[str, ...]) -> tuple[str, bool]:
    """Return a directory without links, and whether it is below one of others."""
    directory = Path(path).resolve()
    return str(directory), any(directory.is_relative_to(Path(one).resolve()) for one in installed)


def _imported_files(tops: Collection[str]) -> dict[str, str]:
    """Return the files of imported modules by the path of their names, such as ``mine/net.py``."""
    found = {}
    for name in _imported_modules(tops):
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and (path := _path_of_name(name, file)) is not None:
            found[path] = file
    return found


def _imported_modules(tops: Collection[str]) -> list[str]:
    """Return the names of imported modules of packages.

    Those that were imported at the last call are not looked at again: there are thousands, and a look at a
    name writes to memory that a forked process shares until then.
    """
    global _matching
    packages, last, module, count, names = _matching
    late = list(islice(reversed(sys.modules), max(0, len(sys.modules) - count + 1)))
    if packages == tops and late and late[-1] == last and sys.modules.get(last) is module:
        late = late[-2::-1]
    else:  # other packages, or a module has been removed
        names, late = [], list(sys.modules)
    beginnings = tuple(tops)
    new = [name for name in late if name.startswith(beginnings) and name.partition(".")[0] in tops]
    names = names + new
    if late:
        _matching = tops, late[-1], sys.modules.get(late[-1]), len(sys.modules), names
    return names


@functools.cache
def _path_of_name(name: str, file: str) -> str | None:
    """Return the path that stands for a module; None for one that is not listed."""
    folder, _, last = file.rpartition("/")
    if name in _START_UP and folder == os.path.dirname(os.__file__):  # noqa: PTH120  as `file` is
        return None  # some distributions put one into the standard library
    stem, suffix = os.path.splitext(last)  # noqa: PTH122  a tenth of the time, for each module
    return name.replace(".", "/") + ("/__init__" if stem == "__init__" else "") + suffix


def command_files(arguments: Iterable[str], directory: Path, apart_from: Iterable[Path]) -> dict[str, Path]:
    """Return the files that a command's arguments name, program included, without its data.

    Parameters
    ----------
    arguments
        Program and arguments.
    directory
        Working directory, from which relative names start.
    apart_from
        Directories of data.
    """
    program, *rest = arguments
    found = shutil.which(program, path=None if "/" not in program else str(directory))
    paths = [Path(found or directory / program), *(directory / one.rpartition("=")[2] for one in rest if one)]
    left_out = [one.resolve() for one in apart_from]
    named = {}
    for path in paths:
        try:
            whole = path.resolve()
            if not whole.is_file() or any(whole.is_relative_to(one) for one in left_out):
                continue
        except (OSError, ValueError):  # an argument that cannot be a path, such as a text of 5,000 letters
            continue
        inside = whole.is_relative_to(directory.resolve())
        named[str(whole.relative_to(directory.resolve()) if inside else path)] = whole
    return named
