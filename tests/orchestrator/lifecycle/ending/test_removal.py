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
        (toy.folder / "logs" / "shared").symlink_to(shared)
        (toy.folder / "mine").mkdir()
        (toy.folder / "mine" / "notes").touch()
        before, reports = audit(toy.url), len(names(toy.folder / "journals"))
        found = removable(ledger, "toy")
        assert (found.sizes["scratch"], found.kept_bytes > 0) == (5000, True)
        assert remove(ledger, found) == {}
        assert not [*(toy.folder / "logs").iterdir(), *(toy.folder / "scratch").iterdir()]
        assert (toy.folder / "mine" / "notes").exists()
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


def test_a_directory_that_is_not_the_campaigns_is_left_alone(toy: Ended, tmp_path: Path) -> None:
    toy.folder.rename(toy.folder.with_name("elsewhere"))
    (tmp_path / "thesis" / "logs").mkdir(parents=True)
    with Ledger(toy.url) as ledger:
        toy.folder.symlink_to(tmp_path / "thesis")
        with pytest.raises(CampaignError, match="is a link, or has no journals"):
            removable(ledger, "toy")
        toy.folder.unlink()
        (tmp_path / "thesis").rename(toy.folder)
        with pytest.raises(CampaignError, match="is a link, or has no journals"):
            removable(ledger, "toy")


def test_a_session_that_begins_meanwhile_keeps_its_files(toy: Ended, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(toy.url) as ledger:
        found = removable(ledger, "toy")
        assert found.places
        (toy.folder / "logs" / "9").mkdir()
        assert remove(ledger, found) == {}
        assert [one.name for one in (toy.folder / "logs").iterdir()] == ["9"]
        again = removable(ledger, "toy")
        monkeypatch.setattr("orchestrator.lifecycle.ending.removal.why_busy", lambda *_: "it runs again")
        with pytest.raises(CampaignError, match="it runs again"):
            remove(ledger, again)
        assert (toy.folder / "logs" / "9").exists()


def test_what_cannot_be_removed_is_told_and_in_no_event(toy: Ended, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(place: Path) -> None:
        raise PermissionError(13, "Permission denied", str(place))

    monkeypatch.setattr("shutil.rmtree", refused)
    with Ledger(toy.url) as ledger:
        found = removable(ledger, "toy")
        problems = remove(ledger, found)
        assert any(why.endswith("Permission denied") for why in problems.values())
        said = [place for event in ledger.events(toy.number, kinds=[EventKind.FILES_REMOVED])
                for place in (event.data or {})["bytes"]]  # fmt: skip
        assert "logs" not in said
