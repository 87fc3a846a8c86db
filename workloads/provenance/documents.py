"""Documents that are stored once per distinct content, and named by their SHA-256."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_to_json = json.JSONEncoder(sort_keys=True).encode


def document_key(content: Mapping[str, Any]) -> str:
    """Return the hexadecimal SHA-256 of a document's JSON text with sorted keys, as the ledger stores it."""
    return hashlib.sha256(_to_json(content).encode()).hexdigest()
