"""The registered order of a campaign's instances, and the registered questions that may end it."""

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
    return _latest(reader, campaign_id, EventKind.ORDER_REGISTERED)


def registered_questions(reader: Reader, campaign_id: int) -> Mapping[str, Any] | None:
    """Return the questions that may end a campaign before all its instances ran; None without any.

    Keys are ``questions``, a list, and ``budget``, a mapping of ``node_hours`` and ``walltime`` (seconds).
    """
    return _latest(reader, campaign_id, EventKind.QUESTIONS_REGISTERED)


def _latest(reader: Reader, campaign_id: int, kind: EventKind) -> Mapping[str, Any] | None:
    found = list(reader.events(campaign_id, kinds=[kind]))
    return found[-1].data if found else None
