"""The pages in a real browser: readable for everybody, without errors, and they follow the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import WIDTHS, axe, chromium, faults, opened
from tests.orchestrator.serve.made_ledger import fill, finish, serving

ONE_LINE = """
[...document.querySelectorAll('#campaigns tr > *')].every(
    (one) => one.offsetHeight < 2 * parseFloat(getComputedStyle(one).lineHeight))
"""
"""True if no cell of the list of campaigns has two lines."""
PATHS = ("", "campaigns/toy", "campaigns/toy/instances", "campaigns/toy/instances/p1b1/10")


@pytest.mark.slow
def test_everybody_can_read_and_follow_them(sqlite_url: str, tmp_path: Path) -> None:
    script, number = axe(), fill(sqlite_url)
    with (
        serving(sqlite_url, tmp_path, "--token-file", str(tmp_path / "token")) as (_, start),
        chromium() as it,
    ):
        token = (tmp_path / "token").read_text()
        with opened(it, f"{start}?token={token}") as page:
            page.wait_for_url(start)  # the cookie was kept, and the token is no longer in the address
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
            page.get_by_role("link", name="toy").press("Enter")
            page.wait_for_url(f"{start}campaigns/toy")
            page.wait_for_selector("#live[data-updates]")
            page.get_by_role("region", name="Instances by benchmark").focus()
            finish(sqlite_url, number, 11)
            page.get_by_text("running, 21 of 260 done").wait_for()
            page.locator("figcaption", has_text="21 accepted instances").wait_for()
            assert page.evaluate("document.activeElement.ariaLabel") == "Instances by benchmark"
            page.get_by_role("link", name="Instances", exact=True).click()
            page.get_by_label("State").select_option("done")
            page.get_by_label("Benchmark or sweep").fill("p1b1")
            page.get_by_role("button", name="Show").press("Enter")
            page.wait_for_url("**/instances?state=done&benchmark=p1b1&*")
            assert page.locator("tbody tr").count() == 11
            page.get_by_label("Go to an instance").fill("p1b1/10")
            page.keyboard.press("Enter")
            page.wait_for_url("**/instances/p1b1/10")
            page.get_by_text("end of stderr").press("Enter")
            assert "Traceback" in page.locator("pre").inner_text()
        for place, path in enumerate(PATHS):
            for width in WIDTHS:
                visit, dark = f"{start}{path}?token={token}", (place + width) % 3 == 0
                with opened(it, visit, width=width, dark=dark) as page:
                    page.wait_for_url(start + path)
                    assert faults(page, script) == [], (path, width)
                    assert path or width < 1280 or page.evaluate(ONE_LINE)
        with opened(it, f"{start}campaigns/toy/report?token={token}") as page:
            page.get_by_role("button", name="Zoom in").wait_for()  # the policy lets its script run
            assert page.evaluate("getComputedStyle(document.querySelector('.verdict')).fontWeight") == "600"
        wrong = it.new_page()  # whose status Chromium writes to the console
        wrong.goto(f"{start}campaigns/toi?token={token}")
        wrong.get_by_role("link", name="toy").wait_for()
        assert faults(wrong, script) == []


@pytest.mark.slow
def test_everybody_can_act_by_keyboard(sqlite_url: str, tmp_path: Path) -> None:
    script = axe()
    fill(sqlite_url)
    options = ("--allow-actions", "--token-file", str(tmp_path / "token"))
    with serving(sqlite_url, tmp_path, *options) as (_, start), chromium() as it:
        visit = f"{start}campaigns/toy?token={(tmp_path / 'token').read_text()}"
        for width in WIDTHS:
            with opened(it, visit, width=width, dark=width == WIDTHS[0]) as page:
                page.wait_for_url(f"{start}campaigns/toy")
                page.get_by_role("heading", name="Actions").wait_for()
                assert faults(page, script) == [], width
        with opened(it, visit) as page:
            page.wait_for_url(f"{start}campaigns/toy")
            button = page.get_by_role("button", name="Drain the campaign")
            assert not button.is_visible()  # it is confirmed first
            page.get_by_text("Drain the campaign …").press("Enter")
            button.press("Enter")
            page.get_by_text("toy: asked its driver to drain").wait_for()
            page.get_by_text("drain requested").wait_for()
            page.get_by_text("Drain the campaign …").wait_for(state="detached")
            assert faults(page, script) == []
