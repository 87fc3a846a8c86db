"""Commands and options under their former names."""

from __future__ import annotations

from pathlib import Path

from tests.orchestrator.cli.command_line import CommandLine


def test_old_names_of_commands_work_with_a_hint_and_are_not_listed(tmp_path: Path, run: CommandLine) -> None:
    sizes = ("--set", "train_rows=4", "--set", "test_rows=3", "--set", "features=2")
    made = run("data", "make", "p1b1", "--to", "d", *sizes, cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "`data make` is now called `data generate`\n")
    verified = run("data", "check", "p1b1", "d", cwd=tmp_path)
    assert verified.stderr.startswith("`data check` is now called `data verify`\n")
    assert verified.stdout.startswith("d: good")
    shown = run("data", "--help", cwd=tmp_path).stdout
    assert "generate" in shown
    assert "make " not in shown
    for old, new in (("check", "verify"), ("pack", "compact")):
        ended = run("ledger", old, *(["toy"] if old == "pack" else []), cwd=tmp_path)
        assert ended.stderr.startswith(f"`ledger {old}` is now called `ledger {new}`\n")
        listed = run("ledger", "--help", cwd=tmp_path).stdout
        assert new in listed
        assert f"{old} " not in listed
    ended = run("doctor", "--end", cwd=tmp_path)
    assert ended.stderr.startswith("`--end` is now called `--fix`\n")
    listed = run("doctor", "--help", cwd=tmp_path).stdout
    assert "--fix" in listed
    assert "--end" not in listed
