"""All commands alike: the same words for the same options, their help in panels, former words still taken."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

PANELS = {
    "Campaign": (
        "--name", "--from", "--data", "--set", "--epochs", "--waves", "--at-most", "--difference",
        "--reserve", "--exclude",
    ),
    "Machine": ("--site", "--here", "--pool", "--as-job", "--detach", "--notify"),
    "Output": ("--output", "--figures", "--force", "--quiet", "--json", "--csv", "--ledger", "--help"),
}  # fmt: skip
"""Options that have a panel of their own in the help of commands with many options."""

FEW = 10
"""Options that need no panels."""

FORMER_OPTIONS = {"--to": "--output", "--write": "--output", "--svg": "--figures", "--figure": "--figures"}
"""Options of version 0.1 with those of today; they work until release 1.1, and no help lists them."""

_FOLD = re.compile(r"(?<!\n)\n(?!\n|\s|Example)")
"""Within a paragraph; examples and indented lines stay lines of their own."""


class _Help:
    """Help whose paragraphs a terminal folds by its own width, and that names no type of a flag."""

    def format_help(self: Any, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        _name_types(self.params)  # not before: Typer adds options for completion
        with _whole_lines(self):
            super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_help_option(self: Any, ctx: Any) -> Any:
        """Return the option ``--help``."""
        return _flag(super().get_help_option(ctx))  # type: ignore[misc]


class CommandGroup(_Help, TyperGroup):
    """A group of commands whose help names no type of a flag."""


class Command(_Help, TyperCommand):
    """A command whose options are written, sorted and explained as those of all other commands."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        _name_types(self.params)
        options = [one for one in self.params if one.param_type_name == "option"]
        panels = {word: panel for panel, words in PANELS.items() for word in words}
        for one in options:
            if len(options) > FEW:
                one.rich_help_panel = panels.get(one.opts[0])  # type: ignore[attr-defined]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take former words of options for today's, and ``--format`` for the option that it stands for."""
        known = {word for one in self.params for word in (*one.opts, *one.secondary_opts)}
        return super().parse_args(ctx, list(_words(args, known)))


@contextmanager
def _whole_lines(command: Any) -> Iterator[None]:
    """Join the lines of each paragraph of the help, which a terminal folds by its own width."""
    written = command.help
    command.help = _FOLD.sub(" ", inspect.cleandoc(written or ""))
    try:
        yield
    finally:
        command.help = written


def _flag(option: Any) -> Any:
    if option is not None:
        option.metavar = ""
    return option


def _name_types(params: Iterable[Any]) -> None:
    """Have the help name what options take, and neither the types of flags nor those of arguments."""
    for one in params:
        if one.param_type_name == "argument":
            one.display_type_rich = lambda **_: None
        elif one.metavar is None:
            one.metavar = _word(one)


def _word(option: Any) -> str | None:
    """Return the word for an option's value in the help, or None for typer's own, such as choices."""
    if option.is_flag:
        return ""
    kind = option.bare_type().removeprefix("list[").removesuffix("]")
    return {"str": "TEXT", "Path": "PATH", "int": "N", "float": "NUMBER"}.get(kind)


def _words(args: list[str], known: set[str]) -> Iterator[str]:
    waiting = iter(args)
    for word in waiting:
        name, equals, value = word.partition("=")
        if name == "--":
            yield word
            yield from waiting
        elif name in FORMER_OPTIONS and name not in known and FORMER_OPTIONS[name] in known:
            print(f"note: `{name}` is `{FORMER_OPTIONS[name]}` now", file=sys.stderr)
            yield FORMER_OPTIONS[name] + equals + value
        elif name == "--format" and name not in known and "--json" in known:
            yield from _format(value if equals else next(waiting, ""), known)
        else:
            yield word


def _format(value: str, known: set[str]) -> Iterator[str]:
    formats = ["table", *(one for one in ("json", "csv") if f"--{one}" in known)]
    if value not in formats:
        raise typer.BadParameter(f"{value!r} is none of {', '.join(formats)}", param_hint="--format")
    if value != "table":
        yield f"--{value}"
