"""The interchange takes all that has come before it gives a pool up, and ignores the driver's terminal."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq
from parsl.executors.high_throughput.manager_selector import RandomManagerSelector
from parsl.version import VERSION

from orchestrator.engines import interchange
from orchestrator.engines.interchange import ManyPoolsInterchange
from orchestrator.engines.parsl_internals import check_open_files, interchange_command
from orchestrator.errors import EngineError
from tests.harness import wait_for

NEVER = threading.Event()


class Driver:
    """The driver's end of an interchange: sockets for orders, results and questions."""

    def __init__(self, folder: Path) -> None:
        self.context = zmq.Context()
        kinds = (zmq.DEALER, zmq.DEALER, zmq.REQ)
        self.orders, self.results, self.questions = self.sockets = [
            self.context.socket(kind) for kind in kinds
        ]
        ports = [socket.bind_to_random_port("tcp://127.0.0.1") for socket in self.sockets]
        self.settings: dict[str, Any] = {
            "client_address": "127.0.0.1",
            "interchange_address": "127.0.0.1",
            "client_ports": tuple(ports),
            "worker_port": None,
            "worker_port_range": (54_000, 55_000),
            "hub_address": None,
            "hub_zmq_port": None,
            "heartbeat_threshold": 60,
            "logdir": str(folder),
            "logging_level": 30,
            "poll_period": 10,
            "cert_dir": None,
            "manager_selector": RandomManagerSelector(),
            "run_id": "1",
            "log_config": None,
            "_check_python_mismatch": True,
        }

    def pool(self, name: str, port: int) -> zmq.Socket[bytes]:
        """Return the socket of a pool that has asked whether there is an interchange."""
        socket = self.context.socket(zmq.DEALER)
        socket.setsockopt(zmq.IDENTITY, name.encode())
        socket.setsockopt(zmq.LINGER, 0)
        self.sockets.append(socket)
        socket.connect(f"tcp://127.0.0.1:{port}")
        say(socket, type="connection_probe")
        return socket


def say(socket: zmq.Socket[bytes], **message: Any) -> None:
    socket.send(pickle.dumps(message))


def register(socket: zmq.Socket[bytes], name: str) -> None:
    """Register a pool of two slots."""
    version = ".".join(map(str, sys.version_info[:3]))
    packages = {"numpy": "2.0.2"}
    facts = {
        "packages": packages,
        "parsl_v": VERSION,
        "python_v": version,
        "hostname": name,
        "uid": name,
        "block_id": "0",
    }
    slots = {"worker_count": 2, "prefetch_capacity": 0, "max_capacity": 2}
    say(socket, type="registration", start_time=time.time(), drain_time=float("inf"), **facts, **slots)


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    end = Driver(tmp_path)
    yield end
    for socket in end.sockets:
        socket.close(linger=0)
    end.context.term()


@pytest.fixture
def made(driver: Driver) -> Iterator[ManyPoolsInterchange]:
    """An interchange that turns when a test says so."""
    it = ManyPoolsInterchange(**driver.settings)
    yield it
    it.zmq_context.destroy(linger=0)


def turn(it: ManyPoolsInterchange, interesting: set[bytes], milliseconds: int = 1_000) -> None:
    """Do what each turn of Parsl's loop does, once a message comes or after some time."""
    poller = zmq.Poller()
    for socket in (it.manager_sock, it.task_incoming):
        poller.register(socket, zmq.POLLIN)
    it.socks = dict(poller.poll(milliseconds))
    it.process_task_incoming()
    it.process_manager_socket_message(interesting, None, NEVER)
    it.expire_bad_managers(interesting, None)
    it.expire_drained_managers(interesting, None)
    it.process_tasks_to_send(interesting, None)


def turns_until(it: ManyPoolsInterchange, interesting: set[bytes], number: int) -> None:
    """Turn until so many pools are registered."""

    def there() -> bool:
        turn(it, interesting)
        return len(it._ready_managers) == number

    wait_for(there, f"{number} pools")


def test_a_turn_takes_all_that_has_come(driver: Driver, made: ManyPoolsInterchange) -> None:
    interesting: set[bytes] = set()
    pools = [driver.pool(f"pool{k}", made.worker_port) for k in range(8)]
    for k, pool in enumerate(pools):
        register(pool, f"pool{k}")
    turns_until(made, interesting, 8)
    assert not any("packages" in record for record in made._ready_managers.values())
    for pool in pools:
        assert pool.recv() == b""  # the answer to the first question
    for task in range(16):
        driver.orders.send_pyobj({"task_id": task, "context": {}, "buffer": b""})
    held: list[int] = []
    while len(held) < 16:
        turn(made, interesting, 10)
        for pool in pools:
            if pool.poll(10):
                held += [task["task_id"] for task in pickle.loads(pool.recv())]
    assert sorted(held) == list(range(16))
    for pool, record in zip(
        pools, [made._ready_managers[f"pool{k}".encode()] for k in range(8)], strict=True
    ):
        for task in list(record["tasks"]):
            say(pool, type="result", task_id=task, result=b"done")
    done: list[int] = []
    while len(done) < 16:
        turn(made, interesting, 10)
        while driver.results.poll(10):
            done.append(pickle.loads(driver.results.recv())["task_id"])
    assert sorted(done) == list(range(16))


