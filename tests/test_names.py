"""Words that the project decided on stay: one name for one thing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("orchestrator", "workloads", "sites", "db")
INSTEAD = {"seen": "observed", "gate": "barrier", "executor": "slot_shape"}
KEPT = {"sites/schedulers.py: executor"}  # the word of PSI/J, in the files of sites


def trees(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for file in (ROOT / folder).rglob("*.py"):
            yield str(file.relative_to(ROOT)), ast.parse(file.read_text())


def renamed_classes(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS:
            for name in node.names:
                if name.asname and name.name[0].isupper() and not name.name.isupper():
                    yield f"{name.name} as {name.asname}"


def fields(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    yield line.target.id


def test_a_class_is_imported_under_its_own_name() -> None:
    assert [f"{file}: {name}" for file, tree in trees(*OURS, "tests") for name in renamed_classes(tree)] == []


def test_fields_have_the_words_that_were_decided_on() -> None:
    found = {f"{file}: {name}" for file, tree in trees(*OURS) for name in fields(tree) if name in INSTEAD}
    assert found == KEPT, INSTEAD


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("from sites import SiteSlot", []),
        ("from sites import SiteSlot as Slot", ["SiteSlot as Slot"]),
        ("from db.tables import attempts as a", []),
        ("from collections.abc import Set as AbstractSet", []),
    ],
)
def test_another_name_is_found(text: str, renamed: list[str]) -> None:
    assert list(renamed_classes(ast.parse(text))) == renamed
