"""The section of a report, and of a live page, about a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from orchestrator.report.blocks import Table, Text

if TYPE_CHECKING:
    from orchestrator.analysis.search.trials import SearchResult

_TRIALS = 50


def search_blocks(found: SearchResult) -> Iterator[Any]:
    """Yield the trials of a search, the best first, and how many went on at each rung."""
    names = list(dict.fromkeys(name for trial in found.trials for name in trial.parameters))
    yield Text(". ".join(line.strip() for line in found.sentences) + ".")
    rungs = bool(found.search.rungs)
    yield Table(
        f"Trials of search {found.search.name}",
        ["trial", *names, *(["epochs"] if rungs else []), found.search.metric, "state"],
        [
            [
                one.number,
                *(one.parameters.get(name) for name in names),
                *([one.epochs] if rungs else []),
                one.value,
                one.state,
            ]
            for one in found.trials[:_TRIALS]
        ],
    )
    if len(found.trials) > _TRIALS:
        yield Text(f"Shown are {_TRIALS} of {len(found.trials):,} trials; `status --json` has all.")
    if rungs:
        yield Table(
            f"Rungs of search {found.search.name}",
            ["epochs", "trials", "ended", "promoted", "pruned"],
            [[one.epochs, one.entered, one.ended, one.promoted, one.pruned] for one in found.rungs],
        )
