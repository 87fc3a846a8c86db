"""Add instances or benchmarks to a campaign that exists: new numbers and seeds, and nothing old changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow, NewInstance
from db.rows import BenchmarkRow
from db.writing.changes import CampaignChange
from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks.plans import check_whole
from orchestrator.lifecycle.data.files import prepare
from orchestrator.lifecycle.data.hashes import describe
from orchestrator.lifecycle.driver_process.identity import is_dead, this_user
from orchestrator.lifecycle.saved_rows import save_rows
from orchestrator.planning.campaign_file import CampaignFile, benchmark_names
from orchestrator.planning.campaign_limits import MOST_INSTANCES, check_limits
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.campaign_source import read_campaign
from orchestrator.planning.left_out import left_out
from orchestrator.planning.pinned_workloads import with_pinned_files
from orchestrator.planning.plan import Plan, make_plan, without
from orchestrator.planning.registered import as_registered
from orchestrator.planning.site_facts import node_facts
from orchestrator.wording import count_of
from sites import FileError
from sites.resolved import Resolved, stored
from workloads.description import WorkloadError
from workloads.spelling import near

_COUNT = re.compile(r"(?P<benchmark>.+)=\+(?P<number>[1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class Added:
    """Benchmarks that were added to a campaign.

    Parameters
    ----------
    instances
        Number of new instances by benchmark.
    benchmarks
        Those that are new.
    summed
        Number of new instances for people: those of a sweep's points together.
    """

    instances: Mapping[str, int]
    benchmarks: tuple[str, ...]
    summed: Mapping[str, int]


def add(
    name: str,
    file: str | Path | None = None,
    *,
    instances: Sequence[str] = (),
    ledger: str | None = None,
    check_data: bool = True,
    source: str = "",
) -> Added:
    """Add instances or benchmarks to a campaign that no driver runs; `resume` runs them.

    Parameters
    ----------
    file, instances
        YAML file with the one key ``benchmarks``, and more instances, each such as ``p1b1=+20``.
    check_data
        Read and hash the data files of new benchmarks first.
    source
        Who asks, for the event; by default user and host of this process.

    Raises
    ------
    CampaignError, WorkloadError
        If what is added is wrong. Nothing is changed then.
    LeaseError
        If a driver runs the campaign.
    """
    if file is None and not instances:
        raise CampaignError("name a file with benchmarks, or --instances p1b1=+20")
    with Ledger(ledger) as book:
        row = book.campaign(name)
        rows = {one.benchmark: one for one in book.benchmarks(row.campaign_id)}
        sweeps = book.sweeps(row.campaign_id)
        more = _counts(instances, rows, sweeps)
        text, spec = _extended(row, file, more, rows, sweeps)
        planned = _planned(row, spec, rows, more)
        new = [one for one in planned.benchmarks if one.name not in rows]
        facts = _data_facts(replace(planned, benchmarks=tuple(new)), check_data=check_data) if new else {}
        numbers = more | {one.name: one.instances for one in new}
        summed = by_sweep(numbers, sweeps | {one.name: one.sweep for one in new if one.sweep})
        change = CampaignChange(
            EventKind.CAMPAIGN_EXTENDED,
            "added "
            + ", ".join(f"{count_of(number, 'instance')} of {one}" for one, number in summed.items())
            + (f", by {source}" if source else ""),
            "",
            {"instances": numbers, "benchmarks": [one.name for one in new], "by": source or this_user()},
            "campaign",
            "",
            row.campaign_yaml,
            text,
            counts={one: rows[one].instances + number for one, number in more.items()},
            new_benchmarks=tuple(one.row() for one in new),
            new_points=tuple(point for one in new for point in one.point_rows()),
            descriptions={one.name: one.description() for one in new},
            new_instances=_new_instances(book, row, spec.seed, numbers),
        )
        dead = row.lease_owner if row.lease_owner and is_dead(row.lease_owner) else None
        book.change(row.campaign_id, change, dead=dead)
        for benchmark, found in facts.items():
            book.note(row.campaign_id, EventKind.DATA_READ, describe(found), subject=benchmark, data=found)
        save_rows(book, row)
    return Added(numbers, tuple(one.name for one in new), summed)


def _data_facts(added: Plan, *, check_data: bool) -> dict[str, dict[str, Any]]:
    check_whole(added)
    return prepare(added, check=check_data)


def by_sweep(numbers: Mapping[str, int], sweeps: Mapping[str, str]) -> dict[str, int]:
    """Return numbers of benchmarks with those of the points of a sweep added up, as ``nt3 (12 points)``."""
    members: dict[str, list[int]] = {}
    for name, number in numbers.items():
        members.setdefault(sweeps.get(name, name), []).append(number)
    swept = {sweeps[name] for name in numbers if name in sweeps}
    return {
        f"{name} ({len(each):,} point{'s'[: len(each) != 1]})" if name in swept else name: sum(each)
        for name, each in members.items()
    }


def _counts(
    written: Sequence[str], rows: Mapping[str, BenchmarkRow], sweeps: Mapping[str, str]
) -> dict[str, int]:
    found: dict[str, int] = {}
    points: dict[str, list[str]] = {}
    for point, sweep in sweeps.items():
        points.setdefault(sweep, []).append(point)
    for one in written:
        match = _COUNT.fullmatch(one)
        if match is None:
            raise CampaignError(f"--instances {one!r}: write BENCHMARK=+NUMBER, such as p1b1=+20")
        name = match["benchmark"]
        if name not in rows and name not in points:
            known = list(dict.fromkeys(sweeps.get(one, one) for one in rows))
            if "[" in name:
                known = [point for point in sweeps if point.startswith(name.partition("[")[0])][:6] or known
            hint = near(name, known, f"there are {', '.join(known)}")
            raise CampaignError(f"--instances {one}: no benchmark {name!r} is registered{hint}")
        members = points.get(name, [name])
        for member in members:
            found[member] = found.get(member, 0) + int(match["number"])
            if found[member] > MOST_INSTANCES:
                raise CampaignError(f"--instances {one}: a campaign has at most {MOST_INSTANCES:,} instances")
    return found


def _extended(
    row: CampaignRow,
    file: str | Path | None,
    more: Mapping[str, int],
    rows: Mapping[str, BenchmarkRow],
    sweeps: Mapping[str, str],
) -> tuple[str, CampaignFile]:
    """Return the campaign's text with what is added, and what it says."""
    counts = {name: rows[name].instances + number for name, number in more.items()}
    points = {name: rows[name].instances for name in sweeps} | {
        n: c for n, c in counts.items() if n in sweeps
    }
    source = f"campaign {row.name} in the ledger"
    try:
        before = stored(row.campaign_yaml, CampaignFile, source)
        fragment = _fragment(file, [*benchmark_names(before.data), *rows])
        old = [
            _counted(one, name, counts, {point: n for point, n in points.items() if sweeps[point] == name})
            for one, name in zip(before.data["benchmarks"], benchmark_names(before.data), strict=True)
        ]
        benchmarks = [*old, *(fragment.data["benchmarks"] if fragment else [])]
        files = fragment.files if fragment else ()
        extended = replace(before, data=before.data | {"benchmarks": benchmarks}, files=files)
        text = with_pinned_files(extended.text)
    except (FileError, WorkloadError) as error:
        raise CampaignError(str(error)) from None
    spec = parse_campaign(text, str(file or source))
    check_limits(spec, text, str(file or source))
    return text, spec


