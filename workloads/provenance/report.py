"""What a training process reports of its code and of its environment variables."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from workloads.description import Workload
from workloads.external.command import ExternalWorkload
from workloads.provenance.code import Digests, code_digests, code_documents, command_files, listing_key
from workloads.provenance.documents import document_key
from workloads.provenance.variables import variables_document


class Provenance:
    """Environment variables as the process was given them, and the code that it ran.

    It is made before anything of the workload is imported, which may set variables of its own.
    """

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._before: tuple[Digests, Digests] = ({}, {})
        self._after: tuple[Digests, Digests] = ({}, {})

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
        self, order: Mapping[str, Any], workload: Workload, seen: Mapping[str, Any]
    ) -> tuple[dict[str, str], list[dict[str, Any]]]:
        """Return the keys of the code and of the variables, and the documents that the ledger lacks.

        Parameters
        ----------
        order
            The runner's order; ``known_documents`` are keys of documents that the ledger has.
        workload
            The workload that has run.
        seen
            What it observed.
        """
        if isinstance(workload, ExternalWorkload):
            references, called = [workload.entry], _called(order, workload, seen)
            changed = workload.command.environment
        else:
            references, called, changed = [workload.entry, order["workload"]], {}, {}
        given = {name: value for name, value in {**self._environment, **changed}.items() if value is not None}
        variables = variables_document(given)
        code, listing = code_documents(references, called, self._before)
        self._after = listing["files"], code["files"]
        known: Collection[str] = order.get("known_documents") or ()
        keys = [document_key(code), document_key(variables), listing_key(listing)]
        found = zip(keys, (code, variables, listing), strict=True)
        documents = [one for key, one in found if key not in known]
        return {"code": keys[0], "variables": keys[1]}, documents


def _called(order: Mapping[str, Any], workload: ExternalWorkload, seen: Mapping[str, Any]) -> dict[str, Path]:
    """Return the files of an external command: program, scripts, those its file lists, and that file."""
    call, command = seen["external"], workload.command
    inputs = [Path(order[name]) for name in ("data", "cache") if order.get(name) is not None]
    listed = {name: Path(command.folder, name) for name in (*command.files, Path(workload.file).name)}
    return command_files(call["command"], Path(call["directory"]), inputs) | listed
