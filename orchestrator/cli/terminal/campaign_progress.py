"""Progress and messages of a campaign that this process runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.cli.terminal.progress_bar import Progress


@contextmanager
def campaign_progress(ledger: str | None, *, stderr: bool, quiet: bool = False) -> Iterator[Progress]:
    """Show where a campaign of a ledger stands, and what is logged, while the process runs the campaign.

    Parameters
    ----------
    stderr
        Whether standard output is for something else, such as JSON.
    """
    from orchestrator.cli.terminal.console_log import console_log
    from orchestrator.cli.terminal.plain_output import console_of
    from orchestrator.cli.terminal.progress_bar import Progress
    from orchestrator.monitoring.estimate import LedgerEstimate

    console = console_of(stderr=stderr, quiet=quiet)
    with Progress(console, estimate=LedgerEstimate(ledger)) as progress, console_log(progress.message):
        yield progress
