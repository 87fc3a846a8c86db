"""GNU parallel with a job log."""

from __future__ import annotations

from tests.bench.peers.ensemble import Ensemble, Peer


def command(ensemble: Ensemble) -> list[str]:
    """Return the shell line that starts each number."""
    last = ensemble.instances - 1
    line = f"seq 0 {last} | parallel --jobs {ensemble.slots} --joblog jobs.log /bin/sh instance.sh"
    return ["/bin/sh", "-c", line]


PROGRAM = ("parallel", "apt-get install parallel")
TRAINING = (Peer("GNU parallel, job log", lambda _: {}, command, program=PROGRAM),)
NO_OPS = (Peer("GNU parallel of /bin/sh, job log", lambda _: {}, command, program=PROGRAM),)
