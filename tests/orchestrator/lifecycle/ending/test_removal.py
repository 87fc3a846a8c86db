"""A removal frees a campaign's directory of its bulk, and what proves its results stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.diagnostics.ledger_verification import audit
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.lifecycle.ending.compaction import pack
from orchestrator.lifecycle.ending.removal import removable, remove
from orchestrator.lifecycle.saved_rows import save_rows
from tests.db import rows
from tests.orchestrator.lifecycle.ending.test_compaction import names
from tests.orchestrator.lifecycle.ending.test_compaction_of_campaigns import GONE, Ended


@pytest.fixture
def toy(ledger_url: str, tmp_path: Path) -> Ended:
    return Ended(ledger_url, tmp_path / "toy")


def test_the_bulk_is_removed_and_the_evidence_is_verified_as_before(toy: Ended, tmp_path: Path) -> None:
    with Ledger(toy.url) as ledger:
        pack(ledger, "toy")
        save_rows(ledger, ledger.campaign("toy"))
        scratch = toy.folder / "scratch" / "toy-1"
        scratch.mkdir(parents=True)
        (scratch / "weights").write_bytes(b"w" * 5000)
        shared = tmp_path / "shared"
        shared.mkdir()
        (shared / "data").touch()
        (toy.folder / "packages").symlink_to(shared)
        before, reports = audit(toy.url), len(names(toy.folder / "journals"))
        found = removable(ledger, "toy")
        assert (found.sizes["scratch"], found.kept_bytes > 0) == (5000, True)
        assert remove(ledger, found) == []
        assert {one.name for one in toy.folder.iterdir()} == {"journals", "rows"}
        [event] = ledger.events(toy.number, kinds=[EventKind.FILES_REMOVED])
        assert event.data == {"bytes": found.sizes}
        assert removable(ledger, "toy").sizes == {}
    assert (shared / "data").exists()
    assert len(names(toy.folder / "journals")) == reports
    after = audit(toy.url)
    assert (after.findings, after.reports) == (before.findings, before.reports) == ([], 2)


def test_a_campaign_that_may_be_at_work_is_refused(toy: Ended) -> None:
    before = names(toy.folder)
    with Ledger(toy.url) as ledger:
        found = removable(ledger, "toy")
        for owner, why in ((this_driver(), "is being run by"), (GONE, "did not end it")):
            session = rows.begin(ledger, toy.number, owner, 3600)
            with pytest.raises(CampaignError, match=why):
                removable(ledger, "toy")
            with pytest.raises(CampaignError, match=why):
                remove(ledger, found)
            ledger.end_session(toy.number, session, owner, "drained")
        assert [*ledger.events(toy.number, kinds=[EventKind.FILES_REMOVED])] == []
    assert names(toy.folder) == before


def test_a_directory_that_is_not_there(toy: Ended) -> None:
    toy.folder.rename(toy.folder.with_name("elsewhere"))
    with Ledger(toy.url) as ledger, pytest.raises(CampaignError, match="is gone, or on another machine"):
        removable(ledger, "toy")


def test_what_cannot_be_removed_is_told(toy: Ended, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(place: Path) -> None:
        raise PermissionError(13, "Permission denied", str(place))

    monkeypatch.setattr("shutil.rmtree", refused)
    with Ledger(toy.url) as ledger:
        assert f"{toy.folder}/logs: Permission denied" in remove(ledger, removable(ledger, "toy"))
