"""Tells when the worker pool of the one block of a machine without a scheduler does not answer. Pure."""

from __future__ import annotations

from orchestrator.errors import EngineError

CONNECT_SECONDS = 30.0
"""In which a local worker pool starts and connects."""


class LocalBlock:
    """Notes since when a running block has no connected worker pool.

    Parameters
    ----------
    stall_seconds
        Without an answer, after which a new engine is needed.
    """

    def __init__(self, stall_seconds: float) -> None:
        self._stall_seconds = stall_seconds
        self._block = ""
        self._since = 0.0
        self._connected = self._told = False

    def look(self, block: str, now: float, *, connected: bool) -> str | None:
        """Return what to tell the user of a running block, once; else None.

        Parameters
        ----------
        block, now
            Name of the block, and monotonic seconds.
        connected
            Whether a worker pool of it is connected.

        Raises
        ------
        EngineError
            If it has had none for too long.
        """
        if block != self._block:
            self._block, self._since, self._connected, self._told = block, now, False, False
        if connected:
            self._since, self._connected = now, True
            return None
        silent = now - self._since
        if silent > self._stall_seconds:
            what = "has not answered" if self._connected else "has not connected"
            raise EngineError(f"the worker pool of block {block} {what} for {silent:.0f} s")
        if self._connected or self._told or silent <= CONNECT_SECONDS:
            return None
        self._told = True
        return f"the worker pool of block {block} has not connected for {silent:.0f} s"
