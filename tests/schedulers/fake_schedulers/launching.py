"""Starting the ranks of one parallel program on virtual nodes, for jsrun, mpiexec and aprun."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FrameType

from tests.schedulers.fake_schedulers.hosts import take_name
from tests.schedulers.fake_schedulers.store import NODE_MARK

DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
TICK = 0.02


@dataclass(frozen=True)
class Rank:
    """One process of a parallel program."""

    number: int
    size: int
    host: str
    node: int  # index of the host
    local: int  # index on the host
    local_size: int
    gpus: tuple[int, ...] | None = None


def spread(hosts: list[str], size: int, each: int) -> list[Rank]:
    """Fill host after host with `each` ranks; begin again with the first when all are full."""
    places = [(rank // each) % len(hosts) for rank in range(size)]
    ranks = []
    for number, node in enumerate(places):
        ranks.append(
            Rank(
                number=number,
                size=size,
                host=hosts[node],
                node=node,
                local=places[:number].count(node),
                local_size=places.count(node),
            )
        )
    return ranks


def _begin(host: str) -> None:
    """End with the parent, and have the virtual node's host name."""
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
    take_name(host)


def launch(
    command: list[str],
    ranks: list[Rank],
    variables: Callable[[Rank], dict[str, str]],
    *,
    report: Callable[[Rank, int], str],
    abort_on_exit: bool,
) -> int:
    """Run the ranks and wait. A rank that dies of a signal ends all; one that exits non-zero may.

    Every rank learns its virtual node by HOSTNAME and its host's name. Only the first reads standard input.
    """
    children: dict[subprocess.Popen[bytes], Rank] = {}

    def end(number: int, frame: FrameType | None) -> None:
        for child in children:
            if child.poll() is None:
                child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, end)
    sys.stdout.flush()
    for rank in ranks:
        environment = os.environ | {"HOSTNAME": rank.host, NODE_MARK: rank.host} | variables(rank)
        if rank.gpus is not None:
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, rank.gpus))
        try:
            child = subprocess.Popen(
                command,
                env=environment,
                stdin=None if rank.number == 0 else subprocess.DEVNULL,
                preexec_fn=partial(_begin, rank.host),
            )
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr)
            for child in children:
                child.kill()
            return 127
        children[child] = rank
    return _wait(children, report, abort_on_exit)


def _wait(
    children: dict[subprocess.Popen[bytes], Rank], report: Callable[[Rank, int], str], abort_on_exit: bool
) -> int:
    worst = 0
    running = dict(children)
    aborted = False
    while running:
        for child, rank in list(running.items()):
            code = child.poll()
            if code is None:
                continue
            del running[child]
            if code and not aborted:
                print(report(rank, code), file=sys.stderr, flush=True)
                worst = 128 - code if code < 0 else code
                if code < 0 or abort_on_exit:
                    aborted = True
                    for other in running:
                        with contextlib.suppress(ProcessLookupError):
                            other.kill()
            elif code > 0:
                worst = max(worst, code)
        time.sleep(TICK)
    return worst
