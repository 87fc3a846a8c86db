"""Messages between every two nodes: bandwidth and latency of each node's links, one rank on each node.

In each of n − 1 rounds every rank has another partner, as in a round-robin tournament. A partner sends
messages over TCP and waits for an answer of one byte to each; then the other one does. A pair is as fast as
its slower direction, and a node as fast as its fastest pair: a bad cable slows all pairs of its node, and one
pair of each other node; a node far from most others, behind another switch, is near some. With large messages
that is bandwidth, with small ones latency.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.description import Workload, WorkloadError
from workloads.microbenchmarks.repetition import SECONDS
from workloads.parameters import common, parameter, table
from workloads.runtime.communication import rank_lost
from workloads.runtime.communication.rendezvous_store import RendezvousStore

MEBIBYTE = 2**20
_SCOPE = "/links"
_FEWEST_MESSAGES = 3
_MORE, _END, _ANSWER = b"\1", b"\0", b"\2"
_SHOWN_PAIRS = 5
_SILENCE_SECONDS = 120.0
_PARTNER_SECONDS = 600.0
"""Longest wait for a partner, whose pair of the round before may be slow."""
_READY = b"\3"
_TOKEN_BYTES = 16


@dataclass(frozen=True, slots=True)
class LinksParameters:
    """Parameters of the messages between nodes."""

    message_bytes: int = parameter(4 * MEBIBYTE, "of each message", unit="bytes", minimum=1)
    seconds: float = common(SECONDS)

    @property
    def memory_bytes(self) -> int:
        """Bytes of a message to send and one to receive, beside those of the interpreter."""
        return 2 * self.message_bytes + 64 * MEBIBYTE

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` where there is no other node."""
        if ranks < 2:
            raise WorkloadError("links needs 2 ranks or more, one a node: write slot: {nodes: 2, ranks: 2}")


WORKLOAD = Workload(
    name="links",
    title="Messages between every two nodes: bandwidth and latency of their links",
    source="this project",
    entry="workloads.microbenchmarks.links:run",
    parameters=table(LinksParameters),
    parameters_type=LinksParameters,
    fom_time="run",
    ranks=True,
)


def run(parameters: LinksParameters, context: Context) -> Result:
    """Exchange messages with every other rank.

    Raises
    ------
    WorkloadError
        If there is one rank alone.
    RankLost
        If another rank dies, or does not come.
    """
    parameters.check_ranks(context.size)
    store = RendezvousStore.of_environment(_SCOPE)
    node = os.environ.get("HOROVOD_HOSTNAME") or socket.gethostname()
    try:
        with _Meeting(store, context.rank, context.size) as meeting:
            context.start()
            with context.phase("measure"):
                mine = _exchange_with_all(meeting, parameters)
        store.put(f"seconds {context.rank}", json.dumps([node, mine]).encode())
        if context.rank > 0:
            return Result(data={"synthetic": True})
        sent = [json.loads(store.get(f"seconds {rank}")) for rank in range(context.size)]
    except OSError as error:
        raise rank_lost(context.rank, context.size, str(error)) from error
    nodes = [name for name, _ in sent]
    pairs = pair_seconds([{int(rank): one for rank, one in seconds.items()} for _, seconds in sent])
    return Result(
        metrics=_metrics(parameters.message_bytes, context.size, list(pairs.values())),
        observed={"links": link_facts(nodes, pairs, parameters.message_bytes)},
        data={"synthetic": True},
    )


def _metrics(message_bytes: int, ranks: int, seconds: Sequence[float]) -> tuple[Metric, ...]:
    rates = [message_bytes / one for one in seconds]
    return (
        Metric("link_bytes_per_second", statistics.median(rates), "B/s"),
        Metric("link_bytes_per_second_lowest", min(rates), "B/s"),
        Metric("link_bytes_per_second_highest", max(rates), "B/s"),
        Metric("message_seconds", statistics.median(seconds), "s"),
        Metric("message_bytes", message_bytes, "B"),
        Metric("pairs", len(rates)),
        Metric("ranks", ranks),
    )


def pair_seconds(sent: Sequence[Mapping[int, float]]) -> dict[tuple[int, int], float]:
    """Return the seconds of a message between two ranks, of the slower direction.

    Parameters
    ----------
    sent
        Of each rank, the median seconds of the messages that it sent, by receiver.
    """
    size = len(sent)
    return {(a, b): max(sent[a][b], sent[b][a]) for a in range(size) for b in range(a + 1, size)}


def link_facts(
    nodes: Sequence[str], pairs: Mapping[tuple[int, int], float], message_bytes: int
) -> dict[str, Any]:
    """Return the bytes per second of each node, and the slowest pairs with their share of the median pair.

    Parameters
    ----------
    nodes
        Of each rank. Pairs of one node are left out, unless all ranks are on one: then each is a place.
    pairs
        As of `pair_seconds`.
    """
    if len(set(nodes)) == 1:
        nodes = [f"{node} rank {rank}" for rank, node in enumerate(nodes)]
    rates: dict[str, list[float]] = {}
    between: list[tuple[float, str, str]] = []
    for (a, b), seconds in pairs.items():
        if nodes[a] == nodes[b]:
            continue
        rate = message_bytes / seconds
        between.append((rate, nodes[a], nodes[b]))
        for rank in (a, b):
            rates.setdefault(nodes[rank], []).append(rate)
    usual = statistics.median(rate for rate, _, _ in between)
    return {
        "bytes_per_second": {node: max(mine) for node, mine in sorted(rates.items())},
        "slowest_pairs": [[a, b, rate / usual] for rate, a, b in sorted(between)[:_SHOWN_PAIRS]],
    }


