"""Writes a campaign's report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.host.atomic_files import atomic_write
from orchestrator.report import rendering, theme
from orchestrator.report.contents import contents
from orchestrator.report.figures import Drawing
from orchestrator.report.head import head_facts, headline
from orchestrator.report.preview import preview_png
from orchestrator.report.sections import sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.report.blocks import Section


@dataclass(frozen=True, slots=True)
class Report:
    """A report.

    Parameters
    ----------
    verdict
        In a line, and its kind: ``good``, ``bad`` or ``plain``.
    meaning
        What the figure means, in a sentence.
    facts
        Facts of its head, by their names.
    """

    title: str
    verdict: tuple[str, str]
    meaning: str
    facts: dict[str, str]
    sections: Sequence[Section]

    @property
    def drawings(self) -> list[Drawing]:
        """Its figures."""
        return [one for section in self.sections for one in section.blocks if isinstance(one, Drawing)]

    def html(self, preview: str = "") -> str:
        """Return it as a page that needs no other file.

        Parameters
        ----------
        preview
            Name of the picture beside the page that links to it show; empty without one.
        """
        return rendering.html(
            self.title, self.verdict, self.facts, self.sections, meaning=self.meaning, preview=preview
        )

    def preview(self) -> bytes:
        """Return the picture that links to the page show, as PNG."""
        return preview_png(self.title, self.verdict, self.meaning, self.facts)

    def markdown(self, figures: str | None = None) -> str:
        """Return it as Markdown, with links to figures in a folder or without figures."""
        return rendering.markdown(
            self.title, self.verdict, self.facts, self.sections, figures, meaning=self.meaning
        )


def report(reader: Reader, row: CampaignRow) -> Report:
    """Return the report of a campaign, as the ledger is now.

    Raises
    ------
    CampaignError
        If the campaign cannot be judged.
    """
    found = contents(reader, row)
    title = f"Campaign {row.name}"
    return Report(title, headline(found), found.meaning, head_facts(found), sections(reader, found))


def write_figures(made: Report, folder: Path) -> list[Path]:
    """Write the figures as SVG files into a folder, made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for one in made.drawings:
        file = folder / f"{one.name}.svg"
        atomic_write(file, theme.alone(one.svg))
        files.append(file)
    return files
