"""What a training process that runs one order after another reports of its code."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from workloads.description import Workload
from workloads.provenance.code import code_files
from workloads.provenance.report import Provenance

_State = tuple[int, ...] | None


class LastingProvenance(Provenance):
    """Of a file that was hashed before an earlier run of the process, that hash counts in all runs."""

    def __init__(self) -> None:
        super().__init__()
        self._states: dict[str, _State] = {}

    def hash_code(self, *references: str) -> None:
        """Hash what has been imported, before the first run."""
        if not self._states:
            self._states = _states(references)
            super().hash_code(*references)

    def changed_file(self) -> str | None:
        """Return a file of the code of earlier runs that is no more as it was; None without one."""
        return next((path for path, state in self._states.items() if _state(path) != state), None)

    def report(
        self, order: Mapping[str, Any], workload: Workload, seen: Mapping[str, Any]
    ) -> tuple[dict[str, str], list[dict[str, Any]]]:
        """Return keys and documents, and note the files that the run has added."""
        found = super().report(order, workload, seen)
        (own, files), (own_after, files_after) = self._before, self._after
        if files_after.keys() - files.keys():
            self._states = _states((workload.entry, order["workload"])) | self._states
        self._before = {**own_after, **own}, {**files_after, **files}
        return found


def _states(references: tuple[str, ...]) -> dict[str, _State]:
    return {str(path): _state(path) for path in code_files(references)}


def _state(path: str | os.PathLike[str]) -> _State:
    try:
        found = os.stat(path)  # noqa: PTH116  half the time, and before each run
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
