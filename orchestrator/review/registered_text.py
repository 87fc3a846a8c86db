"""Compares a registered campaign with its file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from db.evidence.seeds import other_seeds
from db.plain import RowReader
from db.records import CampaignRow
from db.rows import BenchmarkRow
from orchestrator.catalog.registered_description import workload_of
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile, benchmark_names
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.left_out import left_out
from orchestrator.planning.questions import with_instances
from orchestrator.planning.registered import as_registered
from orchestrator.planning.search.settings import Search
from orchestrator.planning.search.trials import trial_points, written_labels
from orchestrator.planning.sweeps import Point, points_of
from orchestrator.wording import count_of
from sites import FileError, Site, parse
from sites.files import parse_mapping
from sites.quantities import seconds
from workloads.description import Parameter, Workload, WorkloadError
from workloads.external.reference import is_file


def text_differences(
    row: CampaignRow, rows: Sequence[BenchmarkRow], documents: Mapping[str, Any], *, same_code: bool
) -> tuple[list[str], list[str]]:
    """Return where registered benchmarks are not what the campaign's text asks for, and what is unknown.

    Parameters
    ----------
    documents
        Registered descriptions by benchmark, by which files and modules are compared.
    same_code
        Whether this version launched it: otherwise defaults may differ, and are only named.
    """
    if any(_needs_more(one.workload) for one in rows):
        return list(_written_differences(row, rows, documents)), []
    try:
        spec = parse_campaign(row.campaign_yaml, f"campaign {row.name}")
        site = parse(row.site_yaml, Site, f"site {row.site_name}")
    except (CampaignError, FileError, WorkloadError) as error:
        unknown = [f"its campaign file cannot be compared with its rows here: {str(error).splitlines()[0]}"]
        return (unknown, []) if same_code else ([], unknown)
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
        f"benchmark {one.name}: {count_of(counts[one.name], 'instance', 'are')} registered, its "
        "campaign file says "
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
        unknown = [f"its parameters cannot be compared with its campaign file here: {error}"]
        return (unknown, []) if same_code else ([], unknown)
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


def seed_differences(reader: RowReader, row: CampaignRow) -> Iterator[str]:
    """Yield which instances have another seed than the campaign's seed and their number give."""
    try:
        seed = _seed(_mapping(row.campaign_yaml))
    except (FileError, TypeError, ValueError, AttributeError) as error:
        yield f"its campaign file gives no seed: {str(error).splitlines()[0]}"
        return
    number, first = other_seeds(reader, row.campaign_id, seed)
    if first is not None:
        label, registered, given = first
        yield (
            f"{count_of(number, 'instance', 'have')} another seed than the campaign's seed {seed} "
            "and their number give, "
            f"such as {label}: {registered} is registered, {given} is given"
        )


def _seed(written: Mapping[Any, Any]) -> int:
    return int(written.get("seed", CampaignFile.model_fields["seed"].default))


def _mapping(text: str) -> dict[Any, Any]:
    return parse_mapping(text, "campaign")


def _written_differences(
    row: CampaignRow, rows: Sequence[BenchmarkRow], documents: Mapping[str, Any]
) -> Iterator[str]:
    """Compare the campaign file with the rows by the registered descriptions; nothing it names is opened."""
    try:
        data = with_instances(_mapping(row.campaign_yaml))
        written = dict(zip(benchmark_names(data), data["benchmarks"], strict=True))
        absent = left_out(row.campaign_yaml, [one.benchmark for one in rows])
        seed = _seed(data)
    except (FileError, KeyError, TypeError, ValueError, AttributeError) as error:
        yield f"its campaign file cannot be compared with its rows: {str(error).splitlines()[0]}"
        return
    registered = {one.benchmark: one for one in rows}
    for name, one in written.items():
        try:
            labels = written_labels(name, one)
            mine = {label: registered.pop(label) for label in labels if label in registered}
            yield from (
                f"benchmark {label} of its campaign file has no row"
                for label in labels
                if label not in mine and label not in absent
            )
            known = next((documents[label] for label in mine if documents.get(label)), None)
            yield from _written_otherwise(name, one, mine, known, seed)
        except (WorkloadError, KeyError, TypeError, ValueError, AttributeError) as error:
            yield f"benchmark {name} cannot be compared with its campaign file: {error}"
    yield from (f"benchmark {name} is not in its campaign file" for name in registered)


def _written_otherwise(
    name: str,
    written: Mapping[str, Any],
    rows: Mapping[str, BenchmarkRow],
    document: Mapping[str, Any] | None,
    seed: int,
) -> Iterator[str]:
    """Compare the rows of one benchmark, or of the points of a sweep, with what the file says of it."""
    given = written.get("parameters") or {}
    points: dict[str, Point] = {}
    wanted = dict.fromkeys(rows, given)
    if document is not None and "parameters" in document["description"]:
        workload = _with_parameters(document)
        base = workload.resolve(given)
        if written.get("matrix"):
            points = {one.label: one for one in points_of(name, written["matrix"], workload, base)}
        elif written.get("search"):
            search = Search.model_validate(written["search"])
            points = {one.label: one for one in trial_points(name, search, workload, seed)}
        changes = {label: points[label].parameters if label in points else {} for label in rows}
        wanted = {label: workload.resolve({**given, **changes[label]}) for label in rows}
    elif (written.get("matrix") or written.get("search")) and rows:
        yield f"the points of {name} cannot be compared with its campaign file: no description was registered"
    one = 1 if written.get("matrix") or written.get("search") else None
    number = written.get("instances", written.get("repeat", one))
    for label, row in rows.items():
        if str(written.get("workload")).partition("#")[0] != row.workload.partition("#")[0]:
            yield f"benchmark {label} runs {row.workload}, its campaign file says {written.get('workload')}"
        registered = json.loads(row.parameters)
        late = points[label].chosen_late if label in points else frozenset()  # compared with events
        pairs: dict[str, tuple[Any, Any]] = {
            key: (registered.get(key), value) for key, value in wanted[label].items() if key not in late
        }
        if "timeout" in written:
            durations = points[label].durations if label in points else {}
            timeout = durations.get("timeout", seconds(written["timeout"]))
            pairs["timeout"] = (row.timeout_seconds, timeout)
        if label in points:
            slot = json.loads(row.slot)
            pairs |= {
                f"slot.{key}": (slot.get(key), float(value)) for key, value in points[label].slot.items()
            }
        count = (written.get("instances_at") or {}).get(label, number)
        if isinstance(count, int) and count != row.instances:
            yield (
                f"benchmark {label}: {count_of(row.instances, 'instance', 'are')} registered, its "
                f"campaign file says {count}"
            )
        for key, (known, value) in pairs.items():
            if known != value:
                yield f"benchmark {label}: {key} is registered as {known}, its campaign file says {value}"


def _with_parameters(document: Mapping[str, Any]) -> Workload:
    """Return the workload of a registered description with its parameters, without opening what it names."""
    known = document["description"]["parameters"]
    parameters = tuple(Parameter(**{**one, "choices": tuple(one["choices"])}) for one in known)
    return replace(workload_of(document), parameters=parameters)
