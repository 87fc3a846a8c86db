"""A simulated machine whose attempts write journals, as real workers do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.rundir.chain import GENESIS, chain_after
from orchestrator.rundir.layout import RunDirectory
from orchestrator.simulation.fault_model import FaultModel, RunSampler
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.virtual_clock import VirtualClock


@dataclass(frozen=True, slots=True)
class RepeatedReports(FaultModel):
    """`duplicates` is the share of final reports that come a second time, up to 300 s later."""

    duplicates: float = 0.0


class JournalMachine(Machine):
    """A machine with the journals that a driver reads, those of an earlier driver's attempts included."""

    def __init__(
        self, clock: VirtualClock, fault_model: FaultModel, sample_run: RunSampler, grace: float
    ) -> None:
        super().__init__(clock, fault_model, sample_run, grace, lambda report: None)
        self._journals: dict[tuple[str, int, str, str], Path] = {}
        self._chains: dict[Path, str] = {}

    def journal(self, order: AttemptOrder, block: str, report: AttemptReport) -> None:
        """Append a report to the journal of a block's workers, sometimes twice."""
        key = (order.directory, order.session, order.slot_shape, block)
        if (file := self._journals.get(key)) is None:
            # One journal for all workers of a block: a million simulated attempts open few files.
            file = RunDirectory(Path(order.directory)).journal(
                order.session, block, f"{order.slot_shape}-{block}"
            )
            file.parent.mkdir(parents=True, exist_ok=True)
            self._journals[key] = file
        self._append(file, report)
        model = self.fault_model
        if isinstance(model, RepeatedReports) and report.state.final:
            random = model.random("duplicate", order.label, order.attempt)
            if random.random() < model.duplicates:
                self.clock.after(random.uniform(0.0, 300.0), lambda: self._append(file, report))

    def _append(self, file: Path, report: AttemptReport) -> None:
        """Append a line; many workers share a simulated journal, and none waits for a disk."""
        chain = self._chains.get(file, GENESIS)
        line = journal.encode(report.to_json(), chain)
        self._chains[file] = chain_after(chain, line.rstrip(b"\n"))
        with file.open("ab") as stream:
            stream.write(line)
