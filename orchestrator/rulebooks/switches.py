"""Environment variables that shorten a training or change its arithmetic, from this package's data file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from pydantic import field_validator

from orchestrator.rulebooks.data_files import data_file, read_once
from orchestrator.rulebooks.reference_model import Frozen
from sites import parse, read_text


class Switch(Frozen):
    """One variable: name or glob, expression of the values that have the effect, and the effect.

    Parameters
    ----------
    declared
        Whether it breaks no rule of a base run, which states it.
    """

    name: str
    value: str = ".+"
    effect: str
    declared: bool = False

    @field_validator("value")
    @classmethod
    def _is_expression(cls, value: str) -> str:
        re.compile(value)
        return value

    def changes(self, name: str, value: str | None) -> bool:
        """Return whether a variable with a value has the effect; a secret value may have it."""
        if not fnmatchcase(name, self.name):
            return False
        return value is None or re.fullmatch(self.value, value, re.DOTALL) is not None


class _Table(Frozen):
    switches: tuple[Switch, ...]


@read_once
def switches() -> tuple[Switch, ...]:
    """Return all known switches."""
    file = data_file("switches.yaml")
    return parse(read_text(file, "rulebook"), _Table, str(file)).switches


def modifications(variables: Mapping[str, str | None], *, declared: bool = False) -> list[str]:
    """List the variables that shorten a training or change its arithmetic, each with its value and effect.

    Parameters
    ----------
    declared
        Whether to list those that a base run may have instead.
    """
    return [
        f"{name}{'' if value is None else f'={value}'} {switch.effect}"
        for name, value in sorted(variables.items())
        for switch in switches()
        if switch.declared is declared and switch.changes(name, value)
    ]
