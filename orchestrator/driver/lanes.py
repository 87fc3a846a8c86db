"""The lanes of a campaign: one for each pool of the plan, also where pools are added or removed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from orchestrator.driver.lane import EndsByLane, Lane, MakeQueue
from orchestrator.driver.queue.order_builder import OrderBuilder
from orchestrator.driver.queue.resource_levels import ResourceLevels
from orchestrator.driver.submission import Submission
from orchestrator.planning.plan import Plan
from sites import Site, parse


@dataclass(eq=False, slots=True)
class Lanes:
    """Makes the lanes of a plan, and lets them go on by another one.

    Parameters
    ----------
    levels
        Waiting instances, which the lanes share.
    paused
        Benchmarks of which none starts, and entries of paused pools.
    make_orders, make_submission, make_queue
        Make what a lane needs: builders of orders are of a plan, the others of a lane.

    Attributes
    ----------
    members
        In the order in which they were made; a lane stays here when its pool is removed.
    """

    levels: ResourceLevels
    paused: AbstractSet[str]
    make_orders: Callable[[Plan], OrderBuilder]
    make_submission: Callable[[OrderBuilder], Submission]
    make_queue: MakeQueue
    members: list[Lane] = field(default_factory=list)
    ends: EndsByLane = field(default_factory=EndsByLane)

    def change(self, pool: str, text: str) -> None:
        """Go on with the settings that a text of the site gives a pool; an allocation stays as it is."""
        if any(stage.whole_blocks for lane in self.members for stage in lane.stages):
            return
        site = parse(text, Site, "site in the ledger")
        pool = pool if site.pools else ""
        for lane in self.members:
            lane.change(pool, site.pooled()[pool])

    def follow(self, plan: Plan) -> None:
        """Open lanes for pools that are new in a plan, and close those of pools that it has no more.

        The others go on with its stages, each with the engine that it has. Plans of a campaign with one lane
        for several pools never follow each other.
        """
        self.levels.follow(plan)
        orders = self.make_orders(plan)
        known = {lane.pool: lane for lane in self.members if not lane.closed}
        for stages in plan.lanes:
            lane = known.pop(stages[0].site.pool or "", None)
            if lane is None:
                lane = Lane(
                    len(self.members), stages, self.levels, self.paused, self.make_submission(orders),
                    self.make_queue,
                )  # fmt: skip
                self.members.append(lane)
            else:
                lane.submission.orders = orders
                lane.follow(stages)
            self.ends.serve(lane)
        for lane in known.values():
            lane.close()
