"""Traces of other users' jobs: utilisation as asked for, and files in the Standard Workload Format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from orchestrator.simulation.virtual_clock import VirtualClock
from tests.bench.traces import DAY, Trace, busy, partitions, shared
from tests.bench.workload_format import WorkloadFormatError, read
from tests.orchestrator.simulation.batch_queue import BackgroundJob

LINE = "1 60 -1 30 8 -1 -1 16 3600 -1 1 7 -1 -1 -1 -1 -1 -1\n"


@pytest.mark.parametrize("model", [busy, shared])
def test_machines_are_used_as_much_as_asked_for(model: Callable[[int], Trace]) -> None:
    assert fmean(map(share, map(model, range(3)))) == pytest.approx(0.9, abs=0.04)
    assert model(3) == model(3) != model(4)


def share(trace: Trace) -> float:
    """Return the utilisation between the warm-up and the last arrival."""
    clock = VirtualClock()
    queue = trace.started(clock)
    begin, used = clock.seconds(), queue.busy_node_seconds()
    clock.pass_time(trace.seconds - begin)
    return (queue.busy_node_seconds() - used) / (trace.seconds - begin) / trace.nodes


def test_users_of_a_machine_have_a_past() -> None:
    trace = shared(seed=3, jobs=200)
    held = trace.mean_nodes()
    assert set(held) == {job.user for job in trace.jobs}
    assert sum(held.values()) == pytest.approx(0.9 * trace.nodes)


def test_partitions_are_used_differently() -> None:
    traces = partitions(seed=3, number=4, nodes=16, utilisation=(0.5, 0.8), jobs=2_000)
    loads = [sum(job.nodes * job.run_seconds for job in one.jobs) / one.seconds / 16 for one in traces]
    assert loads == pytest.approx([0.5, 0.6, 0.7, 0.8])
    assert all(job.nodes <= 8 for one in traces for job in one.jobs)


def test_jobs_of_a_model_are_plausible() -> None:
    jobs = busy(seed=3).jobs
    assert all(job.run_seconds <= job.walltime_seconds <= DAY for job in jobs)
    killed = sum(job.run_seconds == job.walltime_seconds for job in jobs) / len(jobs)
    assert 0.03 < killed < 0.08
    night = sum(abs((job.submit_seconds % DAY) / DAY - 0.5) > 0.25 for job in jobs) / len(jobs)
    assert night < 0.4


def test_a_written_trace_is_read_back(tmp_path: Path) -> None:
    trace = shared(seed=3, jobs=200)
    trace.write(tmp_path / "trace.swf")
    nodes, jobs = read(tmp_path / "trace.swf")
    assert nodes == trace.nodes
    assert [job[:4] for job in jobs] == [job[:4] for job in trace.jobs]
    assert {job.user for job in jobs} == {job.user for job in trace.jobs}


def test_processors_are_counted_as_nodes(tmp_path: Path) -> None:
    file = tmp_path / "log.swf"
    never_ran = LINE.replace(" 30 8 ", " 0 8 ").replace("1 60", "2 10")
    unallocated = "3 20 -1 30 -1 -1 -1 9 -1 -1 1 7 -1 -1 -1 -1 -1 -1\n"
    file.write_text(f"; MaxNodes: 4\n;  MaxProcs: 16\n\n{LINE}{never_ran}{unallocated}")
    assert read(file) == (
        4,
        [BackgroundJob(20.0, 3, 30.0, 30.0, "user7"), BackgroundJob(60.0, 2, 30.0, 3600.0, "user7")],
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINE, "log.swf: no header says MaxNodes or MaxProcs"),
        (f"; MaxNodes: 4\n{LINE}", "log.swf:2: a job on 8 nodes, and the machine has 4"),
        ("; MaxNodes: 4\n1 2 3\n", "log.swf:2: 3 fields, and the format has 18"),
        (f"; MaxNodes: 9\n{LINE.replace('60', 'x')}", "log.swf:2: a field is no number"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "log.swf"
    file.write_text(text)
    with pytest.raises(WorkloadFormatError, match=message):
        read(file)
