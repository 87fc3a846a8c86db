"""Limits of a new campaign's values, with the line of the file where one is exceeded.

Campaigns that a ledger holds already are not held to them: a resume goes on with what was launched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import Benchmark, CampaignFile
from sites.places import Lines, Place
from sites.resolved import RESOLVED

SHORTEST_SECONDS = 0.1
LONGEST_SECONDS = 366 * 86400.0
LARGEST_NUMBER = 10**15
"""Of whole numbers among parameters and data sizes, of either sign."""
MOST_INSTANCES = 10_000_000
"""Of a campaign: each has a row in the ledger."""
LONGEST_NAME_BYTES = 200
"""Of a benchmark's name, which is part of file names."""
_MOST_PROBLEMS = 3


def check_limits(campaign: CampaignFile, text: str, source: str) -> None:
    """Refuse values that no campaign can mean.

    Parameters
    ----------
    text, source
        The campaign's text, and the name of its file for messages.

    Raises
    ------
    CampaignError
        With a line for each of the first few values: file, line, key, and what is allowed.
    """
    found = list(dict.fromkeys(_problems(campaign)))
    if not found:
        return
    written = Lines("" if text.startswith(RESOLVED) else text)  # a resolved text has lines of no file
    lines = [
        f"{source}: {written.of(place)}{'.'.join(map(str, place))}: {problem}"
        for place, problem in found[:_MOST_PROBLEMS]
    ]
    more = [f"{source}: and {len(found) - _MOST_PROBLEMS} more"] if len(found) > _MOST_PROBLEMS else []
    raise CampaignError("\n".join([*lines, *more]))


def _problems(campaign: CampaignFile) -> Iterator[tuple[Place, str]]:
    planned = sum(one.instances for one in campaign.benchmarks if isinstance(one.instances, int))
    if planned > MOST_INSTANCES:
        yield ("benchmarks",), f"must have at most {MOST_INSTANCES:,} instances together, not {planned:,}"
    for key in ("start_timeout", "grace_period"):
        if problem := _duration(getattr(campaign, key)):
            yield (key,), problem
    number, sweep = -1, None
    for benchmark in campaign.benchmarks:
        if benchmark.sweep is None or benchmark.sweep != sweep:  # points follow each other
            number, sweep = number + 1, benchmark.sweep
        for place, problem in _problems_of(benchmark):
            yield ("benchmarks", number, *place), problem


def _problems_of(benchmark: Benchmark) -> Iterator[tuple[Place, str]]:
    if not benchmark.name.isprintable():
        yield ("name",), f"must hold no control characters, not {benchmark.name!r}"
    elif (length := len(benchmark.name.encode())) > LONGEST_NAME_BYTES:
        whose = f"of the point {benchmark.name} " if benchmark.point else ""
        yield ("name",), f"{whose}must have at most {LONGEST_NAME_BYTES} bytes, not {length}"
    elif benchmark.name.startswith("-") or benchmark.name in (".", ".."):
        yield (
            ("name",),
            "must not be . or .. and not begin with -, which commands take for an option, "
            f"not {benchmark.name!r}",
        )
    for key in ("timeout", "expected_runtime"):
        value = getattr(benchmark, key)
        if value is not None and (problem := _duration(value)):
            yield (key,), problem
    for name, problem in _numbers(benchmark.parameters):
        swept = benchmark.point is not None and name in benchmark.point.parameters
        key = "search" if benchmark.search else "matrix"
        yield (key if swept else "parameters", name), problem
    for name, problem in _numbers(benchmark.data.generate or {}):
        yield ("data", "generate", name), problem
    directory = benchmark.data.directory
    if directory is not None and not directory.isprintable():
        yield ("data", "directory"), f"must hold no control characters, not {directory!r}"
    elif directory is not None and (PurePath(directory).is_absolute() or ".." in PurePath(directory).parts):
        yield (
            ("data", "directory"),
            f"must stay below the site's data path, and {directory} leaves it: write a directory below it, "
            "and give another data path by --data",
        )


def _duration(seconds: float) -> str:
    if SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS:
        return ""
    return f"must be from {SHORTEST_SECONDS} s to {LONGEST_SECONDS / 86400:.0f} d, not {seconds:g} s"


def _numbers(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            yield name, f"a whole number must be from -10^15 to 10^15, not {value}"
