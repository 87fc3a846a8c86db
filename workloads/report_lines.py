"""Lines of JSON by which a training reports, signed with the key of its attempt."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

Send = Callable[[Mapping[str, Any]], None]
KEY_BYTES = 16
_SIGNATURE_BYTES = 16


def line_writer(descriptor: int, key: bytes = b"") -> Send:
    """Return a `send` that writes one JSON line per message to an open file descriptor.

    Parameters
    ----------
    key
        Signs each line, as `content_of_line` checks; without one, lines are JSON alone.
    """

    def send(message: Mapping[str, Any]) -> None:
        content = json.dumps(message, allow_nan=True).encode()
        line = (signature(content, key) + b" " if key else b"") + content + b"\n"
        while line:
            line = line[os.write(descriptor, line) :]

    return send


def signature(content: bytes, key: bytes) -> bytes:
    """Return the signature of a line, in hexadecimal digits."""
    return hashlib.blake2b(content, key=key, digest_size=_SIGNATURE_BYTES).hexdigest().encode()


def content_of_line(line: bytes, key: bytes) -> bytes | None:
    """Return what a line says; None if whoever wrote it does not have the key."""
    signed, _, content = line.partition(b" ")
    return content if signed == signature(content, key) else None
