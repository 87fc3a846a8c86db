"""What was registered of a campaign, against what its file asks for."""

from __future__ import annotations

import json
from collections.abc import Sequence

from db.records import Campaign
from db.rows import Benchmark
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import left_out, parse_campaign
from orchestrator.planning.registered import as_registered
from sites import FileError, Site, parse
from workloads.description import WorkloadError


def text_differences(
    row: Campaign, rows: Sequence[Benchmark], *, same_code: bool
) -> tuple[list[str], list[str]]:
    """Return where registered benchmarks are not what the campaign's text asks for, and what is unknown.

    Parameters
    ----------
    same_code
        Whether this version launched it: otherwise defaults may differ, and are only named.
    """
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
