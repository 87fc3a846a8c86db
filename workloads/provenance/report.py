"""Report of a training process on its code and its environment variables."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads.provenance.code import Digests, code_digests, code_documents, listing_key
from workloads.provenance.documents import document_key
from workloads.provenance.variables import variables_document

_CLOCK_TICK_NS = 100_000_000
"""By how much the time of a file's change may be behind the clock: by one of the kernel's ticks at least."""


@dataclass(frozen=True, slots=True)
class RunCommand:
    """Code of an external command that has run.

    Parameters
    ----------
    files
        Its files by name.
    environment
        Variables that its description sets; None for those that it removes.
    started
        What it started, as JSON-ready data.
    """

    files: Mapping[str, Path]
    environment: Mapping[str, str | None]
    started: Mapping[str, Any]


class Provenance:
    """Environment variables as the process was given them, and the code that it ran.

    It is made before anything of the workload is imported, which may set variables of its own.
    """

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._before: tuple[Digests, Digests] = ({}, {})
        self._begun_ns = time.time_ns() - _CLOCK_TICK_NS

    def hash_code(self, *references: str) -> None:
        """Hash what has been imported, before the run; `report` does so again.

        Parameters
        ----------
        references
            Dotted paths of the workload's modules.
        """
        # A change that a shared file system does not show yet is one during the run, as `report` looks anew.
        self._before = code_digests(references, {}, anew=False)

    def report(
        self, known: Collection[str], references: Sequence[str], command: RunCommand | None = None
    ) -> tuple[dict[str, str], list[dict[str, Any]]]:
        """Return the keys of the code and of the variables, and the documents that the ledger lacks.

        Parameters
        ----------
        known
            Keys of documents that the ledger has.
        references
            Dotted paths of the workload's modules.
        """
        called, changed = (command.files, command.environment) if command else ({}, {})
        given = {name: value for name, value in {**self._environment, **changed}.items() if value is not None}
        variables = variables_document(given)
        code, listing = code_documents(references, called, self._before, given, self._begun_ns)
        if command is not None:
            code["command"] = command.started
        keys = [document_key(code), document_key(variables), listing_key(listing)]
        found = zip(keys, (code, variables, listing), strict=True)
        documents = [one for key, one in found if key not in known]
        return {"code": keys[0], "variables": keys[1]}, documents
