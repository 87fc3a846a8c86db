"""Hand the package of workloads over to a Python that lacks it, without what is installed beside it."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from orchestrator.rundir.layout import RunDirectory

WORKLOADS = Path(__file__).resolve().parents[3] / "workloads"
"""The project's package of workloads; the folder that has it may be a whole ``site-packages``."""


def workloads_folder(directory: RunDirectory) -> Path:
    """Return the folder that has this installation's package of workloads, and nothing else, once linked."""
    return directory.packages / hashlib.sha256(bytes(WORKLOADS)).hexdigest()[:12]


def link_workloads(directory: RunDirectory) -> Path:
    """Return the folder of `workloads_folder` with its link."""
    folder = workloads_folder(directory)
    link = folder / WORKLOADS.name
    if not link.is_symlink():  # a look is cheaper than a refusal where thousands of ranks start at once
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            link.symlink_to(WORKLOADS)
    return folder
