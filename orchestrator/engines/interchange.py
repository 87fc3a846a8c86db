"""Parsl's interchange, mended for thousands of worker pools.

In each turn of its loop, Parsl's own takes one message of a pool and one order, and looks at all pools. From
some thousands of pools on it therefore falls behind the signs of life that they send every 5 s, takes pools
for lost whose signs of life have come and were not read, and their attempts with them. This one takes in each
turn what has come, and looks at all pools once a second. Where the host's clock is set, which would make all
pools silent at once, their signs of life are dated anew.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import zmq
from parsl.executors.high_throughput.interchange import Interchange
from parsl.utils import setproctitle

_TURN_SECONDS = 0.05
"""For which a turn takes messages of one kind, so that those of another kind do not wait for long."""
_LOOK_SECONDS = 1.0
"""Time between two looks for pools that are silent or drained."""
_STEP_SECONDS = 1.0
"""Least change of the clock that is followed."""


class ManyPoolsInterchange(Interchange):
    """An interchange whose turn does not take longer where there are more pools."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # A pool connects to look for an address, and again to stay. Where the end of the first connection has
        # not been seen yet, the second would be ignored for good.
        self.manager_sock.setsockopt(zmq.ROUTER_HANDOVER, 1)
        self._next_look = 0.0
        self._clock_offset = time.time() - time.monotonic()
        self._all_read = True
        self._looks = False

    def process_task_incoming(self) -> None:
        """Take the orders that have come."""
        self._take(self.task_incoming, super().process_task_incoming)

    def process_manager_socket_message(self, *arguments: Any) -> None:
        """Take the messages of pools that have come."""
        self._follow_clock()  # before signs of life are dated
        take, registered = super().process_manager_socket_message, len(self.connected_block_history)
        self._all_read = self._take(self.manager_sock, lambda: take(*arguments))
        new = len(self.connected_block_history) - registered
        for pool in islice(reversed(self._ready_managers.values()), new):
            pool.pop("packages", None)  # those of each node, which no question asks for

    def expire_bad_managers(self, *arguments: Any) -> None:
        """Give up silent pools, once a second and only when all signs of life are read."""
        self._looks = self._all_read and time.monotonic() >= self._next_look
        if self._looks:
            self._next_look = time.monotonic() + _LOOK_SECONDS
            self._follow_clock()
            super().expire_bad_managers(*arguments)

    def expire_drained_managers(self, *arguments: Any) -> None:
        """Let drained pools end, once a second."""
        if self._looks:
            super().expire_drained_managers(*arguments)

    def _follow_clock(self) -> None:
        """Where the clock was set, move the times of the last signs of life as far."""
        step = time.time() - time.monotonic() - self._clock_offset
        if abs(step) < _STEP_SECONDS:
            return
        self._clock_offset += step
        for pool in self._ready_managers.values():
            pool["last_heartbeat"] += step

    def _take(self, socket: zmq.Socket[bytes], take: Callable[[], None]) -> bool:
        """Take messages of a socket for some time; return whether all that have come are taken."""
        if self.socks.get(socket) != zmq.POLLIN:
            return True
        until = time.monotonic() + _TURN_SECONDS
        take()
        while int(socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            if time.monotonic() >= until:
                return False
            take()
        return True


def run() -> None:
    """Run an interchange by the settings that the driver sends on standard input, until it is ended."""
    os.setpgid(0, 0)  # signals of the driver's terminal go to the driver's group
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each pool is a connection
    setproctitle("parsl: HTEX interchange")
    ManyPoolsInterchange(**pickle.load(sys.stdin.buffer)).start()  # noqa: S301  the driver's own
