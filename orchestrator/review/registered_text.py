"""What was registered of a campaign, against what its file asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from db.records import Campaign
from db.rows import Benchmark
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import benchmark_names, left_out, parse_campaign
from orchestrator.planning.registered import as_registered
from sites import FileError, Site, parse
from sites.files import parse_mapping
from workloads.description import WorkloadError
from workloads.external.reference import is_file


def text_differences(
    row: Campaign, rows: Sequence[Benchmark], *, same_code: bool
) -> tuple[list[str], list[str]]:
    """Return where registered benchmarks are not what the campaign's text asks for, and what is unknown.

    Parameters
    ----------
    same_code
        Whether this version launched it: otherwise defaults may differ, and are only named.
    """
    if any(_needs_more(one.workload) for one in rows):
        return _plain_differences(row, rows)
    try:
        spec = parse_campaign(row.campaign_yaml, f"campaign {row.name}", stored=True)
        site = parse(row.site_yaml, Site, f"site {row.site_name}", stored=True)
    except (CampaignError, FileError, WorkloadError) as error:
        return [], [f"its campaign file cannot be compared with its rows here: {str(error).splitlines()[0]}"]
    registered = {one.benchmark: one for one in rows}
    found = []
    absent = left_out(row.campaign_yaml, list(registered))
    for benchmark in spec.benchmarks:
        one = registered.pop(benchmark.name, None)
        if one is None:
            if benchmark.name not in absent:
                found.append(f"benchmark {benchmark.name} of its campaign file has no row")
        elif one.workload.partition("#")[0] != benchmark.workload.partition("#")[0]:
            found.append(
                f"benchmark {benchmark.name} runs {one.workload}, its campaign file says {benchmark.workload}"
            )
    found += [f"benchmark {name} is not in its campaign file" for name in registered]
    counts = {one.benchmark: one.instances for one in rows}
    found += [
        f"benchmark {one.name}: {counts[one.name]} instances are registered, its campaign file says "
        f"{one.instances}"
        for one in spec.benchmarks
        if isinstance(one.instances, int) and counts.get(one.name, one.instances) != one.instances
    ]
    if found:
        return found, []
    try:
        given = [(one, describe(one.workload).resolve(one.parameters)) for one in spec.benchmarks]
        _, changed = as_registered(spec, site, rows)
    except WorkloadError as error:
        return [], [f"its parameters cannot be compared with its campaign file here: {error}"]
    parameters = {one.benchmark: json.loads(one.parameters) for one in rows}
    found = [
        f"benchmark {one.name}: {name} is registered as {parameters[one.name].get(name)}, "
        f"its campaign file says {wanted[name]}"
        for one, wanted in given
        if one.name in parameters
        for name in one.parameters
        if parameters[one.name].get(name) != wanted[name]
    ]
    different = [f"benchmark {name} is registered otherwise: {what}" for name, what in changed.items()]
    return ([*found, *different], []) if same_code else (found, different)


def _needs_more(reference: str) -> bool:
    """Tell whether a workload is a file or module, which a reviewer's machine may lack or have otherwise."""
    return is_file(reference) or "." in reference


def _plain_differences(row: Campaign, rows: Sequence[Benchmark]) -> tuple[list[str], list[str]]:
    """Compare the campaign file with the rows as it is written; nothing that it names is opened."""
    try:
        data = parse_mapping(row.campaign_yaml, f"campaign {row.name}")
        written = dict(zip(benchmark_names(data), data["benchmarks"], strict=True))
    except (FileError, KeyError, TypeError, ValueError) as error:
        return [], [f"its campaign file cannot be compared with its rows: {str(error).splitlines()[0]}"]
    registered = {one.benchmark: one for one in rows}
    absent = left_out(row.campaign_yaml, list(registered))
    found: list[str] = []
    unknown: list[str] = []
    for name, one in written.items():
        points = [point for point in registered if point.startswith(f"{name}[")]
        if one.get("matrix"):
            for point in points:
                del registered[point]
            unknown.append(f"the points of {name} cannot be compared with its campaign file here")
        elif (mine := registered.pop(name, None)) is not None:
            found += _written_otherwise(one, mine)
        elif name not in absent:
            found.append(f"benchmark {name} of its campaign file has no row")
    return found + [f"benchmark {name} is not in its campaign file" for name in registered], unknown


def _written_otherwise(written: Mapping[str, Any], row: Benchmark) -> Iterator[str]:
    name, parameters = row.benchmark, json.loads(row.parameters)
    if str(written.get("workload")).partition("#")[0] != row.workload.partition("#")[0]:
        yield f"benchmark {name} runs {row.workload}, its campaign file says {written.get('workload')}"
    number = written.get("instances")
    if isinstance(number, int) and number != row.instances:
        yield f"benchmark {name}: {row.instances} instances are registered, its campaign file says {number}"
    for key, value in (written.get("parameters") or {}).items():
        if parameters.get(key) != value:
            known = parameters.get(key)
            yield f"benchmark {name}: {key} is registered as {known}, its campaign file says {value}"
