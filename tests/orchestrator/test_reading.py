"""How far the reading of a data set has come, in words."""

from __future__ import annotations

from pathlib import Path

from orchestrator.reading import progress, told
from tests.harness import wait_for


def test_share_rate_and_time_left() -> None:
    assert progress(Path("d"), 250_000_000, 1_000_000_000, 5.0) == (
        "d: 25% of 1,000 MB read, 50 MB/s, about 15 s left"
    )
    assert progress(Path("d"), 1_200_000, 1_000_000, 2.0) == "d: 100% of 1 MB read, 1 MB/s"
    assert progress(Path("d"), 0, 1_000_000, 0.0) == "d: 0% of 1 MB read, 0 MB/s"
    assert progress(Path("d"), 0, 0, 3.0) == "d: 100% of 0 MB read, 0 MB/s"


def test_what_this_process_reads_is_told_while_it_reads(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "big"
    file.write_bytes(bytes(40_000_000))
    said: list[str] = []
    with told(tmp_path, said.append, first=0.0, period=0.01):
        file.read_bytes()
        wait_for(lambda: said and "100% of 40 MB read" in said[-1], "the end")
    count = len(said)
    assert count >= 1
    with told(tmp_path, said.append, first=60.0):
        pass
    assert len(said) == count  # what is soon over needs no words
