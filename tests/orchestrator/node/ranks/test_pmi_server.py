"""The server through which ranks start MPI: values, barriers, and clients that are no ranks."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import psutil
import pytest

from orchestrator.node.ranks.environment import mpi_environment
from orchestrator.node.ranks.pmi_server import PmiServer
from orchestrator.protocol.order import RendezvousAddress


@pytest.fixture
def server() -> Iterator[PmiServer]:
    made = PmiServer("127.0.0.1", 4, 2)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Return a function that connects to a server."""
    with ExitStack() as opened:
        yield lambda server: Client(server, opened)


class Client:
    """One connection."""

    def __init__(self, server: PmiServer, opened: ExitStack) -> None:
        self.socket = opened.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
        self._answers = opened.enter_context(self.socket.makefile("r"))

    def ask(self, request: str, lines: int = 1) -> list[str]:
        """Send a request and return the answer's lines; empty ones once the connection is closed."""
        self.socket.sendall(f"{request}\n".encode())
        return [self._answers.readline().rstrip("\n") for _ in range(lines)]


Connect = Callable[[PmiServer], Client]


def test_a_rank_learns_its_place_and_the_values_of_others(server: PmiServer, connect: Connect) -> None:
    first, second = connect(server), connect(server)
    assert first.ask("cmd=initack pmiid=3", 4) == [
        "cmd=initack rc=0", "cmd=set size=4", "cmd=set rank=3", "cmd=set debug=0",
    ]  # fmt: skip
    assert first.ask("cmd=init pmi_version=1 pmi_subversion=1") == [
        "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1"
    ]
    (named,) = first.ask("cmd=get_my_kvsname")
    assert second.ask("cmd=get_my_kvsname") == [named]
    name = named.rpartition("=")[2]
    assert first.ask(f"cmd=put kvsname={name} key=P0 value=a#b$=c") == ["cmd=put_result rc=0"]
    assert second.ask(f"cmd=get kvsname={name} key=P0") == ["cmd=get_result rc=0 value=a#b$=c"]
    assert second.ask(f"cmd=get kvsname={name} key=P1") == ["cmd=get_result rc=-1 value=unknown"]
    assert second.ask("cmd=get key=PMI_process_mapping") == ["cmd=get_result rc=0 value=(vector,(0,2,2))"]
    assert second.ask("cmd=get_universe_size") == ["cmd=universe_size rc=0 size=4"]
    assert second.ask("cmd=finalize") == ["cmd=finalize_ack rc=0"]


def test_two_attempts_have_names_of_their_own(server: PmiServer, connect: Connect) -> None:
    other = PmiServer("127.0.0.1", 2, 2)
    other.start()
    try:
        assert connect(server).ask("cmd=get_my_kvsname") != connect(other).ask("cmd=get_my_kvsname")
    finally:
        other.stop()


def test_a_barrier_opens_for_all_once_the_last_is_there_and_closes_again(
    server: PmiServer, connect: Connect
) -> None:
    ranks = [connect(server) for _ in range(4)]
    for _ in range(2):
        for rank in ranks[:3]:
            rank.socket.sendall(b"cmd=barrier_in\n")
        assert ranks[3].ask("cmd=get_appnum") == ["cmd=appnum rc=0 appnum=0"]
        for rank in ranks[:3]:
            rank.socket.settimeout(0.05)
            with pytest.raises(TimeoutError):
                rank.socket.recv(1)
            rank.socket.settimeout(60)
        assert ranks[3].ask("cmd=barrier_in") == ["cmd=barrier_out rc=0"]
        assert [rank.socket.recv(64) for rank in ranks[:3]] == [b"cmd=barrier_out rc=0\n"] * 3


@pytest.mark.parametrize(
    "request_",
    [
        "cmd=initack pmiid=4", "cmd=initack pmiid=-1", "cmd=initack pmiid=x", "cmd=initack", "cmd=put key=a",
        "cmd=get", "mcmd=spawn", "cmd=publish_name service=a port=b", "GET / HTTP/1.1", "", "\xff\xfe", "=",
        "cmd=put key=a value=" + "x" * 100_000, "cmd=put key=a value=" + "x" * 5000,
    ],
)  # fmt: skip
def test_a_request_that_is_not_offered_ends_its_connection_alone(
    server: PmiServer, connect: Connect, request_: str
) -> None:
    rank = connect(server)
    stranger = connect(server)
    with suppress(ConnectionError):  # closed before all of a long line was read
        stranger.socket.sendall(f"{request_}\n".encode())
    try:
        assert stranger.socket.recv(1) == b""
    except ConnectionResetError:
        assert len(request_) > 65536
    assert rank.ask("cmd=get_appnum") == ["cmd=appnum rc=0 appnum=0"]


def test_a_rank_counts_once_at_the_barrier_and_not_after_it_has_left(
    server: PmiServer, connect: Connect
) -> None:
    ranks = [connect(server) for _ in range(4)]
    ranks[0].socket.sendall(b"cmd=barrier_in\n" * 3)
    gone = connect(server)
    gone.socket.sendall(b"cmd=barrier_in\nno request\n")
    assert gone.socket.recv(1) == b""
    for rank in ranks[1:3]:
        rank.socket.sendall(b"cmd=barrier_in\n")
        assert rank.ask("cmd=get_appnum") == ["cmd=appnum rc=0 appnum=0"]
    assert ranks[3].ask("cmd=barrier_in") == ["cmd=barrier_out rc=0"]


def test_a_server_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    server = PmiServer("127.0.0.1", 2, 2)
    monkeypatch.setattr(
        "orchestrator.node.ranks.pmi_server.asyncio.run", lambda serving: full(serving.close())
    )
    with pytest.raises(OSError, match=r"cannot start: .*Too many open files"):
        server.start()
    server.stop()


def test_it_ends_with_many_connections_open_and_says_nothing(
    connect: Connect, capfd: pytest.CaptureFixture[str]
) -> None:
    server = PmiServer("127.0.0.1", 2, 2)
    server.start()
    clients = [connect(server) for _ in range(100)]
    assert clients[-1].ask("cmd=get_appnum") == ["cmd=appnum rc=0 appnum=0"]
    server.stop()
    assert {client.socket.recv(1) for client in clients} == {b""}
    assert capfd.readouterr().err == ""


def test_it_listens_on_one_address_and_ends_with_ranks_at_the_barrier(connect: Connect) -> None:
    server = PmiServer("127.0.0.1", 2, 2)
    port = server.port
    listening = [
        one.laddr.ip
        for one in psutil.Process().net_connections("tcp")
        if one.status == psutil.CONN_LISTEN and one.laddr.port == port
    ]
    assert listening == ["127.0.0.1"]
    server.start()
    rank = connect(server)
    rank.socket.sendall(b"cmd=barrier_in\n")
    assert connect(server).ask("cmd=get_appnum") == ["cmd=appnum rc=0 appnum=0"]
    server.stop()
    assert rank.socket.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=60)


def test_one_that_never_started_stops() -> None:
    server = PmiServer("127.0.0.1", 2, 2)
    port = server.port
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=60)


def test_a_rank_finds_it_by_its_environment() -> None:
    assert mpi_environment(5, RendezvousAddress("10.0.0.1", 99, 98, "ib0")) == {
        "PMI_PORT": "10.0.0.1:98", "PMI_ID": "5", "FI_TCP_IFACE": "ib0",
        "MPIR_CVAR_COREDUMP_ON_ABORT": "1",
    }  # fmt: skip
