"""Readers, makers and checkers of the data sets, one module per workload."""

from __future__ import annotations

from pathlib import Path

from workloads.description import DataError, Workload


def data_directory(workload: Workload, given: Path | None) -> Path:
    """Return the directory with a workload's data.

    Raises
    ------
    DataError
        If none is given or it does not exist; says how to get one.
    """
    advice = (
        f"run `orchestrator data generate {workload.name} --output DIR`, or name the directory that has them"
    )
    if given is None:
        files = ", ".join(workload.data.files) if workload.data else "files"
        raise DataError(f"{workload.name} reads {files}, but has no data directory; {advice}")
    if not given.is_dir():
        raise DataError(f"{given}: no such data directory; {advice}")
    return given
