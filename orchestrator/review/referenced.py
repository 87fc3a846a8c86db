"""Campaigns by reference: names in a ledger, and ``SOURCE:NAME`` for packages, exports and other ledgers."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from db.connection.connect import parse_url, redacted_url
from db.reader import Reader
from db.transfer.altered import Renamed
from db.transfer.export import Export
from db.transfer.importer import import_campaigns
from db.transfer.snapshot import Snapshot
from orchestrator.errors import CampaignError
from orchestrator.review.container import PackageError
from orchestrator.review.opened import unpack
from orchestrator.review.texts import ROWS
from sites.files import NAME
from workloads.spelling import near

_ENDINGS = (".zip", ".sqlite")


@dataclass(frozen=True, slots=True)
class Reference:
    """A campaign and where it is.

    Parameters
    ----------
    source
        A package, the folder of an export, or a ledger; None for the ledger of the command.
    name
        Name of the campaign; None for the only one that the source has.
    """

    source: str | None
    name: str | None

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Return the reference that a text states: ``NAME``, ``SOURCE:NAME`` or ``SOURCE``."""
        source, colon, name = text.rpartition(":")
        if colon and re.fullmatch(NAME, name):
            return cls(source, name)
        return cls(text, None) if "/" in text or text.endswith(_ENDINGS) else cls(None, text)


@contextmanager
def referenced(texts: Sequence[str], ledger: str | None) -> Iterator[tuple[Reader, list[str]]]:
    """Open campaigns, and yield a reader that has all of them, with their names there.

    Campaigns of several sources are copied into a temporary ledger first, where those of equal names
    have their source in the name.

    Parameters
    ----------
    texts
        A reference for each campaign.
    ledger
        Ledger of the references without a source.

    Raises
    ------
    CampaignError
        If a reference names no source or campaign.
    PackageError, LedgerError
        If a source cannot be opened.
    """
    references = [Reference.parse(text) for text in texts]
    with tempfile.TemporaryDirectory(prefix="orchestrator-referenced-") as folder:
        sources = list(dict.fromkeys(reference.source for reference in references))
        urls = {one: _url(one, ledger, Path(folder, str(number))) for number, one in enumerate(sources)}
        if len(set(urls.values())) == 1:
            with Reader(urls[sources[0]]) as reader:
                yield reader, [_name(reader, reference) for reference in references]
            return
        joint = f"sqlite:///{folder}/joint.sqlite"
        names = _joined(references, urls, joint)
        with Reader(joint) as reader:
            yield reader, names


def _url(source: str | None, ledger: str | None, folder: Path) -> str | None:
    """Return the URL of the ledger that a source is, or that is made of it in a folder."""
    if source is None or "://" in source:
        return ledger if source is None else source
    place = Path(source).expanduser()
    if not place.exists():
        raise CampaignError(f"{source} is not there: name a package, an export, a ledger, or a campaign")
    if place.is_file() and place.suffix == ".sqlite":
        return f"sqlite:///{place.absolute()}"
    url = f"sqlite:///{folder}.sqlite"
    rows = place if place.is_dir() else _rows_of_package(place, folder)
    import_campaigns(url, Export(rows), lambda *_: None)
    return url


def _rows_of_package(file: Path, folder: Path) -> Path:
    """Unpack the rows of a package whose bytes are all as they were written."""
    folder.mkdir()
    opened = unpack(file, folder, lambda name: name.startswith(f"{ROWS}/"), lambda _: None)
    if opened.problems:
        raise PackageError(f"{file}: {opened.problems[0]}; `orchestrator evidence verify` says more")
    return folder / ROWS


def _name(reader: Reader, reference: Reference) -> str:
    """Return the present name of a campaign in the ledger of its source."""
    source, name = reference.source, reference.name
    if source is None:
        return reader.campaign(str(name)).name
    known = [row.name for row in reader.campaigns()]
    if name is None and len(known) == 1:
        return known[0]
    shown = _shown(source)
    if name is None:
        which = f"name one of them, such as {shown}:{known[0]}" if known else "nothing can be read of it"
        raise CampaignError(f"{shown} has {len(known):,} campaigns: {which}")
    if name not in known:
        raise CampaignError(f"{shown} has no campaign {name!r}{near(name, known)}")
    return name


def _joined(references: Sequence[Reference], urls: dict[str | None, str | None], joint: str) -> list[str]:
    """Copy campaigns of several ledgers into a new ledger, and return their names there."""
    found: list[str] = []
    known: dict[str, tuple[str | None, str]] = {}
    for reference in references:
        with Reader(urls[reference.source]) as reader:
            found.append(_name(reader, reference))
            mine = reference.source, found[-1]
            if (other := known.setdefault(reader.campaign(found[-1]).uid, mine)) != mine:
                texts = " and ".join(f"{_shown(source)}:{name}" for source, name in (other, mine))
                raise CampaignError(f"{texts} are one campaign; name another")
    times = Counter(found)
    names = [
        name if times[name] == 1 else f"{name}@{_short(reference.source)}"
        for name, reference in zip(found, references, strict=True)
    ]
    names = [name if names.count(name) == 1 else f"{name}-{k}" for k, name in enumerate(names, 1)]
    if len({(urls[one.source], name) for one, name in zip(references, found, strict=True)}) < len(found):
        raise CampaignError("a campaign is named twice")
    for name, given, reference in zip(found, names, references, strict=True):
        with Reader(urls[reference.source]) as reader, Snapshot(reader, [name]) as source:
            import_campaigns(joint, Renamed(source, given), lambda *_: None)
    return names


def _shown(source: str | None) -> str:
    """Return a source without its password."""
    if source is None:
        return "ledger"
    return redacted_url(parse_url(source)) if "://" in source else source


def _short(source: str | None) -> str:
    """Return a short name of a source for tables: its file, folder or database."""
    if source is not None and "://" in source:
        source = parse_url(source).database or "ledger"
    return "ledger" if source is None else source.rstrip("/").rpartition("/")[2]
