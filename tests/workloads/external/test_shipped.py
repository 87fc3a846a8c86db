"""The shipped files of MLPerf HPC's programs, run with imitations that print the programs' lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.catalog import registry
from orchestrator.rulebooks.mlperf_hpc.reference import reference
from tests.workloads.external.files import result
from tests.workloads.orders import external, send
from tests.workloads.runtime.rank_processes import run_ranks
from workloads.description import WorkloadError, broken_rules
from workloads.external import shipped

SCRIPTS = {"cosmoflow": "train.py", "deepcam": "train.py", "open_catalyst": "main.py", "openfold": "train.py"}
KEYS = {"deepcam": "eval_accuracy", "openfold": "eval_accuracy"}  # the others log an error
VALUES = {
    "cosmoflow": (0.5, 0.12),
    "deepcam": (0.3, 0.83),
    "open_catalyst": (0.2, 0.035),
    "openfold": (0.4, 0.81),
}


def line(key: str, value: object, kind: str = "POINT_IN_TIME", **metadata: object) -> str:
    """Return a line as the logging library of MLPerf prints it."""
    place = {"file": "train.py", "lineno": 1}
    event = {"namespace": "", "time_ms": 1592937056000, "event_type": kind, "key": key, "value": value}
    return f":::MLLOG {json.dumps(event | {'metadata': place | metadata})}"


def imitation(folder: Path, name: str, *, last: object = None) -> None:
    """Write a program that takes any arguments and prints the lines of a training of two epochs."""
    key = KEYS.get(name, "eval_error")
    lines = [
        line("init_start", None, "INTERVAL_START"),
        line("number_of_ranks", 1),
        line("train_samples", 2048),
        line("run_start", None, "INTERVAL_START"),
        *(line(key, value, epoch_num=epoch) for epoch, value in enumerate(VALUES[name], 1)),
        *([] if last is None else [line(key, last, epoch_num=3)]),
        line("run_stop", None, "INTERVAL_END", status="success"),
    ]
    last_line = lines.pop()
    (folder / SCRIPTS[name]).write_text(
        f"import time\nprint(*{lines!r}, sep='\\n', flush=True)\ntime.sleep(0.5)\nprint({last_line!r})\n"
    )


def test_each_benchmark_of_the_suite_has_a_file() -> None:
    assert {*shipped.names()} == {*reference().benchmarks} == {*SCRIPTS}
    with pytest.raises(WorkloadError, match="no workload file 'deepcan'; did you mean deepcam"):
        shipped.text("deepcan")


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_file_keeps_the_rules_and_reads_the_programs_lines(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.yaml"
    file.write_text(shipped.text(name))
    found, known = registry.describe(str(file)), reference().benchmarks[name]
    assert (found.name, found.own_target) == (name, known.target)
    needed = {one for one, rule in known.parameters.items() if not rule.if_stated}
    assert needed <= {one.name for one in found.parameters}
    assert broken_rules(known.parameters, found.resolve({})) == []
    imitation(tmp_path, name)
    ran = result(send(str(file), {"program": str(tmp_path)}, seed=5))
    assert ran["accuracy"] == VALUES[name][1]
    assert "5" in " ".join(ran["seen"]["external"]["command"]).replace("seed-5", "5").split()
    [curve] = ran["curves"]
    # OpenFold calls the number of samples `epoch_num`, so that its validations are counted.
    assert (curve["name"], curve["axis"]) == (known.target.metric, "step" if name == "openfold" else "epoch")
    assert curve["points"] == [[1, VALUES[name][0]], [2, VALUES[name][1]]]


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_several_ranks_run_the_program_as_one_training(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.yaml"
    file.write_text(shipped.text(name))
    imitation(tmp_path, name)
    order = external(str(file), {"program": str(tmp_path)})
    reports = run_ranks(
        str(file), order["parameters"], 2, external=order["external"], scratch=str(tmp_path / "scratch")
    )
    calls = [result(report)["seen"]["external"]["command"] for report in reports]
    assert [report.last["result"]["accuracy"] for report in reports] == [VALUES[name][1], None]
    assert calls[0] == calls[1]
    if name == "deepcam":
        assert order["external"]["command"]["environment"]["SLURM_PROCID"] == "{rank}"
    else:
        assert calls[0][-1] == "--distributed"


def test_a_training_that_diverges_at_the_end_does_not_keep_its_earlier_quality(tmp_path: Path) -> None:
    file = tmp_path / "cosmoflow.yaml"
    file.write_text(shipped.text("cosmoflow"))
    imitation(tmp_path, "cosmoflow", last=float("inf"))
    report = send(str(file), {"program": str(tmp_path)})
    assert report.code != 0 or report.last["result"]["accuracy"] != VALUES["cosmoflow"][1]
