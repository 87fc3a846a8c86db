"""The hash chain of a journal: what makes a removed, changed or re-ordered line visible.

The chain after a line is the SHA-256 of the chain before it and of the line's bytes; a journal begins with
`GENESIS`. Every line carries the chain before it, so a file contradicts itself where lines before it differ;
the chain after its last line is the file's head, which the ledger keeps. Lines that were cut short are part
of the chain like all others.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import NamedTuple

CHAIN = "chain"
GENESIS = "0" * 64
_BEFORE = b'{"chain":"'
_BEGIN, _END = 9 + len(_BEFORE), 9 + len(_BEFORE) + 64
_WINDOW_BYTES = 1 << 13  # few reports are longer


class Head(NamedTuple):
    """Where a journal stands: its lines, and the chain after the last of them."""

    lines: int = 0
    chain: str = GENESIS

    def after(self, line: bytes) -> Head:
        """Return the head after one more line, given without its newline; empty lines do not count."""
        return Head(self.lines + 1, chain_after(self.chain, line)) if line else self


def chain_after(chain: str, line: bytes) -> str:
    """Return the chain after a line, given without its newline."""
    return hashlib.sha256(chain.encode() + line).hexdigest()


def carried_chain(line: bytes) -> str | None:
    """Return the chain that an undamaged line carries; None if it is damaged, or carries none."""
    if line[9:_BEGIN] != _BEFORE or line[:9] != b"%08x " % zlib.crc32(line[9:]):
        return None
    return line[_BEGIN:_END].decode(errors="replace")


def chain_of_end(descriptor: int, size: int) -> str:
    """Return the chain after all bytes of an open journal, reading no more of its end than that takes."""
    window = _WINDOW_BYTES
    while True:
        begin = max(0, size - window)
        lines = os.pread(descriptor, size - begin, begin).split(b"\n")
        if begin:
            del lines[0]  # its beginning is not in the window
        for number in range(len(lines) - 1, -1, -1):
            if (chain := carried_chain(lines[number])) is not None:
                return _chain(chain, lines[number:])
        if not begin:
            return _chain(GENESIS, lines)
        window *= 8


def _chain(chain: str, lines: list[bytes]) -> str:
    for line in lines:
        if line:
            chain = chain_after(chain, line)
    return chain
