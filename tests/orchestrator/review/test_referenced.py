"""Campaigns of packages, exports and other ledgers beside those of a ledger, by reference."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from db.errors import LedgerError, UnknownCampaignError
from db.ledger import Ledger
from db.reader import Reader
from db.transfer.export import write
from db.transfer.snapshot import Snapshot
from orchestrator.errors import CampaignError
from orchestrator.review.container import PackageError
from orchestrator.review.referenced import Reference, _short, referenced
from tests.db.filled import fill
from tests.orchestrator.review.packages import packaged, simulated


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package, an export, and a ledger of two campaigns."""
    folder = tmp_path_factory.mktemp("referenced")
    for number in (1, 2):
        (folder / f"{number}").mkdir()
    packaged(simulated(folder / "1", instances=3), folder / "toy.zip")
    url = simulated(folder / "2", instances=3)
    with Reader(url) as reader, Snapshot(reader, ["toy"]) as source:
        write(source, folder / "exported", "csv", lambda *_: None)
    both = f"sqlite:///{folder}/both.sqlite"
    Ledger.open(both).close()
    for name in ("friday", "toy"):
        fill(both, name)
    return folder


@pytest.mark.parametrize(
    ("text", "source", "name"),
    [
        ("friday", None, "friday"),
        ("a.zip", "a.zip", None),
        ("a.zip:friday", "a.zip", "friday"),
        ("exported:friday", "exported", "friday"),
        ("./exported", "./exported", None),
        ("sqlite:///x.sqlite", "sqlite:///x.sqlite", None),
        ("sqlite:///x.sqlite:friday", "sqlite:///x.sqlite", "friday"),
        ("postgresql://me@host:5432/ledger", "postgresql://me@host:5432/ledger", None),
        ("postgresql://me@host:5432/ledger:a-1", "postgresql://me@host:5432/ledger", "a-1"),
    ],
)
def test_a_text_names_source_and_campaign(text: str, source: str | None, name: str | None) -> None:
    assert Reference.parse(text) == Reference(source, name)


def test_campaigns_of_several_sources_stand_side_by_side(place: Path) -> None:
    texts = ["toy", "friday", f"{place}/toy.zip", f"{place}/exported:toy"]
    with referenced(texts, f"sqlite:///{place}/both.sqlite") as (reader, names):
        assert names == ["toy@ledger", "friday", "toy@toy.zip", "toy@exported"]
        assert sorted(row.name for row in reader.campaigns()) == sorted(names)
        assert len(reader.benchmarks(reader.campaign("toy@exported").campaign_id)) == 1


def test_one_source_is_read_where_it_is(place: Path) -> None:
    texts = [f"{place}/both.sqlite:friday", f"{place}/both.sqlite:toy"]
    with referenced(texts, "no.sqlite") as (reader, names):
        assert names == ["friday", "toy"]
        assert str(place / "both.sqlite") in str(reader)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["toy.zip:other"], "toy.zip has no campaign 'other'; did you mean|toy.zip has no campaign 'other'"),
        (["both.sqlite"], "both.sqlite has 2 campaigns: name one of them, such as .*both.sqlite:friday"),
        (["absent.zip:toy"], "absent.zip is not there: name a package"),
        (["1:toy"], "has no manifest.json, so it is no export"),
        (["changed.zip:toy"], "changed.zip: .* `orchestrator evidence verify` says more"),
        (["toy.zip", "1/ledger.sqlite:toy"], "toy.zip:toy and .*1/ledger.sqlite:toy are one campaign"),
        (["toy.zip", "1/toy.zip"], "toy.zip:toy and .*1/toy.zip:toy are one campaign"),
    ],
)
def test_a_wrong_reference_is_one_error(place: Path, texts: list[str], message: str) -> None:
    content = bytearray((place / "toy.zip").read_bytes())
    content[-1] ^= 1  # the digest of the whole file
    (place / "changed.zip").write_bytes(content)
    shutil.copy(place / "toy.zip", place / "1/toy.zip")
    wrong = pytest.raises((CampaignError, LedgerError, PackageError), match=message)
    with wrong as caught, referenced([f"{place}/{text}" for text in texts], None):
        pass
    assert len(str(caught.value).splitlines()) == 1


def test_a_campaign_that_the_ledger_lacks(place: Path) -> None:
    url = f"sqlite:///{place}/both.sqlite"
    with pytest.raises(UnknownCampaignError, match="did you mean friday"), referenced(["frida"], url):
        pass
    with (
        pytest.raises(CampaignError, match="is named twice"),
        referenced(["toy", "toy", f"{place}/toy.zip"], url),
    ):
        pass


@pytest.mark.parametrize(
    ("source", "short"),
    [
        ("postgresql://me:SECRET@host", "ledger"),
        ("postgresql://host/runs?user=me&password=SECRET", "runs"),
        ("sqlite:////a/b.sqlite", "b.sqlite"),
        ("a/exported/", "exported"),
        (None, "ledger"),
    ],
)
def test_a_short_name_has_no_password(source: str | None, short: str) -> None:
    assert _short(source) == short
