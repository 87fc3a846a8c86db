"""Manual pages of every command, made from its help: ``python -m orchestrator.docs.man DIRECTORY``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from orchestrator.cli import app
from orchestrator.version import __version__

_MARKUP = re.compile(r"\[/?(?:bold|italic|dim)\]")


def write(directory: Path) -> list[Path]:
    """Write ``orchestrator.1`` and a page for each command and group of commands; return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for path, command in _commands(("orchestrator",), typer.main.get_command(app)):
        file = directory / f"{'-'.join(path)}.1"
        file.write_text(page(path, command), encoding="utf-8")
        written.append(file)
    return written


def page(path: tuple[str, ...], command: Any) -> str:
    """Return the manual page of a command in roff.

    Parameters
    ----------
    path
        Words by which the command is called.
    command
        The command, or a group of commands.
    """
    text = _MARKUP.sub("", command.help or "").strip()
    first, _, rest = text.partition("\n\n")
    summary = " ".join(first.split())
    shown = [one for one in command.params if not getattr(one, "hidden", False) and one.name != "help"]
    arguments = [_metavar(one) for one in shown if one.param_type_name == "argument"]
    known = {name: one for name, one in getattr(command, "commands", {}).items() if not one.hidden}
    usage = [*arguments, *(["COMMAND"] if known else []), "[OPTIONS]"]
    title = "-".join(path).upper()
    lines = [
        f'.TH "{_escaped(title)}" 1 "" "orchestrator {__version__}" "Ensemble throughput orchestrator"',
        ".SH NAME",
        f"{_escaped('-'.join(path))} \\- {_escaped(summary.removesuffix('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{_escaped(' '.join(path))}\\fR {_escaped(' '.join(usage))}",
    ]
    if rest:
        lines += [".SH DESCRIPTION", *_paragraphs(rest)]
    for heading, kind in (("ARGUMENTS", "argument"), ("OPTIONS", "option")):
        rows = [(_metavar(one), one.help or "") for one in shown if one.param_type_name == kind]
        lines += _table(heading, rows)
    lines += _table("COMMANDS", [(name, _summary(one)) for name, one in known.items()])
    pages = [f"\\fB{_escaped('-'.join((*path, name)))}\\fR(1)" for name in known]
    if len(path) > 1:
        pages.insert(0, f"\\fB{_escaped('-'.join(path[:-1]))}\\fR(1)")
    return "\n".join([*lines, ".SH SEE ALSO", *_comma(pages)]) + "\n"


def _commands(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, one in getattr(command, "commands", {}).items():
        if not one.hidden:
            yield from _commands((*path, name), one)


def _summary(command: Any) -> str:
    return " ".join(_MARKUP.sub("", command.help or "").strip().partition("\n\n")[0].split())


def _metavar(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {parameter.metavar or parameter.name.upper()}"


def _table(heading: str, rows: list[tuple[str, str]]) -> list[str]:
    lines = [f".SH {heading}"] if rows else []
    for name, meaning in rows:
        lines += [".TP", f"\\fB{_escaped(name)}\\fR", *_line(" ".join(_MARKUP.sub("", meaning).split()))]
    return lines


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text)):
        if number:
            yield ".PP"
        yield from _line(" ".join(paragraph.split()))


def _line(text: str) -> list[str]:
    """Return a text as a line of roff; one that begins with a dot or a quote is no request."""
    return [("\\&" if text[:1] in (".", "'") else "") + _escaped(text)] if text else ["\\&"]


def _comma(pages: list[str]) -> list[str]:
    return [page + ("," if number < len(pages) else "") for number, page in enumerate(pages, 1)]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("`", "\\(ga")


if __name__ == "__main__":
    print(f"{len(write(Path(sys.argv[1])))} manual pages in {sys.argv[1]}")
