"""Listings of source files with their SHA-256: of installed packages, and of what a process imported."""

from __future__ import annotations

import base64
import functools
import hashlib
import math
import os
import site
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from workloads.provenance.documents import document_key
from workloads.provenance.imports import (
    ImportedModules,
    imported_versions,
    modules_from_elsewhere,
    records,
    records_digest,
)

OWN = "workloads"
"""The package whose whole tree is listed in a training process; of others, only modules that it imported."""
_SUFFIXES = (".py", ".yaml", ".mako")
# Texts of campaign and site files are in the ledger with each campaign, so that files of these are no code.
_LEFT_OUT = frozenset({"workloads/campaigns", "sites"})
_START_UP = ("sitecustomize", "usercustomize")  # Python imports them before any program if they exist
_OWNERS = {"distutils-precedence.pth": "setuptools-"}
_EDITABLE = "__editable__."  # setuptools' beginning of the names of such files, before that of the package
_MOST_FILES = 500
"""Files from elsewhere that are listed each; a report has a limit."""
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
_matching: tuple[Collection[str], ImportedModules] = ((), ImportedModules(lambda _: False))
"""Packages, and what was imported of them."""
_last_digests: tuple[tuple[Path, set[str]] | None, tuple[Digests, Digests]] = None, ({}, {})
"""The root of `OWN` and packages, None where not all their files are local, and the digests of these."""
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
        As for `file_digest`. If not, what was returned last, here or in the process that this one was forked
        from, is returned once more: give `code_documents` the time.
    """
    global _last_digests
    root = directory_of(sys.modules[OWN])
    tops = _tops(references)
    listed = root, tops & sys.modules.keys()
    if not (anew or called) and _last_digests[0] == listed:
        return _last_digests[1]
    own = package_listing(root, anew=anew)
    below = f"{root}/"
    paths: dict[str, Path | str] = {**_imported_files(tops), **called}
    files = {
        name: file_digest(path, anew=anew)
        for name, path in sorted(paths.items())
        if name not in own or not str(path).startswith(below)
    }
    if not called:
        _last_digests = listed if _are_local(root, [paths[name] for name in files]) else None, (own, files)
    return own, files


def _are_local(package: Path, files: Collection[Path | str]) -> bool:
    """Tell whether no other node changes files, so that the times of their changes are by this clock."""
    own, _ = _whole.get(str(package), ({}, {}))
    others = [_hashed[str(file)][0] for file in files if str(file) in _hashed]
    states = [*own.values(), *others]
    return bool(own) and len(others) == len(files) and local_devices().issuperset(one[-1] for one in states)


def _tops(references: Iterable[str]) -> set[str]:
    tops = {reference.partition(":")[0].partition(".")[0] for reference in references}
    return {*tops, OWN, *_START_UP}


def code_documents(
    references: Iterable[str],
    called: Mapping[str, Path],
    before: tuple[Digests, Digests] = ({}, {}),
    environment: Mapping[str, str] = os.environ,
    begun_ns: float = -math.inf,
) -> list[dict[str, Any]]:
    """Return the documents of the code that this process ran; the first one names all others.

    It has ``packages``, the key of the listing of all files of `OWN`, ``files``, the other files of the
    workload, and ``interpreter``, the program that ran. Where there are any, it also has ``versions`` of
    imported libraries, ``elsewhere``, files of modules that are neither Python's own nor of its installed
    packages, ``prefixes``, folders of installed packages beside the interpreter's, ``start_up``, files that
    Python ran at its start and that no package has, and ``search``, variables that add places to import from.

    Parameters
    ----------
    references, called
        As for `code_digests`.
    before
        What that returned before the run. A file that has changed since has no digest: which of its contents
        ran is not known.
    begun_ns
        When that was, nanoseconds since the epoch. Files that had changed earlier have a digest, also
        where `before` has one from a process that this one was forked from.
    """
    references = list(references)
    project = directory_of(sys.modules[OWN]).parent
    imported = functools.partial(_imported_files, _tops(references))
    own, files = code_digests(references, called)
    own = _unchanged(before[0], own, begun_ns, lambda name: project / name)
    files = _unchanged(before[1], files, begun_ns, lambda name: called.get(name) or imported()[name])
    listing = listing_document(OWN, own)
    code: dict[str, Any] = {"packages": {OWN: listing_key(listing)}, "files": files}
    code["interpreter"] = program = interpreter()
    program["sha256"] = file_digest(program["path"]) or ""
    optional = {
        "versions": imported_versions(),
        **_from_elsewhere(project, set(imported().values())),
        "start_up": dict(foreign_start_up_files()),
        "search": search_paths(environment, project),
    }
    return [code | {name: value for name, value in optional.items() if value}, listing]


def _from_elsewhere(project: Path, listed: Collection[str]) -> dict[str, dict[str, str | None]]:
    """Return files of modules from elsewhere, without those of the workload, and prefixes of packages."""
    files, prefixes = modules_from_elsewhere(project)
    named = [file for file in files if file not in listed]
    elsewhere = {file: file_digest(file) for file in named[:_MOST_FILES]}
    if rest := named[_MOST_FILES:]:
        elsewhere[f"{len(rest):,} more, such as {rest[0]}"] = None
    return {"elsewhere": elsewhere, "prefixes": {one: records_digest(one) for one in prefixes}}


def _unchanged(
    former: Digests, found: Digests, begun_ns: float, path_of: Callable[[str], Path | str]
) -> Digests:
    """Return digests, None for those that differ from former ones and are not of files changed earlier."""
    if former is found:
        return found
    different = [name for name, digest in found.items() if former.get(name, digest) != digest]
    doubtful = [name for name in different if _changed_ns(path_of(name)) >= begun_ns]
    return {**found, **dict.fromkeys(doubtful)} if doubtful else found


def _changed_ns(path: Path | str) -> float:
    """Return when a file was last changed, nanoseconds since the epoch; infinite if that is not known."""
    try:
        return Path(path).stat().st_ctime_ns
    except OSError:
        return math.inf


def _imported_files(tops: Collection[str]) -> dict[str, str]:
    """Return the files of imported modules by the path of their names, such as ``mine/net.py``."""
    found = {}
    for name in _imported_modules(tops):
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and (path := _path_of_name(name, file)) is not None:
            found[path] = file
    return found


def _imported_modules(tops: Collection[str]) -> list[str]:
    """Return the names of imported modules of packages."""
    global _matching
    if _matching[0] != tops:
        beginnings = tuple(tops)
        found = ImportedModules(lambda name: name.startswith(beginnings) and name.partition(".")[0] in tops)
        _matching = tops, found
    return _matching[1].names()


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
    directory
        Working directory, from which relative names start.
    """
    import shutil  # which few trainings need

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


