"""The figure of merit of the CORAL-2 suite from the same cores: its published programs, and the
orchestrator.

The programs are the ports in `tests.bench.peers.published`, started by ``xargs -P``, a benchmark at a time,
each pinned to a core with one thread. The orchestrator runs the same benchmarks, with the same settings and
files, as base and as optimized campaign. A benchmark's figure is the suite's: instances at once ÷ the time
of the slowest, against that of the published programs, which stand where the suite has Titan. The suite's
factor for the accuracy of an optimized ResNet-50 is left out. The workloads differ from the programs as
``deviations.yaml`` says; they also predict in batches of the training's size, and keep TensorFlow
deterministic, which the programs do not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from orchestrator.catalog import registry
from orchestrator.rulebooks.coral2.reference import reference
from orchestrator.rulebooks.means import geometric_mean, weighted_mean
from tests.bench.peers import xargs
from tests.bench.peers.ensemble import ONE_THREAD, Ensemble, Peer
from tests.bench.peers.environments import PLACE, Missing
from tests.bench.peers.rounds import Figures, compare, peak_mib
from tests.bench.peers.table import Column, Result, Row
from tests.harness import ROOT
from workloads.candle.data import p1b1 as p1b1_data
from workloads.candle.data import p3b1 as p3b1_data
from workloads.imagenet import generator

SEED = 2017
SLOTS = 2
BFLOAT16 = {"precision": "mixed_bfloat16"}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of the suite at the size of this comparison.

    Parameters
    ----------
    settings
        Parameters that differ from the suite's own; the networks keep their widths.
    optimized
        Further parameters of the optimized campaign.
    program
        Its module in `tests.bench.peers.published`.
    """

    settings: Mapping[str, Any]
    optimized: Mapping[str, Any] = field(default_factory=dict)
    program: str = "convnets"


BENCHMARKS: Mapping[str, Benchmark] = {
    "p1b1": Benchmark({"epochs": 8}, {"loader": "cache", "epochs": 9, **BFLOAT16}, "p1b1"),
    "p3b1": Benchmark(
        {"epochs": 3}, {"loader": "cache", "batch_size": 50, "learning_rate": 0.1, **BFLOAT16}, "p3b1"
    ),
    "alexnet": Benchmark({"batch_size": 8, "steps": 20, "burn_in": 5}, BFLOAT16),
    "googlenet": Benchmark({"batch_size": 4, "steps": 20, "burn_in": 5}, BFLOAT16),
    "overfeat": Benchmark({"batch_size": 4, "steps": 15, "burn_in": 5}, BFLOAT16),
    "vgg": Benchmark({"batch_size": 2, "steps": 15, "burn_in": 5}, BFLOAT16),
    "lstm": Benchmark(
        {"batch_size": 32, "hidden_width": 512, "steps": 30}, {"framework": "torch", **BFLOAT16}, "lstm"
    ),
    "resnet50": Benchmark(
        {"epochs": 3, "batch_size": 12, "classes": 4, "image_size": 64}, BFLOAT16, "resnet50"
    ),
}


def settings_of(name: str) -> dict[str, Any]:
    """Return all parameters of a benchmark: the workload's defaults, with the changes of this comparison."""
    defaults = {one.name: one.default for one in registry.describe(name).parameters}
    return {**defaults, **BENCHMARKS[name].settings}


def make_data(folder: Path) -> Path:
    """Make the data sets in a folder, and return it: P3B1's at full size, P1B1's a tenth as wide.

    Making is repeatable and overwrites only data that were made, such as those of a run that was ended.
    """
    makers: Mapping[str, partial[Any]] = {
        "p1b1": partial(p1b1_data.make, train_rows=1000, test_rows=300, features=6000),
        "p3b1": partial(p3b1_data.make),
        "resnet50": partial(generator.make, train_images=240, validation_images=60, classes=4, image_edge=96),
    }
    for name, make in makers.items():
        make(folder / name, SEED)
    return folder


