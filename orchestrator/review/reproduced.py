"""A reproduced document in a package: its tables, figures and claims, and their comparison with the rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from db.plain import RowReader
from db.records import CampaignRow
from orchestrator.review.verdicts import differences

REPRODUCTION = "reproduction.json"


def reproduction(reader: RowReader, rows: Sequence[CampaignRow], document: str) -> dict[str, Any]:
    """Return a document's tables, figures and claims by the runs of campaigns, as data.

    Raises
    ------
    CampaignError
        If there is no such document.
    """
    from orchestrator.analysis.reproduction.regenerated import regenerated  # with NumPy, as its tests need

    return regenerated(reader, document, [row.name for row in rows]).to_dict()


def reproduction_findings(reader: RowReader, rows: Sequence[CampaignRow], file: Path) -> Iterator[str]:
    """Yield where a package's reproduction is not what its rows give; nothing if it has none.

    Raises
    ------
    CampaignError
        If it is of a document that this version does not know.
    """
    if not file.exists():
        return
    packaged = json.loads(file.read_bytes())
    found = reproduction(reader, rows, str(packaged.get("document")))
    if find_spec("scipy") is None:
        found["claims"] = packaged.get("claims")
    yield from (f"reproduction: {one}" for one in differences(packaged, found))


def reproduction_note(file: Path) -> str | None:
    """Return what a reader should know of a package's reproduction; None if there is nothing."""
    if not file.exists():
        return None
    document = json.loads(file.read_bytes()).get("document")
    unjudged = "" if find_spec("scipy") else "; its claims were not judged again, as SciPy is not installed"
    return f"it reproduces the tables and figures of {document}{unjudged}"
