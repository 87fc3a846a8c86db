"""Screening the nodes of a site: a campaign of micro-benchmarks on every slot, and what it says of nodes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import Any

from db.evidence.node_hours import node_hours, planned_node_hours
from db.queries.attempt_times import blocks_of
from db.queries.rates import SlotRate, slot_rates, slow_pairs
from db.reader import Reader
from db.records import CampaignRow
from db.rows import Block
from db.states import RunOutcome
from orchestrator.analysis.nodes.judging import LEAST_TOGETHER, screened_nodes
from orchestrator.analysis.nodes.scores import FALSE_ALARMS
from orchestrator.analysis.nodes.screened import Judged
from orchestrator.analysis.slot_time.cost import campaign_bill
from orchestrator.catalog.registered_site import registered_site
from orchestrator.catalog.registry import describe
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle import launch
from orchestrator.lifecycle.driver_process.identity import live_driver
from orchestrator.lifecycle.options import LaunchOptions, ResumeOptions
from orchestrator.lifecycle.resume import resume
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.overrides import site_settings
from orchestrator.planning.plan import Plan
from orchestrator.planning.questions import Screen
from orchestrator.planning.site_facts import node_facts
from orchestrator.schedulers.allocation import uses_allocation, with_allocation
from orchestrator.screening.options import DIFFERENCE, ScreenOptions
from orchestrator.tuning.request import campaign_file
from orchestrator.wording import count_of, percent_words
from sites import FileError, Site, default, load
from sites.cost import Bill
from sites.files import NAME, NAME_WORDS
from sites.schedulers import Batch

WORKLOADS = ("gemm", "triad", "read_bandwidth")
LINKS = "links"
"""The workload that takes all nodes of a block at a time."""
_MESSAGES = {"links_4M": 4 << 20, "links_64": 64}
"""Bytes of the messages of the two benchmarks of a screening of links: bandwidth and latency."""
_PARAMETERS = {"read_bandwidth": {"file_bytes": 128 << 20}}  # on every slot of a machine at once
_PURPOSE = "screening"
"""Of a campaign, by which it is known as a screening."""
_START_SECONDS = 10.0
_TIMEOUT_SECONDS = 900.0
_SLOW_PAIR = 0.8
"""Share of the median pair's rate below which a pair of nodes is shown."""
_SHOWN_PAIRS = 10
_MANY = 1_000_000  # one workload that fails everywhere does not keep the others from running


@dataclass(frozen=True, slots=True)
class Ready:
    """Options as the campaign that they launch, and the values of the site."""

    options: ScreenOptions
    name: str
    machine: Site
    pool: str
    data: Mapping[str, Any]
    settings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Screened:
    """Findings of a screening so far.

    Parameters
    ----------
    asked_nodes
        Nodes that were asked for at a time; None where that is not known any more.
    silent
        Blocks of which not all nodes answered, for people.
    values
        Fewest and most rates of a slot that has any; runs of each, if every slot got its share.
    held_node_minutes, planned_node_minutes
        Cost: from start to end of its jobs, and by its plan.
    outcome
        Of the last session; None where none ran now.
    unfinished
        What is left to do, for people; empty once all has run.
    bill
        Money and CO2 of the held time; None where the site file has no prices.
    pairs
        Pairs of nodes that were among the five slowest of most attempts, and slower than `_SLOW_PAIR` of the
        median pair, for people; nothing is certain of either end.
    """

    campaign: str
    site: str
    pool: str
    judged: Judged
    asked_nodes: int | None
    silent: tuple[str, ...]
    values: tuple[int, int]
    held_node_minutes: float | None
    planned_node_minutes: float | None
    outcome: RunOutcome | None = None
    unfinished: str = ""
    bill: Bill | None = None
    pairs: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        names = (
            "campaign",
            "site",
            "pool",
            "asked_nodes",
            "held_node_minutes",
            "planned_node_minutes",
            "outcome",
        )
        return {
            **{name: getattr(self, name) for name in names},
            **({} if self.bill is None else {"cost": self.bill.to_dict()}),
            **self.judged.to_dict(),
            "silent": list(self.silent),
            "rates_of_a_slot": {"fewest": self.values[0], "most": self.values[1]},
            "unfinished": self.unfinished,
            "pairs": list(self.pairs),
        }


