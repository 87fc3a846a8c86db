"""Programs that a browser needs to recompute rows: Pyodide, wheels, and the project's own code."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import zipfile
import zlib
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

from orchestrator.listing.errors import ListingError
from orchestrator.version import PACKAGES, __version__

RUNTIME, PROJECT, WORKER = "pyodide", "project.zip", "worker.js"
_NAME = "ensemble-throughput-orchestrator"
_PROGRAMS = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
_WHEELS = (
    "annotated-types", "msgspec", "pydantic", "pydantic-core", "ruamel-yaml",
    "typing-extensions", "typing-inspection",
)  # fmt: skip
_SUFFIXES = (".py", ".yaml")
_LEFT_OUT = ("orchestrator/docs/", "orchestrator/serve/", "orchestrator/cli/")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that zip knows: equal code makes equal files


def runtime_files(folder: Path) -> list[Path]:
    """Return the files of a folder that a browser needs.

    Raises
    ------
    ListingError
        If one is missing.
    """
    missing = [name for name in _PROGRAMS if not (folder / name).is_file()]
    wheels = sorted(folder.glob("*.whl"))
    given = {_normal(file.name.partition("-")[0]) for file in wheels}
    missing += [f"a wheel of {name}" for name in _WHEELS if name not in given]
    if missing:
        raise ListingError(
            f"{folder} lacks {', '.join(missing)}: `orchestrator docs a-list-that-checks-itself` has "
            "the commands that fill such a folder"
        )
    return [*(folder / name for name in _PROGRAMS), *wheels]


def copy_runtime(folder: Path, to: Path) -> None:
    """Copy the files that a browser needs into a folder, which is made."""
    files = runtime_files(folder)
    to.mkdir()
    for file in files:
        shutil.copyfile(file, to / file.name)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of the files of a folder, which need not be there."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def project_archive() -> bytes:
    """Return the code and data of the installed packages as an archive, with the metadata of the project."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _project_files().items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def project_differs(packed: bytes) -> bool:
    """Tell whether an archive has other files than those installed; bytes of archives differ by zlib."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            return {name: archive.read(name) for name in archive.namelist()} != _project_files()
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        ValueError,
        RuntimeError,
    ):  # the last of encrypted members
        return True


def _project_files() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for package in PACKAGES:
        spec = find_spec(package)
        folder = Path(next(iter(spec.submodule_search_locations or ()))) if spec else Path(package)
        for file in sorted(folder.rglob("*")):
            name = f"{package}/{file.relative_to(folder).as_posix()}"
            if file.suffix in _SUFFIXES and not name.startswith(_LEFT_OUT):
                found[name] = file.read_bytes()
    own, place = distribution(_NAME), f"{_NAME.replace('-', '_')}-{__version__}.dist-info"
    # Beside a checkout, where Python may look first, metadata have another name.
    texts = {"METADATA": own.read_text("METADATA") or own.read_text("PKG-INFO")}
    for name, text in (texts | {"entry_points.txt": own.read_text("entry_points.txt")}).items():
        if text:
            found[f"{place}/{name}"] = text.encode()
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