def rounds(size: int) -> list[list[tuple[int, int]]]:
    """Return who meets whom in each round: everyone meets everyone once, no rank two at a time.

    The circle method: the last one stays, and the others move on by a place each round. Of an odd number, one
    rests in each round.
    """
    places = list(range(size + size % 2))
    found = []
    for _ in range(len(places) - 1):
        half = len(places) // 2
        pairs = zip(places[:half], reversed(places[half:]), strict=True)
        found.append([(min(pair), max(pair)) for pair in pairs if max(pair) < size])
        places = [places[0], places[-1], *places[1:-1]]
    return found


class _Meeting:
    """Connections of this rank to the others, each made when it is due."""

    def __init__(self, store: RendezvousStore, rank: int, size: int) -> None:
        self._store, self.rank, self.size = store, rank, size
        self._early: dict[int, socket.socket] = {}

    def __enter__(self) -> _Meeting:
        own = self._store.own_address()
        self._server = socket.create_server((own, 0), backlog=self.size)
        self._server.settimeout(_PARTNER_SECONDS)
        if self.rank == 0:
            self._store.put("token", secrets.token_bytes(_TOKEN_BYTES))
        self._token = self._store.get("token")
        self._store.put(f"address {self.rank}", f"{own} {self._server.getsockname()[1]}".encode())
        if self.rank == 0:  # one list, so that n ranks ask for n and not for n² values
            addresses = [self._store.get(f"address {rank}").decode() for rank in range(self.size)]
            self._store.put("addresses", json.dumps(addresses).encode())
        self._addresses: list[str] = json.loads(self._store.get("addresses"))
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()
        for one in self._early.values():
            one.close()

    def connect(self, partner: int) -> socket.socket:
        """Return a connection to a partner, once it calls this too; the lower rank dials."""
        if self.rank < partner:
            host, port = self._addresses[partner].split()
            found = socket.create_connection((host, int(port)), timeout=_PARTNER_SECONDS)
            found.sendall(self._token + self.rank.to_bytes(4, "big"))
        else:
            while partner not in self._early:
                self._accept()
            found = self._early.pop(partner)
        found.settimeout(_PARTNER_SECONDS)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        found.sendall(_READY)
        _receive(found, memoryview(bytearray(1)))
        found.settimeout(_SILENCE_SECONDS)
        return found

    def address(self, rank: int) -> str:
        """Return where a rank listens."""
        return self._addresses[rank].partition(" ")[0]

    def _accept(self) -> None:
        """Take the next rank that dials; one that is ahead waits until its round. Others are turned away."""
        found, _ = self._server.accept()
        found.settimeout(_SILENCE_SECONDS)
        words = bytearray(_TOKEN_BYTES + 4)
        try:
            _receive(found, memoryview(words))
        except OSError:
            found.close()
            return
        if secrets.compare_digest(bytes(words[:_TOKEN_BYTES]), self._token):
            self._early[int.from_bytes(words[_TOKEN_BYTES:], "big")] = found
        else:
            found.close()


def _exchange_with_all(meeting: _Meeting, parameters: LinksParameters) -> dict[int, float]:
    """Return the median seconds of a message to each other rank."""
    found = {}
    schedule = rounds(meeting.size)
    budget = parameters.seconds / len(schedule) / 2
    message = memoryview(bytearray(_MORE + os.urandom(parameters.message_bytes)))
    for pairs in schedule:
        pair = next((one for one in pairs if meeting.rank in one), None)
        if pair is None:
            continue
        partner = pair[0] + pair[1] - meeting.rank
        try:
            with meeting.connect(partner) as connection:
                if meeting.rank > partner:
                    _answer(connection, message)
                found[partner] = _send(connection, message, budget)
                if meeting.rank < partner:
                    _answer(connection, message)
        except OSError as error:
            raise OSError(f"rank {partner} at {meeting.address(partner)}: {error}") from error
    return found


def _send(connection: socket.socket, message: memoryview, budget_seconds: float) -> float:
    """Send messages for so long, and return the median seconds until an answer; the first warms up.

    There are three at least, unless the link is so slow that these take ten times as long.
    """
    _sent_seconds(connection, message)
    seconds: list[float] = []
    begin = time.monotonic()
    while not seconds or time.monotonic() - begin < (
        budget_seconds if len(seconds) >= _FEWEST_MESSAGES else 10 * budget_seconds
    ):
        seconds.append(_sent_seconds(connection, message))
    connection.sendall(_END)
    return statistics.median(seconds)


def _sent_seconds(connection: socket.socket, message: memoryview) -> float:
    sent = time.monotonic_ns()
    connection.sendall(message)
    _receive(connection, memoryview(bytearray(1)))
    return max(1, time.monotonic_ns() - sent) / 1e9


def _answer(connection: socket.socket, message: memoryview) -> None:
    """Answer each message of the partner until it sends no more."""
    place = memoryview(bytearray(len(message)))
    while True:
        _receive(connection, place[:1])
        if place[:1] == _END:
            return
        _receive(connection, place[1:])
        connection.sendall(_ANSWER)


def _receive(connection: socket.socket, place: memoryview) -> None:
    """Fill a place with what comes; raises `OSError` where the partner is gone or silent."""
    while place:
        number = connection.recv_into(place)
        if not number:
            raise ConnectionResetError("the partner closed the connection")
        place = place[number:]
