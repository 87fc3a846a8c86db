"""A line counts once, and only if whoever wrote it has the key."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from orchestrator.node.agents.agent_lines import SUPERVISOR, AgentLines
from tests.harness import wait_for
from workloads.report_lines import signature

KEY = b"k" * 32


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        agent = socket.create_connection(listener.getsockname())
        supervisor, _ = listener.accept()
    with agent, supervisor:
        yield agent, supervisor


def signed(writer: int, number: int, key: bytes = KEY) -> bytes:
    line = json.dumps({"writer": writer, "number": number}).encode()
    return signature(line, key) + b" " + line + b"\n"


def test_lines_arrive_in_order_and_name_their_writer(ends: tuple[socket.socket, socket.socket]) -> None:
    agent = AgentLines(ends[0], KEY, 3, SUPERVISOR)
    supervisor = AgentLines(ends[1], KEY, SUPERVISOR, None)
    for text in ("a", "b"):
        agent.send(text=text)
    found: list[object] = []
    wait_for(lambda: found.extend(one["text"] for one in supervisor.received()) or len(found) == 2, "lines")
    assert (found, supervisor.reader, supervisor.is_closed) == (["a", "b"], 3, False)
    agent.close()
    wait_for(lambda: list(supervisor.received()) == [] and supervisor.is_closed, "the end")


@pytest.mark.parametrize(
    "wrong",
    [
        signed(3, 0, b"x" * 32),
        signed(SUPERVISOR, 0),
        signed(3, 1),
        signed(3, 0) + signed(3, 0),
        signed(3, 0) + signed(4, 1),
        b"nonsense\n",
        b"x" * (1 << 17),
    ],
)
def test_other_lines_end_the_connection(ends: tuple[socket.socket, socket.socket], wrong: bytes) -> None:
    supervisor = AgentLines(ends[1], KEY, SUPERVISOR, None)
    ends[0].sendall(wrong)
    found: list[object] = []
    wait_for(lambda: found.extend(supervisor.received()) or supervisor.is_closed, "the end")
    assert len(found) == wrong.startswith(signed(3, 0))