def test_no_pool_is_lost_whose_sign_of_life_is_not_read(
    driver: Driver, made: ManyPoolsInterchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    interesting: set[bytes] = set()
    pools = {name: driver.pool(name, made.worker_port) for name in ("alive", "silent")}
    for name, pool in pools.items():
        register(pool, name)
    turns_until(made, interesting, 2)
    for record in made._ready_managers.values():
        record["last_heartbeat"] -= 100
    monkeypatch.setattr(interchange, "_TURN_SECONDS", 0.0)
    monkeypatch.setattr(interchange, "_LOOK_SECONDS", 0.0)
    made._next_look = 0.0
    for _ in range(3):
        say(pools["alive"], type="heartbeat")
    wait_for(lambda: made.manager_sock.poll(0), "a sign of life")
    turns_until(made, interesting, 1)
    assert list(made._ready_managers) == [b"alive"]


def test_pools_are_looked_at_once_a_second(
    driver: Driver, made: ManyPoolsInterchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(interchange.time, "monotonic", lambda: now[0])
    interesting: set[bytes] = set()
    register(driver.pool("pool", made.worker_port), "pool")
    turns_until(made, interesting, 1)
    made._ready_managers[b"pool"]["last_heartbeat"] -= 100
    made.expire_bad_managers(interesting, None)
    assert len(made._ready_managers) == 1
    now[0] += 1.0
    made.expire_bad_managers(interesting, None)
    assert len(made._ready_managers) == 0


@pytest.mark.parametrize("step", [3_600.0, -3_600.0])
def test_setting_the_clock_makes_no_pool_silent(
    driver: Driver, made: ManyPoolsInterchange, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    interesting: set[bytes] = set()
    register(driver.pool("pool", made.worker_port), "pool")
    turns_until(made, interesting, 1)
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + step)
    made._next_look = 0.0
    turn(made, interesting, 10)
    assert list(made._ready_managers) == [b"pool"]
    made._ready_managers[b"pool"]["last_heartbeat"] -= 100  # it is silent indeed
    made._next_look = 0.0
    turn(made, interesting, 10)
    assert list(made._ready_managers) == []


def test_a_pool_that_connects_again_is_heard(driver: Driver, made: ManyPoolsInterchange) -> None:
    for _ in range(2):  # the first is open still
        pool = driver.pool("pool", made.worker_port)
        wait_for(lambda pool=pool: turn(made, set()) is None and pool.poll(0), "an answer")  # type: ignore[misc]
        assert pool.recv() == b""


def started(*command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)


def facts(pid: int) -> dict[str, str]:
    """Return what Linux says of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines)


def test_signals_of_the_terminal_do_not_reach_it_and_it_may_open_many_files(driver: Driver) -> None:
    limited = ["sh", "-c", 'ulimit -Sn 300; exec "$0" "$@"']
    process = started(*limited, *interchange_command())
    assert process.stdin is not None
    pickle.dump(driver.settings | {"logging_level": 40}, process.stdin)
    process.stdin.flush()
    try:
        driver.questions.send_pyobj("WORKER_BINDS")
        assert driver.questions.poll(300_000)
        assert driver.questions.recv_pyobj() in range(54_000, 55_001)
        ignored = int(facts(process.pid)["SigIgn"], 16)
        names = {one.name for one in signal.Signals if ignored >> (one - 1) & 1}
        assert {"SIGINT", "SIGQUIT", "SIGTSTP", "SIGHUP"} <= names
        assert "SIGTERM" not in names
        assert os.getpgid(process.pid) == process.pid
        assert os.getsid(process.pid) == os.getsid(0)
        [limit] = [
            line.split()[3:5]
            for line in Path(f"/proc/{process.pid}/limits").read_text().splitlines()
            if line.startswith("Max open files")
        ]
        assert limit[0] == limit[1] != "300"
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_before_it_has_its_own_group_is_the_drivers_alone(driver: Driver) -> None:
    command = interchange_command()
    # The shell tells when it ignores the signals, and waits until one was sent.
    command[2] = command[2].replace("exec", "echo ready; read sent; exec")
    process = started(*command)
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGINT)
    process.stdin.write(b"sent\n" + pickle.dumps(driver.settings))
    process.stdin.flush()
    try:
        driver.questions.send_pyobj("WORKER_BINDS")
        assert driver.questions.poll(300_000)
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(("hard", "refused"), [(4096, True), (14_200, False), (-1, False)])
def test_more_nodes_than_a_process_may_have_connections_are_refused(
    hard: int, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (1024, hard))
    if refused:
        with pytest.raises(EngineError, match="may open 4096 files, and 14000 nodes need 14200: ") as raised:
            check_open_files(14_000)
        assert not raised.value.transient  # another engine has the same limit
    else:
        check_open_files(14_000)
