"""`report`: a campaign's report as a page."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from orchestrator.cli.options import (
    JsonOption,
    LastCampaignArgument,
    LedgerOption,
    campaign_or_last,
    file_of,
)
from orchestrator.cli.terminal.tables import print_json

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow


class Format(StrEnum):
    """File format of a report."""

    HTML = "html"
    MARKDOWN = "md"
    JUNIT = "junit"

    @property
    def suffix(self) -> str:
        """Suffix of its files."""
        return ".xml" if self is Format.JUNIT else f".{self.value}"


def report(
    name: LastCampaignArgument = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write; - for standard output. By default NAME.html, .md or .xml.",
            metavar="FILE"),
    ] = None,
    format: Annotated[  # noqa: A002  the option's name
        Format,
        typer.Option(
            "--format",
            help="A page of its own, Markdown for a paper's appendix, or the verdict as JUnit XML for "
            "continuous integration.",
        ),
    ] = Format.HTML,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures", help="Also write each figure as an SVG file into this folder.",
            metavar="DIR"),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Write a campaign's report: verdict, rules, timeline of slots, times, makespan, nodes, environment.

    One HTML file that needs no network, for people who decide and people who check; NAME.preview.png beside
    it is the preview picture for links to the page.

    Example: orchestrator report friday

    For a paper: orchestrator report friday --format md --figures friday-figures

    For GitLab or Jenkins: orchestrator report friday --format junit
    """
    from db.reader import Reader

    if format is Format.JUNIT and figures is not None:
        raise typer.BadParameter("JUnit XML has no figures", param_hint="--figures")
    with Reader(ledger) as reader:
        row = campaign_or_last(reader, name)
        file = output or file_of(row.name, format.suffix)
        if output != Path("-") and (file.is_dir() or not file.parent.is_dir()):
            wrong = f"{file} is a folder" if file.is_dir() else f"the folder {file.parent} does not exist"
            raise typer.BadParameter(f"{wrong}; name the page's file", param_hint="--output")
        if as_json and output == Path("-"):
            raise typer.BadParameter("--json says which file was written; name it", param_hint="--output")
        written = (
            _write_cases(reader, row, file)
            if format is Format.JUNIT
            else _write_page(reader, row, file, format, figures)
        )
    if as_json:
        print_json({"campaign": row.name, **written})
        return
    for one in written["figures"]:
        print(one, file=sys.stderr)
    if output != Path("-"):
        print(f"{file}: {written['verdict']}")
        if written["preview"]:
            print(f"{written['preview']}: preview picture for links to the page")


def _write_cases(reader: Reader, row: CampaignRow, file: Path) -> dict[str, Any]:
    """Write the verdict as JUnit XML; a file called - is standard output."""
    from orchestrator.report.junit import verdict_cases
    from orchestrator.review.dossier import Dossier

    made = verdict_cases(reader, Dossier.read(reader, [row], reviews=False))
    _put(file, made.xml())
    return {"file": str(file), "preview": None, "figures": [], "verdict": str(made)}


def _write_page(
    reader: Reader, row: CampaignRow, file: Path, form: Format, figures: Path | None
) -> dict[str, Any]:
    """Write the page with its preview and figures; a file called - is standard output."""
    from orchestrator.cli.terminal.slow_notice import reading_notice
    from orchestrator.host.atomic_files import atomic_write
    from orchestrator.report.writing import report as read
    from orchestrator.report.writing import write_figures

    with reading_notice(row.name):
        made = read(reader, row)
    drawn = [] if figures is None else write_figures(made, figures)
    page = form is Format.HTML
    preview = file.with_name(f"{file.stem}.preview.png") if page and file != Path("-") else None
    beside = quote(preview.name) if preview else ""
    _put(file, made.html(beside) if page else made.markdown(str(figures) if figures else None))
    if preview:
        atomic_write(preview, made.preview())
    return {
        "file": str(file),
        "preview": str(preview) if preview else None,
        "figures": [str(one) for one in drawn],
        "verdict": made.verdict[0],
    }


def _put(file: Path, text: str) -> None:
    from orchestrator.host.atomic_files import atomic_write

    if file == Path("-"):
        sys.stdout.write(text)
    else:
        atomic_write(file, text)
