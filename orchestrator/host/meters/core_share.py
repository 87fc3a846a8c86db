"""Which share of each CPU package a slot holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_SYS = Path("/sys")


def package_shares(held: Sequence[int], used: Sequence[int], root: Path = _SYS) -> dict[int, float]:
    """Return the share of each package's cores that a slot holds, by the package's number.

    Threads of a core share it with those that other slots use: where slots use one thread of each core, a
    thread holds the whole core.

    Parameters
    ----------
    held, used
        Logical CPUs of the slot, and of all slots of the node.

    Raises
    ------
    OSError, ValueError
        If the kernel does not describe the CPUs.
    """
    shares: dict[int, float] = {}
    sizes: dict[int, int] = {}
    using = set(used) | set(held)
    for core in held:
        folder = root / "devices/system/cpu" / f"cpu{core}" / "topology"
        package = max(0, int((folder / "physical_package_id").read_text()))  # -1 in some virtual machines
        threads = cpu_list((folder / "thread_siblings_list").read_text())
        if package not in sizes:
            members = folder / "package_cpus_list"
            file = members if members.exists() else folder / "core_siblings_list"  # before Linux 5.3
            sizes[package] = len(cpu_list(file.read_text()))
        part = len(threads) / sizes[package] / max(1, len(using.intersection(threads)))
        shares[package] = shares.get(package, 0.0) + part
    return {package: min(1.0, share) for package, share in shares.items()}


def node_share(shares: dict[int, float], packages: int) -> float:
    """Return the share of a node of some packages."""
    return min(1.0, sum(shares.values()) / max(packages, len(shares), 1))


def package_count(root: Path = _SYS) -> int:
    """Return the number of CPU packages of the node; 0 if the kernel does not describe its CPUs."""
    folders = (root / "devices/system/cpu").glob("cpu[0-9]*/topology/physical_package_id")
    return len({file.read_text().strip() for file in folders})


def cpu_list(text: str) -> list[int]:
    """Return the numbers in a kernel's list such as ``0-3,8``."""
    numbers: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first:
            numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
