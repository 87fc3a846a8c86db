"""Stands in for the ledger and the journals in a prediction: attempts are counted, reports forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from db.queries.instance_totals import InstanceTotals
from db.records import (
    BlockRecord,
    CampaignRow,
    LedgerReport,
    NewAttempt,
    Pending,
    SettledBenchmark,
    SuggestedTrial,
)
from db.states import AttemptState
from db.writing.requests import AppliedRequest
from orchestrator.driver.driver import Driver
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.driver.queue.order_design import order_design
from orchestrator.driver.queue.retry_policy import EndedAttempt
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.planning.plan import Plan
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.chain import Head
from orchestrator.simulation.engine import SimulatedEngine
from orchestrator.simulation.machine import Machine


class CountingLedger:
    """A `db.driver_ledger.DriverLedger` of one driver.

    Attributes
    ----------
    attempts
        Number of attempts by state.
    """

    def __init__(self) -> None:
        self.attempts: Counter[AttemptState] = Counter()
        self._open: dict[str, AttemptState] = {}

    def submit(self, campaign_id: int, session: int, new: Sequence[NewAttempt]) -> None:  # noqa: ARG002
        """Count new attempts."""
        self._open.update((one.token, AttemptState.SUBMITTED) for one in new)
        self.attempts[AttemptState.SUBMITTED] += len(new)

    def record(self, campaign_id: int, reports: Sequence[LedgerReport]) -> list[LedgerReport]:  # noqa: ARG002
        """Count changes of attempts' states and return the reports that came too late."""
        late = []
        for report in reports:
            state = self._open.get(report.token)
            if state is None or not state.may_become(report.state):
                late.append(report)
                continue
            self.attempts[state] -= 1
            self.attempts[report.state] += 1
            self._open[report.token] = report.state
            if report.state.final:
                del self._open[report.token]
        return late

    def record_blocks(self, campaign_id: int, session: int, rows: Sequence[BlockRecord]) -> None:
        """Keep nothing: the machine knows its blocks."""

    def renew(self, campaign_id: int, owner: str, lease_seconds: float) -> str | None:  # noqa: ARG002
        """Return None: nothing else runs the campaign, and no user asks for anything."""
        return None

    def apply_requests(self, campaign_id: int, session: int) -> None:
        """Apply nothing: there are no requests."""

    def applied_requests(self, campaign_id: int, after: int = 0) -> list[AppliedRequest]:  # noqa: ARG002
        """Return no requests."""
        return []

    def pending(self, campaign_id: int) -> list[Pending]:  # noqa: ARG002
        """Return no instances: only `instance retry` asks for them."""
        return []

    def settle(self, campaign_id: int, session: int, settled: SettledBenchmark) -> None:
        """Keep nothing: the driver has taken the instances back."""

    def reopen_settled(self, campaign_id: int, benchmarks: Collection[str], *, session: int) -> None:
        """Keep nothing: no user retries an instance of a prediction."""

    def suggest(self, campaign_id: int, session: int, chosen: Sequence[SuggestedTrial]) -> None:
        """Keep nothing: no optimizer chooses parameters of a prediction."""

    def describe_node(self, campaign_id: int, session: int, node: str, facts: Mapping[str, Any]) -> None:
        """Keep nothing."""

    def note(self, campaign_id: int, kind: str, message: str, **more: Any) -> None:
        """Keep nothing: the log has it."""


class MemoryJournal:
    """Reports that a driver has not read yet, instead of journals."""

    complete = True

    def __init__(self) -> None:
        self._reports: list[AttemptReport] = []

    def append(self, report: AttemptReport) -> None:
        """Take a report."""
        self._reports.append(report)

    def read(self) -> Iterator[AttemptReport]:
        """Yield the reports that were appended since the last call."""
        reports, self._reports = self._reports, []
        yield from reports

    def new_heads(self) -> dict[str, Head]:
        """Return no heads: there are no files."""
        return {}


def unrecorded_driver(
    plan: Plan,
    folder: str,
    machine: Machine,
    ledger: CountingLedger,
    journal: MemoryJournal,
    *,
    pending: Sequence[Pending] | None = None,
    ended: Sequence[EndedAttempt] = (),
    display: ProgressDisplay | None = None,
    observers: Sequence[DriverObserver] = (),
) -> Driver:
    """Return the driver of a plan on a machine whose attempts report to `journal`.

    Parameters
    ----------
    folder
        Where the driver signals attempts; it exists.
    pending
        Instances that it will run; by default all of the plan.
    ended
        As of `DriverSetup`.
    """
    row = CampaignRow(
        campaign_id=1,
        name=plan.name,
        site_name=plan.site.site,
        rulebook=plan.campaign.rulebook,
        run_class=plan.campaign.run_class,
        run_directory=folder,
        created_us=0,
        uid="",
        campaign_yaml="",
        campaign_sha256="",
        site_yaml="",
        site_sha256="",
        data_path="",
        outcome=None,
        stop_request=None,
        lease_owner=None,
        lease_expires_us=None,
    )
    return Driver(
        DriverSetup(
            plan=plan,
            row=row,
            session=1,
            writer=LedgerWriter(ledger, row.campaign_id, 1, "", machine.clock.seconds),
            make_engine=lambda stage, _: SimulatedEngine(machine, stage.site, stage),
            stops=StopRequests(),
            display=display or NoDisplay(),
            replan=lambda: plan,
            totals=InstanceTotals(plan.size if pending is None else len(pending), 0, 0, 0, 0),
            ended=ended,
            design=order_design(plan),
            observers=observers,
            clock=machine.clock,
            reports=journal,
        )
    )


def waiting(plan: Plan) -> list[Pending]:
    """Return the instances of a plan, none of which was tried."""
    return [
        Pending(one.instance_id, one.benchmark, one.benchmark_index, one.seed, 0) for one in plan.instances()
    ]
