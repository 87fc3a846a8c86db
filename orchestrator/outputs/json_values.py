"""Strict JSON values of what commands and the API state."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any


def plain(value: Any) -> Any:
    """Return a value as strict JSON has it: what is not a finite number is None, times are UTC texts."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int) or value is None:
        return value
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)
