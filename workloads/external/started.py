"""Record what a command starts: program and script, and what Python may import beside the script."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from workloads.external.command import Command, ExternalWorkload
from workloads.provenance.code import command_files, file_digest
from workloads.provenance.report import RunCommand

IMPORTED = (".py", ".pyc", ".so")
"""Ends of the names of files that Python imports."""
_PLAIN_OPTIONS = ("-u", "-B")
"""Options of Python that neither run another program nor change from where it imports."""
_UNDER_MPI = ("-m", "mpi4py")
"""Runs the script that follows, and ends all ranks where it raises an error."""
_MOST_FILES = 200
_MOST_ENTRIES = 5000


def position_of_script(arguments: Sequence[str]) -> int | None:
    """Return which argument of Python is the script; None where code comes from elsewhere, as with ``-c``."""
    number = 1
    while number < len(arguments):
        if tuple(arguments[number : number + 2]) == _UNDER_MPI:
            number += 2
        elif arguments[number] in _PLAIN_OPTIONS:
            number += 1
        else:
            return None if arguments[number].startswith("-") else number
    return None


class Started:
    """Files of a command, hashed before it starts, so that it cannot put others in their place.

    Parameters
    ----------
    command
        Its description.
    templates
        Its program and arguments as the description has them, of this number of ranks.
    arguments, directory
        Its program and arguments with everything filled in, and its working directory.
    """

    def __init__(
        self, command: Command, templates: Sequence[str], arguments: Sequence[str], directory: Path
    ) -> None:
        self._command, self._templates = command, templates
        position = position_of_script(arguments)
        script = None if position is None else (directory / arguments[position]).resolve()
        self._script = script if script is not None and script.is_file() else None
        listed = [Path(command.folder, name).resolve() for name in command.files]
        places = [] if self._script is None else [self._script]
        self._folders = list(dict.fromkeys(path.parent for path in (*places, *listed)))
        self._named = [*places, *listed]
        self._files = self._digests()

    def facts(self, program: str | None) -> dict[str, Any]:
        """Return what was started, as JSON-ready data; call it when the command has ended.

        Parameters
        ----------
        program
            The file that the kernel ran; None where it was not seen.

        Returns
        -------
        ``arguments`` as the description has them; ``reads``, how it reads times and accuracy;
        ``environment``, the names of variables that it sets or removes; ``program``; ``started``, the path of
        the script, empty if it is none; ``files``, the SHA-256 of the script, of the files that the
        description lists, and of all that may be imported from their folders, None for what has changed
        meanwhile.
        """
        after = self._digests()
        return {
            "arguments": list(self._templates),
            "reads": _readings(self._command),
            "environment": sorted(self._command.environment),
            "program": program or "",
            "started": str(self._script or ""),
            "files": {name: _same(name, self._files, after) for name in sorted({*self._files, *after})},
        }

    def _digests(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for number, path in enumerate({*self._named, *_importable(self._folders)}):
            if number == _MOST_FILES:
                return found | {f"more than {_MOST_FILES} files": None}
            found[str(path)] = file_digest(path)
        return found


def _readings(command: Command) -> dict[str, str]:
    found = {"accuracy": command.accuracy, "seconds": command.seconds, "window": command.window}
    return {name: str(one) for name, one in found.items() if one is not None}


def run_command(order: Mapping[str, Any], workload: ExternalWorkload, observed: dict[str, Any]) -> RunCommand:
    """Return what is known of the code of a command that has run: its program, scripts, and listed files.

    Parameters
    ----------
    order
        The runner's order.
    observed
        Of the run; what the command ``started`` is taken out.
    """
    call, command = observed["external"], workload.command
    inputs = [Path(order[name]) for name in ("data", "cache") if order.get(name) is not None]
    listed = {name: Path(command.folder, name) for name in (*command.files, Path(workload.file).name)}
    files = command_files(call["command"], Path(call["directory"]), inputs) | listed
    return RunCommand(files, command.environment, observed.pop("started"))


def _same(name: str, before: Mapping[str, str | None], after: Mapping[str, str | None]) -> str | None:
    return before.get(name) if before.get(name) == after.get(name) else None


def _importable(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files below folders that Python can import, compiled ones included."""
    seen = 0
    for folder in folders:
        for place, below, files in os.walk(folder):
            below[:] = [name for name in below if name == "__pycache__" or name.isidentifier()]
            yield from (Path(place, name) for name in files if name.endswith(IMPORTED))
            seen += len(files) + len(below)
            if seen > _MOST_ENTRIES:
                yield Path(place, "and more files than are looked at")
                return
