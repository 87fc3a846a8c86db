"""Tables and JSON that commands share."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from orchestrator.outputs.json_values import plain
from orchestrator.report.blocks import cell
from orchestrator.wording import ALL_DIGITS, printable

_NARROWEST = 16  # characters that a column of text keeps on a narrow terminal
_WHOLE = 24  # a column of names that are no longer is not folded


def print_json(content: Any) -> None:
    """Print strict JSON: what is not a finite number is null."""
    print(json.dumps(plain(content), indent=2, allow_nan=False))


def print_json_line(content: Any) -> None:
    """Print strict JSON as one line, at once: for programs that read while this one goes on."""
    print(json.dumps(plain(content), allow_nan=False), flush=True)


def terminal_width() -> int | None:
    """Return the columns of the terminal that shows standard output; None for files and pipes.

    These have no width, whatever a variable says.
    """
    from rich.console import Console

    return Console().width if sys.stdout.isatty() else None


def say(text: str = "", end: str = "\n") -> None:
    """Print a text; of lines longer than a terminal is wide, the rest is indented on the next ones.

    Files and pipes get whole lines.
    """
    width = terminal_width()
    if width is not None and len(text) > width:
        text = "\n".join(line if len(line) <= width else _wrapped(line, width) for line in text.split("\n"))
    print(text, end=end)


def _wrapped(line: str, width: int) -> str:
    further = " " * min(len(line) - len(line.lstrip()) + 2, width // 2)
    return textwrap.fill(  # paths and names are to be copied
        line, width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    title: str | None = None,
    *,
    leave: Sequence[str] = (),
    digits: int = ALL_DIGITS,
) -> None:
    """Print a table; numbers to the right. Only a terminal's width folds its cells, or leaves columns out.

    Parameters
    ----------
    leave
        Columns that a narrow terminal goes without, the least important first; then it goes without the
        last one. The first column always stays.
    digits
        Significant digits of numbers with a fraction.
    """
    from rich.console import Console
    from rich.text import Text

    given = [list(row) for row in rows]
    texts = [[printable(cell(value, digits)) for value in row] for row in given]
    numeric = [any(isinstance(row[place], int | float) for row in given) for place in range(len(columns))]
    width = terminal_width()
    table = _Table(columns, texts, numeric)
    shown, widths = table.fitted(width, leave)
    if title:
        if width is None:
            Console(width=sys.maxsize).print(Text(title, style="italic"), soft_wrap=True)
        else:
            Console(width=width).print(Text(title, style="italic"))
    lines = table.lines(shown, widths)
    for line in next(lines):
        Console(width=sys.maxsize).print(Text(line, style="bold"), soft_wrap=True)
    print("".join(f"{line}\n" for row in lines for line in row), end="")
    if absent := [column for place, column in enumerate(columns) if place not in shown and column]:
        say(f"left out at {width} columns: {', '.join(absent)}")


class _Table:
    """Texts in columns, and how wide each may become.

    Parameters
    ----------
    numeric
        True for each column of numbers: they are not folded, as a number over two lines reads as another.
    """

    def __init__(
        self, columns: Sequence[str], texts: Sequence[Sequence[str]], numeric: Sequence[bool]
    ) -> None:
        from rich.cells import cell_len

        self._rows, self._numeric = [columns, *texts], numeric
        self._natural = [max(map(cell_len, column)) for column in zip(*self._rows, strict=True)]
        self._least: list[int] = []
        for heading, *cells in zip(*self._rows, strict=True):
            words = max(map(cell_len, heading.split()), default=0)
            longest = max(map(cell_len, cells), default=0)
            name = longest <= _WHOLE and not any(" " in cell for cell in cells)
            whole = name or numeric[len(self._least)]
            self._least.append(max(words, longest if whole else min(longest, _NARROWEST)))

    def fitted(self, width: int | None, leave: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the columns that a terminal of a width shows, and the width of each."""
        shown = list(range(len(self._natural)))
        if width is None or _across(self._natural) <= width:
            return shown, self._natural
        going = [place for name in leave for place in reversed(shown) if self._rows[0][place] == name]
        going = [*dict.fromkeys(going), *(place for place in reversed(shown) if place not in going)]
        while _across([self._least[place] for place in shown]) > width and len(shown) > 1:
            shown.remove(next(place for place in going if place in shown and place))
        widths = {place: self._least[place] for place in shown}
        room = width - _across(list(widths.values()))
        for place in sorted(shown, key=lambda place: self._natural[place] - self._least[place]):
            more = min(room, self._natural[place] - self._least[place])
            widths[place] += more
            room -= max(more, 0)
        if room < 0:
            widths[0] = max(widths[0] + room, 1)
        return shown, [widths[place] for place in shown]

    def lines(self, shown: Sequence[int], widths: Sequence[int]) -> Iterator[list[str]]:
        """Yield the lines of the headings, then those of each row, without blanks at their ends."""
        for row in self._rows:
            cells = [_folded(row[place], width) for place, width in zip(shown, widths, strict=True)]
            yield [
                "  ".join(
                    _filled(cell[line] if line < len(cell) else "", width, right=self._numeric[place])
                    for place, width, cell in zip(shown, widths, cells, strict=True)
                ).rstrip()
                for line in range(max(map(len, cells)))
            ]


def _across(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def _folded(text: str, width: int) -> Sequence[str]:
    """Return the lines of a text in a column; most are short, and Rich takes a hundred times as long."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return (text,)
    from rich.console import Console
    from rich.text import Text

    return [str(line).rstrip() for line in Text(text).wrap(Console(), width, overflow="fold")]


def _filled(text: str, width: int, *, right: bool) -> str:
    from rich.cells import cell_len

    blank = " " * (width - cell_len(text))
    return blank + text if right else text + blank
