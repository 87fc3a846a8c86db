"""Commands by their old names: hidden, and with a hint of the new one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import typer


def add_renamed(app: typer.Typer, old: str, new: str, command: Callable[..., Any]) -> None:
    """Add a command by its old name, which `--help` does not list.

    Parameters
    ----------
    old, new
        Old name of the command, and its name now, with the words before it for the hint.
    """

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        typer.echo(f"`{old}` is now called `{new}`", err=True)
        return command(*arguments, **options)

    app.command(old.rpartition(" ")[2], hidden=True)(run)
