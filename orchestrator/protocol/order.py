"""Orders: everything a worker needs to run one attempt."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any


def pack_slots(slots: Sequence[object]) -> str:
    """Return the slots of a node, JSON-ready, as short text."""
    return base64.b85encode(zlib.compress(json.dumps(slots, separators=(",", ":")).encode())).decode()


def unpack_slots(text: str) -> list[Any]:
    """Return what `pack_slots` was given."""
    return list(json.loads(zlib.decompress(base64.b85decode(text))))
