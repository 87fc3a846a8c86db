"""Modules that a process imported from elsewhere than Python, its installed packages and this project."""

from __future__ import annotations

import functools
import hashlib
import os
import site
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import ModuleType

LIBRARIES = (
    "dask",
    "h5py",
    "horovod",
    "jax",
    "keras",
    "mpi4py",
    "numpy",
    "pandas",
    "scipy",
    "sklearn",
    "tensorflow",
    "torch",
)
"""Packages whose versions are recorded where a process imported them."""
_CONVERTED = "__autograph_generated_file"
_CONVERTER = "tensorflow.python.autograph.pyct.loader"
PACKAGE_FOLDERS = ("site-packages", "dist-packages")


class ImportedModules:
    """Names of imported modules that pass a test, each of which is looked at once.

    There are thousands, and a look at a name writes to memory that a forked process shares until then.
    """

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self._wanted = wanted
        self._last: tuple[str, ModuleType | None, int] = ("", None, 0)
        self._names: list[str] = []

    def names(self) -> list[str]:
        """Return the names, in the order of their imports."""
        last, module, count = self._last
        now = len(sys.modules)  # a look at a name may import modules
        late = list(islice(reversed(sys.modules), max(0, now - count + 1)))
        if late and late[-1] == last and sys.modules.get(last) is module:
            late = late[-2::-1]
        else:  # the first look, or a module has been removed
            self._names, late = [], list(sys.modules)
        self._names = self._names + [name for name in late if self._wanted(name)]
        if late:
            self._last = late[-1], sys.modules.get(late[-1]), now
        return self._names


def imported_versions() -> dict[str, str]:
    """Return the versions of the `LIBRARIES` that this process has imported, as these state them."""
    stated = {name: getattr(sys.modules.get(name), "__version__", None) for name in LIBRARIES}
    return {name: str(version) for name, version in stated.items() if isinstance(version, str)}


def modules_from_elsewhere(project: Path) -> tuple[list[str], list[str]]:
    """Return the files of modules from elsewhere, and folders of installed packages that others came from.

    Such a folder is named ``site-packages`` or ``dist-packages``, belongs to no interpreter, and has lists of
    installed files (RECORD) that name the imported package: Spack's and EasyBuild's prefixes, for example.
    """
    files, folders = [], set()
    for file in filter(None, map(_file_of, _elsewhere(project).names())):
        folder, package = _package_folder(file)
        if folder and package in recorded_names(folder):
            folders.add(folder)
        else:
            files.append(file)
    return sorted(set(files)), sorted(folders)


@functools.cache
def _elsewhere(project: Path) -> ImportedModules:
    own = tuple(f"{project}/{name}/" for name in ("orchestrator", "workloads", "db", "sites"))
    known = (*own, *_installed())

    def wanted(name: str) -> bool:
        file = getattr(sys.modules.get(name), "__file__", None)
        if not isinstance(file, str) or file.startswith(known) or os.sep not in file:
            return False
        if name.startswith(_CONVERTED) and _is_converted(name, file):
            return False
        return not _is_folder_of_interpreter(os.path.dirname(_whole(file)))  # noqa: PTH120  a tenth of the time

    return ImportedModules(wanted)


def _is_converted(name: str, file: str) -> bool:
    """Return whether TensorFlow wrote a module: a copy of a function, in a temporary file of a random name.

    The module of the function is listed by its file. A file of such a name that somebody else wrote is run
    only by other code, which is listed.
    """
    from tempfile import gettempdir  # which few trainings need

    return _CONVERTER in sys.modules and file == f"{gettempdir()}/{name}.py"


def _file_of(name: str) -> str | None:
    """Return the file of an imported module; None for one that has been removed."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return _whole(file) if isinstance(file, str) else None


def _whole(file: str) -> str:
    return os.path.abspath(file)  # noqa: PTH100  links stay: a module is named as it was found


@functools.cache
def _is_folder_of_interpreter(folder: str) -> bool:
    """Return whether a folder is of the standard library or of the interpreter's installed packages."""
    for one in dict.fromkeys((folder, os.path.realpath(folder))):
        path = f"{one}/"
        if path.startswith(_installed()):
            return True
        library = next((len(place) for place in _library() if path.startswith(place)), None)
        if library is not None and not {*path[library:].split("/")} & {*PACKAGE_FOLDERS}:
            return True
    return False


@functools.cache
def _installed() -> tuple[str, ...]:
    return _with_real(site.getsitepackages())


@functools.cache
def _library() -> tuple[str, ...]:
    """Return the folders of the standard library, as `sysconfig` has them, which takes longer."""
    below = f"{sys.platlibdir}/python{sys.version_info.major}.{sys.version_info.minor}"
    return _with_real([f"{sys.base_prefix}/{below}", f"{sys.exec_prefix}/{below}"])


def _with_real(folders: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{one}/" for folder in folders for one in (folder, os.path.realpath(folder))))


def _package_folder(file: str) -> tuple[str, str]:
    """Return the folder of installed packages that a file is below, and the name of its package there."""
    parts = file.split("/")
    places = [number for number, part in enumerate(parts[:-1]) if part in PACKAGE_FOLDERS]
    if not places:
        return "", ""
    return "/".join(parts[: places[-1] + 1]), parts[places[-1] + 1]


@functools.cache
def recorded_names(folder: str) -> frozenset[str]:
    """Return the first parts of the paths that the lists of installed files of a folder name."""
    return frozenset(line.split(b",")[0].split(b"/")[0].decode(errors="replace") for line in _records(folder))


@functools.cache
def records_digest(folder: str) -> str:
    """Return the SHA-256 of the lists of installed files of a folder."""
    digest = hashlib.sha256()
    for line in _records(folder):
        digest.update(line + b"\n")
    return digest.hexdigest()


def _records(folder: str) -> Iterator[bytes]:
    for content in records(folder):
        yield from content.splitlines()


def records(folder: str, first: str = "") -> Iterator[bytes]:
    """Yield the lists of installed files (RECORD) of a folder's packages.

    Parameters
    ----------
    first
        Beginning of the name of the package whose list comes first.
    """
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  half the time, as below
    except OSError:
        return
    if first:
        names.sort(key=lambda name: not name.startswith(first))
    for name in names:
        if name.endswith(".dist-info"):
            with suppress(OSError), open(f"{folder}/{name}/RECORD", "rb", 0) as file:  # noqa: PTH123
                yield file.read()
