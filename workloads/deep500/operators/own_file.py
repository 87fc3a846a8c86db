"""The file of a user's operator, checked before anything runs."""

from __future__ import annotations

from pathlib import Path

from workloads.description import WorkloadError

SUFFIXES = (".py", ".cpp", ".cc", ".cxx")


def check_file(file: Path) -> None:
    """Raise `WorkloadError` if there is no such file, or it is written in another language."""
    if file.suffix not in SUFFIXES:
        raise WorkloadError(f"implementation {file} must be a file {', '.join(SUFFIXES)}")
    if not file.is_file():
        problem = "is no regular file" if file.exists() else "does not exist"
        raise WorkloadError(f"implementation {file} {problem}; a relative path begins at {Path.cwd()}")
