"""Writes a campaign's report."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from db.times import utc_seconds
from orchestrator.host.atomic_files import atomic_write
from orchestrator.report import rendering, theme
from orchestrator.report.contents import contents
from orchestrator.report.figures import Drawing
from orchestrator.report.sections import headline, sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.report.blocks import Section
    from orchestrator.report.contents import Contents


@dataclass(frozen=True, slots=True)
class Report:
    """A report: who and what, its verdict in a line with its kind, facts for its head, and its sections."""

    title: str
    verdict: tuple[str, str]
    facts: dict[str, str]
    sections: Sequence[Section]

    @property
    def drawings(self) -> list[Drawing]:
        """Its figures."""
        return [one for section in self.sections for one in section.blocks if isinstance(one, Drawing)]

    def html(self) -> str:
        """Return it as a page that needs no other file."""
        return rendering.html(self.title, self.verdict, self.facts, self.sections)

    def markdown(self, figures: str | None = None) -> str:
        """Return it as Markdown, with links to figures in a folder or without figures."""
        return rendering.markdown(self.title, self.verdict, self.facts, self.sections, figures)


def report(reader: Reader, row: CampaignRow) -> Report:
    """Return the report of a campaign, as the ledger is now.

    Raises
    ------
    CampaignError
        If the campaign cannot be judged.
    """
    found = contents(reader, row)
    return Report(f"Campaign {row.name}", headline(found), _facts(found), sections(reader, found))


def _facts(found: Contents) -> dict[str, str]:
    row = found.campaign
    last = found.sessions[-1] if found.sessions else None
    state = "never run" if last is None else (last.outcome or "running").replace("_", " ")
    reviews = found.dossier.reviews.values()
    at_once = max((one.at_once for one in reviews), default=0)
    hours = next((one.node_hours for one in reviews if one.node_hours is not None), None)
    measured = {
        "instances at once": f"{at_once:,}" if at_once else None,
        "node-hours": None if hours is None else f"{hours:.4g}",
        "ended": None if last is None or last.ended_us is None else f"{utc_seconds(last.ended_us)} UTC",
    }
    return {
        "the figure": found.meaning,
        "state": state,
        **{name: text for name, text in measured.items() if text is not None},
        "rulebook": f"{row.rulebook}, class {row.run_class}",
        "site": row.site_name,
        "report": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, version {found.version}",
    }


def write_figures(made: Report, folder: Path) -> list[Path]:
    """Write the figures as SVG files into a folder, made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for one in made.drawings:
        file = folder / f"{one.name}.svg"
        atomic_write(file, theme.alone(one.svg))
        files.append(file)
    return files
