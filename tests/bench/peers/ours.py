"""The orchestrator: one campaign, launched by its command."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from typing import Any

from db.reader import Reader
from tests.bench.peers.ensemble import DEMO, Ensemble, Peer, parameters_of, workload_of


def files(ensemble: Ensemble) -> dict[str, str]:
    """Return the campaign file and the site file; both are JSON, which is YAML."""
    cores = sorted(os.sched_getaffinity(0))[: ensemble.slots]
    site = {"site": "bench", "node": {"cores": ",".join(map(str, cores))}, "sampling": "off"}
    if ensemble.data is not None:
        site["paths"] = {"data": str(ensemble.data)}
    campaign: dict[str, Any] = {"campaign": "bench", "seed": DEMO.seed, "benchmarks": _benchmarks(ensemble)}
    if ensemble.warm:
        campaign["processes"] = "warm"
    if ensemble.together:
        campaign["start"] = "synchronized"
    return {"site.yaml": json.dumps(site), "campaign.yaml": json.dumps(campaign)}


def _benchmarks(ensemble: Ensemble) -> list[dict[str, Any]]:
    if ensemble.data is None:
        behaviour = {"workload": "tests.toys.behave", "parameters": {"seconds": 0.0}, "timeout": "5 min"}
        return [behaviour | {"instances": ensemble.instances}]
    numbers = [workload_of(ensemble, number) for number in range(ensemble.instances)]
    return [
        {
            "workload": one.workload,
            "instances": numbers.count(one.workload),
            "parameters": parameters_of(one.workload),
            "timeout": "10 min",
        }
        for one in DEMO.benchmarks
        if one.workload in numbers
    ]


def command(_ensemble: Ensemble) -> list[str]:
    """Return the command that launches the campaign."""
    return [sys.executable, "-m", "orchestrator", "launch", "campaign.yaml", "--site", "site.yaml"]


def accepted_runs(ensemble: Ensemble) -> list[tuple[int, int]]:
    """Return start and end of the run of each accepted instance, UTC microseconds; none without a ledger."""
    ledger = ensemble.folder / "ledger.sqlite"
    if not ledger.exists():
        return []
    with Reader(f"sqlite:///{ledger}") as reader:
        _, rows = reader.query("SELECT run_start_us, run_stop_us FROM accepted")
    return [(start, stop) for start, stop in rows]


FRESH = Peer("orchestrator, fresh", files, command, ours=True)
WARM = Peer("orchestrator, warm", lambda one: files(replace(one, warm=True)), command, ours=True)
TRAINING = (FRESH, WARM)
NO_OPS = (replace(FRESH, most=2_000), WARM)
SLOTS = tuple(replace(peer, name=f"{peer.name}, pinned, start together") for peer in TRAINING)
