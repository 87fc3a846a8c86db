"""A reproduced document in a package: its tables and claims follow from the rows, or are a finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.review.reproduced import REPRODUCTION
from orchestrator.review.verification import verify
from tests.orchestrator.review.packages import (
    Members,
    findings,
    packaged,
    repacked,
    simulated_campaign,
    verified_alone,
)

NT3 = {
    "workload": "nt3", "matrix": {"ranks": [1, 2]}, "repeat": 2, "timeout": "2 h", "slot": {"cores": 1},
    "parameters": {"loader": "pandas"},
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduced")
    url = simulated_campaign(folder, [NT3], rulebook="none", site_text=True)
    return packaged(url, folder / "toy.zip", document="candle").file


def changed(content: Members, change: dict[str, Any]) -> None:
    document = json.loads(content[REPRODUCTION])
    for table in document["tables"]:
        for cell in table["cells"]:
            if cell["ours"] is not None:
                cell |= change
    content[REPRODUCTION] = json.dumps(document).encode()


def test_a_reproduction_verifies_and_is_named(whole: Path) -> None:
    found = verify(whole)
    assert found.findings == []
    assert "it reproduces the tables and figures of candle" in found.notes
    assert verified_alone(whole) == "[] []\n"


def test_another_number_of_ours_is_a_finding(whole: Path, tmp_path: Path) -> None:
    better = {"ours": {"value": 1.0, "low": None, "high": None}}
    found = findings(repacked(whole, tmp_path / "better.zip", lambda content: changed(content, better)))
    assert any(one.startswith("reproduction: tables[Figure 6].cells") for one in found), found


def test_another_outcome_of_a_claim_is_a_finding(whole: Path, tmp_path: Path) -> None:
    def judge(content: Members) -> None:
        document = json.loads(content[REPRODUCTION])
        document["claims"][0]["outcome"] = "holds"
        content[REPRODUCTION] = json.dumps(document).encode()

    found = findings(repacked(whole, tmp_path / "judged.zip", judge))
    assert any("claims[nt3-loading-dominates].outcome" in one for one in found), found


@pytest.mark.parametrize("text", [b"{}", b'{"document": "another"}', b"[]", b"no JSON"])
def test_what_is_no_reproduction_is_a_finding(whole: Path, tmp_path: Path, text: bytes) -> None:
    def replace(content: Members) -> None:
        content[REPRODUCTION] = text

    assert findings(repacked(whole, tmp_path / "other.zip", replace))
