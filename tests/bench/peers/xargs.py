"""``xargs -P`` of findutils: no records but what instances write themselves."""

from __future__ import annotations

import os

from tests.bench.peers.ensemble import ONE_THREAD, Ensemble, Peer


def command(ensemble: Ensemble) -> list[str]:
    """Return the shell line that starts each number."""
    return [
        "/bin/sh",
        "-c",
        f"seq 0 {ensemble.instances - 1} | xargs -P {ensemble.slots} -I{{}} /bin/sh instance.sh {{}}",
    ]


def pinned(ensemble: Ensemble) -> list[str]:
    """Return the shell line that starts each number on one core, with one thread."""
    cores = " ".join(map(str, sorted(os.sched_getaffinity(0))[: ensemble.slots]))
    one = f"set -- {cores}; shift $SLOT; exec taskset -c $1 /bin/sh instance.sh {{}}"
    threads = " ".join(f"{name}={value}" for name, value in ONE_THREAD.items())
    line = (
        f"seq 0 {ensemble.instances - 1} | {threads} "
        f"xargs -P {ensemble.slots} --process-slot-var=SLOT -I{{}} /bin/sh -c '{one}'"
    )
    return ["/bin/sh", "-c", line]


PROGRAM = ("xargs", "apt-get install findutils")
TRAINING = (Peer("xargs -P", lambda _: {}, command, program=PROGRAM),)
NO_OPS = (Peer("xargs -P of /bin/sh, no records", lambda _: {}, command, program=PROGRAM),)
SLOTS = (
    Peer("xargs -P, unpinned", lambda _: {}, command, program=PROGRAM),
    Peer("xargs -P, pinned by taskset", lambda _: {}, pinned, program=PROGRAM),
)