_LOCAL = frozenset({"erofs", "ext2", "ext3", "ext4", "f2fs", "iso9660", "squashfs", "tmpfs", "xfs"})
"""Kinds of file systems that no other node changes, so that what they say of a file is its present state."""


@functools.cache
def local_devices() -> frozenset[int]:
    """Return the device numbers (`os.stat`) of mounted local file systems; others may be local, too."""
    found = set()
    try:
        lines = Path("/proc/self/mountinfo").read_text(errors="replace").splitlines()
        for line in lines:
            mount, _, source = line.partition(" - ")
            if source.partition(" ")[0] in _LOCAL:
                found.add(os.makedev(*map(int, mount.split()[2].split(":"))))
    except (OSError, ValueError, IndexError):
        return frozenset()  # a sandbox without it: each file is opened
    return frozenset(found)


def interpreter() -> dict[str, str]:
    """Return the ``path`` of the program that this process runs, and the word it was ``started`` by."""
    try:
        path = os.readlink("/proc/self/exe")  # noqa: PTH115  a third of the time
    except OSError:
        path = os.path.realpath(sys.executable)
    return {"path": path, "started": sys.orig_argv[0] if sys.orig_argv else ""}


def search_paths(environment: Mapping[str, str], project: Path) -> dict[str, str]:
    """Return ``PYTHONPATH`` and ``PYTHONHOME`` where they add places, beside that of this project."""
    entries = [one for one in environment.get("PYTHONPATH", "").split(os.pathsep) if one]
    own = str(project)
    others = [one for one in entries if one != own and os.path.realpath(one) != os.path.realpath(own)]
    given = {"PYTHONPATH": os.pathsep.join(others), "PYTHONHOME": environment.get("PYTHONHOME", "")}
    return {name: value for name, value in given.items() if value}


@functools.cache
def foreign_start_up_files() -> Mapping[str, str]:
    """Return the SHA-256 of the ``.pth`` files whose lines Python ran, and that no installed package has.

    A package has a file where its list of installed files (RECORD) names it with its hash.
    """
    folders = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    found = {}
    for folder in map(Path, folders):
        for file in sorted(folder.glob("*.pth")):
            try:
                content = file.read_bytes()
            except OSError:
                continue
            digest = hashlib.sha256(content)
            runs = any(line.startswith((b"import ", b"import\t")) for line in content.splitlines())
            if runs and not _is_recorded(file, digest.digest()):
                found[str(file)] = digest.hexdigest()
    return found


def _is_recorded(file: Path, digest: bytes) -> bool:
    """Return whether a list of installed files beside a file names it with its hash."""
    hashed = base64.urlsafe_b64encode(digest).rstrip(b"=")
    line = b"%s,sha256=%s," % (file.name.encode(), hashed)
    owner = _OWNERS.get(file.name) or file.stem.removeprefix(_EDITABLE)  # its list is mostly the one to read
    return any(line in record for record in records(str(file.parent), owner))
