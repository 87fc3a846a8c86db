"""Comparison of the nodes of all benchmarks of a suite, which must be those of one machine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

from db.plain import RowReader
from db.queries import node_descriptions
from db.records import CampaignRow
from orchestrator.analysis.verdict.gathering import Gathered
from orchestrator.analysis.verdict.node_differences import stated_facts

_MODELS = ("cpu.model", "gpu.models")


class _Stated(NamedTuple):
    """A benchmark, the pools of its accepted instances, and the models that their nodes have."""

    benchmark: str
    pools: tuple[str, ...]
    models: dict[str, tuple[str, ...]]


def different_machines(
    reader: RowReader, judged: Iterable[tuple[CampaignRow, Gathered, str, Iterable[str]]]
) -> str | None:
    """Return how two benchmarks contradict that one machine ran both; None if none do.

    Benchmarks of one pool, or of a site without pools, must have a CPU model and, where both have GPUs, a
    model of GPUs in common.

    Parameters
    ----------
    judged
        Campaign, attempts, name in the verdict and pools of each benchmark.
    """
    described: dict[int, tuple[list[node_descriptions.NodeDescription], dict[str, Any]]] = {}
    found: dict[str, _Stated] = {}  # of equal ones the first: points of a sweep are many
    for row, one, name, pools in judged:
        if row.campaign_id not in described:
            described[row.campaign_id] = node_descriptions.read(reader, row.campaign_id)
        used = one.accepted.runs.keys()
        if used:
            models = stated_facts(*described[row.campaign_id], used, _MODELS)
            one_pool = tuple(sorted(pools))
            found.setdefault(repr((one_pool, models)), _Stated(name, one_pool, models))
    for first, second in combinations(found.values(), 2):
        if first.pools != second.pools:
            continue
        for fact in _MODELS:
            mine, theirs = first.models.get(fact, ()), second.models.get(fact, ())
            if mine and theirs and not {*mine} & {*theirs}:
                return (
                    f"nodes of {first.benchmark} have {fact} {', '.join(mine)}, those of {second.benchmark} "
                    f"{', '.join(theirs)}: two machines, or pools of one that the site file does not name"
                )
    return None
