"""Parsl's checks of types and its monitoring's database cost the driver nothing, and are there for others."""

from __future__ import annotations

import subprocess
import sys

IMPORTED = """
import sys
from orchestrator.engines import parsl_imports
print("typeguard" in sys.modules, "sqlalchemy.orm" in sys.modules)
import typeguard, sqlalchemy.orm
print(typeguard.__file__ is not None, sqlalchemy.orm.Session.__name__)
"""
ALREADY = """
import sys, sqlalchemy.orm, typeguard
from orchestrator.engines import parsl_imports
print(sys.modules["typeguard"] is typeguard, sys.modules["sqlalchemy.orm"] is sqlalchemy.orm)
"""


def printed(program: str) -> list[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()


def test_they_are_imported_by_those_alone_who_ask_for_them() -> None:
    assert printed(IMPORTED) == ["False", "False", "True", "Session"]


def test_what_is_imported_already_stays() -> None:
    assert printed(ALREADY) == ["True", "True"]
