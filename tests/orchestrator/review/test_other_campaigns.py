"""A package names the other campaigns of its ledger that ran the same: the number of tries."""

from __future__ import annotations

from pathlib import Path

from db.ledger import Ledger
from orchestrator.review.verification import verify
from tests.db import rows
from tests.orchestrator.review.packages import members, packaged, repacked, simulated


def test_a_package_names_the_other_tries(tmp_path: Path) -> None:
    url = simulated(tmp_path)
    with Ledger(url) as ledger:
        for name, rulebook in (("try", "none"), ("else", "coral2")):
            ledger.register(rows.campaign(name, rulebook=rulebook), [rows.benchmark()], rows.planned(3))
    packaged(url, tmp_path / "toy.zip")
    found = verify(tmp_path / "toy.zip")
    line = (
        "the ledger that it is of had 1 other campaign of these workloads: try (not ended, 0 of 3 accepted)"
    )
    assert (found.findings, found.notes) == ([], [line])
    without = repacked(
        tmp_path / "toy.zip", tmp_path / "less.zip", lambda one: one.pop("other_campaigns.json")
    )
    assert "other_campaigns.json is missing" in verify(without).findings
    assert "other_campaigns.json" in members(tmp_path / "toy.zip")
