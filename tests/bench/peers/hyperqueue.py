"""HyperQueue with a server and a worker on this machine, through its Python package."""

from __future__ import annotations

from tests.bench.peers.ensemble import Ensemble, Peer

ENVIRONMENT = "hyperqueue"
REQUIREMENTS = ("hyperqueue",)
SCRIPT = """\
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

if __name__ == "__main__":
    with LocalCluster(worker_config=WorkerConfig(cores={slots})) as cluster:
        client = cluster.client()
        job = Job(max_fails=None)
        for number in range({instances}):
            job.program(["/bin/sh", "instance.sh", str(number)])
        client.wait_for_jobs([client.submit(job)])
"""


def files(ensemble: Ensemble) -> dict[str, str]:
    """Return the script."""
    return {"ensemble.py": SCRIPT.format(slots=ensemble.slots, instances=ensemble.instances)}


def command(ensemble: Ensemble) -> list[str]:
    """Return the command that runs the script."""
    return [ensemble.python, "ensemble.py"]


TRAINING = (Peer("HyperQueue", files, command, ENVIRONMENT),)
NO_OPS = (Peer("HyperQueue of /bin/sh", files, command, ENVIRONMENT),)
