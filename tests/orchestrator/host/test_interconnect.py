"""The links of made-up nodes are stated as their files and commands state them, and nothing else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from orchestrator.host import system_facts
from orchestrator.host.gpus import GpuError
from orchestrator.host.interconnect import interconnect, nvidia_links
from orchestrator.host.system_facts import describe_node

HEAD = "\t\x1b[4mGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
RING = (
    HEAD
    + "GPU0\t X \tNV4\tSYS\tPXB\t0-15\t0\t\tN/A\nGPU1\tNV4\t X \tNV4\tSYS\t0-15\t0\t\tN/A\n"
    + "GPU2\tSYS\tNV4\t X \tSYS\t16-31\t1\t\tN/A\nNIC0\tPXB\tSYS\tSYS\t X \n\nLegend:\n\n  X    = Self\n"
)


def files(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def no_command(*words: str) -> str:
    raise GpuError(f"no {words[0]}")


@pytest.mark.parametrize(
    ("answer", "links"),
    [
        (RING, "NV4 0-1, 1-2; SYS 0-2"),
        (RING.replace("SYS", "NV4"), "NV4 between all 3 GPUs"),
        ("\tGPU0\tCPU Affinity\nGPU0\t X \t0-15\n", ""),
        (RING.replace("GPU2\tSYS\tNV4\t X \tSYS\t16-31\t1\t\tN/A\n", ""), "NV4 0-1, 1-2; SYS 0-2"),
        (RING.replace("GPU1\tNV4\t X \tNV4\tSYS\t0-15\t0\t\tN/A\n", ""), ""),
        (RING.replace("NV4\tSYS\tPXB", "NV4\n"), ""),
        ("No devices were found\n", ""),
        ("", ""),
    ],
)
def test_the_links_of_nvidias_gpus(answer: str, links: str) -> None:
    assert nvidia_links(answer) == links


def kfd(root: Path, links: dict[tuple[int, int], tuple[int, int]]) -> None:
    """Make a node of one CPU, which is node 0, and three GPUs up, with links by type and MB/s."""
    nodes = "sys/class/kfd/kfd/topology/nodes"
    files(root, {f"{nodes}/{k}/properties": f"cpu_cores_count 8\nsimd_count {k and 440}\n" for k in range(4)})
    for number, ((a, b), (kind, speed)) in enumerate(links.items()):
        text = f"type {kind}\nnode_from {a}\nnode_to {b}\nmax_bandwidth {speed}\n"
        files(root, {f"{nodes}/{a}/io_links/{number}/properties": text})


def test_the_links_of_amds_gpus(tmp_path: Path) -> None:
    kfd(tmp_path, {(0, 1): (11, 36000), (1, 2): (11, 200000), (2, 1): (11, 200000), (1, 3): (2, 32000)})
    links = interconnect(tmp_path, no_command)["gpu_links"]
    assert links == "PCI 0-2, 1-2; XGMI 200000 MB/s 0-1"
    assert interconnect(tmp_path, lambda *_: RING)["gpu_links"] == "NV4 0-1, 1-2; SYS 0-2"


def test_adapters_that_are_up_have_speed_and_firmware(tmp_path: Path) -> None:
    files(
        tmp_path,
        {
            "sys/class/infiniband/mlx5_0/hca_type": "MT4123\n",
            "sys/class/infiniband/mlx5_0/board_id": "MT_0000000222\n",
            "sys/class/infiniband/mlx5_0/fw_ver": "20.31.1014\n",
            "sys/class/infiniband/mlx5_0/node_guid": "b8ce:f603:0012:3456\n",
            "sys/class/infiniband/mlx5_0/device/current_link_speed": "16.0 GT/s PCIe\n",
            "sys/class/infiniband/mlx5_0/device/current_link_width": "16\n",
            "sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
            "sys/class/infiniband/mlx5_0/ports/1/rate": "200 Gb/sec (4X HDR)\n",
            "sys/class/infiniband/mlx5_0/ports/1/link_layer": "InfiniBand\n",
            "sys/class/infiniband/mlx5_1/ports/1/state": "1: DOWN\n",
            "sys/class/infiniband/mlx5_1/ports/1/rate": "10 Gb/sec (4X)\n",
            "sys/class/net/hsn0/operstate": "up\n",
            "sys/class/net/hsn0/speed": "200000\n",
            "sys/class/net/hsn0/device/current_link_speed": "16.0 GT/s PCIe\n",
            "sys/class/net/hsn0/device/current_link_width": "16\n",
            "sys/class/net/eno1/operstate": "down\n",
            "sys/class/net/eno1/device/vendor": "0x8086\n",
            "sys/class/net/eth0/operstate": "up\n",
            "sys/class/net/eth0/speed": "-1\n",
            "sys/class/net/eth0/device/vendor": "0x1af4\n",
            "sys/class/net/docker0/operstate": "up\n",
            "sys/class/net/docker0/speed": "10000\n",
            "sys/bus/pci/drivers/cxi_ss1/module": "",
        },
    )
    (tmp_path / "sys/class/net/hsn0/device/driver").symlink_to(tmp_path / "sys/bus/pci/drivers/cxi_ss1")
    usb = tmp_path / "sys/devices/pci0000:00/usb1/1-1"
    usb.mkdir(parents=True)
    files(tmp_path, {"sys/class/net/enxbe3af2b6059f/operstate": "up\n"})
    (tmp_path / "sys/class/net/enxbe3af2b6059f/device").symlink_to(usb)
    links = {
        "infiniband": "1 of 200 Gb/sec (4X HDR), InfiniBand, MT4123, board MT_0000000222, firmware "
        "20.31.1014, 16.0 GT/s PCIe x16",
        "network": "1 of 200 Gb/s, driver cxi_ss1, 16.0 GT/s PCIe x16; 1 of up",
    }
    assert interconnect(tmp_path, no_command) == links
    adapters = tmp_path / "sys/class/infiniband"
    for old, new in (("mlx5_0", "x"), ("mlx5_1", "mlx5_0"), ("x", "mlx5_1")):  # probed in another order
        (adapters / old).rename(adapters / new)
    assert interconnect(tmp_path, no_command) == links
    (adapters / "mlx5_1/ports/1/state").write_text("2: INIT\n")
    assert interconnect(tmp_path, no_command)["infiniband"] == "no port is up"


def test_the_links_of_gpus_to_the_bus_are_those_of_a_busy_gpu(tmp_path: Path) -> None:
    for address, (vendor, kind, width) in {
        "0000:07:00.0": ("0x10de", "0x030200", "16"),
        "0000:0f:00.0": ("0x10de", "0x030200", "16"),
        "0000:47:00.0": ("0x10de", "0x030200", "8"),
        "0000:03:00.0": ("0x1a03", "0x030000", "1"),  # of the service processor
        "0000:04:00.0": ("0x10de", "0x040300", "16"),  # sound
    }.items():
        files(
            tmp_path,
            {
                f"sys/bus/pci/devices/{address}/vendor": vendor,
                f"sys/bus/pci/devices/{address}/class": kind,
                f"sys/bus/pci/devices/{address}/max_link_speed": "32.0 GT/s PCIe",
                f"sys/bus/pci/devices/{address}/current_link_speed": "2.5 GT/s PCIe",
                f"sys/bus/pci/devices/{address}/current_link_width": width,
            },
        )
    assert interconnect(tmp_path, no_command) == {
        "gpu_bus": "2 of 32.0 GT/s PCIe x16; 1 of 32.0 GT/s PCIe x8"
    }


def test_a_node_that_states_nothing_has_no_links(tmp_path: Path) -> None:
    assert interconnect(tmp_path, no_command) == {}
    kfd(tmp_path, {})
    (tmp_path / "sys/class/kfd/kfd/topology/nodes/1/properties").write_text("\0garbage")
    assert interconnect(tmp_path, no_command) == {"gpu_links": "PCI between all 2 GPUs"}


def test_the_description_of_a_node_has_them_and_its_caches(tmp_path: Path) -> None:
    cache = "sys/devices/system/cpu/cpu0/cache"
    files(
        tmp_path,
        {
            f"{cache}/index0/level": "1", f"{cache}/index0/type": "Data", f"{cache}/index0/size": "32K",
            f"{cache}/index2/level": "2", f"{cache}/index2/type": "Unified", f"{cache}/index2/size": "1024K",
            f"{cache}/index10/level": "4", f"{cache}/index10/type": "Unified", f"{cache}/index10/size": "1G",
            f"{cache}/index3/type": "Unified",
            "sys/class/net/hsn0/operstate": "up",
            "sys/class/net/hsn0/device/vendor": "0x17db",
        },
    )  # fmt: skip
    found = describe_node(tmp_path, {})
    assert found["cpu"]["caches"] == "L1 data 32K, L2 1024K, L4 1G"
    assert found["interconnect"] == {"network": "1 of up"}


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\nprintf '\\377\\376GPU0\\n'\n",
        "#!/bin/sh\nyes ' GPU 0: x (UUID: GPU-1)' | head -c 3000000\n",
        "#!/bin/sh\nhead -c 200000 /dev/zero | tr '\\0' ,\n",
        "#!/bin/sh\nprintf '%5000s' | tr ' ' '['\n",
        "#!/bin/sh\nexec sleep 60\n",
    ],
)
def test_odd_answers_of_gpu_tools_cost_no_other_facts_and_little_time(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("nvidia-smi", "rocm-smi"):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(system_facts, "_FACT_SECONDS", 0.2)
    begin = time.monotonic()
    found = describe_node()
    assert found["os"]["kernel"]
    assert found["memory"]["gibibytes"] >= 1
    assert time.monotonic() - begin < 20


def test_a_tool_that_gave_no_answer_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\necho x >>{tmp_path}/asked\nexit 3\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    describe_node()
    assert (tmp_path / "asked").read_text() == "x\n"
