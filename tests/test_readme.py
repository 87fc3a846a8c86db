"""The README's Python code names what there is."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from orchestrator import launch
from orchestrator.cli.progress_bar import Progress
from orchestrator.driver.progress import ProgressDisplay

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
API = next(block for block in BLOCKS if "launch(" in block)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_its_imports_are_there(block: str) -> None:
    tree = ast.parse(block)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imports
    names: dict[str, Any] = {}
    exec(compile(ast.Module(imports, []), "README.md", "exec"), names)
    asked = {alias.asname or alias.name for node in imports for alias in node.names}
    assert asked <= set(names)


def test_it_shows_how_a_launch_from_python_tells_where_it_stands() -> None:
    [call] = [
        node
        for node in ast.walk(ast.parse(API))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "launch"
    ]
    given = {word.arg for word in call.keywords}
    assert "display" in given
    assert given <= set(inspect.signature(launch).parameters)
    assert "Progress" in str(launch.__doc__)
    shown: type[ProgressDisplay] = Progress
    assert {"update"} <= set(dir(shown))
