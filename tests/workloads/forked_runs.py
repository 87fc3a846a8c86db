"""Runner processes that are forked from one that has imported a framework, which takes most of a short run.

``python -m tests.workloads.forked_runs DESCRIPTOR`` is that process. The test process sends it orders through
a socket: to fork a runner with four descriptors, and to wait for a runner. Both end with the test process.
"""

from __future__ import annotations

import atexit
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
from orchestrator.node.ranks.environment import OF_ONE_RANK
from tests.harness import ROOT
from workloads import modules
from workloads.description import WorkloadError
from workloads.forking import forked_child
from workloads.import_ahead import framework_of, import_workload
from workloads.runtime.host_facts import THREAD_VARIABLES

REPORTS = 999
"""Descriptor that a forked runner reports on."""
_RUNNER = "workloads.run"
_PACKET_BYTES = 1 << 17
_LATE = "ONEDNN_DEFAULT_FPMATH_MODE"  # oneDNN reads it at its first product
_NOT_COMPARED = OF_ONE_RANK | {"PYTEST_CURRENT_TEST", _LATE}
_MOST = 4
"""Processes that one test process has: one for each framework, and one for other variables."""
_servers: list[ForkedRuns] = []


class ForkedRuns:
    """A process that forks runners, and has imported a framework for the first one."""

    def __init__(self, framework: str, environment: Mapping[str, str]) -> None:
        self.forks = 0
        self._framework = framework
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

    def fits(self, framework: str, environment: Mapping[str, str]) -> bool:
        """Return whether it lives, and has imported a framework with the variables of a runner."""
        own = self._framework, self._environment
        return self._process.poll() is None and own == (framework, _compared(environment))

    def fork(
        self,
        order: Mapping[str, Any],
        environment: Mapping[str, str],
        descriptors: tuple[int, int, int, int],
    ) -> int:
        """Return the id of a runner.

        Parameters
        ----------
        order
            Names what is imported before: workload, parameters and size.
        descriptors
            Its standard input, output and error, and that of its reports.
        """
        self.forks += 1
        first = {name: order[name] for name in ("workload", "parameters", "size")}
        packet = json.dumps({"fork": dict(environment), "first": first}).encode()
        socket.send_fds(self._socket, [packet], descriptors)
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
    found = next((server for server in _servers if server.fits(framework, environment)), None)
    if found is None:
        if len(_servers) == _MOST:
            least = min(_servers, key=lambda server: server.forks)
            _servers.remove(least)
            least.close()
        found = ForkedRuns(framework, environment)
        _servers.append(found)
    return found


@atexit.register
def _close() -> None:
    while _servers:
        _servers.pop().close()


def _compared(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in _NOT_COMPARED}


def main() -> None:
    """Serve until the test process has gone."""
    with socket.socket(fileno=int(sys.argv[1])) as tests:
        before = forked_child.open_descriptors()
        importlib.import_module(_RUNNER)
        imported: set[str | None] = set()
        while True:
            packet, descriptors, _, _ = socket.recv_fds(tests, _PACKET_BYTES, 4)
            if not packet:
                return
            asked = json.loads(packet)
            if "wait" in asked:
                answer = os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1])
            else:
                _import(asked["first"], imported)
                opened = forked_child.open_descriptors() - before - {*descriptors}
                answer = forked_child.fork(partial(_run, asked["fork"], descriptors, opened))
            for descriptor in descriptors:
                os.close(descriptor)
            tests.send(json.dumps(answer).encode())


def _import(order: Mapping[str, Any], imported: set[str | None]) -> None:
    """Import what a runner will import, once for each library of its ranks."""
    library = str(order["parameters"].get("communication")) if order["size"] > 1 else None
    if library in imported:
        return
    import_workload(order["workload"], order["parameters"], 1, ranks=order["size"])
    imported.add(library)
    os.waitpid(forked_child.fork(lambda: 0), 0)  # OpenBLAS ends its idle threads before a fork
    assert forked_child.left_behind() is None, forked_child.left_behind()


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
