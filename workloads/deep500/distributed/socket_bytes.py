"""Bytes that this process sent and received over TCP, as the kernel counts them for each of its sockets.

Other processes of the node do not count, and neither does what a library sends through shared memory.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_TCP_INFO_BYTES = 256
_RECEIVED = 128  # offsets in struct tcp_info of <linux/tcp.h>
_SENT, _RETRANSMITTED = 200, 208
_NUMBER = struct.Struct("=Q")
_KNOWN = _RETRANSMITTED + _NUMBER.size


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes over the sockets that were open from one reading to the next.

    Parameters
    ----------
    sent_bytes, received_bytes
        Of the connections' payload, without retransmissions.
    connections
        Over which anything went.
    """

    sent_bytes: int
    received_bytes: int
    connections: int


def read() -> dict[int, tuple[int, int]]:
    """Return bytes sent and received by each TCP socket of this process, by the socket's inode.

    It is empty where the kernel does not count them (before Linux 4.19).
    """
    found = {}
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed in the meantime, or no TCP socket
            link = str(entry.readlink())
            if not link.startswith("socket:["):
                continue
            with socket.socket(fileno=os.dup(int(entry.name))) as one:
                if one.type != socket.SOCK_STREAM or one.family not in (socket.AF_INET, socket.AF_INET6):
                    continue
                facts = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
            if len(facts) >= _KNOWN:
                sent, again, received = (
                    _NUMBER.unpack_from(facts, place)[0] for place in (_SENT, _RETRANSMITTED, _RECEIVED)
                )
                found[int(link[8:-1])] = sent - again, received
    return found


def since(before: Mapping[int, tuple[int, int]]) -> Traffic | None:
    """Return what went over the sockets since a reading; None where the kernel does not count it."""
    now = read()
    moved = [
        (now[inode][0] - sent, now[inode][1] - received)
        for inode, (sent, received) in before.items()
        if inode in now
    ]
    if not moved:
        return None
    return Traffic(sum(one for one, _ in moved), sum(one for _, one in moved), sum(map(any, moved)))
