"""The files of rulebooks, as they are installed and as a package has them."""

from __future__ import annotations

import importlib
from pathlib import Path

from orchestrator.rulebooks import registry
from orchestrator.rulebooks.data_files import INSTALLED

RULEBOOK = "rulebook"


def rulebook_folders(name: str) -> dict[str, Path]:
    """Return where the files of rulebooks are installed, by their folders in a package."""
    module = importlib.import_module(registry.load(name).judge.__module__)
    folder = Path(str(module.__file__)).parent
    own = {RULEBOOK: INSTALLED}
    return own if INSTALLED in (folder, *folder.parents) else own | {f"{RULEBOOK}-{name}": folder}


def source_files(folder: Path) -> list[Path]:
    """Return the code and the data files of rulebooks below a folder."""
    return sorted([*folder.rglob("*.py"), *folder.rglob("*.yaml")])


def changed_files(packaged: Path, installed: Path) -> list[str]:
    """Return the files of rulebooks in a package that differ from those that are installed."""
    own = {file.relative_to(installed).as_posix(): file.read_bytes() for file in source_files(installed)}
    given = {
        file.relative_to(packaged).as_posix(): file.read_bytes()
        for file in packaged.rglob("*")
        if file.is_file()
    }
    return sorted(name for name in own | given if own.get(name) != given.get(name))
