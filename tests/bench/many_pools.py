"""Many worker pools at one interchange: ``python -m tests.bench.many_pools --pools 1000,14000``.

Parsl's interchange as it comes, and as the orchestrator starts it, side by side. The worker pools are sockets
of a few processes that speak the protocol of Parsl's pools: they register, send signs of life every 5 s, and
answer each order at once. Each pool has one slot, as a node of Titan has one GPU.
"""

from __future__ import annotations

import argparse
import asyncio
import pickle
import platform
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import psutil
import zmq
import zmq.asyncio

from orchestrator.engines.parsl_imports import Config, DataFlowKernel
from orchestrator.engines.parsl_internals import MendedExecutor, local_provider, make_executor
from tests.harness import ROOT

HEARTBEAT = (5, 60)
PROCESSES = 4
IDLE_SECONDS = 20.0
PATIENCE_SECONDS = 240.0
WAYS = ("parsl", "ours")


# -- pools -----------------------------------------------------------------------------------


def registration(uid: str, packages: dict[str, str]) -> bytes:
    """Return the message by which a pool of one slot registers."""
    from parsl.version import VERSION

    facts = {"type": "registration", "parsl_v": VERSION, "python_v": platform.python_version()}
    place = {"os": platform.system(), "hostname": uid, "dir": "/", "cpu_count": 1, "total_memory": 2**34}
    slots = {"worker_count": 1, "prefetch_capacity": 0, "max_capacity": 1}
    times = {"start_time": time.time(), "drain_time": float("inf")}
    return pickle.dumps(
        {**facts, **place, **slots, **times, "uid": uid, "block_id": "0", "packages": packages}
    )


async def pool(context: Any, url: str, uid: str, packages: dict[str, str]) -> None:
    """Answer orders until the interchange says to end, or for good."""
    from parsl.serialize import serialize

    plain = context.socket(zmq.DEALER)
    plain.setsockopt(zmq.IDENTITY, uid.encode())
    plain.setsockopt(zmq.LINGER, 0)
    socket: Any = zmq.asyncio.Socket.from_socket(plain)
    plain.connect(url)
    await socket.send(pickle.dumps({"type": "connection_probe"}))
    await socket.recv()
    await socket.send(registration(uid, packages))
    beating = asyncio.create_task(beat(socket))
    answer = serialize(b"done")
    while True:
        message = pickle.loads(await socket.recv())
        if isinstance(message, list):
            for task in message:
                await socket.send(
                    pickle.dumps({"type": "result", "task_id": task["task_id"], "result": answer})
                )
        elif message == (2**32) - 2:  # shutdown
            beating.cancel()
            return


async def beat(socket: Any) -> None:
    """Send signs of life."""
    while True:
        await asyncio.sleep(HEARTBEAT[0])
        await socket.send(pickle.dumps({"type": "heartbeat"}))


async def run_pools(url: str, certificates: str, first: int, number: int) -> None:
    """Run pools until they are ended, starting some hundreds a second."""
    from parsl.curvezmq import ClientContext

    context = ClientContext(certificates)
    context._ctx.set(zmq.MAX_SOCKETS, 65_000)
    packages = {one.metadata["Name"]: one.version for one in distributions()}
    tasks = []
    for k in range(first, first + number):
        tasks.append(asyncio.create_task(pool(context, url, f"pool{k}", packages)))
        if k % 50 == 0:
            await asyncio.sleep(0.05)
    await asyncio.gather(*tasks)


# -- driver ----------------------------------------------------------------------------------


def nothing() -> None:
    """Be a task."""


@contextmanager
def started(way: str, folder: Path) -> Iterator[MendedExecutor]:
    """Yield an executor with an interchange and no block."""
    executor = make_executor("bench", "127.0.0.1", 1, HEARTBEAT, local_provider())
    if way == "parsl":
        executor.interchange_launch_cmd = [str(Path(sysconfig.get_path("scripts")) / "interchange.py")]
    settings: dict[str, Any] = {"strategy": "none", "initialize_logging": False, "usage_tracking": 0}
    kernel = DataFlowKernel(Config(executors=[executor], run_dir=str(folder), **settings))
    try:
        yield executor
    finally:
        kernel.cleanup()


def connected(executor: MendedExecutor) -> int:
    """Return how many pools are connected."""
    return len(executor.connected_managers())


def measure(way: str, pools: int) -> str:
    """Return the figures of one interchange."""
    with tempfile.TemporaryDirectory(prefix="pools-") as place, started(way, Path(place)) as executor:
        assert executor.interchange_proc is not None
        interchange = psutil.Process(executor.interchange_proc.pid)
        url, certificates = f"tcp://127.0.0.1:{executor.worker_port}", str(executor.cert_dir)
        each = -(-pools // PROCESSES)
        command = [sys.executable, "-m", "tests.bench.many_pools", "--run", url, certificates]
        shares = [(first, min(each, pools - first)) for first in range(0, pools, each)]
        begin = time.monotonic()
        processes = [
            subprocess.Popen([*command, str(first), str(number)], cwd=ROOT) for first, number in shares
        ]
        try:
            return ", ".join(figures(executor, interchange, pools, begin))
        finally:
            for process in processes:
                process.kill()
                process.wait()


def figures(executor: MendedExecutor, interchange: psutil.Process, pools: int, begin: float) -> Iterator[str]:
    """Yield how long pools took to connect, what they cost while nothing happens, and the rate of orders."""
    while (there := connected(executor)) < pools and time.monotonic() < begin + PATIENCE_SECONDS:
        time.sleep(0.2)
    yield f"{there} connected in {time.monotonic() - begin:.0f} s"
    before, since = sum(interchange.cpu_times()[:2]), time.monotonic()
    time.sleep(IDLE_SECONDS)
    busy = (sum(interchange.cpu_times()[:2]) - before) / (time.monotonic() - since)
    yield f"{100 * busy:.0f} % of a core while idle"
    orders = 2 * pools
    before, since = sum(interchange.cpu_times()[:2]), time.monotonic()
    futures = [executor.submit(nothing, {}) for _ in range(orders)]
    done, _ = wait(futures, PATIENCE_SECONDS)
    seconds = time.monotonic() - since
    lost = sum(1 for one in done if one.exception() is not None)
    cost = 1e3 * (sum(interchange.cpu_times()[:2]) - before) / max(len(done), 1)
    yield f"{len(done)} of {orders} orders ended in {seconds:.0f} s, {lost} of them lost"
    yield f"{cost:.2f} ms of CPU an order"
    yield f"{connected(executor)} connected at the end"
    yield f"{interchange.memory_info().rss / 2**20:.0f} MiB"


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each number of pools and each way."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.many_pools")
    parser.add_argument("--pools", default="1000,4000")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--run", nargs=4)
    given = parser.parse_args(arguments)
    if given.run:
        url, certificates, first, number = given.run
        with suppress(KeyboardInterrupt):
            asyncio.run(run_pools(url, certificates, int(first), int(number)))
        return
    for pools in map(int, given.pools.split(",")):
        for way in given.ways.split(","):
            print(f"many pools {pools} at an interchange of {way}: {measure(way, pools)}", flush=True)


if __name__ == "__main__":
    main()
