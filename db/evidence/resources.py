"""Resources of the accepted attempts of benchmarks, and the pools of nodes that ran them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.evidence.superseded import counted_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.plain import Row, RowReader


@dataclass(frozen=True, slots=True)
class Resources:
    """Memory and CPU time of the accepted attempts of a benchmark; None where not measured."""

    benchmark: str
    largest_memory_bytes: int | None
    mean_cpu_seconds: float | None
    largest_cpu_seconds: float | None


def resources(reader: RowReader, campaign_id: int) -> list[Resources]:
    """Return what the accepted attempts of each benchmark used, in the order of the campaign."""
    found: dict[str, list[Row]] = {}
    with reader.moment() as moment:
        columns = ["benchmark", "peak_memory_bytes", "cpu_seconds"]
        for benchmark, *used in counted_rows(moment, "attempts", columns, campaign_id):
            found.setdefault(benchmark, []).append(tuple(used))
    return [_resources(benchmark, rows) for benchmark, rows in found.items()]


def _resources(benchmark: str, rows: Sequence[Row]) -> Resources:
    memory, seconds = ([one for one in column if one is not None] for column in zip(*rows, strict=True))
    mean = math.fsum(seconds) / len(seconds) if seconds else None
    return Resources(benchmark, max(memory, default=None), mean, max(seconds, default=None))


def accepted_by_pool(reader: RowReader, campaign_id: int) -> dict[str, dict[str | None, int]]:
    """Return how many accepted instances of each benchmark ran in each pool of the site.

    Returns
    -------
    dict
        None stands for blocks of no pool; empty where no block of the campaign has one.
    """
    key = ["session_number", "slot_shape", "block_id"]
    with reader.moment() as moment:
        pools = {tuple(block): pool for *block, pool in moment.rows("blocks", [*key, "pool"], campaign_id)}
        if not any(pool is not None for pool in pools.values()):
            return {}
        numbers = Counter(
            (benchmark, pools.get(tuple(block)))
            for benchmark, *block in counted_rows(moment, "attempts", ["benchmark", *key], campaign_id)
        )
    found: dict[str, dict[str | None, int]] = {}
    for benchmark, pool in sorted(numbers, key=lambda one: (one[0], one[1] or "")):
        found.setdefault(benchmark, {})[pool] = numbers[benchmark, pool]
    return found
