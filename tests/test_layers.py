"""The house's arrows: who may import whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {"orchestrator", "workloads", "sites", "db"}
MAY_IMPORT = {"orchestrator": OURS, "workloads": {"workloads"}, "sites": {"sites"}, "db": {"db"}}
FRAMEWORKS = {"tensorflow", "keras", "horovod", "torch", "jax"}


def imports(file: Path) -> Iterator[str]:
    """Yield the top-level package of every import in a file, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("package", sorted(OURS))
def test_packages_import_only_what_they_may(package: str) -> None:
    for file in (ROOT / package).rglob("*.py"):
        assert set(imports(file)) & OURS <= MAY_IMPORT[package], file


def test_one_module_knows_parsl() -> None:
    users = {
        file.name for package in OURS for file in (ROOT / package).rglob("*.py") if "parsl" in imports(file)
    }
    assert users == {"parsl_engine.py"}


def test_only_db_speaks_sql() -> None:
    for package in OURS - {"db"}:
        for file in (ROOT / package).rglob("*.py"):
            assert not {"sqlalchemy", "sqlite3", "psycopg", "alembic"} & set(imports(file)), file


def test_only_workloads_know_frameworks() -> None:
    for package in OURS - {"workloads"}:
        for file in (ROOT / package).rglob("*.py"):
            assert not FRAMEWORKS & set(imports(file)), file


def test_modules_stay_small() -> None:
    sizes = {
        file: len(file.read_text().splitlines())
        for package in OURS
        for file in (ROOT / package).rglob("*.py")
    }
    assert {str(file): lines for file, lines in sizes.items() if lines > 500} == {}
