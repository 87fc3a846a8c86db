"""Errors that a user can correct are printed as one line."""

from __future__ import annotations

import errno

import pytest

from orchestrator.cli.errors import fail


@pytest.mark.parametrize(
    ("error", "begin"),
    [
        (RuntimeError("can't start new thread"), "error: no further thread can start; allow more processes"),
        (
            OSError(errno.EAGAIN, "Resource temporarily unavailable"),
            "error: Resource temporarily unavailable; a",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", "/a/b"),
            "error: /a/b: No space left on device; free",
        ),
    ],
)
def test_what_the_system_refuses_is_one_line_with_advice(
    error: Exception, begin: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fail(error) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(begin)


def test_others_keep_their_traceback() -> None:
    with pytest.raises(RuntimeError, match="unforeseen"):
        fail(RuntimeError("unforeseen"))
