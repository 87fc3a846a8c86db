"""Workload files of well-known programs, to be copied and completed with the paths of a machine."""

from __future__ import annotations

from pathlib import Path

from workloads.description import WorkloadError
from workloads.spelling import near

_FOLDER = Path(__file__).parents[1] / "mlperf_hpc"


def names() -> list[str]:
    """Return the names of the files, without their ending."""
    return sorted(file.stem for file in _FOLDER.glob("*.yaml"))


def text(name: str) -> str:
    """Return the text of a file; raises `WorkloadError` if there is none of this name."""
    if name not in names():
        hint = near(name, names(), f"there are {', '.join(names())}")
        raise WorkloadError(f"no workload file {name!r}{hint}")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
