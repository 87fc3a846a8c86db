"""Which interfaces lead to other machines, and what the kernel says of threads."""

from __future__ import annotations

import socket
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from orchestrator.host.network import outside_interfaces
from orchestrator.host.topology import further_threads


def test_a_fabric_comes_first_and_virtual_interfaces_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = {
        "lo": 0, "eth0": 1000, "bond0": 25000, "hsn0": 0, "ib0": 100000, "docker0": 0, "veth1a": 10000,
        "virbr0": 0, "hsn1": 0, "down0": 1000, "far0": 1000, "six0": 1000,
    }  # fmt: skip
    addresses = {name: f"10.0.0.{number}" for number, name in enumerate(speeds)} | {
        "lo": "127.0.0.1", "far0": "169.254.3.1"
    }  # fmt: skip
    family = {name: socket.AF_INET6 if name == "six0" else socket.AF_INET for name in speeds}
    monkeypatch.setattr(
        psutil,
        "net_if_addrs",
        lambda: {name: [SimpleNamespace(family=family[name], address=addresses[name])] for name in speeds},
    )
    monkeypatch.setattr(
        psutil,
        "net_if_stats",
        lambda: {name: SimpleNamespace(isup=name != "down0", speed=speeds[name]) for name in speeds},
    )
    assert [one.name for one in outside_interfaces()] == ["ib0", "hsn0", "hsn1", "bond0", "eth0"]


def test_further_threads_are_those_after_the_first_of_a_core(tmp_path: Path) -> None:
    for number, siblings in enumerate(("0,2", "1,3", "0,2", "1,3", "")):
        folder = tmp_path / f"sys/devices/system/cpu/cpu{number}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings)
    (tmp_path / "sys/devices/system/cpu/cpu9").mkdir()  # off line
    assert further_threads(tmp_path) == (2, 3)
    assert further_threads(tmp_path / "nowhere") == ()
