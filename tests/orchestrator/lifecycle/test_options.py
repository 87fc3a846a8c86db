"""Options as words, and the same words read by the command line."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from orchestrator.cli.run.options import takes
from orchestrator.lifecycle.options import LaunchOptions, ResumeOptions, words

LAUNCH = LaunchOptions(
    site="s.yaml", name="toy", data="d", overrides=("a.b=1", "c=2"), here=False, pool="big",
    ledger="l.sqlite", check_data=False, notify="echo 'x y'", exclude="n1,n2", tag=("a", "b"),
    note="x y", forecast=True,
)  # fmt: skip
RESUME = ResumeOptions(
    ledger="l.sqlite", site="s.yaml", overrides=("a.b=1",), mixed=True, retry_exhausted=True,
    allow_changed_code=True, end_running=True, notify="x", exclude="n1", here=True, pool="big",
)  # fmt: skip


@pytest.mark.parametrize("options", [LAUNCH, RESUME, LaunchOptions(), ResumeOptions()])
def test_the_command_line_reads_the_words_as_the_same_options(options: Any) -> None:
    read: list[Any] = []
    app = typer.Typer()
    app.command()(takes(type(options))(lambda options: read.append(options)))
    ended = CliRunner().invoke(app, words(options))
    assert ended.exit_code == 0, ended.output
    assert read == [options]


def test_every_option_has_a_word_and_defaults_have_none() -> None:
    for options in (LAUNCH, RESUME):
        default = type(options)()
        assert all(getattr(options, one.name) != getattr(default, one.name) for one in fields(options))
        flags = [word for word in words(options) if word.startswith("--")]
        assert len(set(flags)) == len(fields(options))
        assert words(default) == []
