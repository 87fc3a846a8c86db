"""Environments of the peers, each its own, below ``build/peers``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from tests.harness import ROOT

PLACE = ROOT / "build" / "peers"


class Missing(Exception):
    """A peer cannot be tried, for a reason that its row shows."""


def python_of(name: str) -> str:
    """Return the Python of an environment; the project's own for an empty name."""
    return str(PLACE / name / "bin" / "python") if name else sys.executable


def install(module: ModuleType) -> None:
    """Install what a peer's module asks for into its environment, unless it is there.

    The way to the project's own packages is written each time: another checkout may share the environments.

    Raises
    ------
    Missing
        If it cannot be installed.
    """
    folder = PLACE / module.ENVIRONMENT
    done = folder / "installed.txt"
    wanted = "\n".join(module.REQUIREMENTS)
    if not (done.exists() and done.read_text() == wanted):
        _install(folder, module.REQUIREMENTS)
    if getattr(module, "SEES_PROJECT", False):
        [packages] = folder.glob("lib/python*/site-packages")
        path = sysconfig.get_paths()["purelib"]
        (packages / "project.pth").write_text(f"import site; site.addsitedir({path!r})\n")
    done.write_text(wanted)


def _install(folder: Path, requirements: Sequence[str]) -> None:
    """Make an environment anew."""
    PLACE.mkdir(parents=True, exist_ok=True)
    uv = str(Path(sys.executable).with_name("uv"))
    try:
        for words in (
            ["venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
            ["pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *requirements],
        ):
            subprocess.run([uv, *words], check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise Missing("uv is not installed: make setup") from None
    except subprocess.CalledProcessError as error:
        last = error.stderr.strip().splitlines()[-1:] or ["no message"]
        raise Missing(f"cannot be installed: {last[0].strip()}") from None


def check_program(program: tuple[str, str] | None) -> None:
    """Raise `Missing` if a program is not on the search path."""
    if program is not None and shutil.which(program[0]) is None:
        raise Missing(f"{program[0]} is not installed: {program[1]}")
