"""No module of the product grows too large to read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
LARGEST = 500


def test_modules_stay_small() -> None:
    sizes = {
        str(file): len(file.read_text().splitlines())
        for package in ("orchestrator", "workloads", "sites", "db")
        for file in (ROOT / package).rglob("*.py")
    }
    assert {file: lines for file, lines in sizes.items() if lines > LARGEST} == {}
