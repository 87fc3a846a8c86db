"""Command `ledger label`, and lists that choose by owner and tags."""

from __future__ import annotations

import json
from pathlib import Path

from tests.db.filled import fill
from tests.orchestrator.cli.command_line import CommandLine


def test_a_label_is_shown_and_filters(tmp_path: Path, sqlite_url: str, run: CommandLine) -> None:
    fill(sqlite_url)
    known = json.loads(run("status", "--json", cwd=tmp_path).stdout)
    name = known[0]["campaign"]
    done = run("ledger", "label", name, "--tag", "night", "--owner", "ada", "--note", "cold", cwd=tmp_path)
    assert done.stdout == "owner  ada\ntags   night\nnote   cold\n"
    shown = json.loads(run("status", "--owner", "ada", "--tag", "night", "--json", cwd=tmp_path).stdout)
    assert [(one["campaign"], one["owner"], one["tags"]) for one in shown] == [(name, "ada", ["night"])]
    assert run("status", "--tag", "day", cwd=tmp_path).stdout.strip() == "no campaign has these labels"
    wrong = run("status", name, "--tag", "night", cwd=tmp_path)
    assert (wrong.returncode, "leave NAME out" in wrong.stderr) == (2, True)
    assert "its tags are night" in run("ledger", "label", name, "--untag", "x", cwd=tmp_path).stderr
