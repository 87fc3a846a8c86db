"""The sources that a campaign's attempts and drivers recorded, by name and SHA-256."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from db.records import CampaignRow
from orchestrator.version import PACKAGES
from orchestrator.wording import count_of, few

PROJECT = "project"
"""Folder of a package with this project's sources."""
NO_TEXT = "no text"
"""Why a program or a library is absent."""
_CODE = "code"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Source:
    """A source file that a campaign ran.

    Parameters
    ----------
    name
        Path below the folder that it was imported from, such as ``mine/net.py``, or an absolute path.
    sha256
        Of its content, as an attempt or a driver recorded it; None where the content that ran is not known.
    """

    name: str
    sha256: str | None

    @property
    def of_project(self) -> bool:
        """True for a file of this project's packages."""
        return self.name.partition("/")[0] in PACKAGES


def listing_name(row: CampaignRow) -> str:
    """Return the member that says where a campaign's own sources are, and which are absent."""
    return f"campaigns/{row.name}/sources.json"


def code_folder(row: CampaignRow) -> str:
    """Return the folder of a package with a campaign's own sources."""
    return f"campaigns/{row.name}/{_CODE}/"


def is_source(member: str) -> bool:
    """Tell whether a member of a package is a source."""
    first, *rest = member.split("/")  # project/… or campaigns/NAME/code/…
    return first == PROJECT or (first == "campaigns" and len(rest) > 2 and rest[1] == _CODE)


def recorded_sources(documents: Mapping[str, Any]) -> list[Source]:
    """Return each distinct source that a campaign's documents name; those with absolute names come last."""
    found = set(_sources(documents))
    return sorted(found, key=lambda source: (source.name.startswith("/"), source.name, source.sha256 or ""))


def _sources(documents: Mapping[str, Any]) -> Iterator[Source]:
    for document in documents.values():
        listings = [document.get(name) for name in ("files", "elsewhere", "start_up")]
        for files in (*listings, document.get("command", {}).get("files")):
            yield from (Source(name, digest) for name, digest in (files or {}).items())


def registered_folders(documents: Mapping[str, Any]) -> list[Path]:
    """Return the folders of the workload files that were registered with a campaign."""
    files = [one["file"] for one in documents.values() if "text" in one and one.get("file")]
    return list(dict.fromkeys(Path(file).parent for file in files))


@dataclass(frozen=True, slots=True)
class Listing:
    """A campaign's sources in a package.

    Parameters
    ----------
    files
        Members of the package by the names of the campaign's own sources.
    absent
        Sources that are not in the package, and why.
    """

    files: Mapping[str, str]
    absent: Mapping[Source, str]

    def data(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        absent = [{"name": one.name, "sha256": one.sha256, "why": why} for one, why in self.absent.items()]
        return {"files": dict(self.files), "absent": absent}

    @classmethod
    def read(cls, text: bytes) -> Listing:
        """Return the listing of a text.

        Raises
        ------
        ValueError
            If it is no listing of sources.
        """
        try:
            content = json.loads(text)
            files = {str(name): str(member) for name, member in content["files"].items()}
            absent = {Source(one["name"], one["sha256"]): str(one["why"]) for one in content["absent"]}
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from None
        return cls(files, absent)


def absent_line(row: CampaignRow, listing: Listing, number: int) -> str | None:
    """Return a line about absent sources of so many recorded ones, programs apart; None if there are none."""
    named = [f"{source.name} ({why})" for source, why in listing.absent.items() if why != NO_TEXT]
    if not named:
        return None
    return (
        f"{row.name}: {len(named):,} of {count_of(number, 'recorded source', 'are')} not in the package: "
        f"{few(named, _SHOWN)}"
    )
