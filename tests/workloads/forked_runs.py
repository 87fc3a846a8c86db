"""Runner processes that are forked from one that has imported a framework, which takes most of a short run.

``python -m tests.workloads.forked_runs DESCRIPTOR`` is that process. The test process sends it orders through
a socket: to fork a runner with four descriptors, and to wait for a runner. Both end with the test process.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

from orchestrator.host._linux import signal_when_parent_dies
from orchestrator.node.forking import forked_child
from orchestrator.node.ranks.environment import OF_ONE_RANK
from tests.harness import ROOT
from workloads import modules
from workloads.description import WorkloadError
from workloads.import_ahead import framework_of, import_workload
from workloads.runtime.host_facts import THREAD_VARIABLES

REPORTS = 999
"""Descriptor that a forked runner reports on."""
_RUNNER = "workloads.run"
_PACKET_BYTES = 1 << 17
_OF_A_TEST = OF_ONE_RANK | {"PYTEST_CURRENT_TEST"}
_MOST = 2
"""Processes with an imported framework that one test process has."""
_servers: dict[tuple[str | None, ...], ForkedRuns] = {}


class ForkedRuns:
    """A process that forks runners.

    Parameters
    ----------
    start
        What it imports: workload, parameters and ranks.
    """

    def __init__(self, start: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._environment = _compared(environment)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.workloads.forked_runs", str(other.fileno())],
                pass_fds=[other.fileno()],
                cwd=ROOT,
                env={**environment, **dict.fromkeys(THREAD_VARIABLES, "1")},
                start_new_session=True,
            )
        self._socket.send(json.dumps(start).encode())

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Return whether it lives, and has imported with the variables of a runner."""
        return self._process.poll() is None and self._environment == _compared(environment)

    def fork(self, environment: Mapping[str, str], descriptors: tuple[int, int, int, int]) -> int:
        """Return the id of a runner.

        Parameters
        ----------
        descriptors
            Its standard input, output and error, and that of its reports.
        """
        socket.send_fds(self._socket, [json.dumps({"fork": dict(environment)}).encode()], descriptors)
        return self._answer()

    def wait(self, pid: int) -> int:
        """Return the exit code of a runner, once it has ended."""
        self._socket.send(json.dumps({"wait": pid}).encode())
        return self._answer()

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._process.wait()

    def _answer(self) -> int:
        answer = self._socket.recv(_PACKET_BYTES)
        assert answer, f"the process that forks runners ended with {self._process.wait()}"
        return int(json.loads(answer))


def forked_runs(order: Mapping[str, Any], environment: Mapping[str, str]) -> ForkedRuns | None:
    """Return a process that can fork the runner of an order; None where the runner must be a new process."""
    name = order["workload"]
    if "external" in order or list(order["cores"]) != [0] or order["devices"]:
        return None
    try:
        framework = framework_of(modules.workload(name), order["parameters"])
    except WorkloadError:  # which a new process will tell
        return None
    if framework is None:
        return None
    ranks = order["size"]
    library = str(order["parameters"].get("communication")) if ranks > 1 else None
    key = framework, library
    found = _servers.pop(key, None)
    if found is None or not found.fits(environment):
        if found is not None:
            found.close()
        found = ForkedRuns({"workload": name, "parameters": order["parameters"], "ranks": ranks}, environment)
    _servers[key] = found
    while len(_servers) > _MOST:
        _servers.pop(next(iter(_servers))).close()
    return found


def _compared(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in _OF_A_TEST}


def main() -> None:
    """Serve until the test process has gone."""
    with socket.socket(fileno=int(sys.argv[1])) as tests:
        start = json.loads(tests.recv(_PACKET_BYTES))
        before = forked_child.open_descriptors()
        importlib.import_module(_RUNNER)
        import_workload(start["workload"], start["parameters"], 1, ranks=start["ranks"])
        opened = forked_child.open_descriptors() - before
        os.waitpid(forked_child.fork(lambda: 0), 0)  # OpenBLAS ends its idle threads before a fork
        assert forked_child.left_behind() is None, forked_child.left_behind()
        while True:
            packet, descriptors, _, _ = socket.recv_fds(tests, _PACKET_BYTES, 4)
            if not packet:
                return
            asked = json.loads(packet)
            if "wait" in asked:
                answer = os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1])
            else:
                answer = forked_child.fork(partial(_run, asked["fork"], descriptors, opened))
            for descriptor in descriptors:
                os.close(descriptor)
            tests.send(json.dumps(answer).encode())


def _run(environment: Mapping[str, str], descriptors: list[int], opened: frozenset[int]) -> int:
    stdin, stdout, stderr, reports = descriptors
    forked_child.enter(environment, (stdin, stdout, stderr), {reports, *opened}, _RUNNER)
    os.dup2(reports, REPORTS)
    os.close(reports)
    signal_when_parent_dies(signal.SIGKILL)
    runner = sys.modules[_RUNNER]
    runner.exit_fast(runner.main())
    return 0


if __name__ == "__main__":
    main()
