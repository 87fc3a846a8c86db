"""Real campaigns that stop when certain: ``python -m tests.bench.deciding --campaigns 20``.

P3B1 against itself, points that differ in their seeds alone, and against itself with 10 % more epochs, each
as campaigns of their own under `decide` at 3 % and 5 % error. Campaigns of equal points must decide for
neither; those with more work must find it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from db.reader import Reader
from orchestrator.analysis.sequential.questions import cost_of
from orchestrator.analysis.sequential.registered import answers
from orchestrator.driver.progress import NoDisplay
from orchestrator.lifecycle.launch import launch
from orchestrator.lifecycle.options import LaunchOptions

CAMPAIGNS = 3
SIZES = {"site_train_rows": 400, "laterality_train_rows": 100, "grade_train_rows": 200, "features": 100}
# Without a graph to trace, a run costs a third of the CPU time that TensorFlow takes.
PARAMETERS = {
    "framework": "torch",
    "shared_width": 100,
    "first_width": 100,
    "second_width": 100,
    "batch_size": 20,
}
EPOCHS = 10
AXES: dict[str, dict[str, Any]] = {
    "itself": {"seed_group": [0, 1]},
    "10 % more epochs": {"epochs": [EPOCHS, EPOCHS * 11 // 10]},
}
AT_MOST = {"itself": 40, "10 % more epochs": 100}
"""Runs of each point: equal points take them all."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how campaigns of each kind ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=CAMPAIGNS, help="of each kind")
    parser.add_argument("--against", choices=[*AXES], help="this kind alone")
    given = parser.parse_args(arguments)
    for kind, matrix in AXES.items():
        if given.against not in (None, kind):
            continue
        with tempfile.TemporaryDirectory() as folder:
            outcomes, runs = [], []
            for number in range(given.campaigns):
                outcome, cost = decided(Path(folder), number, matrix, AT_MOST[kind])
                outcomes.append(outcome)
                runs.append(cost)
        counts = ", ".join(f"{outcomes.count(one)} {one}" for one in dict.fromkeys(outcomes))
        found = f"{len(outcomes)} campaigns: {counts}; runs {runs}"
        print(f"deciding     P3B1 against {kind}, {found}", flush=True)


def decided(folder: Path, number: int, matrix: dict[str, Any], at_most: int) -> tuple[str, int]:
    """Run a campaign on this machine; return the outcome of its pair of points, and the runs it took."""
    [axis] = matrix
    written = {
        "campaign": f"deciding-{number}",
        "rulebook": "none",
        "seed": 1000 * number,
        "decide": {"compare": axis, "difference": "3 %", "at_most": at_most},
        "benchmarks": [
            {
                "workload": "p3b1", "timeout": "5 min", "processes": "warm", "share": True,
                "parameters": PARAMETERS | ({} if axis == "epochs" else {"epochs": EPOCHS}),
                "data": {"generate": SIZES}, "matrix": matrix,
            }
        ],
    }  # fmt: skip
    file, ledger = folder / "deciding.yaml", f"sqlite:///{folder}/ledger.sqlite"
    file.write_text(yaml.safe_dump(written))
    overrides = (f"site.paths.runs={folder}/runs", f"site.paths.data={folder}/data")
    launch(str(file), LaunchOptions(site="local", ledger=ledger, overrides=overrides), display=NoDisplay())
    with Reader(ledger) as reader:
        [found] = answers(reader, reader.campaign(written["campaign"]).campaign_id)  # type: ignore[arg-type]
    [pair] = found.decisions.pairs
    return pair.outcome, cost_of([found])[0]


if __name__ == "__main__":
    main()
