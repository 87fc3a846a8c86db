"""`reproduce`: the tables and figures of published documents, from campaigns on this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from orchestrator.cli.options import JsonOption, LedgerOption
from orchestrator.cli.run.options import takes
from orchestrator.cli.terminal.campaign_progress import campaign_progress
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions
from orchestrator.wording import FEW_DIGITS, count_of

if TYPE_CHECKING:
    from orchestrator.reproduction.campaigns import Cost, Part


def complete_document(incomplete: str) -> list[str]:
    """Complete the names of documents."""
    from orchestrator.analysis.reproduction.exhibits import reproductions

    return [name for name in reproductions() if name.startswith(incomplete)]


DocumentArgument = Annotated[
    str,
    typer.Argument(
        help="Document: candle, coral2, deep500 or hpcai500.",
        metavar="DOCUMENT",
        autocompletion=complete_document,
    ),
]
Scale = Literal["small", "shipped", "paper"]
ScaleOption = Annotated[
    Scale,
    typer.Option(
        help="small: two cores in minutes, on made data. shipped: up to 96 ranks. paper: as in the document."
    ),
]
OnlyOption = Annotated[
    str | None,
    typer.Option("--only", help='A single table or figure, such as "Table 3".', metavar="TABLE"),
]


def list_documents(
    document: Annotated[
        str | None,
        typer.Argument(
            help="Show the tables and figures of this document alone.", metavar="DOCUMENT",
            autocompletion=complete_document),
    ] = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """List the documents with their tables and figures, what is measured of each, and what that costs here.

    Example: orchestrator reproduce list candle
    """
    from orchestrator.analysis.reproduction.exhibits import reproductions

    listed = [_listed(name) for name in ([document] if document else reproductions())]
    if as_json:
        print_json(listed)
        return
    for one in listed:
        say(f"{one['document']}: {one['source']}\n")
        rows = [
            (exhibit["name"], exhibit["title"], exhibit["numbers"], exhibit["absent"] or "measured")
            for exhibit in one["exhibits"]
        ]
        print_table(["table or figure", "title", "numbers", "here"], rows, leave=["title"])
        print()
        for scale, costs in one["costs"].items():
            say(f"--scale {scale:8} {_in_words(costs)}")
        print()
    say("next     orchestrator reproduce plan DOCUMENT")


def _listed(name: str) -> dict[str, Any]:
    from orchestrator.analysis.reproduction.cells import NOT_MEASURED, is_measured
    from orchestrator.analysis.reproduction.exhibits import SCALES, numbers_of, reproduction_of
    from orchestrator.reproduction.campaigns import cost, parts

    published, made = reproduction_of(name)
    numbers = numbers_of(published, made)
    exhibits = [
        {
            "name": one,
            "title": exhibit.title,
            "numbers": len(numbers[one]),
            "absent": None if is_measured(exhibit, numbers[one]) else exhibit.absent or NOT_MEASURED,
        }
        for one, exhibit in made.exhibits.items()
    ]
    costs = {
        scale: [_cost_facts(part, cost(part, PlanOptions())) for part in parts(name, scale)]
        for scale in SCALES
    }
    return {
        "document": name,
        "title": published.title,
        "source": published.source,
        "exhibits": exhibits,
        "costs": costs,
    }


def _in_words(costs: list[dict[str, Any]]) -> str:
    """Return what the campaigns of a scale would cost, in a line."""
    fit = [one for one in costs if not one["problem"]]
    instances, hours = sum(one["instances"] for one in fit), sum(one["node_hours_at_most"] for one in fit)
    text = f"{count_of(instances, 'instance')}, at most {hours:,.4g} node-hours"
    if len(fit) < len(costs):
        return (
            f"{len(costs) - len(fit)} of {count_of(len(costs), 'campaign')} cannot run here; the rest: {text}"
        )
    return text


@takes(PlanOptions)
def plan(
    document: DocumentArgument,
    options: PlanOptions,
    scale: ScaleOption = "small",
    only: OnlyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the campaigns behind a document, and what they would cost here. Nothing runs.

    Example: orchestrator reproduce plan candle --scale paper --site summit
    """
    from orchestrator.reproduction.campaigns import cost, parts

    found = [(part, cost(part, options)) for part in parts(document, scale, only)]
    if as_json:
        print_json([_cost_facts(*one) for one in found])
        return
    rows = [
        (part.name, part.file, cost.instances, cost.nodes, cost.node_hours, cost.node_hours_at_most)
        for part, cost in found
        if not cost.problem
    ]
    columns = ["campaign", "file", "instances", "nodes", "node-hours", "at most"]
    print_table(columns, rows, digits=FEW_DIGITS, leave=["file", "nodes", "at most"])
    for part, cost_here in found:
        if cost_here.problem:
            say(f"{part.name} cannot run here: {cost_here.problem}")
    say(f"\nnext     orchestrator reproduce run {document}{_chosen(scale, only)}")


