"""The shipped list of published data files."""

from __future__ import annotations

import pytest

from orchestrator.catalog import registry
from orchestrator.catalog.data_sources import data_source, known_source
from workloads.description import WorkloadError


@pytest.mark.parametrize("name", [name for name in registry.names() if registry.describe(name).data])
def test_every_workload_that_reads_files_has_a_source(name: str) -> None:
    source = known_source(name)
    assert source.source
    assert source.licence
    assert bool(source.base) != bool(source.account)
    assert len({file.name for file in source.files}) == len(source.files)


@pytest.mark.parametrize("name", ["nt3", "p1b2", "p1b3"])
def test_the_names_are_those_that_the_workload_reads(name: str) -> None:
    data = registry.describe(name).data
    assert data is not None
    assert {file.name for file in known_source(name).files} == set(data.files)


def test_a_workload_without_files_has_none() -> None:
    assert data_source("lstm") is None
    with pytest.raises(WorkloadError, match="no published source of the data of workload lstm is known"):
        known_source("lstm")
