"""Documents that others name by key: listings of code, environment variables, descriptions of nodes.

Each is stored once, in the table that also holds what attempts observed. An event says which campaign got it,
so that exports take it along; `db.writing.documents` writes both.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from db.column_values import sanitize_text, sha256, to_json
from db.events import EventKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from db.plain import Readable, Rows


def stored_text(content: Mapping[str, Any]) -> str:
    """Return the text as which a document is stored."""
    return sanitize_text(to_json(content))


def document_key(content: Mapping[str, Any]) -> str:
    """Return the key of a document with this content."""
    return sha256(stored_text(content))


def read_texts(moment: Rows, keys: Collection[str]) -> dict[str, str]:
    """Return the texts of the documents with these keys."""
    return dict(moment.rows("documents", ["sha256", "content"], sha256=keys)) if keys else {}


def read_documents(reader: Readable, keys: Collection[str]) -> dict[str, Any]:
    """Return the documents with these keys that are there."""
    with reader.moment() as moment:
        return {key: json.loads(content) for key, content in read_texts(moment, keys).items()}


def noted_keys(moment: Rows, campaign_id: int) -> list[str]:
    """Return the keys of a campaign's documents, in the order in which the ledger got them."""
    kind = EventKind.DOCUMENT_RECORDED.value
    return [key for (key,) in moment.rows("events", ["subject"], campaign_id, kind=kind)]


def campaign_documents(reader: Readable, campaign_id: int) -> dict[str, Any]:
    """Return the documents of a campaign by key, in the order in which the ledger got them."""
    with reader.moment() as moment:
        keys = noted_keys(moment, campaign_id)
        found = read_texts(moment, keys)
    return {key: json.loads(found[key]) for key in keys if key in found}
