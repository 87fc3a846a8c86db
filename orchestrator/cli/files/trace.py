"""`ledger trace`: send campaigns to a collector of OpenTelemetry."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from orchestrator.cli.options import CampaignsArgument, JsonOption, LedgerOption
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import count_of, printable

_PERIOD_SECONDS = 10.0


def trace(
    campaigns: CampaignsArgument = None,
    endpoint: Annotated[
        str,
        typer.Option(
            "--endpoint",
            help="Address of the collector, such as http://localhost:4318; by default "
            "$OTEL_EXPORTER_OTLP_ENDPOINT.",
            metavar="URL",
            show_default=False,
        ),
    ] = "",
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on every 10 s, until no driver runs any of them.")
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Send sessions, blocks and attempts as spans, and where campaigns stand as metrics, to OpenTelemetry.

    Spans have the ledger's times, and identifiers that follow from the campaign's: sending them again changes
    nothing. Headers with a password come from $OTEL_EXPORTER_OTLP_HEADERS alone.

    Example: orchestrator ledger trace friday --endpoint http://localhost:4318 --follow
    """
    from db.reader import Reader
    from orchestrator.telemetry.sending import Collector, CollectorError, FollowedTrace

    collector = Collector(endpoint)
    with Reader(ledger) as reader:
        names = [reader.campaign(name).name for name in campaigns or ()]
        traces = [
            FollowedTrace(name) for name in dict.fromkeys(names) or [row.name for row in reader.campaigns()]
        ]
    left, trouble = traces, ""
    while left:
        try:
            with Reader(ledger) as reader:
                left = [followed for followed in left if not followed.send(reader, collector) and follow]
        except CollectorError as error:
            if not follow:
                raise
            if trouble != (trouble := str(error)):
                print(printable(f"{trouble}; sending again every {_PERIOD_SECONDS:.0f} s"), file=sys.stderr)
        if left:
            time.sleep(_PERIOD_SECONDS)
    spans = {followed.campaign: followed.sent for followed in traces}
    if as_json:
        print_json({"collector": collector.address, "spans": spans})
        return
    for name, number in spans.items():
        print(printable(f"{name}: {count_of(number, 'span')} and metrics sent to {collector.address}"))
