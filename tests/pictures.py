"""Draw the pictures of the documentation from a campaign that runs now, for ``make pictures``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from db.reader import Reader
from orchestrator.cli.look.watch_view import Screen
from orchestrator.monitoring.watched import Look, Watched
from tests.browser import chromium
from tests.harness import ROOT, wait_for

FOLDER = ROOT / "orchestrator" / "docs" / "pages" / "pictures"
CAMPAIGN = "hello"
WIDTH, HEIGHT = 80, 24
"""Characters of the terminal."""
REPORT = {"width": 1000, "height": 900}
"""Pixels of the report that are shown."""


def orchestrator(*words: str, cwd: Path) -> None:
    """Run the command line, which must end with 0."""
    subprocess.run(
        [sys.executable, "-m", "orchestrator", *words], cwd=cwd, check=True, stdout=subprocess.DEVNULL
    )


def half_done(folder: Path) -> Look:
    """Return a look at the campaign when half of its instances have ended and one runs."""
    with Reader(str(folder / "ledger.sqlite")) as reader:
        watched = Watched(reader, CAMPAIGN, None, log=False)

        def look() -> Look | None:
            watched.refresh()
            found = watched.look()
            counts = found.status.progress
            return found if 2 * counts.done >= counts.total else None

        found: Look = wait_for(look, "half of the instances")
        return found


def terminal(look: Look) -> str:
    """Return a page with `status --watch` as a terminal of 80 × 24 shows it."""
    with Path("/dev/null").open("w") as nowhere:
        console = Console(file=nowhere, record=True, width=WIDTH, height=HEIGHT, force_terminal=True)
        console.print(Screen(look, "", 2.0))
        svg = console.export_svg(title=f"orchestrator status {CAMPAIGN} --watch")
    return f"<body style='margin:0'>{svg}</body>"


def main() -> None:
    """Run the campaign, and draw it while it runs and when it has ended."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        orchestrator("launch", CAMPAIGN, "--detach", cwd=folder)
        page = terminal(half_done(folder))
        orchestrator("attach", CAMPAIGN, cwd=folder)
        orchestrator("report", CAMPAIGN, cwd=folder)
        with chromium() as browser:
            shown = browser.new_page(viewport=REPORT)
            shown.context.set_offline(True)  # the terminal's font is the machine's own
            shown.set_content(page)
            shown.locator("svg").screenshot(path=FOLDER / "watch.png")
            shown.goto((folder / f"{CAMPAIGN}.html").as_uri())
            shown.screenshot(path=FOLDER / "report.png")


if __name__ == "__main__":
    main()
