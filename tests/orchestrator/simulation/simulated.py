"""Campaigns on a simulated machine for tests, ways to hurt them, and what must hold afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, update

from db.column_values import sha256
from db.connection.connect import parse_url
from db.errors import LedgerError
from db.ledger import Ledger
from db.queries.attempt_times import attempt_times, blocks_of
from db.schema import upgrade
from db.states import AttemptState, RunOutcome
from db.tables import campaigns
from orchestrator.analysis.slot_time.makespan_explained import slots_of
from orchestrator.analysis.slot_time.parts import SlotTime, slot_time
from orchestrator.cli.terminal.console_log import console_log
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.slots import NodeFacts
from orchestrator.rundir.journal import Tail
from orchestrator.simulation.fault_model import FaultModel, RunSampler
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.virtual_clock import VirtualClock
from sites import Site
from tests.orchestrator.simulation import campaign
from tests.orchestrator.simulation.journals import JournalMachine

WALLTIME = 3600.0
# At no instant has an instance two open attempts, or one while it is not in flight.
_ASTRAY = (
    "SELECT a.instance_id FROM attempts a JOIN instances i ON i.campaign_id = a.campaign_id AND "
    "i.instance_id = a.instance_id WHERE a.state IN ('submitted', 'running') "
    "GROUP BY a.instance_id HAVING count(*) > 1 OR max(i.state) != 'in_flight'"
)


def made_plan(
    *benchmarks: dict[str, Any],
    slots: int = 2,
    batch: dict[str, Any] | None = None,
    nodes: int | None = None,
    **campaign: Any,
) -> Plan:
    """Return a plan of toy benchmarks on nodes of so many slots; local without `batch`."""
    spec = {
        "campaign": "toy",
        **campaign,
        "benchmarks": [{"workload": "tests.toys.behave", "timeout": "1 h", **one} for one in benchmarks],
    }
    site: dict[str, Any] = {"site": "made", "node": {"cores": f"0-{slots - 1}", "memory": "8 GiB"}}
    if batch is not None:
        site |= {
            "interface": "lo",
            "nodes": nodes,
            "scheduler": {"type": "slurm", "walltime": WALLTIME, **batch},
        }
    cores = tuple(range(slots))
    return make_plan(
        parse_campaign(json.dumps(spec), "test"), Site.model_validate(site), NodeFacts(cores, 8 << 30, ()),
        Path("/nowhere"),
    )  # fmt: skip


class Crash(BaseException):
    """The driver is killed."""


class FrailLedger(Ledger):
    """A ledger that is away between two times, and that a driver dies at."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.machine: Machine | None = None
        self.away: list[tuple[float, float]] = []
        self.crash_at: dict[int, bool] = {}
        """Which writes a driver dies at, and whether after the commit."""
        self.crashed = False
        self.writes = 0
        self.strict = True

    def _make_engine(self) -> Engine:
        engine = super()._make_engine()

        @event.listens_for(engine, "connect")
        def _configure(connection: Any, _record: object) -> None:
            connection.execute("PRAGMA synchronous = OFF")  # no test switches the machine off

        return engine

    @contextmanager
    def _transaction(self, statement_seconds: float | None = None) -> Iterator[Connection]:
        if self.crashed:
            raise Crash
        now = self.machine.clock.seconds() if self.machine else -1.0
        if any(begin <= now < end for begin, end in self.away):
            raise LedgerError("the ledger is away")
        self.writes += 1
        after_commit = self.crash_at.pop(self.writes, None)
        if after_commit is False:
            self._crash()
        with super()._transaction(statement_seconds) as connection:
            yield connection
            if self.strict:
                assert connection.exec_driver_sql(_ASTRAY).all() == []
        if after_commit:
            self._crash()

    def renew(self, campaign_id: int, owner: str, lease_seconds: float) -> str | None:
        """Renew the lease without a look for attempts astray: it changes none, and is most transactions."""
        strict, self.strict = self.strict, False
        try:
            return super().renew(campaign_id, owner, lease_seconds)
        finally:
            self.strict = strict

    def _crash(self) -> None:
        self.crashed = True
        for engine in self.machine.engines if self.machine else ():
            engine.detach()
        raise Crash


