"""Shares of packages, and what the kernel counts of processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.host.meters.process_load import (
    ProcessLoad,
    cpu_list,
    node_share,
    package_count,
    package_shares,
)
from tests.orchestrator.host.meters.trees import cpus, write


@pytest.mark.parametrize(
    ("held", "used", "shares"),
    [
        ([0, 1], [0, 1], {0: 0.5}),  # two of four cores, one thread of each is used
        ([0], [0, 8], {0: 0.125}),  # the other thread of the core belongs to another slot
        ([0, 8], [0, 8], {0: 0.25}),
        ([3, 4], range(8), {0: 0.25, 1: 0.25}),
        (range(16), range(16), {0: 1.0, 1: 1.0}),
    ],
)
def test_a_slot_holds_its_share_of_each_packages_cores(
    tmp_path: Path, held: list[int], used: list[int], shares: dict[int, float]
) -> None:
    cpus(tmp_path)
    assert package_shares(list(held), list(used), tmp_path) == pytest.approx(shares)


def test_the_slots_of_a_full_node_share_all_of_it(tmp_path: Path) -> None:
    cpus(tmp_path, packages=2, cores=32, threads=2)
    slots = [[k, k + 64] for k in range(64)]
    used = [core for slot in slots for core in slot]
    found = [package_shares(slot, used, tmp_path) for slot in slots]
    assert sum(share for one in found for share in one.values()) == pytest.approx(2.0)
    assert sum(node_share(one, package_count(tmp_path)) for one in found) == pytest.approx(1.0)


def test_a_node_that_hides_its_cores_has_no_shares(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="physical_package_id"):
        package_shares([0], [0], tmp_path)
    assert package_count(tmp_path) == 0


def test_lists_of_the_kernel_are_read() -> None:
    assert cpu_list("0-2,5\n") == [0, 1, 2, 5]
    assert cpu_list("\n") == []


def process(root: Path, pid: int, ticks: int, read: int) -> None:
    name = "a (b) c"  # a name may hold anything
    fields = ["S"] + ["0"] * 10 + [str(ticks), "0", "0", "0"] + ["0"] * 30
    write(root / str(pid) / "stat", f"{pid} ({name}) {' '.join(fields)}")
    write(root / str(pid) / "io", f"rchar: {read}\nwchar: 1\nsyscr: 9\nread_bytes: 2\nwrite_bytes: 3")


def test_counts_of_a_tree_add_up_and_bytes_never_fall(tmp_path: Path) -> None:
    process(tmp_path, 7, 200, 10)
    process(tmp_path, 8, 100, 5)
    pids = [7, 8, 9]
    load = ProcessLoad(lambda: pids, tmp_path)
    ticks = os.sysconf("SC_CLK_TCK")
    both = {
        "cpu_seconds": 300 / ticks,
        "read_bytes": 15,
        "written_bytes": 2,
        "storage_read_bytes": 4,
        "storage_written_bytes": 6,
    }
    assert load.read(0.0).counters == both
    pids.remove(8)
    bytes_alone = {name: count for name, count in both.items() if name != "cpu_seconds"}
    assert load.read(1.0).counters == bytes_alone  # its CPU time since the last reading is not known
    process(tmp_path, 7, 400, 20)
    assert load.read(2.0).counters == both | {"cpu_seconds": 400 / ticks, "read_bytes": 20}
    pids.remove(7)
    assert load.read(3.0).counters == bytes_alone | {"read_bytes": 20}


def test_hidden_io_leaves_the_cpu_time(tmp_path: Path) -> None:
    process(tmp_path, 7, 200, 10)
    (tmp_path / "7/io").unlink()
    assert set(ProcessLoad(lambda: [7], tmp_path).read(0.0).counters) == {"cpu_seconds"}


def test_a_real_process_has_counts_with_those_of_its_children() -> None:
    code = (
        "import subprocess, sys; "
        "subprocess.run([sys.executable, '-c', 'open(\"/dev/zero\", \"rb\").read(10**7)']); "
        "print(); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        counters = ProcessLoad(lambda: [child.pid]).read(0.0).counters
        assert counters["read_bytes"] >= 10**7
        assert counters["cpu_seconds"] > 0
        child.communicate()
