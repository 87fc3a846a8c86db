"""Addresses of this machine."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass

LOOPBACK = "127.0.0.1"
# Of containers, virtual machines and tunnels: other machines are not reached by them.
_VIRTUAL = re.compile(
    r"lo|(docker|br-|veth|virbr|vnet|vmnet|cni|cali|flannel|kube|podman|lxc|lxd|tun|tap|wg|dummy|ifb|sit|gre|bpq).*"
)
_FABRIC = re.compile(r"(hsn|ib|opa|bond-?ib)\d*.*")


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface that other machines may be reached by.

    Parameters
    ----------
    address
        Its IPv4 address.
    megabits_per_second
        0 if it is not known.
    """

    name: str
    address: str
    megabits_per_second: int


def interface_address(interface: str) -> str:
    """Return the IPv4 address of a network interface; raises `OSError` if there is none."""
    import psutil  # here and below: a browser's Python, which verifies packages, has none

    interfaces = psutil.net_if_addrs()
    for one in interfaces.get(interface, []):
        if one.family == socket.AF_INET:
            return one.address
    there = ", ".join(sorted(interfaces))
    raise OSError(f"interface {interface} has no IPv4 address on this node; its interfaces are {there}")


def outside_interfaces() -> list[Interface]:
    """Return the interfaces that are up and lead to other machines, those of a fabric and fast ones first."""
    import psutil

    states = psutil.net_if_stats()
    found = [
        Interface(name, one.address, max(states[name].speed, 0))
        for name, addresses in psutil.net_if_addrs().items()
        for one in addresses
        if one.family == socket.AF_INET
        and name in states
        and states[name].isup
        and not _VIRTUAL.fullmatch(name)
        and not one.address.startswith(("127.", "169.254."))
    ]
    by_name = {one.name: one for one in reversed(found)}  # the first address of each
    return sorted(
        by_name.values(),
        key=lambda one: (not _FABRIC.fullmatch(one.name), -one.megabits_per_second, one.name),
    )