def prepare(options: ScreenOptions) -> Ready:
    """Return options as a campaign; nothing is changed.

    Raises
    ------
    CampaignError, WorkloadError
        If site, pool, a workload, or a value is wrong, or the site has not so many nodes.
    """
    try:
        site, _ = load(options.site or default().site, site_settings(options.overrides))
    except FileError as error:
        raise CampaignError(str(error)) from None
    pools = site.pooled()
    pool = site.main_pool if options.pool is None else options.pool
    if pool not in pools:
        raise CampaignError(
            f"site {site.site} has no pool {pool}; it has {', '.join(filter(None, pools)) or 'none'}"
        )
    if LINKS in options.workloads and len(options.workloads) > 1:
        raise CampaignError(
            f"--workload {LINKS}: it takes all nodes of a block, and other workloads a slot; screen it alone"
        )
    what = f"-{LINKS}" if LINKS in options.workloads else ""
    name = options.name or re.sub(
        r"[^A-Za-z0-9._-]",
        "_",
        f"screen{what}-{site.site}{f'-{pool}' if pool else ''}-{datetime.now(UTC):%Y-%m-%d}",
    )
    if options.at_most < options.waves:
        raise CampaignError(
            f"--at-most {options.at_most} is less than --waves {options.waves}: the first look comes after "
            "so many; give both"
        )
    if not re.fullmatch(NAME, name):
        raise CampaignError(f"{name!r}: {NAME_WORDS['patternErrorMessage']}")
    size = _block_size(options, site, pools[pool])
    settings = () if options.nodes is None else _blocks(pools[pool], options.nodes, size, pool)
    made = _of_links(pools[pool], size) if LINKS in options.workloads else _of_slots(options)
    return Ready(
        options, name, site, pool, _campaign(options, name, pool, made), (*settings, *options.overrides)
    )


def _block_size(options: ScreenOptions, site: Site, machine: Site) -> int:
    """Return the nodes of a block: of the allocation, or of the site's size or less, so that all have one."""
    if uses_allocation(site, options.here, machine.pool):
        machine, _ = with_allocation(site, options.here, machine.pool or None)
    batch = machine.scheduler
    if not isinstance(batch, Batch):
        return 1
    most = int(batch.nodes_per_block)
    if options.nodes is None:
        return most
    return next(one for one in range(min(options.nodes, most), 0, -1) if options.nodes % one == 0)


def _blocks(site: Site, nodes: int, size: int, pool: str) -> tuple[str, ...]:
    """Return the values that make blocks of a size sum to the nodes."""
    if site.local:
        if nodes == 1:
            return ()
        whose = f"pool {pool} of site {site.site}" if pool else f"site {site.site}"
        raise CampaignError(
            f"--nodes {nodes}: {whose} is this machine alone; leave it out, or name another pool"
        )
    if site.nodes is not None and nodes > site.nodes:
        raise CampaignError(f"--nodes {nodes}: site {site.site} has {site.nodes}")
    where = f"site.pools.{pool}.scheduler" if pool else "site.scheduler"
    return f"{where}.nodes_per_block={size}", f"{where}.max_blocks={nodes // size}"


def _of_slots(options: ScreenOptions) -> list[dict[str, Any]]:
    """Return the benchmarks that run on each slot."""
    return [
        {"workload": one, "parameters": _PARAMETERS.get(one, {})} for one in options.workloads or WORKLOADS
    ]


def _of_links(site: Site, size: int) -> list[dict[str, Any]]:
    """Return benchmarks that run on all nodes of a block together, a rank on each; refuse a small block."""
    if size < LEAST_TOGETHER:
        where = f"site.pools.{site.pool}" if site.pool else "site"
        raise CampaignError(
            f"--workload {LINKS}: blocks would have {count_of(size, 'node')}, and of fewer than "
            f"{LEAST_TOGETHER} none can be distinguished from its partner; "
            + (
                "this machine is alone; name a site with a batch system, or another pool with --pool"
                if site.local
                else f"raise {where}.scheduler.nodes_per_block, or give a --nodes that a larger block divides"
            )
        )
    cores = len(node_facts(site).cores)  # all, so that no second one runs beside it
    slot = {"nodes": size, "ranks": size, "cores": cores, "gpus": 0, "memory": None}
    return [
        {"name": name, "workload": LINKS, "slot": slot, "parameters": {"message_bytes": number}}
        for name, number in _MESSAGES.items()
    ]


