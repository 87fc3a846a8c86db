"""`analyze roofline`: measured ceilings of a machine, and where trainings stand below them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import CampaignNamesArgument, JsonOption, LedgerOption
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from orchestrator.analysis.roofline.ceilings import Roofline


def roofline(
    names: CampaignNamesArgument,
    ledger: LedgerOption = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figures", help="Write the rooflines into this .svg or .png file."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the ceilings that microbenchmarks measured, and where trainings stand below them.

    Ceilings and trainings may be of different campaigns. A training is compared with ceilings of the same
    kind of slot and arithmetic alone; a note names what is missing. All rates are those of one rank.

    Example: orchestrator analyze roofline microbenchmarks friday --figures roofline.svg
    """
    from db.reader import Reader
    from orchestrator.analysis.roofline.runs import campaigns_roofline

    _format(figure)
    with Reader(ledger) as reader:
        found = campaigns_roofline(reader, names)
    if figure is not None:
        _write(figure, found)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)


def _format(figure: Path | None) -> str:
    """Return the format of the file; refuse others before anything is read."""
    ending = "" if figure is None else figure.suffix.lower().removeprefix(".")
    if figure is not None and ending not in ("svg", "png"):
        raise CampaignError(f"--figures {figure}: the name must end in .svg or .png")
    return ending


def _write(file: Path, found: Roofline) -> None:
    from orchestrator.host.atomic_files import atomic_write
    from orchestrator.report.roofline_figure import roofline_figure

    try:
        atomic_write(file, roofline_figure(found, _format(file)))
    except OSError as error:
        raise CampaignError(f"--figures {file}: cannot be written: {error.strerror}") from None


def _show(found: Roofline) -> None:
    from orchestrator.report.roofline_tables import ceilings_table

    ceilings = ceilings_table(found)
    print_table(ceilings.columns, ceilings.rows, title=ceilings.title)
    say()
    if found.trainings:
        show_trainings(found)
    else:
        say("no trainings; name a campaign with some as well")


def show_trainings(found: Roofline) -> None:
    """Print where trainings stand below measured ceilings, and why figures are absent."""
    from orchestrator.report.roofline_tables import notes, trainings_table

    trainings = trainings_table(found)
    print_table(trainings.columns, trainings.rows, title=trainings.title)
    if texts := notes(found.trainings):
        say()
    for text in texts:
        say(text)
