"""Refuse prose that hides who does what in code, pages and YAML: ``python -m tests.prose``."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = (
    "told", "said", "mend", "befell", "by and by", "lawful", "bury", "lest", "stumbles", "nobody",
    "the truth", "in silence", "tidies",
)  # fmt: skip
OPENINGS = ("What", "Which", "Whether", "Those", "Of")
"""First words that no docstring may have: they stand for the noun that a reader looks for."""
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


def openings(root: Path = ROOT) -> Iterator[str]:
    """Yield ``file:line: word`` for every docstring whose first word is refused."""
    for file in sorted(file for name in FOLDERS for file in (root / name).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            first = (ast.get_docstring(node) or " ").split(maxsplit=1)
            if first and first[0] in OPENINGS:
                yield f"{file.relative_to(root)}:{node.body[0].lineno}: a docstring opens with {first[0]}"


if __name__ == "__main__":
    sys.exit("\n".join([*hits(), *openings()]) or 0)