def _counted(
    benchmark: Mapping[str, Any], name: str, counts: Mapping[str, int], points: Mapping[str, int]
) -> dict[str, Any]:
    """Return a benchmark of a file with other numbers of instances.

    Parameters
    ----------
    counts
        The new numbers of benchmarks and points that get more.
    points
        The new number of every point of it, if it has a matrix.
    """
    if name not in counts and not counts.keys() & points.keys():
        return dict(benchmark)
    kept = {key: value for key, value in benchmark.items() if key not in ("repeat", "instances_at")}
    most_common = Counter(points.values()).most_common(1)[0][0] if points else counts[name]
    others = {point: number for point, number in points.items() if number != most_common}
    return kept | {"instances": most_common} | ({"instances_at": others} if others else {})


def _fragment(file: str | Path | None, known: Sequence[str]) -> Resolved | None:
    if file is None:
        return None
    found = read_campaign(Path(file))
    benchmarks = found.data.get("benchmarks")
    if set(found.data) != {"benchmarks"} or not isinstance(benchmarks, list) or not benchmarks:
        raise FileError(f"{file}: must hold a list of benchmarks, and no other key than benchmarks")
    for name in benchmark_names(found.data):
        if name in known:
            raise FileError(
                f"{file}: the campaign has a benchmark {name} already; give this one another name, or use "
                f"--instances {name}=+NUMBER"
            )
    return found


def _planned(
    row: CampaignRow, spec: CampaignFile, rows: Mapping[str, BenchmarkRow], more: Mapping[str, int]
) -> Plan:
    site = registered_site(row)
    registered, _ = as_registered(spec, site, list(rows.values()))
    counted = [
        one.model_copy(update={"instances": rows[one.name].instances + more[one.name]})
        if one.name in more
        else one
        for one in registered.benchmarks
    ]
    changed = registered.model_copy(update={"benchmarks": counted})
    planned = make_plan(changed, site, node_facts(site), Path(row.data_path), row.name)
    return without(planned, dict.fromkeys(left_out(row.campaign_yaml, list(rows)), "left out at launch"))


def _new_instances(
    book: Ledger, row: CampaignRow, seed: int, numbers: Mapping[str, int]
) -> tuple[NewInstance, ...]:
    instance = -1
    firsts: dict[str, int] = {}
    for number, name, index in book.instance_labels(row.campaign_id):
        instance = max(instance, number)
        firsts[name] = max(firsts.get(name, 0), index + 1)
    found: list[NewInstance] = []
    for benchmark, number in numbers.items():
        first = firsts.get(benchmark, 0)
        for index in range(first, first + number):
            instance += 1
            found.append(NewInstance(instance, benchmark, index, (seed + instance) % 2**32))
    if instance >= 2**32:
        raise CampaignError(f"{instance + 1} instances need more distinct seeds than there are (2**32)")
    return tuple(found)
