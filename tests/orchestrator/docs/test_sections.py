"""Sections of READMEs stand on one page each, and links lead to where they went."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.docs.sections import Sections, UnknownSectionError

README = (
    "# A\n\n- [One](#one)\n\n## One\n\nSee [two](#two-parts), [code](a.py).\n- x\n\n## Two\n\n### Two parts\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "README.md").write_text(README)
    return tmp_path


def test_links_lead_to_the_page_that_has_the_section(root: Path) -> None:
    sections = Sections(root, {"x/one.md": ["a/README.md", "a/README.md#One"], "y/two.md": ["a/README.md#*"]})
    assert sections.page("x/one.md", "Title") == (
        "# A\n\n## One\n\nSee [two](../y/two.md#two-parts), code.\n\n- x\n"
    )


def test_one_section_becomes_the_page(root: Path) -> None:
    sections = Sections(root, {"one.md": ["a/README.md#*"], "two.md": ["a/README.md#Two"]})
    assert sections.page("two.md", "Title") == "# Two\n\n## Two parts\n"


@pytest.mark.parametrize(
    ("sources", "what"),
    [
        (["a/README.md", "a/README.md#Three"], "has no section Three"),
        (["a/README.md", "a/README.md#One"], "no page shows a/README.md#Two"),
        (["a/README.md#*", "a/README.md#One", "a/README.md#One"], "two pages show a/README.md#One"),
    ],
)
def test_a_section_stands_on_one_page(root: Path, sources: list[str], what: str) -> None:
    with pytest.raises(UnknownSectionError, match=what):
        Sections(root, {"one.md": sources})
