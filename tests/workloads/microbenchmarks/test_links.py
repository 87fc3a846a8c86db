from __future__ import annotations

import itertools
import socket
import threading
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from orchestrator.catalog.registry import describe
from tests.workloads.runtime.rank_processes import started
from workloads.description import WorkloadError
from workloads.microbenchmarks import links
from workloads.microbenchmarks.links import LinksParameters, link_facts, pair_seconds, rounds
from workloads.runtime.communication import RankLost


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 33])
def test_everyone_meets_everyone_once_and_nobody_two_at_a_time(size):
    schedule = rounds(size)
    assert len(schedule) == size - 1 + size % 2
    for pairs in schedule:
        members = [one for pair in pairs for one in pair]
        assert len(members) == len(set(members)) == size - size % 2
    met = [pair for pairs in schedule for pair in pairs]
    assert sorted(met) == list(itertools.combinations(range(size), 2))


def test_a_pair_is_as_fast_as_its_slower_direction_and_a_node_as_its_fastest_pair():
    sent = [{b: 1.0 for b in range(4) if b != a} for a in range(4)]
    sent[0] = dict.fromkeys(sent[0], 4.0)  # what node a sends is slow
    pairs = pair_seconds(sent)
    assert pairs[0, 2] == 4.0
    assert pairs[1, 2] == 1.0
    facts = link_facts(["a", "b", "c", "d"], pairs, 100)
    assert facts["bytes_per_second"] == {"a": 25.0, "b": 100.0, "c": 100.0, "d": 100.0}
    assert facts["slowest_pairs"][:3] == [["a", "b", 0.4], ["a", "c", 0.4], ["a", "d", 0.4]]
    far = {(a, b): 1.0 if (a < 2) == (b < 2) else 5.0 for a, b in pairs}  # two behind another switch
    assert set(link_facts(["a", "b", "c", "d"], far, 100)["bytes_per_second"].values()) == {100.0}


def test_ranks_of_one_node_have_no_link_between_them_unless_there_is_no_other_node():
    pairs = {(0, 1): 0.1, (0, 2): 1.0, (1, 2): 1.0}
    assert link_facts(["a", "a", "b"], pairs, 1)["bytes_per_second"] == {"a": 1.0, "b": 1.0}
    alone = link_facts(["a", "a"], {(0, 1): 0.5}, 1)
    assert alone["bytes_per_second"] == {"a rank 0": 2.0, "a rank 1": 2.0}


def test_one_rank_has_no_link():
    workload = describe("links")
    with pytest.raises(WorkloadError, match="links needs 2 ranks or more, one a node: write slot"):
        workload.check_ranks(workload.resolve({}), 1)


def test_messages_that_no_slot_holds_are_refused():
    workload = describe("links")
    with pytest.raises(WorkloadError, match="memory"):
        workload.check_memory(workload.resolve({"message_bytes": 3 << 30}), 1 << 30)
    workload.check_memory(workload.resolve({}), 1 << 30)


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "message_bytes"), [(2, 1), (3, 100_000), (4, 3 << 20)])
def test_ranks_exchange_messages(ranks, message_bytes):
    with started("links", {"seconds": 0.2, "message_bytes": message_bytes}, ranks) as processes:
        reports = [one.finish() for one in processes]
    assert [one.code for one in reports] == [0] * ranks, reports[0].stderr
    result = reports[0].last["result"]
    metrics = {one["name"]: one["value"] for one in result["metrics"]}
    assert (metrics["ranks"], metrics["pairs"]) == (ranks, ranks * (ranks - 1) / 2)
    lowest, highest = metrics["link_bytes_per_second_lowest"], metrics["link_bytes_per_second_highest"]
    assert 0 < lowest <= metrics["link_bytes_per_second"] <= highest < 1e12
    rates = result["seen"]["links"]["bytes_per_second"]
    assert len(rates) == ranks
    assert all(lowest <= rate <= highest for rate in rates.values())


class Store(dict):
    timeout_seconds = 5.0

    def own_address(self):
        return "127.0.0.1"

    def put(self, key, value):
        self[key] = value

    def get(self, key):
        return self[key]


def test_a_stranger_who_dials_is_turned_away(monkeypatch):
    monkeypatch.setattr(links, "_SILENCE_SECONDS", 5.0)
    store = Store({"addresses": b'["-", "-"]', "token": b"0123456789abcdef"})
    with links._Meeting(store, 1, 2) as meeting:
        host, port = store["address 1"].decode().split()

        def dial(words):
            with socket.create_connection((host, int(port))) as own:
                own.sendall(words)
                own.settimeout(5.0)
                return own.recv(1)

        answers = []
        stranger = threading.Thread(target=lambda: answers.append(dial(b"x" * 20)))
        stranger.start()
        meeting._accept()
        stranger.join()
        assert answers == [b""]
        partner = socket.create_connection((host, int(port)))
        partner.sendall(store["token"] + (0).to_bytes(4, "big") + links._READY)
        with meeting.connect(0) as found:
            partner.sendall(b"7")
            assert found.recv(1) == b"7"
            assert partner.recv(1) == links._READY
        partner.close()


def test_a_partner_who_closes_is_no_message():
    near, far = socket.socketpair()
    far.close()
    with near, pytest.raises(OSError, match="the partner closed the connection"):
        links._receive(near, memoryview(bytearray(1)))


def test_a_rank_whose_partner_is_gone_says_so(monkeypatch):
    monkeypatch.setattr(links, "_SILENCE_SECONDS", 5.0)
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    store = Store({"address 1": f"127.0.0.1 {port}".encode()})
    monkeypatch.setattr(links.RendezvousStore, "of_environment", lambda scope: store)
    context = SimpleNamespace(rank=0, size=2, start=lambda: None, phase=lambda name: nullcontext())
    with pytest.raises(RankLost, match=r"rank 0 of 2 cannot go on.*rank 1 at 127.*Connection refused"):
        links.run(LinksParameters(), context)