@takes(LaunchOptions)
def run(
    document: DocumentArgument, options: LaunchOptions, scale: ScaleOption = "small", only: OnlyOption = None
) -> None:
    """Launch the campaigns behind a document one after the other; called again, it goes on where it stopped.

    Example: orchestrator reproduce run candle

    Example: orchestrator reproduce run candle --scale shipped --only "Table 3" --site ours.yaml
    """
    from orchestrator.cli.exit_codes import EXIT_CODES
    from orchestrator.monitoring.outcome_words import outcome_words
    from orchestrator.reproduction.campaigns import parts
    from orchestrator.reproduction.campaigns import run as run_all

    progress = partial(campaign_progress, options.ledger, stderr=True)
    made, worst = parts(document, scale, only), 0
    for number, (part, result) in enumerate(run_all(made, options, progress), 1):
        if result is None:
            say(f"{part.name}: has ended before ({number} of {len(made)})")
            continue
        done = f"{result.done} of {count_of(result.total, 'instance')} accepted"
        say(f"{part.name}: {outcome_words(result.outcome)}; {done} ({number} of {len(made)})")
        worst = max(worst, EXIT_CODES[result.outcome])
    say(f"next     orchestrator reproduce report {document}{_chosen(scale, only)}")
    raise typer.Exit(worst)


def report(
    document: DocumentArgument,
    scale: ScaleOption = "small",
    only: OnlyOption = None,
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine", help="Only numbers that were published of this machine: summit or theta."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for page, Markdown, figures and CSV; by default DOCUMENT-SCALE.",
            metavar="DIR"),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Write every table and figure under its name: published, measured with interval, ratio.

    What was not measured says why, cell by cell.

    Example: orchestrator reproduce report candle --machine summit
    """
    from db.reader import Reader
    from orchestrator.analysis.reproduction.regenerated import regenerated
    from orchestrator.reproduction.pages import headline, overview, write

    names = _campaigns(document, scale, ledger, only)
    with Reader(ledger) as reader:
        made = regenerated(reader, document, names, machine=machine, only=only)
    if as_json:
        print_json(made.to_dict())
        return
    folder = output or Path(f"{document}-{scale}")
    write(made, folder)
    say(f"{headline(made)}\n")
    columns = ["table or figure", "title", "cells", "measured", "as published"]
    print_table(columns, overview(made), leave=["title"])
    say(f"\npage     {folder / 'index.html'}")


def package(
    document: DocumentArgument,
    to: Annotated[
        Path,
        typer.Option("--output", "-o", help="New file of the package.", metavar="FILE.zip"),
    ],
    scale: ScaleOption = "small",
    sign: Annotated[
        Path | None,
        typer.Option("--sign", help="Private SSH key to sign it with.", metavar="KEY"),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a reproduction's evidence into a file; `evidence verify` computes its tables and claims again.

    Example: orchestrator reproduce package candle --output candle.zip
    """
    from orchestrator.cli.files.package import Notice, show_packaged
    from orchestrator.review.packaging import package as write

    names = _campaigns(document, scale, ledger)
    key = sign.expanduser() if sign is not None else None
    done = write(names, to, ledger=ledger, key=key, document=document, progress=Notice("packaging"))
    show_packaged(done, as_json=as_json)


def _chosen(scale: str, only: str | None) -> str:
    """Return the options that choose a scale and a table, as words of a command line."""
    return (f" --scale {scale}" if scale != "small" else "") + (f' --only "{only}"' if only else "")


def _campaigns(document: str, scale: Scale, ledger: str | None, only: str | None = None) -> list[str]:
    """Return the campaigns behind a document that the ledger has; raises `CampaignError` without any."""
    from orchestrator.errors import CampaignError
    from orchestrator.reproduction.campaigns import in_ledger, parts

    names = in_ledger(parts(document, scale, only), ledger)
    if not names:
        raise CampaignError(
            f"the ledger has no campaign of {document} at scale {scale}; first: "
            f"orchestrator reproduce run {document} --scale {scale}"
        )
    return names


def _cost_facts(part: Part, cost: Cost) -> dict[str, object]:
    return {
        "campaign": part.name,
        "file": part.file,
        "set": list(part.overrides),
        "instances": cost.instances,
        "nodes": cost.nodes,
        "node_hours": cost.node_hours,
        "node_hours_at_most": cost.node_hours_at_most,
        "problem": cost.problem or None,
    }