def orders(data: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the orders of the programs by the paths of their files."""
    return {
        f"orders/{name}.json": json.dumps(
            {
                "program": BENCHMARKS[name].program,
                "data": str(data / name) if (data / name).exists() else None,
                "settings": settings_of(name) | {"network": name},
            }
        )
        for name in names
    }


def _published_command(names: Sequence[str], ensemble: Ensemble) -> list[str]:
    """Return the shell line that starts the instances of one benchmark after the other, each on a core."""
    cores = " ".join(map(str, sorted(os.sched_getaffinity(0))[: ensemble.slots]))
    program = f"{sys.executable} -m tests.bench.peers.published orders/$BENCHMARK.json"
    one = f"set -- {cores}; shift $SLOT; exec taskset -c $1 {program} > reports/$BENCHMARK-{{}}.json"
    line = (
        f"for BENCHMARK in {' '.join(names)}; do export BENCHMARK; seq 0 {ensemble.slots - 1} | "
        f"xargs -P {ensemble.slots} --process-slot-var=SLOT -I{{}} /bin/sh -c '{one}' || exit 1; done"
    )
    # As the orchestrator sets for a slot of one core without a GPU.
    variables = {**ONE_THREAD, "CUDA_VISIBLE_DEVICES": "", "KERAS_BACKEND": "tensorflow"}
    return ["env", *(f"{name}={value}" for name, value in variables.items()), "/bin/sh", "-c", line]


def published_figures(names: Sequence[str], ensemble: Ensemble) -> Figures:
    """Return figures of merit and accuracies of the programs."""
    found: Figures = {}
    for name in names:
        reports = [
            json.loads(file.read_text().splitlines()[-1])
            for file in (ensemble.folder / "reports").glob(f"{name}-*.json")
        ]
        if len(reports) < ensemble.slots:
            raise Missing(f"{len(reports)} of {ensemble.slots} instances of {name} gave a result")
        seconds = max(report["seconds"] for report in reports)
        found |= {f"{name} s": seconds, f"{name} rate": len(reports) / seconds}
        found[f"{name} accuracy"] = _least(report["accuracy"] for report in reports)
    return found


def _our_files(data: Path, names: Sequence[str], run_class: str, ensemble: Ensemble) -> dict[str, str]:
    """Return the campaign file and the site file; both are JSON, which is YAML."""
    cores = sorted(os.sched_getaffinity(0))[: ensemble.slots]
    optimized = run_class == "optimized"
    benchmarks = [
        {
            "workload": name,
            "instances": ensemble.slots,
            "parameters": {**BENCHMARKS[name].settings, **(BENCHMARKS[name].optimized if optimized else {})},
            "timeout": "30 min",
        }
        for name in names
    ]
    campaign = {
        "campaign": "fom", "rulebook": "coral2", "class": run_class, "seed": SEED, "start": "synchronized",
        "processes": "warm" if optimized else "fresh", "benchmarks": benchmarks,
    }  # fmt: skip
    site = {
        "site": "bench",
        "node": {"cores": ",".join(map(str, cores))},
        "sampling": "off",
        "paths": {"data": str(data)},
    }
    return {"campaign.yaml": json.dumps(campaign), "site.yaml": json.dumps(site)}


def _our_command(_ensemble: Ensemble) -> list[str]:
    return [sys.executable, "-m", "orchestrator", "launch", "campaign.yaml", "--site", "site.yaml"]


def _our_figures(names: Sequence[str], ensemble: Ensemble) -> Figures:
    """Return figures of merit and accuracies of a campaign, as its verdict states them."""
    words = [sys.executable, "-m", "orchestrator", "fom", "fom", "--json"]
    ended = subprocess.run(
        words, cwd=ensemble.folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    try:
        judged = {one["benchmark"]: one for one in json.loads(ended.stdout)["benchmarks"]}
    except (ValueError, LookupError):
        raise Missing(f"no verdict: {(ended.stderr.splitlines() or ['no output'])[-1]}") from None
    found: Figures = {}
    for name in names:
        one = judged[name]
        if not one["seconds"] or one["instances"] != ensemble.slots:
            raise Missing(f"{one['instances'] or 0} of {ensemble.slots} instances of {name} ran at once")
        found |= {f"{name} s": one["seconds"], f"{name} rate": one["instances"] / one["seconds"]}
        found[f"{name} accuracy"] = one["accuracy"]
    return found


def _least(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return min(known) if known else None


def peers(data: Path, names: Sequence[str]) -> dict[str, Peer]:
    """Return the published programs and the two campaigns, by the titles of their columns."""
    published = Peer(
        "published programs, xargs -P, pinned",
        lambda _ensemble: orders(data, names),
        partial(_published_command, names),
        program=xargs.PROGRAM,
    )
    ours = {
        run_class: Peer(
            f"orchestrator, {run_class}", partial(_our_files, data, names, run_class), _our_command, ours=True
        )
        for run_class in ("base", "optimized")
    }
    return {"published": published, **ours}


COLUMNS = {
    "published": Column("published, s", "{:.4g}", more_is_better=None),
    "base": Column("base, s", "{:.4g}", more_is_better=None),
    "optimized": Column("optimized, s", "{:.4g}", more_is_better=None),
    "base fom": Column("base FOM", "{:.2f}", more_is_better=None),
    "optimized fom": Column("optimized FOM", "{:.2f}", more_is_better=None),
}
WHOLE_COLUMNS = {
    "wall_seconds": Column("wall time of all, s"),
    "cpu_seconds": Column("CPU time, s"),
    "peak_mib": Column("peak memory, MiB", "{:,.0f}"),
}


def by_benchmark(measured: Mapping[str, Row], names: Sequence[str]) -> list[Row]:
    """Return a row for each benchmark, and the suite's figure from those of all groups."""
    rates = {column: _column(row, names, "rate") for column, row in measured.items()}
    seconds = {column: _column(row, names, "s") for column, row in measured.items()}
    foms = {
        f"{column} fom": {name: _ratio(rate, rates["published"].get(name)) for name, rate in found.items()}
        for column, found in rates.items()
        if column != "published"
    }
    figures = {**seconds, **foms}
    rows = [
        Row(name, {key: found.get(name) for key, found in figures.items()}, problem=_lower(measured, name))
        for name in names
    ]
    overall = {key: suite_fom(found) for key, found in foms.items()}
    problems = "; ".join(f"{row.name}: {row.problem}" for row in measured.values() if row.problem)
    return [*rows, Row("the suite", overall, problem=problems)]


def suite_fom(foms: Mapping[str, float | None]) -> float | None:
    """Return the suite's figure: the weighted mean of the geometric means of its groups; None without all."""
    suite = reference()
    groups: dict[str, list[float]] = {name: [] for name in suite.groups}
    for name, known in suite.benchmarks.items():
        fom = foms.get(name)
        if fom is None:
            return None
        groups[known.group].append(fom)
    return weighted_mean([geometric_mean(one) for one in groups.values()], list(suite.groups.values()))


def _lower(measured: Mapping[str, Row], name: str) -> str:
    """Return which campaign's accuracy is below that of the published program; empty if none is."""
    accuracies = {column: row.figures.get(f"{name} accuracy") for column, row in measured.items()}
    published = accuracies.pop("published")
    lower = [
        f"{one:.3g} of the {column} campaign"
        for column, one in accuracies.items()
        if published is not None and one is not None and one < published
    ]
    return f"the accuracy is {published:.3g}, and {' and '.join(lower)}" if lower else ""


def _column(row: Row, names: Sequence[str], figure: str) -> dict[str, float | None]:
    return {name: row.figures.get(f"{name} {figure}") for name in names}


def _ratio(rate: float | None, published: float | None) -> float | None:
    return rate / published if rate and published else None


def results(rounds: int, names: Sequence[str] = tuple(BENCHMARKS)) -> Iterator[Result]:
    """Yield the figures of merit, what each whole ensemble took, and accuracies, anew after every run."""
    compared = peers(make_data(PLACE / "data" / "fom"), names)
    title = f"CORAL-2 at reduced size on {SLOTS} cores, {SLOTS} instances at once, median of {rounds}"

    def figures(peer: Peer, ensemble: Ensemble, taken: Mapping[str, float]) -> Figures:
        found = (_our_figures if peer.ours else published_figures)(names, ensemble)
        whole = {"wall_seconds": taken["wall_seconds"], "cpu_seconds": taken["cpu_seconds"]}
        return {**found, **whole, "peak_mib": peak_mib(taken)}

    for rows in compare(
        list(compared.values()),
        [sys.modules[__name__]],
        rounds,
        {},
        lambda _peer, folder: Ensemble(SLOTS, SLOTS, folder),
        figures,
    ):
        measured = dict(zip(compared, rows, strict=True))
        accuracies = {
            f"{name} accuracy": Column(f"{name} accuracy", "{:.3g}", more_is_better=None)
            for name in names
            if registry.describe(name).accuracy_metric
        }
        yield Result("fom", title, COLUMNS, by_benchmark(measured, names))
        yield Result("fom-ensembles", "The whole ensembles", {**WHOLE_COLUMNS, **accuracies}, rows)
