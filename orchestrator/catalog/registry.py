"""Workloads by name."""

from __future__ import annotations

from dataclasses import replace

from workloads import modules
from workloads.description import DataFormat, Workload, WorkloadError
from workloads.external.reference import is_file
from workloads.import_guard import guarded_import


def names() -> tuple[str, ...]:
    """Return the names of the built-in workloads, then those of installed packages."""
    return (*modules.names(), *modules.installed())


def describe(name: str) -> Workload:
    """Return the description of a workload.

    Parameters
    ----------
    name
        A built-in name, the name of an installed package's entry point (`workloads.modules.GROUP`), the
        dotted path of a module that holds a `Workload` named ``WORKLOAD``, or the path of a YAML file that
        describes an external command.

    Raises
    ------
    WorkloadError
        If there is no such workload (the nearest name is suggested), or its file is wrong.
    """
    if is_file(name):
        from orchestrator.catalog import external_file  # pydantic takes a while, and few campaigns need it

        return external_file.read(name, _data_format)
    with guarded_import(f"workload {name}"):
        return modules.workload(name)


def _data_format(name: str) -> DataFormat:
    """Return the data format of the workload whose files an external command reads."""
    if is_file(name):
        raise WorkloadError("must be the name of a workload whose files are read, such as p1b1, not a file")
    found = modules.workload(name).data
    if found is None:
        raise WorkloadError(f"workload {name} reads no files")
    # The command has parameters of its own.
    return replace(found, checks_parameters=False, decided_by=())
