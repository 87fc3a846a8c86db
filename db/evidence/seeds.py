"""Seeds of instances, against each other and the campaign's seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from db.plain import RowReader


def distinct_seeds(reader: RowReader, campaign_id: int) -> bool:
    """Return whether no two instances of a campaign share a seed."""
    with reader.moment() as moment:
        seeds = [seed for (seed,) in moment.rows("instances", ["seed"], campaign_id)]
    return len(set(seeds)) == len(seeds)


def other_seeds(reader: RowReader, campaign_id: int, seed: int) -> tuple[int, tuple[str, int, int] | None]:
    """Return how many instances k have another seed than (`seed` + k) mod 2**32, and the first of them.

    The first is given by its label, its seed, and the seed that it should have.
    """
    number, first = 0, None
    columns = ["instance_id", "benchmark", "benchmark_index", "seed"]
    with reader.moment() as moment:
        for instance, benchmark, index, given in moment.rows("instances", columns, campaign_id):
            right = (instance + seed) % 2**32
            if given != right:
                number += 1
                first = first or (f"{benchmark}/{index}", given, right)
    return number, first
