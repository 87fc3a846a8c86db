"""Draws times for simulated campaigns from what earlier campaigns of the site took.

Campaigns differ as wholes (a slower file system, a fuller queue) and so do runs within one. Both logarithms
are taken as normal: a simulated campaign gets a factor for its runs and one for its waits in each pool, drawn
from Student's distribution that follows from the earlier campaigns' factors and a prior guess (A. Gelman and
others, Bayesian Data Analysis, 3rd edition, 2013, section 3.3); within it, runs and waits are drawn from
the earlier ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import fmean, median, pstdev
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from db.queries.history import (
    campaigns_of_site,
    ended_attempts,
    node_starts,
    run_times,
    started_blocks,
)
from orchestrator.simulation.likelihood import Observed, Prior, likely
from sites import parse_mapping

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow, NewBenchmark
    from orchestrator.planning.plan import Plan
    from orchestrator.schedulers.model import QueueWait

CAMPAIGNS = 30
"""Last campaigns of a site whose times count."""
_LEAST_ATTEMPTS = 20
"""Fewer attempts give no share of failures."""
_NODE_START = 5.0
"""Prior guess of the seconds that a node takes to start, which weighs as much as one node."""
_PRIOR_CAMPAIGNS = 2.0
"""The prior guess of how campaigns differ weighs as much as so many campaigns."""
_RUN_FACTOR, _WAIT_FACTOR = 0.08, 1.0
"""Prior guess of the standard deviation of the logarithms of a campaign's factors."""
_STATED = Prior(0.0, 0.4, 4.0, tuple(0.02 * 30 ** (k / 11) for k in range(12)))
"""Prior guess of the logarithm of true by stated durations, which are often off, and of the spread of runs,
from 2 to 60 %; it counts once runs have ended."""
_LEAST_SPREAD, _SHORTEST_RUN = 0.02, 1e-3
"""Least spread of the logarithms of runs, and seconds of the shortest run, so that its logarithm exists."""
_MAD_TO_SIGMA = 1.4826
"""Standard deviation by median absolute deviation, of normal values."""
_MOST_SCALES = 4.0
"""Scales from the mean at the most: Student's distribution of few campaigns has no variance."""
_LEAST_WAIT_SPREAD = 0.5
"""Least spread of the logarithms of waits within a campaign, as few waits show too little of it."""
_SHORTEST_WAIT = 60.0
"""Seconds; shorter waits differ by how often the batch system looks at its queue."""
_LONGEST_WAIT_RATIO = 10.0
"""A wait is drawn at most so many times as long as the longest earlier wait."""
DAY = 86_400.0
"""Seconds."""
_NODE_HOURS_TO_FAILURE = 10_000.0
_SIZE_RATIO = 2.0
"""Waits of blocks count that have at least half and at most twice as many nodes as one of the plan."""
_Wait = tuple[str, int, str, float]
"""Pool of the site, nodes, campaign or day, and seconds."""
_SYSTEM_FACTS = ("share_of_system", "others")
"""Facts of a slot that do not change how long a training in it takes."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Times of one simulated campaign.

    Parameters
    ----------
    factor
        How much longer than usual its runs take.
    expected
        Seconds from ready to end of each benchmark that expects a duration and has no earlier runs.
    spread
        Of the logarithms of such runs around that; None where nothing is known of it.
    ready_seconds
        Median of the campaign's own runs from start to ready; None before any has ended.
    medians
        Seconds of a run of each benchmark that ran before, from ready to end.
    runs
        Seconds until ready, and from there to the end, of runs from which attempts are drawn, by benchmark.
    waits
        Seconds in the queue from which blocks are drawn, by pool.
    """

    factor: float
    expected: dict[str, float]
    spread: float | None
    ready_seconds: float | None
    medians: dict[str, float]
    runs: dict[str, list[tuple[float, float]]]
    waits: dict[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class History:
    """Times of earlier campaigns.

    Parameters
    ----------
    runs
        Seconds until ready, and from there to the end, of each run, by benchmark of the plan and campaign.
    waits
        Seconds in the queue of each block, by pool and campaign; or of other jobs, by pool and day.
    ended
        Attempts that failed or timed out, and those that did or succeeded, by benchmark of the plan.
    node_failures, node_hours
        Blocks that ended as a node failed; and what all blocks held.
    node_starts
        Seconds from the start of a block to the first process on each of its nodes.
    """

    runs: dict[str, dict[str, list[tuple[float, float]]]] = field(default_factory=dict)
    waits: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    ended: dict[str, tuple[int, int]] = field(default_factory=dict)
    node_failures: int = 0
    node_hours: float = 0.0
    node_starts: Sequence[float] = ()

    @property
    def longest_node_start(self) -> float:
        """Twice the median of these and of a prior guess, as starts are drawn evenly from 0."""
        return 2 * median([_NODE_START, *self.node_starts])

    @property
    def failures(self) -> float:
        """Share of attempts that failed; 0 where too few ended to state one."""
        failed = sum(one for one, _ in self.ended.values())
        return _share(failed, sum(one for _, one in self.ended.values())) or 0.0

    @property
    def failures_of(self) -> dict[str, float]:
        """That share by benchmark, where so many attempts of the benchmark ended."""
        shares = {name: _share(*counts) for name, counts in self.ended.items()}
        return {name: share for name, share in shares.items() if share is not None}

    @property
    def node_hours_to_failure(self) -> float:
        """Mean time between failures of a node, with one failure in 10,000 node-hours as the prior guess."""
        return (self.node_hours + _NODE_HOURS_TO_FAILURE) / (self.node_failures + 1)

    def facts(self) -> dict[str, Any]:
        """Return JSON-ready data: from how much the times are drawn."""
        return {
            "campaigns": sorted({name for found in self.runs.values() for name in found}),
            "runs": {
                benchmark: sum(map(len, found.values())) for benchmark, found in sorted(self.runs.items())
            },
            "waits": sum(len(one) for found in self.waits.values() for one in found.values()),
            "node_failures": self.node_failures,
            "node_hours": self.node_hours,
            "node_starts": len(self.node_starts),
        }

    def draw(
        self,
        random: Random | None,
        own: str | None = None,
        ages: Mapping[str, Sequence[float]] = MappingProxyType({}),
        stated: Mapping[str, float] = MappingProxyType({}),
    ) -> Drawn:
        """Return the times of a further campaign; it differs from earlier ones as they do from each other.

        Without `random`, return those of a campaign in the middle.

        Parameters
        ----------
        own
            The campaign itself, if it has begun: how it differs is drawn by its runs so far, too.
        ages
            Seconds that its attempts have run that have not ended, by benchmark.
        stated
            Seconds that benchmarks expect a run to take, from ready to end.
        """
        earlier = {name: _without(found, own) for name, found in self.runs.items()}
        earlier = {name: found for name, found in earlier.items() if found}
        alone = {name: seconds for name, seconds in stated.items() if name not in earlier}
        factors = _run_factors(earlier)
        usual = list(factors.values()) or [0.0]
        so_far = {name: found[own] for name, found in self.runs.items() if own is not None and own in found}
        centres = {name: _centre(found, factors) for name, found in earlier.items()}
        draws = random or Random(0)  # noqa: S311  no secret depends on it
        factor = _predicted(usual, _RUN_FACTOR, random)
        if observed := _observed(so_far, ages, centres):
            factor, _ = likely(_prior(usual, _RUN_FACTOR), observed, draws)
        stated_factor, spread = factor, None
        ready = median(one for times in so_far.values() for one, _ in times) if so_far else None
        late = any(age > one for name, one in alone.items() for age in ages.get(name, ()))
        lengths = {name: (math.log(one), 0.0) for name, one in alone.items()} if so_far or late else {}
        if expected := _observed(so_far, ages, lengths, ready=ready or 0.0):
            stated_factor, spread = likely(_STATED, expected, draws)
        mine = math.exp(factor)
        runs = {
            benchmark: [
                (ready, seconds / math.exp(factors.get(name, 0.0)) * mine)
                for name, times in found.items()
                for ready, seconds in times
            ]
            for benchmark, found in earlier.items()
        }
        for benchmark, times in so_far.items():
            runs[benchmark] = [*runs.get(benchmark, ()), *times]
        return Drawn(
            mine,
            {name: seconds * math.exp(stated_factor) for name, seconds in alone.items()},
            spread,
            ready,
            {name: median(_seconds(times)) for name, times in runs.items()},
            runs,
            {pool: _draw_waits(found, random, own) for pool, found in self.waits.items()},
        )


def _without(
    found: Mapping[str, list[tuple[float, float]]], own: str | None
) -> dict[str, list[tuple[float, float]]]:
    return {name: times for name, times in found.items() if name != own}


def _centre(
    found: Mapping[str, Sequence[tuple[float, float]]], factors: Mapping[str, float]
) -> tuple[float, float]:
    """Return centre and spread of the logarithms of whole runs, each by the factor of its campaign."""
    logarithms = [
        math.log(max(sum(one), _SHORTEST_RUN)) - factors.get(name, 0.0)
        for name, times in found.items()
        for one in times
    ]
    centre = median(logarithms)
    return centre, max(_MAD_TO_SIGMA * median(abs(one - centre) for one in logarithms), _LEAST_SPREAD)


def _observed(
    so_far: Mapping[str, Sequence[tuple[float, float]]],
    ages: Mapping[str, Sequence[float]],
    centres: Mapping[str, tuple[float, float]],
    *,
    ready: float = 0.0,
) -> tuple[Observed, ...]:
    """Return what is known of runs that ended and that still run, of benchmarks of which a centre is known.

    Parameters
    ----------
    ready
        Seconds until ready, which the centres leave out.
    """

    def observed(seconds: float, place: tuple[float, float], *, ended: bool) -> Observed:
        return Observed(math.log(max(seconds - ready, _SHORTEST_RUN)) - place[0], place[1], ended)

    return (
        *(
            observed(sum(run), place, ended=True)
            for name, place in centres.items()
            for run in so_far.get(name, ())
        ),
        *(observed(age, place, ended=False) for name, place in centres.items() for age in ages.get(name, ())),
    )


def history_of(reader: Reader, plan: Plan) -> History:
    """Return what earlier campaigns of the plan's site say about its benchmarks and blocks.

    Runs count whose workload, parameters and slot are those of a benchmark of the plan, in the last 30
    campaigns with one of its workloads; waits count of a pool's blocks of about the same size, in the last 30
    campaigns. Where a pool had none, those of all pools of its batch system count. The machine of the driver
    has no queue.
    """
    wanted: dict[tuple[str, str, str], list[str]] = {}
    for benchmark in plan.benchmarks:
        row = benchmark.row()
        wanted.setdefault(run_key(row), []).append(row.benchmark)
    runs: dict[str, dict[str, list[tuple[float, float]]]] = {}
    ended: dict[str, tuple[int, int]] = {}
    workloads = {workload for workload, _, _ in wanted}
    for campaign in campaigns_of_site(reader, plan.site.site, CAMPAIGNS, workloads):
        number = campaign.campaign_id
        alike = {row.benchmark: wanted.get(run_key(row), []) for row in reader.benchmarks(number)}
        names = [name for name, mine in alike.items() if mine]
        if not names:
            continue
        for name, counts in ended_attempts(reader, number, names).items():
            for benchmark_name in alike[name]:
                failed, all_of_it = ended.get(benchmark_name, (0, 0))
                ended[benchmark_name] = failed + counts[0], all_of_it + counts[1]
        for name, times in run_times(reader, number, names, at_barrier=is_synchronized(campaign)).items():
            for benchmark_name in alike[name]:
                runs.setdefault(benchmark_name, {}).setdefault(campaign.name, []).extend(times)
    waits, node_failures, node_hours, starts = _blocks(reader, plan)
    return History(runs, waits, ended, node_failures, node_hours, starts)


def with_waits(history: History, plan: Plan, waits: Mapping[str, Iterable[QueueWait]]) -> History:
    """Return a history with waits of other jobs, by pool, instead of its own; see `history_of`."""
    found = [
        (pool, one.nodes, f"day {one.since // DAY:.0f}", one.seconds)
        for pool, jobs in waits.items()
        for one in jobs
    ]
    return replace(history, waits=_by_pool(plan, found))


def _by_pool(plan: Plan, found: Sequence[_Wait]) -> dict[str, dict[str, list[float]]]:
    """Return the waits that are alike those of a plan's blocks, by its pools and by campaign or day."""
    waits: dict[str, dict[str, list[float]]] = {}
    for pool, sizes in sizes_of(plan).items():
        kind = plan.site.scheduler_type(pool)
        same = [one for one in found if plan.site.scheduler_type(one[0]) == kind]
        alike = [one for one in same if similar_size(one[1], sizes)]
        for _, _, name, seconds in [one for one in alike if one[0] == pool] or alike:
            waits.setdefault(pool, {}).setdefault(name, []).append(seconds)
    return waits


def sizes_of(plan: Plan) -> dict[str, list[int]]:
    """Return the nodes of a plan's blocks that wait in a queue, by pool, for each stage."""
    sizes: dict[str, list[int]] = {}
    for stage in plan.all_stages:
        if not stage.site.local and not stage.whole_blocks:  # an allocation has its nodes
            sizes.setdefault(stage.site.pool or "", []).append(stage.nodes_per_block)
    return sizes


def similar_size(nodes: int, sizes: Sequence[int]) -> bool:
    """Return whether waits of blocks of so many nodes count for blocks of such sizes."""
    return any(size / _SIZE_RATIO <= nodes <= size * _SIZE_RATIO for size in sizes)


def _blocks(reader: Reader, plan: Plan) -> tuple[dict[str, dict[str, list[float]]], int, float, list[float]]:
    """Return the waits of blocks, how many ended by a node's failure, node-hours, and starts of nodes.

    The driver's own machine counts for none of these, where it is one of several pools.
    """
    waits: list[_Wait] = []
    starts: list[float] = []
    failures, seconds = 0, 0.0
    for campaign in campaigns_of_site(reader, plan.site.site, CAMPAIGNS):
        for pool, start in node_starts(reader, campaign.campaign_id):
            if not (pool and plan.site.scheduler_type(pool) == "local"):
                starts.append(start)
        for block in started_blocks(reader, campaign.campaign_id):
            if block.pool and plan.site.scheduler_type(block.pool) == "local":
                continue
            waits.append((block.pool, block.nodes, campaign.name, block.wait_seconds))
            seconds += block.nodes * (block.held_seconds or 0.0)
            failures += block.state == "node_failure"
    return _by_pool(plan, waits), failures, seconds / 3600, starts


def is_synchronized(campaign: CampaignRow) -> bool:
    """Return whether a campaign's instances waited for each other at their start."""
    if "synchronized" not in campaign.campaign_yaml:
        return False
    return bool(parse_mapping(campaign.campaign_yaml, "campaign").get("start") == "synchronized")


def run_key(row: NewBenchmark) -> tuple[str, str, str]:
    """Return what alike runs have in common; a slot that is no object is like none of a plan."""
    slot = json.loads(row.slot)
    if isinstance(slot, dict):
        slot = {name: value for name, value in slot.items() if name not in _SYSTEM_FACTS}
    parameters = json.dumps(json.loads(row.parameters), sort_keys=True)
    return row.workload, parameters, json.dumps(slot, sort_keys=True)


def _run_factors(runs: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]) -> dict[str, float]:
    """Return the logarithm of how much longer than usual the runs of each campaign took, over its benchmarks.

    Benchmarks of a single campaign say nothing about it.
    """
    apart: dict[str, list[float]] = {}
    for found in runs.values():
        if len(found) == 1:
            continue
        medians = {name: math.log(median(_seconds(times))) for name, times in found.items()}
        usual = fmean(medians.values())
        for name, mine in medians.items():
            apart.setdefault(name, []).append(mine - usual)
    return {name: fmean(values) for name, values in apart.items()}


