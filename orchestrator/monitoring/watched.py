"""Look at a campaign again and again; who looks changes nothing."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.analysis.live.progress import FigureSoFar, figures_so_far
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.place import DriverPlace, launch_jobs_each_minute
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.monitoring.driver_log import log_lines

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow

SHORTEST_SECONDS = 1.0
"""Between two looks."""
COST = 10
"""Times as long as a look took that pass until the next."""
_JUDGED_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Look:
    """A campaign as it was at one look.

    Parameters
    ----------
    figures
        From the last time that the campaign was judged.
    log
        Last lines of the driver's log, if they are shown.
    """

    status: CampaignStatus
    figures: tuple[FigureSoFar, ...]
    log: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        figures = {"figures_so_far": [asdict(figure) for figure in self.figures]}
        return self.status.to_dict() | figures | ({"log": self.log} if self.log else {})


class Watched:
    """A campaign that is read again and again.

    Parameters
    ----------
    benchmark
        The only one, or sweep, that is shown; None for all.
    log
        Whether to read the driver's log too.
    """

    def __init__(self, reader: Reader, name: str, benchmark: str | None, *, log: bool) -> None:
        self._reader, self._name, self._log = reader, name, log
        self._benchmark = benchmark
        self._launch_jobs = launch_jobs_each_minute()
        self._figures: tuple[FigureSoFar, ...] = ()
        self._judged_done, self._judge_at = 0, time.monotonic() + SHORTEST_SECONDS
        self.cost_seconds = 0.0

    def look(self) -> Look:
        """Return where it stands.

        Raises
        ------
        UnknownCampaignError
            If the ledger does not have it, or its benchmark.
        LedgerError
            While the ledger cannot be read.
        """
        begin = time.monotonic()
        row = self._reader.campaign(self._name)
        status = whole = CampaignStatus.read(self._reader, row)
        if self._benchmark is not None:
            status = whole.only(self._reader.select_benchmarks(row.campaign_id, self._benchmark))
        log = tuple(log_lines(row.run_directory)) if self._log else ()
        self.cost_seconds = time.monotonic() - begin
        done = whole.progress.done
        if done != self._judged_done and (whole.over or begin >= self._judge_at):
            self._judge(row)
            self._judged_done = done
        return Look(status, self._figures, log)

    def _judge(self, row: CampaignRow) -> None:
        begin = time.monotonic()
        try:
            self._figures = tuple(figures_so_far(self._reader, row))
        except CampaignError:  # what has ended so far cannot be judged
            self._figures = ()
        cost = time.monotonic() - begin
        self._judge_at = begin + max(_JUDGED_SECONDS, COST * cost)

    def launch_job(self) -> DriverPlace | None:
        """Return the job that will launch the campaign, if the ledger does not have it yet."""
        return self._launch_jobs(self._reader).get(self._name)

    def refresh(self) -> None:
        """Make `look` see what was written since, where the ledger is read from a copy."""
        self._reader.refresh()
