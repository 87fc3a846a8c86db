"""The end of a file, on one line."""

from __future__ import annotations

from pathlib import Path

from orchestrator.host.file_end import last_lines


def test_the_last_lines_stand_on_one_without_control_characters(tmp_path: Path) -> None:
    file = tmp_path / "err"
    assert last_lines(file) == ""
    file.write_bytes(b"x" * 10_000 + b"\n\n  one\x1b[2J\ntwo\xff\n")
    text = last_lines(file)
    assert text.endswith("x | one [2J | two\N{REPLACEMENT CHARACTER}")
    assert len(text) == 500