def _share(failed: int, ended: int) -> float | None:
    """Return the share of attempts that failed; None where too few ended."""
    return failed / ended if ended >= _LEAST_ATTEMPTS else None


def _draw_waits(
    waits: Mapping[str, Sequence[float]], random: Random | None, own: str | None = None
) -> tuple[float, ...]:
    """Return the waits of a campaign; of one that has begun by its own waits so far, too."""
    logarithms = {
        name: [math.log(max(one, _SHORTEST_WAIT)) for one in found] for name, found in waits.items()
    }
    means = {name: fmean(found) for name, found in logarithms.items()}
    around = [one - means[name] for name, found in logarithms.items() for one in found]
    if own is None or own not in means:
        mine = _predicted(list(means.values()), _WAIT_FACTOR, random)
    else:
        others = [mean for name, mean in means.items() if name != own]
        spread = max(pstdev(around), _LEAST_WAIT_SPREAD)
        known = len(logarithms[own]) / spread**2  # weights are inverse variances
        mean, scale, _, _ = _prior(others, _WAIT_FACTOR) if others else Prior(means[own], math.inf, 1.0)
        guessed = 1 / scale**2
        mine = (mean * guessed + means[own] * known) / (guessed + known)
        mine += random.gauss(0.0, (guessed + known) ** -0.5) if random is not None else 0.0
    longest = _LONGEST_WAIT_RATIO * math.exp(max(max(found) for found in logarithms.values()))
    return tuple(min(math.exp(mine + one), longest) for one in around)


def _seconds(times: Iterable[tuple[float, float]]) -> list[float]:
    return [seconds for _, seconds in times]


def _prior(values: Sequence[float], prior: float) -> Prior:
    """Return the distribution of a further campaign's value: Student's around the mean of earlier ones."""
    number, mean = len(values), fmean(values)
    squares = sum((one - mean) ** 2 for one in values)
    freedom = _PRIOR_CAMPAIGNS + number - 1
    scale = math.sqrt((_PRIOR_CAMPAIGNS * prior**2 + squares) / freedom * (1 + 1 / number))
    return Prior(mean, scale, freedom)


def _predicted(values: Sequence[float], prior: float, random: Random | None) -> float:
    """Draw the value of a further campaign; without `random`, return the mean of the earlier ones."""
    mean, scale, freedom, _ = _prior(values, prior)
    if random is None:
        return mean
    student = random.gauss(0.0, 1.0) / math.sqrt(random.gammavariate(freedom / 2, 2.0) / freedom)
    return mean + scale * max(-_MOST_SCALES, min(student, _MOST_SCALES))
