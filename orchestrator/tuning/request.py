"""From a request to tune slot shapes to the campaign that measures them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import benchmark_names
from orchestrator.planning.campaign_reading import load_campaign
from orchestrator.planning.campaign_source import find_campaign, read_campaign
from orchestrator.planning.overrides import site_settings
from orchestrator.planning.placement import shape_of
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import SlotShape
from orchestrator.rulebooks import registry
from orchestrator.tuning.options import TuneOptions
from orchestrator.tuning.slot_ladder import Ladder, ladders
from sites import FileError, Site, SiteSlot, default, load
from sites.files import NAME, NAME_WORDS
from sites.resolved import dump
from sites.schedulers import Batch
from workloads.external.reference import is_file, path_of

_TIMEOUT = "1 h"
_TAKEN = ("recipe", "workload", "parameters", "container", "timeout", "expected_runtime", "data", "processes")
_TAKEN_OF_CAMPAIGN = (
    "rulebook", "class", "seed", "processes", "start_timeout", "grace_period", "instance_setup",
    "instance_teardown",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ready:
    """Options with what its site offers.

    Parameters
    ----------
    pool
        Pool of the site that is tuned; empty where the site has none.
    data
        The campaign, but for the points of its benchmark.
    settings
        Values of the command line, and those that hold a block to one node.
    """

    options: TuneOptions
    name: str
    site: Site
    pool: str
    data: Mapping[str, Any]
    settings: tuple[str, ...]
    ladders: Mapping[str, Ladder]


def prepare(options: TuneOptions) -> Ready:
    """Return options with what its site offers; nothing is changed.

    Raises
    ------
    CampaignError, WorkloadError
        If workload, site or a value is wrong, or only one slot shape fills a node.
    """
    try:
        site, _ = load(options.site or default().site, site_settings(options.overrides))
        data = _campaign(options)
        pool, machine = _pool(site, data["benchmarks"][0])
    except FileError as error:
        raise CampaignError(str(error)) from None
    [benchmark] = data["benchmarks"]
    workload = describe(benchmark["workload"])
    slot = benchmark.pop("slot", None)
    shape = shape_of(SiteSlot(**slot) if slot else machine.slots.get(workload.name, machine.slot))
    node = node_facts(machine)
    found = ladders(node, shape, ranks=workload.ranks)
    rungs = {one.shape for ladder in found.values() for one in ladder}
    [label] = benchmark_names(data)
    _check_settings(options.overrides, label)
    if len(rungs) < 2:
        only = f" ({next(iter(rungs)).label})" if rungs else ""
        alone = "; its node.gpus lets none share a GPU" if shape.gpus and node.max_ranks_per_gpu == 1 else ""
        raise CampaignError(
            f"{label}: only one slot shape{only} fills a node of site {site.site}, so nothing is to be tuned"
            f"{alone}"
        )
    if options.name is not None and not re.fullmatch(NAME, options.name):
        raise CampaignError(f"--name {options.name!r}: {NAME_WORDS['patternErrorMessage']}")
    name = options.name or re.sub(r"[^A-Za-z0-9._-]", "_", f"tune-{label}-{site.site}")
    settings: list[str] = []
    if isinstance(machine.scheduler, Batch):
        where = f"site.pools.{pool}.scheduler" if pool else "site.scheduler"
        settings = [f"{where}.nodes_per_block=1", f"{where}.max_blocks=1"]
    return Ready(options, name, site, pool, data, (*settings, *options.overrides), found)


def _check_settings(overrides: Sequence[str], label: str) -> None:
    """Refuse values of what makes the points, without which nodes would not be full."""
    whole = {"campaign.start", "campaign.campaign", "campaign.benchmarks"}
    own = {f"{label}.{key}" for key in ("name", "slot", "instances", "repeat", "matrix", "share", "pools")}
    for one in overrides:
        path = one.partition("=")[0].strip()
        if any(path == key or path.startswith(f"{key}.") for key in whole | own):
            raise CampaignError(
                f"--set {one}: tune chooses slots, instances and their start by itself; leave it out"
            )


def _meant(workload: str) -> str:
    """Return a workload as one text, however the path of its file is written."""
    return str(path_of(workload)) if is_file(workload) else workload


def _campaign(options: TuneOptions) -> dict[str, Any]:
    """Return the campaign of a tuning, its benchmark without instances and points."""
    if options.like is None:
        benchmark: dict[str, Any] = {"workload": options.workload}
        suite: Mapping[str, Any] = {"rulebook": _rulebook(options.workload)}
    else:
        file = find_campaign(options.like)
        load_campaign(file)  # whose errors name its lines
        suite = read_campaign(file).data
        names = benchmark_names(suite)
        pairs = zip(names, suite["benchmarks"], strict=True)
        alike = [
            one
            for name, one in pairs
            if isinstance(one, dict)
            and (options.workload == name or _meant(options.workload) == _meant(one["workload"]))
        ]
        if not alike:
            raise CampaignError(f"{file}: no benchmark runs {options.workload}; it has {', '.join(names)}")
        benchmark = {key: alike[0][key] for key in (*_TAKEN, "slot", "pools") if key in alike[0]}
    return {
        "campaign": "tune",
        "description": "Slot shapes of one node, each filling it",
        **{key: suite[key] for key in _TAKEN_OF_CAMPAIGN if key in suite},
        "start": "synchronized",
        "retries": {"benchmark": 0},
        "benchmarks": [{"timeout": _TIMEOUT, **benchmark}],
    }


def _rulebook(workload: str) -> str:
    name = registry.workload_name(workload, describe(workload))
    return "coral2" if name in registry.load("coral2").workloads() else "none"


def _pool(site: Site, benchmark: dict[str, Any]) -> tuple[str, Site]:
    """Return the pool of a site that is tuned, and the site as it has it; the benchmark then names it."""
    pools = site.pooled()
    wanted = [one for one in benchmark.pop("pools", None) or () if one in pools]
    name = wanted[0] if wanted else site.main_pool
    if name:
        benchmark["pools"] = [name]
    return name, pools[name]


def with_points(benchmark: Mapping[str, Any], shapes: Sequence[SlotShape], waves: int) -> dict[str, Any]:
    """Return a benchmark with slot shapes as the points of a sweep, each filling the site's nodes."""
    several = any(one.ranks > 1 for one in shapes)
    points = [
        {
            **({"ranks": one.ranks} if several else {}),
            "cores": one.cores,
            **({"gpus": str(one.gpus) if one.gpus.denominator > 1 else int(one.gpus)} if one.gpus else {}),
        }
        for one in shapes
    ]
    return {
        **{key: benchmark[key] for key in (*_TAKEN, "name", "pools") if key in benchmark},
        "slot": {"nodes": 1, "cores": 1},
        "instances": f"fill x{waves}",
        "matrix": {"include": points},
    }


@contextmanager
def campaign_file(data: Mapping[str, Any]) -> Iterator[Path]:
    """Write a campaign, or benchmarks to add, into a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="orchestrator-tune-") as folder:
        file = Path(folder) / "tune.yaml"
        file.write_text(dump(data), encoding="utf-8")
        try:
            yield file
        except CampaignError as error:
            raise CampaignError(str(error).replace(f"{file}: ", "")) from None


def first_campaign(ready: Ready, shapes: Sequence[SlotShape]) -> dict[str, Any]:
    """Return the campaign that measures its first slot shapes."""
    points = with_points(ready.data["benchmarks"][0], shapes, ready.options.waves)
    return {**ready.data, "campaign": ready.name, "benchmarks": [points]}
