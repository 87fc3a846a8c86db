"""Recomputing of a row in a visitor's browser, by the same verifier as on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from orchestrator.listing.rows import row_findings


def recompute(file: str, stated: str) -> str:
    """Return findings on a stated row as JSON; none if its package gives the same row.

    Parameters
    ----------
    file
        Path of the package.
    stated
        The row as JSON.
    """
    return json.dumps(row_findings(Path(file), json.loads(stated))[1])
