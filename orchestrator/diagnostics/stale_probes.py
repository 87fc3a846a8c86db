"""Folders that probes of a site left: of those that died, and of those that found something bad."""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil

_QUIET_SECONDS = 600.0


def stale_probes(runs: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the folders, below the paths of runs, of probes of this host whose process has ended.

    Each comes with what to say of it. A probe that waits for its nodes listens; when it no longer
    does, and nothing was written for ten minutes, it is over.
    """
    for place in sorted(set(runs)):
        for file in sorted(place.glob("probe-*/order.json")):
            try:
                order = json.loads(file.read_text(encoding="utf-8"))
                address, port = str(order["address"]), int(order["port"])
                latest = max(one.stat().st_mtime for one in (file, *file.parent.iterdir()))
            except (OSError, ValueError, KeyError, TypeError):
                continue  # not a probe's, or just being written or removed
            if _is_here(address) and not _listens(port) and time.time() - latest > _QUIET_SECONDS:
                yield file.parent, f"folder {file.parent} of a probe that is over"


def _is_here(address: str) -> bool:
    try:
        if ipaddress.ip_address(address).is_loopback:
            return True
    except ValueError:
        return False
    return any(one.address == address for all_of in psutil.net_if_addrs().values() for one in all_of)


def _listens(port: int) -> bool:
    return any(
        one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port
        for one in psutil.net_connections(kind="tcp")
    )
