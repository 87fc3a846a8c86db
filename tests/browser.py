"""A headless Chromium, and what makes a page good: no errors, nothing too wide, readable for everybody."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WIDTHS = (1280, 400)
_PATIENCE_MS = 120_000


def needed(what: str) -> None:
    """Skip the test, or in CI fail it, since something is missing on this machine."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI has it")
    pytest.skip(f"{what} is missing")


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser of Playwright's that is the machine's own Chromium."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        needed("chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"], timeout=_PATIENCE_MS
        )
        try:
            yield opened
        finally:
            opened.close()


def axe() -> str:
    """Return the script of axe-core, whose folder ``AXE_CORE`` names."""
    file = Path(os.environ.get("AXE_CORE", "build/node_modules/axe-core"), "axe.min.js")
    if not file.is_file():
        needed("axe-core (npm install --prefix build axe-core)")
    return file.read_text(encoding="utf-8")


@contextmanager
def opened(browser: Any, address: str, *, width: int = 1280, dark: bool = False) -> Iterator[Any]:
    """Yield a page, and fail if it wrote to the console."""
    page = browser.new_page(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )
    page.set_default_timeout(_PATIENCE_MS)
    written: list[str] = []
    page.on("console", lambda message: written.append(message.text))
    page.on("pageerror", lambda error: written.append(str(error)))
    page.goto(address)
    yield page
    page.close()
    assert written == []


def faults(page: Any, axe_script: str) -> list[str]:
    """Return what axe-core finds, and how far the page is wider than its window."""
    wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    page.evaluate(axe_script)
    found = page.evaluate("axe.run(document)")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] + (
        [f"{wider} pixels too wide"] if wider > 0 else []
    )
