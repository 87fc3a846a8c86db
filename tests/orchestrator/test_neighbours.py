"""Two campaigns on the same cores of one machine: it is told, and kept for the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness import Place, wait_for

pytestmark = pytest.mark.slow


def test_a_neighbour_is_told_once_and_kept(tmp_path: Path) -> None:
    places = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        places.append(Place(tmp_path / name))
    one, two = places
    one.campaign(6, parameters={"seconds": 10.0})
    first = one.launch()
    wait_for(lambda: one.processes("workloads.run"), "a training of the first")
    two.campaign(2)
    second = two.run("launch", "toy.yaml", "--site", "site.yaml")
    assert second.returncode == 0, second.stderr
    told = f"another campaign ({one.uid()[:8]}) runs on the same cores of this machine"
    assert second.stdout.count(told) == 1
    kept = two.rows("SELECT detail FROM events WHERE kind = 'shared cores'")
    assert sum(detail.startswith(told) for (detail,) in kept) == 1  # there may be further ones
    out, err = first.communicate(timeout=120)
    assert first.returncode == 0, out + err
