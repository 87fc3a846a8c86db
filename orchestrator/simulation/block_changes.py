"""Changes of its blocks that `node set` could make to a campaign that runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import changed_site
from orchestrator.lifecycle.checks.plans import ask_for_new_blocks
from orchestrator.lifecycle.requests.pools import scheduler_path
from orchestrator.planning.stage import on_changed_site
from orchestrator.schedulers.asked_survey import ask_survey
from orchestrator.schedulers.families import changed_for_jobs, directives, family_class, family_of
from orchestrator.schedulers.model import SchedulerError
from orchestrator.schedulers.survey.model import Queue, Survey, SurveyedNode
from orchestrator.simulation.queue_waits import queue_key
from sites.schedulers import Batch

if TYPE_CHECKING:
    from db.records import CampaignRow
    from orchestrator.planning.plan import Plan
    from sites import Site

_SAME_MEMORY = 1.1
"""Nodes are of one kind whose memory differs by less than this factor."""


@dataclass(frozen=True, slots=True)
class BlockChange:
    """A change of a pool's blocks that the batch system takes, as far as it can be asked.

    Parameters
    ----------
    pool
        As the plan has it; `label` is its name for `node set`.
    settings
        ``KEY=VALUE`` with keys of the pool's scheduler.
    plan
        The campaign's plan with it.
    waits_differ
        Whether its blocks wait otherwise than blocks of the campaign do: they have another number of nodes,
        or are asked for in another queue.
    same_qos
        Whether they have the quality of service that blocks of the campaign have.
    answers
        Answers of the batch system about them.
    """

    pool: str
    label: str
    settings: tuple[str, ...]
    plan: Plan
    waits_differ: bool
    same_qos: bool
    answers: tuple[str, ...]

    @property
    def keeps_places(self) -> bool:
        """True where blocks that wait go on waiting beside further blocks."""
        return all(one.startswith("max_blocks=") for one in self.settings)


@dataclass(frozen=True, slots=True)
class Machines:
    """The queues and nodes of a site, by type of scheduler; a type is absent whose commands say nothing."""

    surveys: Mapping[str, Survey] = field(default_factory=dict)

    @classmethod
    def of(cls, site: Site) -> Machines:
        """Ask the batch systems of a site."""
        surveys = {}
        for kind in {one.scheduler.type for one in site.pooled().values() if not one.local}:
            asked = family_class(kind).survey
            with suppress(SchedulerError):  # without an answer the queues of other pools remain
                if asked is not None and (found := ask_survey(asked)) is not None:
                    surveys[kind] = found
        return cls(surveys)

    @property
    def default_queues(self) -> dict[str, str]:
        """Queue of jobs that name none, by type of scheduler."""
        return {
            kind: one.name for kind, found in self.surveys.items() for one in found.queues if one.is_default
        }

    def queues(self, batch: Batch) -> list[Queue]:
        """Return the queues in which a scheduler asks for blocks, as far as they are known."""
        names = str(getattr(batch, queue_key(batch), None) or self.default_queues.get(batch.type, "")).split(
            ","
        )
        survey = self.surveys.get(batch.type)
        return [one for one in survey.queues if one.name in names] if survey and queue_key(batch) else []

    def others(self, batch: Batch) -> list[Queue]:
        """Return the other queues with nodes of the same kinds: durations are known of these alone."""
        mine = self.queues(batch)
        if not mine:
            return []
        survey = self.surveys[batch.type]
        here = [kind for queue in mine for kind in _kinds(survey, queue)]
        return [
            queue
            for queue in survey.queues
            if queue not in mine
            and (kinds := _kinds(survey, queue))
            and all(any(_same_kind(one, other) for other in here) for one in kinds)
        ]


def block_changes(row: CampaignRow, site: Site, plan: Plan, machines: Machines) -> Iterator[BlockChange]:
    """Yield changes of the blocks of each pool that make a difference; those are left out that are refused.

    They are twice as many blocks, blocks of twice the walltime, with half as many nodes and with twice as
    many, or a wider range of nodes, and blocks in another queue: those with nodes of the same kinds, and
    those of other pools of the site.
    """
    for name, pool in site.pooled().items():
        batch = pool.scheduler
        stages = [one for one in plan.all_stages if (one.site.pool or "") == name]
        if not isinstance(batch, Batch) or not stages:
            continue
        tried: list[tuple[str, ...]] = [(f"max_blocks={2 * batch.max_blocks}",)]
        largest = max(one.nodes_per_block for one in stages)
        if pool.nodes is not None and 2 * batch.max_blocks * largest > pool.nodes:
            tried.clear()
        if not batch.has_ranges:
            tried.append((f"walltime={2 * batch.walltime:.0f}s",))
        if plan.campaign.start != "synchronized":
            tried += _other_sizes(batch, max(one.shape.nodes for one in stages), pool.nodes)
        tried += _other_queues(site, name, machines)
        for settings in tried:
            change = _changed(row, site, plan, name, settings, machines)
            if change is not None:
                yield change


def _other_sizes(batch: Batch, span: int, nodes: int | None) -> list[tuple[str, ...]]:
    """Return settings for blocks of half and of twice the nodes; of half the nodes there are twice as many.

    Parameters
    ----------
    span
        Nodes of an instance.
    nodes
        Those of the machine; None where it is not known.
    """
    least, most = batch.nodes_per_block.least, int(batch.nodes_per_block)
    twice = 2 * most if nodes is None else min(2 * most, nodes)
    if batch.nodes_per_block.varies:
        return [(f"nodes_per_block={max(span, least // 2)}..{max(most, twice)}",)]
    smaller = (
        [(f"nodes_per_block={most // 2}", f"max_blocks={2 * batch.max_blocks}")] if most >= 2 * span else []
    )
    return [*smaller, *([(f"nodes_per_block={twice}",)] if twice > most else [])]


def _other_queues(site: Site, name: str, machines: Machines) -> list[tuple[str, ...]]:
    """Return settings for blocks of a pool in other queues."""
    pools = site.pooled()
    batch = pools[name].scheduler
    if not isinstance(batch, Batch) or not (key := queue_key(batch)):
        return []
    defaults = {key: machines.default_queues.get(batch.type)}
    found: dict[tuple[str, ...], None] = {(f"{key}={queue.name}",): None for queue in machines.others(batch)}
    for other in pools.values():
        if other.scheduler.type != batch.type or other.node != pools[name].node:
            continue
        settings = tuple(
            f"{one}={getattr(other.scheduler, one) or defaults.get(one) or 'null'}"
            for one in (key, "qos")
            if (getattr(other.scheduler, one, None) or defaults.get(one))
            != (getattr(batch, one, None) or defaults.get(one))
        )
        if settings:
            found[settings] = None
    return list(found)


def _changed(
    row: CampaignRow,
    site: Site,
    plan: Plan,
    name: str,
    settings: tuple[str, ...],
    machines: Machines,
) -> BlockChange | None:
    """Return a change of a pool; None if it is refused, or changes no block."""
    label = name or site.site
    before = site.pooled()[name].scheduler
    answers: list[str] = []
    try:
        path = scheduler_path(row, site, label)
        changed, _ = changed_site(row, site, None, [f"{path}.{one}" for one in settings])
        other = _with_blocks(plan, changed)
        after = changed.pooled()[name].scheduler
        if not isinstance(before, Batch) or not isinstance(after, Batch):
            return None
        if not _makes_a_difference(plan, other, before, after) or not _fits(
            other, name, machines.queues(after)
        ):
            return None
        with suppress(SchedulerError):  # without an answer nothing is refused
            answers = ask_for_new_blocks(plan, other, row.uid)
    except CampaignError:
        return None
    sizes = [
        [one.nodes_per_block for one in made.all_stages if (one.site.pool or "") == name]
        for made in (plan, other)
    ]
    key = queue_key(before)
    same_queue = not key or getattr(after, key) == getattr(before, key)
    same_qos = getattr(after, "qos", None) == getattr(before, "qos", None)
    return BlockChange(
        name, label, settings, other, not (same_queue and same_qos and sizes[0] == sizes[1]), same_qos,
        tuple(answers),
    )  # fmt: skip


def _with_blocks(plan: Plan, site: Site) -> Plan:
    """Return a plan whose blocks are as a driver that runs it asks for them on a changed site."""
    pools = site.pooled()
    stages, retry_stages = (
        tuple(on_changed_site(one, pools[one.site.pool or ""]) for one in found)
        for found in (plan.stages, plan.retry_stages)
    )
    return replace(plan, site=site, stages=stages, retry_stages=retry_stages)


def _makes_a_difference(plan: Plan, other: Plan, before: Batch, after: Batch) -> bool:
    """Return whether blocks differ, and no further directive asks for what the settings change."""
    shapes = [[one.block_range for one in made.all_stages] for made in (plan, other)]
    if not changed_for_jobs(before, after):
        return shapes[0] != shapes[1]
    if shapes[0] == shapes[1] and before.nodes_per_block.written != after.nodes_per_block.written:
        return False  # all instances side by side fit into the blocks that they have
    family = family_of(after)
    lines = set(directives(after)) - set(directives(before))
    made, given = (
        {option.name for line in found for option in family.requested(line)}
        for found in (lines, after.extra_directives)
    )
    return not made & given


def _fits(plan: Plan, pool: str, queues: Sequence[Queue]) -> bool:
    """Return whether one of some queues takes the largest blocks of a pool; True where none is known."""
    ranges = [one.block_range for one in plan.all_stages if (one.site.pool or "") == pool]
    largest = [one.most for one in ranges if one is not None]
    return not queues or any(
        all(
            (queue.max_nodes is None or one.nodes <= queue.max_nodes)
            and (queue.walltime_seconds is None or one.walltime <= queue.walltime_seconds)
            for one in largest
        )
        for queue in queues
    )


def _kinds(survey: Survey, queue: Queue) -> list[SurveyedNode]:
    """Return the kinds of nodes that a queue uses; one that names no queue is used by all."""
    return [one for one in survey.kinds if not one.queues or queue.name in one.queues]


def _same_kind(one: SurveyedNode, other: SurveyedNode) -> bool:
    sizes = sorted((one.memory_bytes or 0, other.memory_bytes or 0))
    alike = (one.cores, one.gpus, one.gpu_kind) == (other.cores, other.gpus, other.gpu_kind)
    return alike and sizes[1] <= _SAME_MEMORY * sizes[0]
