"""How long blocks of some number of nodes waited in a partition or queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from db.events import SITE_CHANGES
from db.queries.history import campaigns_of_site, started_blocks
from orchestrator.catalog.registered_site import registered_site
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.families import family_class
from orchestrator.schedulers.model import SchedulerError
from orchestrator.simulation.history import CAMPAIGNS, DAY, similar_size
from orchestrator.wording import count_of
from sites import FileError
from sites.schedulers import Batch

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from sites import Site


class QueuePlace(NamedTuple):
    """A partition or queue of a batch system, and a quality of service, in which jobs wait."""

    scheduler: str
    queue: str
    qos: str


class PlacedWait(NamedTuple):
    """A block's seconds in the queue; `since` names its campaign, or the day of another job."""

    place: QueuePlace
    nodes: int
    since: str
    seconds: float


@dataclass(frozen=True, slots=True)
class KnownWaits:
    """Waits of blocks, from which those of further blocks are drawn.

    Parameters
    ----------
    seconds
        By campaign, or by day of other jobs.
    source
        Their number and nodes, for people.
    """

    seconds: dict[str, list[float]]
    source: str


def queue_key(batch: Batch) -> str:
    """Return the key of a scheduler that names its partition or queue; empty where it has none."""
    key = family_class(batch.type).queue_key
    return key if key in type(batch).model_fields else ""


def place_of(batch: Batch, default: str = "") -> QueuePlace:
    """Return where the blocks of a scheduler wait.

    Parameters
    ----------
    default
        Queue of blocks that name none.
    """
    queue = getattr(batch, queue_key(batch), None) if queue_key(batch) else None
    return QueuePlace(batch.type, str(queue or default), str(getattr(batch, "qos", None) or ""))


class QueueWaits:
    """Waits in the queues of a site: of the ledger's blocks, else of the user's other jobs.

    Parameters
    ----------
    defaults
        Queue of blocks that name none, by type of scheduler, as far as it is known.
    """

    def __init__(self, reader: Reader, site: Site, defaults: Mapping[str, str]) -> None:
        self._reader = reader
        self._site = site
        self._defaults = defaults
        self._without_jobs: set[str] = set()  # types of schedulers that list none

    def of(self, pool: Site, sizes: Sequence[int], *, jobs: bool) -> KnownWaits | None:
        """Return the waits of blocks of about such sizes in the queue of a pool; None where none is known.

        Parameters
        ----------
        pool
            The site as the pool has it.
        sizes
            Nodes of its blocks.
        jobs
            Whether other jobs of the user in its queue count where the ledger has no block.
        """
        batch = pool.scheduler
        if not isinstance(batch, Batch):
            return None
        place = place_of(batch, self._defaults.get(batch.type, ""))
        found = [one for one in self._placed if one.place == place and similar_size(one.nodes, sizes)]
        if found or not jobs or batch.type in self._without_jobs:
            return _known(found, "block")
        try:
            waits = SchedulerClient(pool).waits()
        except SchedulerError:
            self._without_jobs.add(batch.type)
            return None
        return _known(
            [
                PlacedWait(place, one.nodes, f"day {one.since // DAY:.0f}", one.seconds)
                for one in waits
                if similar_size(one.nodes, sizes)
            ],
            "job",
        )

    @cached_property
    def _placed(self) -> list[PlacedWait]:
        """Waits of blocks of the site's last campaigns."""
        campaigns = campaigns_of_site(self._reader, self._site.site, CAMPAIGNS)
        return [wait for campaign in campaigns for wait in self._of_campaign(campaign)]

    def _of_campaign(self, campaign: CampaignRow) -> Iterable[PlacedWait]:
        """Yield the waits of a campaign's blocks, without those from before a change of its queues."""
        try:
            pools = registered_site(campaign).all_pools()
        except FileError:  # a simulated campaign has no site file
            return
        batches = {name: one.scheduler for name, one in pools.items() if isinstance(one.scheduler, Batch)}
        since = 0
        for event in self._reader.events(campaign.campaign_id, kinds=SITE_CHANGES):
            keys = {str(key).rpartition(".")[2] for key in (event.data or {}).get("changed", ())}
            if keys & {"qos", *(queue_key(one) for one in batches.values())}:
                since = event.at_us
        for block in started_blocks(self._reader, campaign.campaign_id):
            batch = batches.get(block.pool)
            if batch is not None and block.requested_us >= since:
                place = place_of(batch, self._defaults.get(batch.type, ""))
                yield PlacedWait(place, block.nodes, campaign.name, block.wait_seconds)


def _known(found: Sequence[PlacedWait], noun: str) -> KnownWaits | None:
    if not found:
        return None
    seconds: dict[str, list[float]] = {}
    for one in found:
        seconds.setdefault(one.since, []).append(one.seconds)
    least, most = (pick(one.nodes for one in found) for pick in (min, max))
    nodes = count_of(most, "node") if least == most else f"{least:,} to {count_of(most, 'node')}"
    return KnownWaits(seconds, f"{count_of(len(found), noun)} of {nodes}")
