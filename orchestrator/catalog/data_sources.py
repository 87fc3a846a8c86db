"""Published addresses, sizes and checksums of files that workloads read, from this package's data file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field

from sites import Model, parse, read_text
from workloads.description import WorkloadError

_FILE = Path(__file__).with_name("data_sources.yaml")


class SourceFile(Model):
    """A published file."""

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.+-]*$", description="Name in the data directory.")
    bytes: int | None = Field(None, ge=0, description="Exact size, if the source states it.")
    stated_size: str | None = Field(None, description="Rounded size, as the source prints it.")
    md5: str | None = Field(None, pattern=r"^[0-9a-f]{32}$", description="MD5, if the source states it.")
    sha256: str | None = Field(
        None, pattern=r"^[0-9a-f]{64}$", description="SHA-256, if the source states it."
    )
    unpack: tuple[str, ...] = Field((), description="Of a tar archive: patterns of the files to unpack.")


class DataSource(Model):
    """The published files of a data set."""

    workloads: tuple[str, ...] = Field(description="Workloads that read the data set.")
    source: str = Field(description="Documents or repositories that state what stands here.")
    licence: str = Field(description="Terms of use, as far as the source states them.")
    base: str = Field("", description="Address to which the file names are appended.")
    account: str = Field("", description="Site whose account the download needs.")
    files: tuple[SourceFile, ...] = Field(description="The files.")


class _Sources(Model):
    sources: tuple[DataSource, ...]


@cache
def _sources() -> tuple[DataSource, ...]:
    return parse(read_text(_FILE, "data source"), _Sources, str(_FILE)).sources


def data_source(workload: str) -> DataSource | None:
    """Return the published files of a workload's data set; None where no source of them is known."""
    return next((source for source in _sources() if workload in source.workloads), None)


def known_source(workload: str) -> DataSource:
    """Return the published files of a workload's data set.

    Raises
    ------
    WorkloadError
        If no source of them is known.
    """
    found = data_source(workload)
    if found is None:
        names = ", ".join(name for source in _sources() for name in source.workloads)
        raise WorkloadError(
            f"no published source of the data of workload {workload} is known; there are of {names}"
        )
    return found
