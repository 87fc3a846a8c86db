"""Making and checking the files that benchmarks read."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orchestrator.catalog.data_sources import data_source
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.data.hashes import data_set_facts, place_facts
from orchestrator.lifecycle.data.progress import log_read_progress, log_write_progress
from orchestrator.lifecycle.data.recorded import published_facts
from orchestrator.planning.plan import Plan
from orchestrator.planning.stage import PlannedBenchmark
from workloads.description import Parameter, Workload, WorkloadError
from workloads.modules import load

_log = logging.getLogger(__name__)


def make_data(workload: Workload, folder: Path, sizes: Mapping[str, Any], seed: int = 2017) -> list[Path]:
    """Write synthetic files in the workload's true format and return their paths; progress is logged.

    Raises
    ------
    WorkloadError
        If the workload reads no data, or a size is unknown or out of range.
    """
    if workload.data is None:
        raise WorkloadError(f"workload {workload.name} reads no data")
    complete = workload.data.resolve_sizes(sizes)
    with log_write_progress(folder):
        return list(load(workload.data.maker)(folder, seed=seed, **complete))


def check_data(
    workload: Workload, folder: Path, parameters: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Read everything a workload would read and return what it is: rows, columns, classes.

    Progress is logged every few seconds.

    Parameters
    ----------
    parameters
        Of a training on the data, about which warnings are logged; by default none are looked for.

    Raises
    ------
    DataError
        With file, row and column of the first thing that is wrong.
    WorkloadError
        If the workload reads no data.
    """
    if workload.data is None:
        raise WorkloadError(f"workload {workload.name} reads no data")
    given = (parameters,) if workload.data.checks_parameters else ()
    with log_read_progress(folder):
        facts = dict(load(workload.data.checker)(folder, *given))
    for warning in facts.get("warnings", ()):
        _log.warning("%s: %s", folder, warning)
    return facts


def cache_data(workload: Workload, folder: Path, cache: Path) -> dict[str, Any]:
    """Put a data set into a dataset cache and return what it is; ``cache`` is hit if it was there.

    Raises
    ------
    DataError
        If the files are wrong, or the cache cannot be written.
    WorkloadError
        If the workload reads no data, or none through a cache.
    """
    if workload.data is None:
        raise WorkloadError(f"workload {workload.name} reads no data")
    if not workload.data.cacher:
        raise WorkloadError(f"workload {workload.name} reads its data without a cache")
    return dict(load(workload.data.cacher)(folder, cache))


def prepare(plan: Plan, *, check: bool = True) -> dict[str, dict[str, Any]]:
    """See that the data of every benchmark are there and whole before anything is launched.

    Returns
    -------
    dict
        Per benchmark or sweep that reads data, the facts of `orchestrator.lifecycle.data.hashes`.

    Parameters
    ----------
    check
        Read everything; otherwise only look for the folders.

    Raises
    ------
    CampaignError, WorkloadError
        If a folder is missing and the campaign does not say how to make it, or its files are wrong.
    """
    unmodified = plan.campaign.run_class in plan.rulebook.unmodified_run_classes
    ready: dict[Path, PlannedBenchmark] = {}
    checked: set[tuple[Path, tuple[object, ...]]] = set()
    facts: dict[Path, dict[str, Any]] = {}
    for benchmark in plan.benchmarks:
        folder = benchmark.data
        if folder is None:
            continue
        if not _has_same_sizes(benchmark, ready.setdefault(folder, benchmark)):
            raise CampaignError(
                f"benchmark {benchmark.name}: another benchmark asks for other files in {folder}; "
                "name another folder"
            )
        read = folder, _decided(benchmark)
        if read in checked:
            continue
        if not folder.is_dir() and benchmark.make is None:
            missing = missing_words(benchmark.workload.name, str(folder))
            raise CampaignError(f"benchmark {benchmark.name}: data folder {missing}; --data names another")
        if benchmark.make is not None and _to_be_made(benchmark, folder, benchmark.make):
            _log.info("generating synthetic %s data in %s", benchmark.workload.name, folder)
            make_data(benchmark.workload, folder, benchmark.make)
        if check:
            _log.info("checking %s", folder)
            found = check_data(benchmark.workload, folder, benchmark.parameters)
            recognised = {name: found[name] for name in ("generator_seed",) if name in found}
            hashed = data_set_facts(folder, anew=unmodified)
            source = None if found.get("synthetic") else data_source(benchmark.workload.name)
            facts[folder] = hashed | recognised | published_facts(hashed.get("files_sha256", {}), source)
        else:
            facts[folder] = place_facts(folder)
        checked.add(read)
    return {one.sweep or one.name: facts[one.data] for one in plan.benchmarks if one.data is not None}


def missing_words(workload: str, folder: str) -> str:
    """Return how to get the files of a folder that is missing."""
    place = f"{workload} --output {folder}"
    return (
        f"{folder} is missing: `orchestrator data fetch {place}` gets the published files, "
        f"`orchestrator data generate {place}` makes synthetic ones"
    )


def _decided(benchmark: PlannedBenchmark) -> tuple[object, ...]:
    """Return the parameters that say which files of its folder a benchmark reads."""
    names = benchmark.workload.data.decided_by if benchmark.workload.data else ()
    return tuple(benchmark.parameters[name] for name in names)


def _has_same_sizes(one: PlannedBenchmark, other: PlannedBenchmark) -> bool:
    """Return whether two benchmarks ask for the same made files; a size that only one has has its default."""
    if one.make is None or other.make is None:
        return one.make is other.make
    known = {size.name: size.default for each in (one, other) for size in _sizes(each)}
    return known | dict(one.make) == known | dict(other.make)


def _sizes(benchmark: PlannedBenchmark) -> Sequence[Parameter]:
    return benchmark.workload.data.sizes if benchmark.workload.data else ()


def _to_be_made(benchmark: PlannedBenchmark, folder: Path, sizes: Mapping[str, Any]) -> bool:
    """Tell whether synthetic files must be made; refuse those of another campaign's sizes.

    A size that the files' marker does not state, because the workload has got it since, has its default.
    """
    if not folder.is_dir():
        return True
    marker = load("workloads.data.synthetic:read_marker")(folder)
    if marker is None:
        return False  # real files
    made = {size.name: size.default for size in _sizes(benchmark)} | marker.get("sizes", {})
    if marker["complete"] and made != sizes:
        raise CampaignError(
            f"benchmark {benchmark.name}: {folder} holds synthetic files of other sizes; "
            "remove it, or name another folder in the campaign"
        )
    return not marker["complete"]
