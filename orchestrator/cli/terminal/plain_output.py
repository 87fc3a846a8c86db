"""Output to streams that cannot take every character, are closed, or would be controlled by a text."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from orchestrator.wording import printable

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN = {
    "×": "x", "÷": "/", "…": "...", "−": "-", "–": "-", "·": ".", "←": "<-", "→": "->", "μ": "u", "µ": "u",
    "≥": ">=", "≤": "<=", "±": "+-", "∞": "inf", "√": "sqrt ", "²": "^2", "³": "^3", "β": "beta", "η": "eta",
    "█": "#",
}  # fmt: skip
_NAME = "orchestrator.plain"


def plain_where_needed() -> None:
    """Let standard output and error write what they cannot encode in ASCII: ``x`` for ``×``, or ``?``.

    What would control a terminal is written as its code.
    """
    codecs.register_error(_NAME, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors=_NAME)
    sys.stdout, sys.stderr = EscapedStream(sys.stdout), EscapedStream(sys.stderr)


class EscapedStream:
    """A text stream that escapes what would control a terminal: names and messages come from anywhere.

    Rich, which colours tables, finds the stream itself and gets texts that are escaped already.
    """

    def __init__(self, stream: Any) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write a text, which may have several lines."""
        escaped = text if text.isprintable() else "\n".join(map(printable, text.split("\n")))
        self.rich_proxied_file.write(escaped)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after another."""
        for one in lines:
            self.write(one)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def console_of(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return Rich's console of standard output, or of standard error, whose own codes are not escaped.

    It is given the stream: Rich's live displays replace ``sys.stdout``, and it would find `EscapedStream`.
    A quiet console prints nothing.
    """
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # Asked of the stream: a variable that says that pipes take colours does not make them live displays.
    on_terminal = stream.isatty()
    file = getattr(stream, "rich_proxied_file", stream)
    return Console(file=file, force_terminal=on_terminal, highlight=False, quiet=quiet)


@contextmanager
def closed_output_is_no_error() -> Iterator[None]:
    """Leave the block, and print nothing more, once the terminal or the pipe of standard output is closed."""
    try:
        yield
        sys.stdout.flush()
    except (OSError, SystemExit) as error:  # rich makes the latter of a closed pipe
        if isinstance(error, OSError) and error.errno not in (errno.EIO, errno.EPIPE):
            raise
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(one, "?") for one in error.object[error.start : error.end]), error.end
