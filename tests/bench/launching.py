"""What a supervised, journalled, ledgered instance costs beside ``xargs -P`` running the same process."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from orchestrator.node.ranks.environment import runner_request
from orchestrator.protocol.order import RankResources
from tests.harness import ROOT, CampaignSandbox
from tests.messages import order

INSTANCES = 60
ROUNDS = 3
SLOTS = 2


def main() -> None:
    """Print seconds per instance both ways, and their ratio."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            theirs.append(plain(Path(folder)))
            ours.append(orchestrated(Path(folder)))
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(
        f"launching  {INSTANCES} instances of no work on {SLOTS} slots, median of {ROUNDS}: "
        f"orchestrator {1000 * mine:.0f} ms each, xargs {1000 * other:.0f} ms each, ratio {mine / other:.2f}"
    )


def orchestrated(folder: Path) -> float:
    """Return seconds per instance, from the first process start to the last process end."""
    place = CampaignSandbox(folder, slots=SLOTS)
    place.campaign(INSTANCES, parameters={"seconds": 0.0})
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    first, last = place.rows("SELECT min(process_start_us), max(process_stop_us) FROM accepted")[0]
    return float(last - first) / 1e6 / INSTANCES


def plain(folder: Path) -> float:
    """Return seconds per instance of ``xargs`` starting the bare training process."""
    attempt = order(parameters={"seconds": 0.0}, scratch=str(folder / "scratch"), cache=str(folder / "cache"))
    asked = runner_request(attempt, 0, 1, RankResources((0,)), []) | {"report_fd": 1}
    (folder / "order.json").write_text(json.dumps(asked))
    begin = time.monotonic()
    subprocess.run(
        [
            "xargs",
            "-P",
            str(SLOTS),
            "-I",
            "{}",
            "sh",
            "-c",
            f"{sys.executable} -m workloads.run < order.json",
        ],
        input="\n".join(map(str, range(INSTANCES))).encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )
    return (time.monotonic() - begin) / INSTANCES
