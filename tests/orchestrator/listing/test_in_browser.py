"""The site in a real browser: readable for everybody, and its rows are recomputed there."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser import WIDTHS, axe, chromium, faults, needed, opened
from tests.orchestrator.listing.conftest import Packages
from tests.orchestrator.listing.made_lists import built
from tests.orchestrator.review.packages import packaged, simulated_campaign

TRAINING = {"workload": "perceptron", "timeout": "1 h", "instances": 100}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Yield the address at which a folder is served, as `python -m http.server` does."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
def test_everybody_can_read_and_sort_it(packages: Packages, tmp_path: Path) -> None:
    script = axe()
    folder = packages.into(tmp_path / "in", "first", "other", "again")
    done = built(folder, tmp_path / "site")
    done = built(folder, done.site, withdraw=done.rows[-1].root, because="of another machine")
    with served(done.site) as address, chromium() as it:
        for width in WIDTHS:
            for dark in (False, True):
                with opened(it, address, width=width, dark=dark) as page:
                    page.get_by_role("heading", name="Rulebook none, class ensemble").wait_for()
                    assert faults(page, script) == [], (width, dark)
        with opened(it, address) as page:
            rows = page.locator("tr[id^=row-]")
            before = [one.get_attribute("id") for one in rows.all()]
            page.get_by_role("button", name="package").press("Enter")
            assert page.locator("th[aria-sort=ascending]").inner_text() == "package"
            ascending = [one.get_attribute("id") for one in rows.all()]
            page.get_by_role("button", name="package").press("Enter")
            after = [one.get_attribute("id") for one in rows.all()]
            assert sorted(before) == sorted(after)
            assert after == ascending[::-1]  # by the digits of hashes as numbers, unlike Python's order
            assert not page.get_by_role("button", name="Recompute").count()


@pytest.mark.slow
def test_rows_are_recomputed_in_the_browser(
    packages: Packages, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pyodide = Path(os.environ.get("PYODIDE", "build/pyodide"))
    if not pyodide.is_dir():
        needed("Pyodide (make build/pyodide)")
    script, folder = axe(), packages.into(tmp_path / "in", "other")
    (tmp_path / "campaign").mkdir()
    url = simulated_campaign(tmp_path / "campaign", [TRAINING], rulebook="none", site_text=True)
    packaged(url, folder / "training.zip")
    done = built(folder, tmp_path / "site", pyodide=pyodide)
    honest, changed = sorted(done.rows, key=lambda row: row.workloads != ("perceptron",))
    file = done.site / f"packages/{changed.root}.zip"
    content = bytearray(file.read_bytes())
    content[content.index(b"rows/attempts.csv") + 60] ^= 1
    file.write_bytes(content)
    with served(done.site) as address, chromium() as it, opened(it, address) as page:
        said = {}
        for name, row in (("good", honest), ("bad", changed)):
            cell = page.locator(f'td[data-root="{row.root}"]')
            cell.get_by_role("button", name="Recompute").click()
            page.locator(f"#row-{row.root}[data-result]").wait_for()
            said[name] = cell.locator("output").inner_text()
            assert page.locator(f"#row-{row.root}").get_attribute("data-result") == name, said
        assert faults(page, script) == []
    assert said["good"].startswith("same verdict, no findings")
    assert "is not byte by byte the file that was written" in said["bad"]
    with capsys.disabled():
        print(f"\n100 instances in Chromium: {said['good']}; one changed byte: {said['bad']}")
