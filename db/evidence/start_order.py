"""The registered order of a campaign's instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from db.events import EventKind

if TYPE_CHECKING:
    from db.reader import Reader


def registered_order(reader: Reader, campaign_id: int) -> Mapping[str, Any] | None:
    """Return the registered order of a campaign; None for that of its file.

    Keys are ``order``, ``seed``, ``widths`` (instances of each benchmark in a block), and ``groups``.
    """
    found = list(reader.events(campaign_id, kinds=[EventKind.ORDER_REGISTERED]))
    return found[-1].data if found else None
