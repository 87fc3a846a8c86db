"""No module, function or package of the product grows too large to read."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LARGEST_MODULE = 500
LARGEST_FUNCTION = 80  # lines with signature and docstring
MOST_MODULES = 20  # of one folder


def modules() -> Iterator[Path]:
    for package in ("orchestrator", "workloads", "sites", "db"):
        yield from (ROOT / package).rglob("*.py")


def test_modules_stay_small() -> None:
    sizes = {str(file): len(file.read_text().splitlines()) for file in modules()}
    assert {file: lines for file, lines in sizes.items() if lines > LARGEST_MODULE} == {}


def test_functions_stay_small() -> None:
    sizes = {
        f"{file.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file in modules()
        if file.parent.name != "versions"  # migrations are as long as their tables
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: lines for name, lines in sizes.items() if lines > LARGEST_FUNCTION} == {}


def test_folders_stay_small() -> None:
    files = (file for file in modules() if file.name != "__init__.py")
    modules_of = Counter(str(file.parent.relative_to(ROOT)) for file in files)
    assert {package: number for package, number in modules_of.items() if number > MOST_MODULES} == {}
