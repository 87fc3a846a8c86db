"""A session ends in the ledger whatever signals come once its driver has ended."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from db.states import RunOutcome
from orchestrator.driver.periodic import PeriodicTask
from orchestrator.driver.progress import NoDisplay
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.lifecycle.session.host import Session
from orchestrator.lifecycle.session.run_session import run_session
from orchestrator.simulation.fault_model import FaultModel
from tests.orchestrator.simulation.campaign import SimulatedHost
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan


class SignalledHost(SimulatedHost):
    """Gets a signal while it ends what its session has left."""

    number: signal.Signals

    @contextlib.contextmanager
    def running(self, session: Session) -> Iterator[tuple[StopRequests, Sequence[PeriodicTask]]]:
        with super().running(session) as found:
            yield found
        signal.raise_signal(self.number)


@pytest.mark.parametrize("outlived", ["", "running instances"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_last_instance_lets_the_session_end(
    tmp_path: Path, number: signal.Signals, outlived: str
) -> None:
    before = signal.getsignal(number)
    world = SimulatedCampaign(tmp_path, made_plan({"instances": 4}), FaultModel(seed=1))
    host = SignalledHost(world.machine, StopRequests(outlived=outlived))
    host.number = number
    result = run_session(world.book, world.row, world.plan, "simulation", NoDisplay(), host)
    assert result.outcome is RunOutcome.COMPLETE
    assert world.rows("SELECT outcome FROM sessions WHERE ended_us IS NOT NULL") == [("complete",)]
    assert signal.getsignal(number) == before
    world.close()
