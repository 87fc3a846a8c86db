"""What readers must know of how a ledger was kept stands beside the verdict, in packages too."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from orchestrator.report.writing import report
from orchestrator.review.dossier import Dossier
from orchestrator.review.verification import verify
from tests.orchestrator.review.packages import packaged, simulated


@pytest.mark.parametrize("kind", [EventKind.RESULTS_NOT_JOURNALLED, EventKind.LEDGER_REMOVED])
def test_a_warning_is_stated_and_packaged(tmp_path: Path, kind: EventKind) -> None:
    url = simulated(tmp_path)
    with Ledger(url) as ledger:
        ledger.note(ledger.campaign("toy").campaign_id, kind, "something happened")
    expected = ["toy: something happened"]
    with Reader(url) as reader:
        assert Dossier.read(reader, [reader.campaign("toy")], reviews=False).warnings == expected
        page = report(reader, reader.campaign("toy")).html()
        assert "Warning: toy: something happened." in page
    assert list(packaged(url, tmp_path / "toy.zip").warnings) == expected
    found = verify(tmp_path / "toy.zip")
    assert (found.findings, found.notes) == ([], expected)