def _campaign(
    options: ScreenOptions, name: str, pool: str, made: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a campaign whose waves fill all slots, each with one benchmark, as many as may be needed."""
    seconds = round(options.seconds / (options.waves * len(made)), 3)
    benchmarks = []
    for one in made:
        timed = any(parameter.name == "seconds" for parameter in describe(one["workload"]).parameters)
        benchmarks.append(
            {
                **one,
                "instances": f"fill x{options.at_most}",
                "parameters": {**one["parameters"], **({"seconds": seconds} if timed else {})},
                **({"pools": [pool]} if pool else {}),
                "expected_runtime": seconds + _START_SECONDS,
                "timeout": _TIMEOUT_SECONDS + 10 * seconds,
            }
        )
    return {
        "campaign": name,
        "description": "Screening of nodes",
        "purpose": _PURPOSE,
        "rulebook": "none",
        "start": "synchronized",
        "screen": {
            "difference": options.difference,
            "at_least": options.waves,
            "at_most": options.at_most,
        },
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": _MANY,
        "benchmarks": benchmarks,
    }


def plan(ready: Ready) -> Plan:
    """Return what a screening would do."""
    with campaign_file(ready.data) as file:
        return launch.plan(file, _launch_options(ready))


def begin(ready: Ready, *, display: ProgressDisplay | None = None) -> Screened:
    """Launch a screening and return what it says.

    Raises
    ------
    CampaignError, WorkloadError, LedgerError
        As of `launch`.
    """
    with campaign_file(ready.data) as file:
        result = launch.launch(file, _launch_options(ready), display=display)
    return replace(look(ready.name, ledger=ready.options.ledger), outcome=result.outcome)


def _launch_options(ready: Ready) -> LaunchOptions:
    options = ready.options
    return LaunchOptions(
        site=options.site,
        name=ready.name,
        overrides=ready.settings,
        here=options.here,
        pool=_allocated_pool(ready.machine, ready.pool, options.here),
        ledger=options.ledger,
        notify=options.notify,
        exclude=options.exclude,
    )


def go_on(name: str, options: ScreenOptions, *, display: ProgressDisplay | None = None) -> Screened:
    """Resume a screening where instances wait, and return what it says.

    Raises
    ------
    CampaignError, LedgerError
        As of `resume` and `look`.
    """
    found = look(name, ledger=options.ledger)
    if not found.unfinished:
        return found
    with Reader(options.ledger) as reader:
        site = registered_site(reader.campaign(name))
    again = ResumeOptions(
        ledger=options.ledger,
        exclude=options.exclude,
        notify=options.notify,
        here=options.here,
        pool=_allocated_pool(site, found.pool, options.here),
    )
    result = resume(name, again, display=display)
    return replace(look(name, ledger=options.ledger), outcome=result.outcome)


def _allocated_pool(site: Site, pool: str, here: bool | None) -> str | None:
    """Return the pool that an allocation is of; None where blocks are submitted, or without pools."""
    return pool or None if uses_allocation(site, here, pool or None) else None


def look(name: str, *, ledger: str | None = None) -> Screened:
    """Return what a screening's campaign says so far; nothing runs.

    Raises
    ------
    UnknownCampaignError, CampaignError
        If there is no such campaign, or it is no screening.
    """
    with Reader(ledger) as reader:
        row = reader.campaign(name)
        if not _is_screening(row):
            raise CampaignError(
                f"campaign {row.name} is no screening; `orchestrator node rank {row.name}` ranks its nodes"
            )
        waiting = len(reader.pending(row.campaign_id))
        found = screened(reader, row)
    unfinished = f"{count_of(waiting, 'instance', 'have')} not run" if waiting else ""
    if driver := live_driver(row):
        unfinished = f"{driver} runs it"
    return replace(found, unfinished=unfinished)


def _is_screening(row: CampaignRow) -> bool:
    """Return whether `node screen` made a campaign; those of other programs and simulations have no text."""
    if not row.campaign_yaml.strip():
        return False
    spec = parse_campaign(row.campaign_yaml, f"campaign {row.name} in the ledger")
    return spec.purpose == _PURPOSE


def screened(reader: Reader, row: CampaignRow) -> Screened:
    """Return what the attempts of a campaign say of nodes."""
    number = row.campaign_id
    found, blocks = slot_rates(reader, number), blocks_of(reader, number)
    slot = json.loads(reader.benchmarks(number)[0].slot)
    sessions = reader.sessions_of(number)
    width = sessions[-1].slots if sessions else None
    held, planned = node_hours(reader, number), planned_node_hours(reader, number)
    asked = _asked(reader, row)
    rates = Counter((one.benchmark, one.node, one.slot) for one in found if one.rate is not None)
    return Screened(
        campaign=row.name,
        site=row.site_name,
        pool=slot.get("pool", ""),
        judged=screened_nodes(reader, number, asked.difference, asked.at_least, asked.last),
        asked_nodes=None if width is None else width // int(slot["slots"]) * int(slot.get("nodes", 1)),
        silent=_silent(found, blocks),
        values=(min(rates.values(), default=0), max(rates.values(), default=0)),
        held_node_minutes=None if held is None else 60 * held,
        planned_node_minutes=None if planned is None else 60 * planned,
        bill=campaign_bill(reader, row),
        pairs=_slow_pairs(reader, row, found),
    )


def _slow_pairs(reader: Reader, row: CampaignRow, found: Sequence[SlotRate]) -> tuple[str, ...]:
    """Return the pairs that were among the slowest of most attempts of a benchmark, the slowest first."""
    runs = Counter((one.benchmark, one.node) for one in found if one.rate is not None and one.has_links)
    slow = [
        (median(shares), f"{first} and {second}: {name} {median(shares):.3g} of the median pair")
        for (name, first, second), shares in slow_pairs(reader, row.campaign_id).items()
        if 2 * len(shares) > runs[name, first] and median(shares) < _SLOW_PAIR
    ]
    return tuple(words for _, words in sorted(slow)[:_SHOWN_PAIRS])


def _asked(reader: Reader, row: CampaignRow) -> Screen:
    """Return what a screening asks; of former versions, all their waves and one look."""
    spec = parse_campaign(row.campaign_yaml, f"campaign {row.name} in the ledger")
    if spec.screen is not None:
        return spec.screen
    sessions, benchmarks = reader.sessions_of(row.campaign_id), reader.benchmarks(row.campaign_id)
    slots = max((one.slots or 0 for one in sessions), default=0)
    waves = max(1, max(one.instances for one in benchmarks) // max(slots, 1))
    return Screen(difference=DIFFERENCE, at_least=waves)


def _silent(found: Sequence[SlotRate], blocks: Sequence[Block]) -> tuple[str, ...]:
    """Return the blocks of which nodes gave no sign of life, for people."""
    seen: dict[tuple[int, str | None], set[str]] = {}
    together: dict[tuple[int, str | None], int] = {}
    for one in found:
        seen.setdefault((one.session, one.block), set()).add(one.node)
        together[one.session, one.block] = max(one.nodes, together.get((one.session, one.block), 1))
    lines = []
    for block in blocks:
        key = block.session_number, block.block_id
        answered = len(seen.get(key, ()))
        if answered:  # an attempt on several nodes that fails names one of them
            answered = max(answered, together[key])
        missing = block.nodes - answered
        if missing <= 0:
            continue
        job = f"block {block.block_id} (job {block.job_id})"
        why = f", {block.state}{f': {block.message}' if block.message else ''}"
        state = "never started" if block.started_us is None else "answered nothing"
        lines.append(f"{missing} of {count_of(block.nodes, 'node')} of {job} {state}{why}")
    return tuple(lines)


def exclude_text(found: Screened, at: datetime) -> str:
    """Return the nodes that a screening names, as the text of an exclude list."""
    named = found.judged.named
    many = len(found.judged.nodes)
    lines = [
        f"# screening {found.campaign} of site {found.site}, {at:%Y-%m-%dT%H:%MZ}: "
        f"{len(named)} of {many} node{'s'[: many != 1]} failing or slow, "
        f"{len(found.judged.undecided)} undecided",
        f"# slow: a node less than {percent_words(found.judged.asked.difference)} slower is named in at most "
        f"{FALSE_ALARMS:.0%} of screenings",
        *(f"{one.node} # {one.verdict}: {_printable(one.why)}" for one in named),
    ]
    return "".join(f"{line}\n" for line in lines)


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in text)[:200]
