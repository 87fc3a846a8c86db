"""`events`: what happened to a campaign, apart from its attempts' results."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Annotated

import typer

from db.times import utc_seconds
from orchestrator.cli.options import LastCampaignArgument, LedgerOption, campaign_or_last
from orchestrator.cli.terminal.tables import print_json_line, print_table
from orchestrator.wording import short_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from db.events import Event
    from db.reader import Reader

_POLL_SECONDS = 1.0
_LONGEST = 200


def complete_kind(incomplete: str) -> list[tuple[str, str]]:
    """Complete kinds of events, each with its sentence."""
    from db.events import EventKind

    return [(kind.value, kind.description) for kind in EventKind if kind.startswith(incomplete)]


def events(
    name: LastCampaignArgument = None,
    ledger: LedgerOption = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for new events until no driver runs the campaign.")
    ] = False,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            help="Only events of this kind, such as node_excluded; may be repeated. `--kind help` lists all "
            "kinds. By default every kind but transition.",
            autocompletion=complete_kind,
            metavar="KIND",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Show what happened to a campaign: sessions, lost blocks, excluded nodes, stops, late reports.

    The transitions of attempts are left out unless asked for with --kind transition.

    Example: orchestrator events friday --follow

    Only two kinds: orchestrator events friday --kind block_lost --kind node_excluded

    For programs: orchestrator events friday --kind transition --json
    """
    from db.reader import Reader
    from orchestrator.report.facts.events import event_facts

    kinds = _checked(kind)
    if "help" in kinds:
        _show_kinds()
        return
    with Reader(ledger) as reader:
        found = _events(reader, campaign_or_last(reader, name).name, kinds, follow=follow)
        if as_json:
            for event in found:
                print_json_line(event_facts(event))
        elif follow:
            for event in found:
                at, what, message = _cells(event)
                print(f"{at}  {what:<24} {message}", flush=True)
        else:
            print_table(["time (UTC)", "kind", "message"], [_cells(event) for event in found])


def _checked(kinds: list[str] | None) -> list[str]:
    """Return the given kinds; a kind that does not exist is an error that names the nearest one."""
    from db.events import EventKind
    from workloads.spelling import near

    for kind in kinds or []:
        if kind not in {*EventKind, "help"}:
            hint = near(kind, EventKind, "`--kind help` lists all kinds")
            raise typer.BadParameter(f"no kind {kind!r}{hint}", param_hint="--kind")
    return kinds or []


def _show_kinds() -> None:
    from db.events import EventKind

    print_table(["kind", "when it is written"], [[kind.value, kind.description] for kind in EventKind])


def _events(reader: Reader, name: str, kinds: list[str], *, follow: bool) -> Iterator[Event]:
    """Yield the events of a campaign; with `follow` also new ones until its driver has ended."""
    from orchestrator.lifecycle.driver_process.identity import may_be_alive

    number = reader.campaign(name).campaign_id
    last = 0
    while True:
        # Asked before reading: the last events of a driver that ends meanwhile are read once more.
        driven = follow and may_be_alive(reader.campaign(name))
        for event in reader.events(number, after=last, kinds=kinds or None):
            last = event.event_id
            yield event
        if not driven:
            return
        time.sleep(_POLL_SECONDS)
        reader.refresh()


def _cells(event: Event) -> list[str]:
    message, subject = event.message, short_hashes(event.subject)
    if event.kind == "transition":
        message = f"{event.from_state or 'new'} to {event.to_state}" + (f": {message}" if message else "")
    if not re.search(rf"(?<![\w/.-]){re.escape(subject.removesuffix('…'))}(?![\w/.-])", message):
        message = f"{subject}: {message}"
    if len(message) > _LONGEST:  # a late report is a JSON text of some thousand characters
        message = message[: _LONGEST - 3] + "..."
    return [utc_seconds(event.at_us) or "", event.kind, message]
