"""Simulated sessions: a launch or a resume of a campaign on a simulated machine."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from db.ledger import Ledger
from db.records import CampaignRow, NewCampaign
from db.states import RunOutcome
from orchestrator.driver.periodic import PeriodicTask
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.engines.base import Engine
from orchestrator.lifecycle.recovery.adopt_reports import adopt
from orchestrator.lifecycle.session.host import Session
from orchestrator.lifecycle.session.run_session import run_session
from orchestrator.planning.plan import Plan
from orchestrator.planning.stage import Stage
from orchestrator.simulation.engine import SimulatedEngine
from orchestrator.simulation.machine import Machine


def register(book: Ledger, plan: Plan, directory: Path) -> CampaignRow:
    """Register a planned campaign whose files go into a directory that exists."""
    book.register(
        NewCampaign(
            name=plan.name,
            uid=uuid.uuid4().hex,
            campaign_yaml="",
            site_name=plan.site.site,
            site_yaml="",
            rulebook=plan.campaign.rulebook,
            run_class=plan.campaign.run_class,
            run_directory=str(directory),
            data_path="",
        ),
        [benchmark.row() for benchmark in plan.benchmarks],
        plan.instances(),
        plan.point_rows(),
        {benchmark.name: benchmark.description() for benchmark in plan.benchmarks},
        {"planned_node_hours": plan.node_hours},
    )
    return book.campaign(plan.name)


class SimulatedHost:
    """A simulated machine as the host of a session.

    Parameters
    ----------
    machine
        It outlives the session, as do attempts on it that are not ended.
    """

    pid = 0

    def __init__(self, machine: Machine, switch: StopRequests) -> None:
        self.owner = uuid.uuid4().hex
        self.clock = machine.clock
        self._machine = machine
        self._switch = switch

    def is_dead(self, owner: str) -> bool:
        """Return True: an earlier driver never outlives its session here."""
        return True

    def logged(self, session: Session) -> contextlib.AbstractContextManager[None]:
        """Write no log: messages go to whoever listens."""
        return contextlib.nullcontext()

    def recover(self, session: Session) -> None:
        """End what an earlier driver left on the machine, and adopt what its attempts reported."""
        self._machine.end_blocks(self._machine.blocks, "orphaned")
        session.book.end_blocks(session.row.campaign_id)
        adopt(session.book, session.row)

    def make_engine(self, session: Session, stage: Stage, first_block: int) -> Engine:
        """Return the engine of a stage; the machine numbers its blocks."""
        return SimulatedEngine(self._machine, stage.site, stage)

    @contextlib.contextmanager
    def running(self, session: Session) -> Iterator[tuple[StopRequests, Sequence[PeriodicTask]]]:
        """Start no real process, so that there is none to mark or to end."""
        yield self._switch, ()

    def driver_ended(self, session: Session, outcome: RunOutcome) -> None:
        """Note nothing: no other campaign uses simulated cores."""

    def session_ended(self, session: Session, outcome: RunOutcome) -> None:
        """Keep the journals as they are."""


def run(
    book: Ledger,
    row: CampaignRow,
    plan: Plan,
    machine: Machine,
    *,
    display: ProgressDisplay | None = None,
    switch: StopRequests | None = None,
) -> RunOutcome:
    """Run what is left of a campaign, by the rules of a launch or a resume."""
    host = SimulatedHost(machine, switch or StopRequests())
    current = book.campaign(row.name)  # with the lease of an earlier driver
    return run_session(book, current, plan, "simulation", display or NoDisplay(), host).outcome
