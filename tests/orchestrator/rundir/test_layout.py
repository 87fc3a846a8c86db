"""Files of campaigns that were begun before are where they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.rundir.layout import RunDirectory, recorded_instance, recording_name

RUN = RunDirectory(Path("/runs/toy"))


@pytest.mark.parametrize(
    ("path", "literal"),
    [
        (RUN.journals, "/runs/toy/journals"),
        (RUN.session_journals(3), "/runs/toy/journals/3"),
        (RUN.journal(3, "node1", "c1-0-node1-0-77"), "/runs/toy/journals/3/40/c1-0-node1-0-77.journal"),
        (RUN.session_logs(3), "/runs/toy/logs/3"),
        (RUN.instance_logs(3, 0), "/runs/toy/logs/3/0000"),
        (RUN.instance_logs(3, 249), "/runs/toy/logs/3/0000"),
        (RUN.instance_logs(3, 250), "/runs/toy/logs/3/0001"),
        (RUN.instance_logs(3, 3_000_000), "/runs/toy/logs/3/12000"),
        (RUN.parsl(3), "/runs/toy/parsl/3"),
        (RUN.scratch, "/runs/toy/scratch"),
        (RUN.instance_scratch("p1b1", 12), "/runs/toy/scratch/p1b1-12"),
        (RUN.node_order("abc"), "/runs/toy/orders/abc.json"),
        (RUN.stop_file(3), "/runs/toy/stop-3"),
        (RUN.clock_file(3), "/runs/toy/clock-3"),
        (RUN.barrier_file(3, 2), "/runs/toy/barriers/3-2"),
        (RUN.driver_log, "/runs/toy/driver.log"),
        (RUN.compaction_lock, "/runs/toy/packing.lock"),
        (RUN.measured, "/runs/toy/measured"),
    ],
)
def test_where_everything_is(path: Path | str, literal: str) -> None:
    assert Path(path) == Path(literal)


def test_a_node_name_that_is_no_utf8_has_a_folder_as_well() -> None:
    file = RUN.journal(1, "n\udcff", "w")
    assert (file.name, file.parents[1]) == ("w.journal", RUN.session_journals(1))


@pytest.mark.parametrize(("benchmark", "number"), [("p1b1", 0), ("imagenet-resnet50[ranks=4.5]", 12)])
def test_a_recording_names_its_instance(benchmark: str, number: int) -> None:
    assert recorded_instance(recording_name(benchmark, number, 3)) == f"{benchmark}/{number}"
