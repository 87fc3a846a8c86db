"""Settings of a driver and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from db.queries.instance_totals import InstanceTotals
from db.records import CampaignRow
from orchestrator.driver.budget import Budget
from orchestrator.driver.clock import Clock, WallClock
from orchestrator.driver.observers.answers import AnswerWatch
from orchestrator.driver.observers.nodes import NodeWatch
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.observers.suggestions import SuggestionWatch
from orchestrator.driver.observers.trials import TrialWatch
from orchestrator.driver.periodic import PeriodicTask
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.driver.queue.order_design import OrderDesign
from orchestrator.driver.queue.retry_policy import EndedAttempt
from orchestrator.driver.records.journal_reader import Reports
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.engines.base import Engine
from orchestrator.planning.plan import Plan
from orchestrator.planning.stage import Stage
from workloads.description import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverSetup:
    """Settings of a driver.

    Parameters
    ----------
    plan, row, session
        What to run, the campaign's ledger row, and the number of this launch or resume.
    make_engine
        Makes the engine of a stage, given the number of its first block.
    replan
        Returns the plan by the pools that the campaign has now; raises `LedgerError` while that is not known.
    totals
        Instances to run, and those that earlier sessions finished.
    paused
        Benchmarks of which no instance starts, and entries of paused pools.
    longest_seconds
        How long instances of each benchmark took at most in earlier sessions.
    design
        The registered order of the instances; None for that of the file.
    answers, nodes, trials, budget
        What may end points before all their instances ran; None where nothing does.
    suggestions
        Lets trials get parameters; None where all of them have theirs.
    ended
        Attempts of the session that ended before the driver began; a prediction of what is left has such.
    observers
        Further observers of attempts.
    clock
        The machine's own by default.
    reports
        Where attempts report besides the engine; the session's journals by default.
    """

    plan: Plan
    row: CampaignRow
    session: int
    writer: LedgerWriter
    make_engine: Callable[[Stage, int], Engine]
    stops: StopRequests
    display: ProgressDisplay
    replan: Callable[[], Plan]
    totals: InstanceTotals
    paused: frozenset[str] = frozenset()
    longest_seconds: Mapping[str, float] | None = None
    design: OrderDesign | None = None
    answers: AnswerWatch | None = None
    nodes: NodeWatch | None = None
    trials: TrialWatch | None = None
    suggestions: SuggestionWatch | None = None
    budget: Budget | None = None
    tasks: Sequence[PeriodicTask] = ()
    ended: Sequence[EndedAttempt] = ()
    observers: Sequence[DriverObserver] = ()
    clock: Clock = field(default_factory=WallClock)
    reports: Reports | None = None

    @property
    def watches(self) -> Sequence[AnswerWatch | NodeWatch | TrialWatch | SuggestionWatch]:
        """Observers that wait for the values of instances."""
        found = self.answers, self.nodes, self.trials, self.suggestions
        return [one for one in found if one is not None]

    @property
    def chosen_parameters(self) -> Mapping[str, Mapping[str, Value]]:
        """Parameters of trials that were chosen while the campaign runs, by benchmark; it grows."""
        return self.suggestions.parameters if self.suggestions is not None else {}
