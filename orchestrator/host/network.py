"""Addresses of this machine."""

from __future__ import annotations

import socket

import psutil

LOOPBACK = "127.0.0.1"


def interface_address(interface: str) -> str:
    """Return the IPv4 address of a network interface; raises `OSError` if there is none."""
    interfaces = psutil.net_if_addrs()
    for one in interfaces.get(interface, []):
        if one.family == socket.AF_INET:
            return one.address
    there = ", ".join(sorted(interfaces))
    raise OSError(f"interface {interface} has no IPv4 address on this node; its interfaces are {there}")
