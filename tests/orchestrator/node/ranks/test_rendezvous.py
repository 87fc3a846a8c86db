"""The store where ranks meet: values come back, what is not there is 404, nothing listens wider."""

from __future__ import annotations

import http.client
from collections.abc import Iterator

import psutil
import pytest

from orchestrator.node.ranks.environment import horovod_environment
from orchestrator.node.ranks.rendezvous import Rendezvous
from orchestrator.protocol.order import RendezvousAddress


@pytest.fixture
def store() -> Iterator[Rendezvous]:
    made = Rendezvous(2, 2)
    made.start()
    yield made
    made.stop()


def ask(store: Rendezvous, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", store.port, timeout=60)
    try:
        connection.request(method, path, body=body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_value_is_there_once_it_was_put(store: Rendezvous) -> None:
    assert ask(store, "GET", "/global/rank_0") == (404, b"")
    assert ask(store, "PUT", "/global/rank_0", b"\0address\xff")[0] == 200
    assert ask(store, "GET", "/global/rank_0") == (200, b"\0address\xff")
    assert ask(store, "GET", "/local/rank_0") == (404, b"")


def test_a_scope_is_forgotten_whole_and_no_other(store: Rendezvous) -> None:
    for path in ("/one/a", "/one/b", "/oneself/a"):
        ask(store, "PUT", path, b"x")
    assert ask(store, "DELETE", "/one")[0] == 200
    assert [ask(store, "GET", path)[0] for path in ("/one/a", "/one/b", "/oneself/a")] == [404, 404, 200]
    assert ask(store, "DELETE", "/oneself/a")[0] == 200
    assert ask(store, "GET", "/oneself/a")[0] == 404


def test_a_value_of_no_stated_or_absurd_length_is_refused(store: Rendezvous) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", store.port, timeout=60)
    connection.putrequest("PUT", "/a/b")
    connection.putheader("Content-Length", str(1 << 40))
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()
    assert ask(store, "GET", "/a/b")[0] == 404


def test_it_listens_before_it_answers_and_on_one_address_only() -> None:
    made = Rendezvous(2, 2)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", made.port, timeout=60)
        connection.request("GET", "/early/bird")  # is taken, and waits
        listening = [
            one.laddr
            for one in psutil.Process().net_connections("tcp")
            if one.status == psutil.CONN_LISTEN and one.laddr.port == made.port
        ]
        assert [address.ip for address in listening] == ["127.0.0.1"]
        made.start()
        assert connection.getresponse().status == 404
        connection.close()
    finally:
        made.stop()


def test_ranks_of_two_nodes_know_their_place() -> None:
    own = horovod_environment(5, 8, 4, "n2", RendezvousAddress("10.0.0.1", 99, 98, "ib0"))
    places = {
        name: own[f"HOROVOD_{name}"] for name in ("RANK", "SIZE", "LOCAL_RANK", "CROSS_RANK", "CROSS_SIZE")
    }
    assert places == {"RANK": "5", "SIZE": "8", "LOCAL_RANK": "1", "CROSS_RANK": "1", "CROSS_SIZE": "2"}
    assert int(own["HOROVOD_STALL_SHUTDOWN_TIME_SECONDS"]) > 0
