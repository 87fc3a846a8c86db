"""`report`: a campaign's report as a page."""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from orchestrator.cli.options import JsonOption, LastCampaignArgument, LedgerOption, campaign_or_last
from orchestrator.cli.terminal.tables import print_json


class Format(StrEnum):
    """File format of a report."""

    HTML = "html"
    MARKDOWN = "md"


def report(
    name: LastCampaignArgument = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write; - for standard output. By default NAME.html or NAME.md.",
            metavar="FILE", show_default=False,
        ),
    ] = None,
    format: Annotated[  # noqa: A002  the option's name
        Format, typer.Option("--format", help="A page of its own, or Markdown for a paper's appendix.")
    ] = Format.HTML,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures", help="Also write each figure as an SVG file into this folder.",
            metavar="DIR", show_default=False,
        ),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Write a campaign's report: verdict, rules, timeline of slots, times, makespan, nodes, environment.

    One HTML file that needs no network, for people who decide and people who check; NAME.preview.png beside
    it is the picture that links to the page show.

    Example: orchestrator report friday

    For a paper: orchestrator report friday --format md --figures friday-figures
    """
    from db.reader import Reader
    from orchestrator.cli.terminal.slow_notice import reading_notice
    from orchestrator.host.atomic_files import atomic_write
    from orchestrator.report.writing import report as read
    from orchestrator.report.writing import write_figures

    with Reader(ledger) as reader:
        row = campaign_or_last(reader, name)
        file = output or Path(re.sub(r"[^\w.=-]", "_", row.name) + f".{format.value}")
        if output != Path("-") and (file.is_dir() or not file.parent.is_dir()):
            wrong = f"{file} is a folder" if file.is_dir() else f"the folder {file.parent} does not exist"
            raise typer.BadParameter(f"{wrong}; name the page's file", param_hint="--output")
        if as_json and output == Path("-"):
            raise typer.BadParameter("--json says which file was written; name it", param_hint="--output")
        with reading_notice(row.name):
            made = read(reader, row)
    drawn = [] if figures is None else write_figures(made, figures)
    if not as_json:
        for one in drawn:
            print(one, file=sys.stderr)
    page = format is Format.HTML
    preview = f"{file.stem}.preview.png" if page and output != Path("-") else ""
    text = made.html(quote(preview)) if page else made.markdown(str(figures) if figures else None)
    if output == Path("-"):
        sys.stdout.write(text)
        return
    atomic_write(file, text)
    if preview:
        atomic_write(file.with_name(preview), made.preview())
    if as_json:
        beside = str(file.with_name(preview)) if preview else None
        written = {"file": str(file), "preview": beside, "figures": [str(one) for one in drawn]}
        print_json({"campaign": row.name, **written, "verdict": made.verdict[0]})
    else:
        print(f"{file}: {made.verdict[0]}")