class SimulatedCampaign:
    """A registered campaign on a simulated machine."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        fault_model: FaultModel,
        *,
        draw: RunSampler | None = None,
        grain: float = 0.0,
        longest: float = 3e6,
    ) -> None:
        self.plan = plan
        expected = {one.name: one.expected_seconds or 60.0 for one in plan.benchmarks}
        self.machine = JournalMachine(
            VirtualClock(grain=grain, longest=longest),
            fault_model,
            draw or fault_model.sampler(expected),
            plan.campaign.grace_period,
        )
        folder.mkdir(exist_ok=True)
        url = str(folder / "ledger.sqlite")
        if not Path(url).exists():
            upgrade(parse_url(url))
        self.book = FrailLedger(url)
        self.book.strict = plan.size < 1000
        self.book.machine = self.machine
        self.row = campaign.register(self.book, plan, folder)
        self.messages: list[str] = []
        self.switch = StopRequests()
        self.outcomes: list[RunOutcome] = []

    def run(self) -> RunOutcome:
        """Launch or resume."""
        self.switch = StopRequests()
        try:
            with console_log(self.messages.append):
                outcome = campaign.run(self.book, self.row, self.plan, self.machine, switch=self.switch)
        except Crash:
            outcome = RunOutcome.ABORTED
            self.book.crashed = False
        self.outcomes.append(outcome)
        return outcome

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the ledger."""
        return self.book.query(sql)[1]

    def write_texts(self, campaign: str, site: str) -> None:
        """Write the texts of campaign and site, as a launch registers them."""
        texts = {"campaign_yaml": campaign, "site_yaml": site}
        values = texts | {name.replace("yaml", "sha256"): sha256(text) for name, text in texts.items()}
        with self.book._transaction() as connection:
            mine = campaigns.c.campaign_id == self.row.campaign_id
            connection.execute(update(campaigns).where(mine).values(**values))
        self.row = self.book.campaign(self.row.name)

    def close(self) -> None:
        self.book.close()

    def slot_time(self) -> SlotTime:
        """Return where the slot-time went, after checking that its parts add up to the microsecond."""
        campaign = self.row.campaign_id
        times = attempt_times(self.book, campaign)
        slots = slots_of(self.book, self.row, times)
        found = slot_time(times, blocks_of(self.book, campaign), self.book.sessions_of(campaign), slots)
        assert sum(found.total().values()) == found.offered_us
        assert min(found.total().values()) >= 0
        return found

    def check(self) -> None:
        """Assert what holds of every ledger once nothing is open any more."""
        self.slot_time()
        assert self.rows("SELECT count(*) FROM attempts WHERE state IN ('submitted', 'running')") == [(0,)]
        assert (
            self.rows(
                "SELECT 1 FROM instances WHERE state NOT IN ('done', 'exhausted', 'not_needed', 'pruned')"
            )
            == []
        )
        # One accepted attempt for each that is done, and it succeeded; none that succeeded beside it.
        assert (
            self.rows(
                "SELECT i.instance_id FROM instances i LEFT JOIN attempts a ON a.instance_id = i.instance_id "
                "AND a.state = 'succeeded' GROUP BY i.instance_id, i.state, i.accepted_attempt "
                "HAVING count(a.attempt_number) != (i.state = 'done') OR coalesce(max(a.attempt_number), -1) "
                "!= coalesce(i.accepted_attempt, -1)"
            )
            == []
        )
        # Attempts are numbered without a gap, and each came to its end once.
        assert (
            self.rows(
                "SELECT instance_id FROM attempts GROUP BY instance_id HAVING max(attempt_number) != count(*)"
            )
            == []
        )
        assert (
            self.rows(
                "SELECT instance_id, attempt_number FROM events WHERE kind = 'transition' AND "
                "to_state NOT IN "
                "('submitted', 'running') GROUP BY instance_id, attempt_number HAVING count(*) != 1"
            )
            == []
        )
        retries = self.plan.campaign.retries
        for (instance,) in self.rows("SELECT instance_id FROM instances WHERE state = 'exhausted'"):
            spent = dict(self.rows(
                "SELECT CASE state WHEN 'cancelled' THEN 'infrastructure' ELSE failure_category "
                "END, count(*) "
                f"FROM attempts WHERE instance_id = {instance} GROUP BY 1"
            ))  # fmt: skip
            over = spent.get("benchmark", 0) > retries.benchmark
            assert over or spent.get("infrastructure", 0) > retries.infrastructure, (instance, spent)
        # What a driver adopts or writes off when it starts or closes down had no better report.
        written_off = {
            token
            for (token,) in self.rows(
                "SELECT token FROM attempts WHERE failure_reason IN ('driver died', 'engine "
                "failed', 'cancelled')"
            )
        }
        folder = Path(self.row.run_directory) / "journals"
        succeeded = {one.token for one in Tail(folder).read() if one.state is AttemptState.SUCCEEDED}
        assert not written_off & succeeded
