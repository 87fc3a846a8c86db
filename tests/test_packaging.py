"""The recipes of conda-forge and Spack ask for what pyproject.toml asks for."""

from __future__ import annotations

import ast
import re
import tomllib

import yaml

from tests.harness import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPES = ROOT / ".ci" / "packaging"
OF_CONDA = {"matplotlib": "matplotlib-base"}  # without Qt
ELSEWHERE = ("python", "util-linux", "py-setuptools", "__linux")


def dependencies(listed: list[str]) -> dict[str, str]:
    """Return bounds by name, without names of extras."""
    split = [re.fullmatch(r"([\w.-]+)(?:\[\w+\])?(.*)", entry) for entry in listed]
    return {found[1]: found[2] for found in split if found}


def spack_range(bounds: str) -> str:
    """Return Spack's range, whose upper end is included, of bounds such as ``>=2.1.9,<2.2``."""
    if bounds.startswith("=="):
        return bounds.removeprefix("==")
    least, _, below = bounds.removeprefix(">=").partition(",<")
    if not below:
        return f"{least}:"
    *major, last = below.split(".")
    return f"{least}:{'.'.join([*major, str(int(last) - 1)])}"


NEEDED = dependencies(PROJECT["dependencies"])


def test_conda_forge_gets_the_dependencies() -> None:
    recipe = yaml.safe_load((RECIPES / "conda-forge" / "recipe.yaml").read_text())
    run = dict(str(entry).partition(" ")[::2] for entry in recipe["requirements"]["run"])
    assert run["python"] == PROJECT["requires-python"]
    asked = {name: bounds for name, bounds in run.items() if name not in ELSEWHERE}
    assert asked == {OF_CONDA.get(name, name): bounds for name, bounds in NEEDED.items()}
    assert recipe["context"]["version"] == PROJECT["version"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    [command] = PROJECT["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(command)]


def test_spack_gets_the_dependencies() -> None:
    text = (RECIPES / "spack" / "package.py").read_text()
    compile(text, "package.py", "exec")
    calls = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    words = [(node.func.id, ast.literal_eval(node.args[0])) for node in calls if node.args]  # type: ignore[attr-defined]
    [version] = [text for name, text in words if name == "version"]
    assert version == PROJECT["version"]
    asked = dict(text.partition("@")[::2] for name, text in words if name == "depends_on")
    assert asked["python"] == spack_range(PROJECT["requires-python"])
    [scipy] = dependencies(PROJECT["optional-dependencies"]["statistics"]).items()
    expected = {
        f"py-{name.replace('.', '-')}": spack_range(bounds) for name, bounds in [*NEEDED.items(), scipy]
    }
    assert {name: bounds for name, bounds in asked.items() if name not in ELSEWHERE} == expected
