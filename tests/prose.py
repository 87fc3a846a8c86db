"""Refuse words in product code, pages and YAML that hide who does what: ``python -m tests.prose``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = (
    "told", "said", "mend", "befell", "by and by", "lawful", "bury", "lest", "stumbles", "nobody",
    "the truth", "in silence", "tidies",
)  # fmt: skip
FOLDERS = ("orchestrator", "workloads", "sites", "db")
SUFFIXES = (".py", ".md", ".yaml")
EXCEPTIONS = frozenset({
    ("orchestrator/rulebooks/coral2/rules.py", "told"),  # a reason that figures in tests/golden have
})  # fmt: skip
"""File and word, where a word is allowed."""


def hits(root: Path = ROOT) -> Iterator[str]:
    """Yield ``file:line: word`` for every word that is not allowed."""
    refused = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)
    files = [*root.glob("*.md"), *(file for name in FOLDERS for file in (root / name).rglob("*"))]
    for file in sorted(file for file in files if file.suffix in SUFFIXES):
        name = str(file.relative_to(root))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for found in refused.findall(line):
                if (name, found.lower()) not in EXCEPTIONS:
                    yield f"{name}:{number}: {found}"


if __name__ == "__main__":
    sys.exit("\n".join(hits()) or 0)
