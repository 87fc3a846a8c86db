"""Plain Parsl with its HighThroughputExecutor: ``bash_app``, ``python_app``, and its monitoring."""

from __future__ import annotations

from functools import partial

from tests.bench.peers.ensemble import Ensemble, Peer

ENVIRONMENT = "parsl"
REQUIREMENTS = ("parsl[monitoring]==2026.10.26",)
SEES_PROJECT = True
"""Its workers import the workloads for ``python_app``, which have their libraries from the project."""

SCRIPT = """\
import parsl
from parsl import bash_app, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.monitoring import MonitoringHub
from parsl.providers import LocalProvider


@bash_app
def in_bash(number):
    return f"/bin/sh instance.sh {{number}}"


@python_app
def in_worker(number):
    import json
    import os

    from workloads import run

    with open(f"orders/{{number}}.json") as file:
        order = json.load(file)
    with open(f"reports/{{number}}.json", "w") as out:
        send = lambda message: out.write(json.dumps(message) + chr(10))
        send({{"result": run.execute(order, send)}})


@python_app
def report(number):
    return number


if __name__ == "__main__":
    provider = LocalProvider(init_blocks=1, min_blocks=1, max_blocks=1)
    workers = HighThroughputExecutor(address="127.0.0.1", max_workers_per_node={slots}, provider=provider)
    with parsl.load(Config(executors=[workers]{more})):
        for one in [{app}(number) for number in range({instances})]:
            one.result()
"""
MONITORING = ', monitoring=MonitoringHub(hub_address="127.0.0.1", resource_monitoring_enabled=False)'


def files(app: str, more: str, ensemble: Ensemble) -> dict[str, str]:
    """Return the script of an app."""
    text = SCRIPT.format(app=app, more=more, slots=ensemble.slots, instances=ensemble.instances)
    return {"ensemble.py": text}


def command(ensemble: Ensemble) -> list[str]:
    """Return the command that runs the script."""
    return [ensemble.python, "ensemble.py"]


TRAINING = (
    Peer("Parsl HTEX bash_app", partial(files, "in_bash", ""), command, ENVIRONMENT),
    Peer("Parsl HTEX python_app", partial(files, "in_worker", ""), command, ENVIRONMENT, isolates=False),
)
NO_OPS = (
    Peer("Parsl HTEX, no records", partial(files, "report", ""), command, ENVIRONMENT, isolates=False),
    Peer(
        "Parsl HTEX, monitoring", partial(files, "report", MONITORING), command, ENVIRONMENT, isolates=False
    ),
)
