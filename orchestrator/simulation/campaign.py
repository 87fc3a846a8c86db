"""Simulated sessions: a launch or a resume of a campaign on a simulated machine."""

from __future__ import annotations

import socket
import uuid
from pathlib import Path

from db.ledger import Ledger
from db.records import Campaign as CampaignRow
from db.records import NewCampaign
from db.states import InstanceState
from orchestrator.driver.driver import Driver, DriverSetup
from orchestrator.driver.ledger_writer import LEASE_SECONDS, LedgerWriter
from orchestrator.driver.outcomes import RunOutcome
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.lifecycle.recovery import adopt
from orchestrator.planning.plan import Plan
from orchestrator.simulation.engine import SimulatedEngine
from orchestrator.simulation.machine import Machine
from orchestrator.version import __version__


def register(book: Ledger, plan: Plan, directory: Path) -> CampaignRow:
    """Register a planned campaign whose files go into a directory that exists."""
    book.register(
        NewCampaign(
            name=plan.name,
            uid=uuid.uuid4().hex,
            spec_text="",
            site_name=plan.site.site,
            site_text="",
            rulebook=plan.campaign.rulebook,
            run_class=plan.campaign.run_class,
            directory=str(directory),
            data="",
        ),
        [benchmark.row() for benchmark in plan.benchmarks],
        plan.instances(),
    )
    return book.campaign(plan.name)


def run(
    book: Ledger,
    row: CampaignRow,
    plan: Plan,
    machine: Machine,
    *,
    display: ProgressDisplay | None = None,
    switch: StopRequests | None = None,
) -> RunOutcome:
    """Run what is left of a campaign, by the rules of a launch or a resume.

    What an earlier driver left on the machine is ended, and what its attempts reported is adopted.
    """
    owner = uuid.uuid4().hex
    session = book.begin_session(
        row.campaign,
        owner,
        LEASE_SECONDS,
        dead=book.campaign(row.name).lease_owner,
        kind="simulation",
        host=socket.gethostname(),
        pid=0,
        version=__version__,
        slots=max(stage.width for stage in plan.stages),
    )
    machine.end_all("orphaned")
    adopt(book, row)
    counts = book.instance_counts(row.campaign)
    driver = Driver(
        DriverSetup(
            plan=plan,
            row=row,
            session=session,
            writer=LedgerWriter(book, row.campaign, session, owner, machine.clock.seconds),
            make_engine=lambda stage, _: SimulatedEngine(machine, plan.site, stage),
            stops=switch or StopRequests(),
            display=display or NoDisplay(),
            already_done=counts.get(InstanceState.DONE, 0),
            already_exhausted=counts.get(InstanceState.EXHAUSTED, 0),
            longest_seconds=book.longest_seconds(row.campaign),
            clock=machine.clock,
        )
    )
    outcome = driver.run(book.pending(row.campaign))
    if outcome not in (RunOutcome.TAKEN_OVER, RunOutcome.LEDGER_FAILED):
        book.end_session(row.campaign, session, owner, outcome)
    return outcome
