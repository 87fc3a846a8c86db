"""A forked attempt is like one with new interpreters, and a server that fails costs no attempt."""

from __future__ import annotations

import json
import os
import signal
import socket
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from db.states import AttemptState
from orchestrator.host.processes import SLOT_MARK
from orchestrator.node.attempt.worker_death import WORKER_DIED
from orchestrator.node.warm import fork_client
from orchestrator.node.warm.fork_client import ForkClient, ForkError, must_be_fresh
from orchestrator.node.warm.fork_server import packet_of
from orchestrator.node.warm.fork_server_order import PACKET_BYTES
from orchestrator.protocol.order import ContainerOrder, Gpus, ProfileOrder, RankResources
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from tests.harness import ROOT, wait_for
from tests.orchestrator.node.attempt.test_instance_hooks import hooks
from tests.orchestrator.node.forked import Forked, fork, forking, server_of, slot_of
from tests.orchestrator.node.supervised import Supervised
from tests.workloads.external.files import SCORE, description, write
from tests.workloads.orders import external
from workloads.forking import forked_child
from workloads.forking.forked_child import Template
from workloads.forking.loaded_files import LoadedFiles

PLACE = RankResources((0,))


@pytest.fixture(scope="module")
def client() -> Iterator[ForkClient]:
    with forking() as one:
        yield one


def test_a_forked_training_has_the_attributes_of_a_new_process(
    client: ForkClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fresh = Supervised(tmp_path, workload="tests.toys.attributes").report()
    kinds = ("fresh", "warm", "warm")
    forked = [
        fork(client, tmp_path, workload="tests.toys.attributes", processes=one).report() for one in kinds
    ]
    facts = [one.result.observed.facts for one in (fresh, *forked) if one.result is not None]
    assert [one.get("processes") for one in facts] == [None, None, "warm", "warm"]
    expected = facts[0]["attributes"]
    assert expected["session"]
    assert expected["marked"]
    for one in facts[1:]:
        assert [(name, was) for name, was in one["attributes"].items() if was != expected[name]] == []
    assert len({tuple(one["drawn"]) for one in facts}) == 4  # unseeded random numbers differ


def test_code_and_variables_are_recorded_as_those_of_a_new_process(
    client: ForkClient, tmp_path: Path
) -> None:
    forked = (fork(client, tmp_path, processes=kind) for kind in ("fresh", "warm", "warm"))
    seen = [one.report().result for one in (Supervised(tmp_path), *forked)]
    assert len({(one.observed.code, one.observed.variables) for one in seen if one is not None}) == 1
    assert None not in seen


@pytest.mark.parametrize(
    ("behaviour", "limits", "state", "reason"),
    [
        ("exit", {}, AttemptState.FAILED, "exit code 3"),
        ("exception", {}, AttemptState.FAILED, "RuntimeError"),
        ("segfault", {}, AttemptState.FAILED, "SIGSEGV"),
        ("hang", {"timeout_seconds": 0.5}, AttemptState.TIMED_OUT, ""),
        ("stubborn", {"timeout_seconds": 0.5, "grace_seconds": 0.2}, AttemptState.TIMED_OUT, ""),
        ("greedy", {"memory_bytes": 256 << 20}, AttemptState.FAILED, "memory"),
        ("daemon", {}, AttemptState.SUCCEEDED, ""),
    ],
)
def test_what_trainings_do_is_supervised_as_ever(
    client: ForkClient,
    tmp_path: Path,
    behaviour: str,
    limits: dict[str, Any],
    state: AttemptState,
    reason: str,
) -> None:
    report = fork(client, tmp_path, parameters={"behaviour": behaviour}, **limits).report()
    assert report.state is state, report.failure_message
    assert reason in f"{report.failure_reason} {report.failure_message}"
    if behaviour == "daemon":
        assert not psutil.pid_exists(int((tmp_path / "daemon-7").read_text()))
    assert report.peak_memory_bytes


def test_a_worker_that_dies_ends_its_attempt(client: ForkClient, tmp_path: Path) -> None:
    attempt = fork(client, tmp_path, parameters={"behaviour": "hang"})
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(attempt.answer)
        wait_for((tmp_path / "started-7").exists, "the training")
        attempt.supervisor.channel.shutdown(socket.SHUT_RDWR)  # as the kernel does when it ends
        assert answer.result() == b""
    wait_for(lambda: not attempt.left(), "the end of the attempt")
    report = journal.final_report(Path(attempt.slot.journal), attempt.slot.order.token)
    assert report is not None
    assert "worker" in f"{report.failure_reason} {report.failure_message}"


@pytest.mark.parametrize("outlives_driver", [False, True])
def test_a_late_signal_of_a_living_worker_ends_no_attempt(
    client: ForkClient, tmp_path: Path, outlives_driver: bool
) -> None:
    """The kernel may send the signal for data that the supervisor has read before it asked for the signal."""
    clock = RunDirectory(tmp_path).clock_file(1)
    clock.parent.mkdir(parents=True, exist_ok=True)
    clock.write_text("1")
    hold = tmp_path / "hold-train"
    hold.touch()
    attempt = fork(
        client,
        tmp_path,
        workload="tests.toys.paced",
        parameters={"folder": str(tmp_path)},
        outlives_driver=outlives_driver,
    )
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(attempt.supervisor.exchange, attempt.order(), lambda: 120.0)
        wait_for(lambda: list(tmp_path.glob("at-train-*")), "the training")
        os.kill(attempt.supervisor.pid, WORKER_DIED)
        clock.write_text("2")  # its driver lives
        hold.unlink()
    os.kill(attempt.supervisor.pid, WORKER_DIED)
    answers = [answer.result(), attempt.supervisor.exchange(attempt.order(), lambda: 120.0)]
    attempt.supervisor.close()
    reports = [AttemptReport.from_json(json.loads(one or b"{}")) for one in answers]
    assert [report.failure_message for report in reports] == [None, None]


def test_an_attempt_that_outlives_its_driver_goes_on_without_its_worker(
    client: ForkClient, tmp_path: Path
) -> None:
    clock = RunDirectory(tmp_path).clock_file(1)
    clock.parent.mkdir(parents=True, exist_ok=True)
    clock.write_text("1")  # of a driver that is silent from now on
    hold = tmp_path / "hold-train"
    hold.touch()
    parameters = {"folder": str(tmp_path)}
    attempt = fork(client, tmp_path, workload="tests.toys.paced", parameters=parameters, outlives_driver=True)
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(attempt.supervisor.exchange, attempt.order(), lambda: 120.0)
        wait_for(lambda: list(tmp_path.glob("at-train-*")), "the training")
        attempt.supervisor.channel.shutdown(socket.SHUT_RDWR)
        assert answer.result() == b""
    hold.unlink()
    attempt.supervisor.close()
    wait_for(lambda: not attempt.left(), "the end of the attempt")
    report = journal.final_report(Path(attempt.slot.journal), attempt.slot.order.token)
    assert report is not None
    assert report.state is AttemptState.SUCCEEDED, report.failure_message


def test_a_supervisor_that_dies_takes_its_training_with_it(client: ForkClient, tmp_path: Path) -> None:
    attempt = fork(client, tmp_path, parameters={"behaviour": "hang"})
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(attempt.answer)
        wait_for((tmp_path / "started-7").exists, "the training")
        psutil.Process(attempt.supervisor.pid).kill()
        assert answer.result() == b""
    assert attempt.supervisor.exit_code() == -signal.SIGKILL
    wait_for(lambda: not attempt.left(), "the end of the training")


def test_what_a_supervisor_wrote_before_its_death_is_kept(client: ForkClient, tmp_path: Path) -> None:
    attempt = fork(client, tmp_path)
    assert attempt.supervisor.exchange(b"{}", lambda: 120.0) == b""
    assert attempt.supervisor.exit_code() == 70
    assert "MessageError" in attempt.supervisor.last_words


def test_a_server_that_dies_costs_no_attempt(tmp_path: Path) -> None:
    with forking() as client:
        attempt = fork(client, tmp_path / "a", parameters={"seconds": 0.2})
        first = server_of(client)
        first.kill()
        assert attempt.report().state is AttemptState.SUCCEEDED
        again = fork(client, tmp_path / "b")
        assert server_of(client) != first
        assert again.report().state is AttemptState.SUCCEEDED


def test_a_server_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with forking() as client:
        assert fork(client, tmp_path).report().state is AttemptState.SUCCEEDED
        first = server_of(client)
        first.suspend()
        monkeypatch.setattr(fork_client, "_FORK_SECONDS", 0.1)
        monkeypatch.setattr(fork_client, "_TRIES", 1)
        with pytest.raises(ForkError, match="did not answer within"):
            fork(client, tmp_path)
        monkeypatch.undo()
        assert fork(client, tmp_path).report().state is AttemptState.SUCCEEDED
        assert server_of(client) != first


def test_changed_code_is_imported_by_another_server(tmp_path: Path) -> None:
    module = tmp_path / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(text)
    with forking() as client:
        assert fork(client, tmp_path, workload="mine.net").report().result is not None
        first = server_of(client)
        module.write_text(text.replace("(context.seed % 1000) / 1000", "0.125"))
        result = fork(client, tmp_path, workload="mine.net").report().result
        assert result is not None
        assert result.accuracy == 0.125
        assert server_of(client) != first


def test_a_training_whose_code_instance_setup_changes_is_fresh(tmp_path: Path) -> None:
    module = tmp_path / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(text)
    command = f"sed -i 's|(context.seed % 1000) / 1000|0.125|' {module}"
    with forking() as client:
        result = fork(client, tmp_path, workload="mine.net", hooks=hooks(command)).report().result
        assert result is not None
    assert result.accuracy == 0.125
    assert result.observed.facts["processes"] == "fresh"
    assert result.observed.facts["fresh_because"] == f"{module} has changed since it was imported"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise SystemExit('no licence')", "its imports failed: WorkloadError: .*no licence"),
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
            "its imports left threads",
        ),
        ("import os\nos.environ['SWITCH'] = '1'", "importing mine.net changes the variable SWITCH"),
        ("import os\nos._exit(9)", "the fork server ended with exit code 9"),
    ],
)
def test_imports_that_cannot_be_forked_leave_attempts_fresh(tmp_path: Path, source: str, reason: str) -> None:
    module = tmp_path / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(f"{text}\n{source}")
    with forking() as client:
        for _ in range(2):  # the second time without another try
            with pytest.raises(ForkError, match=reason):
                fork(client, tmp_path, workload="mine.net")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"nodes": 2}, None),
        ({"container": ContainerOrder("podman", "i", "podman")}, None),
        ({"profile": ProfileOrder("f", 0.0, 5.0)}, None),
        ({"profile": ProfileOrder("f", 0.0, 5.0, "nsys")}, "nsys records only what it starts"),
        ({"interpreter": "/opt/python"}, None),
        ({"places": (PLACE, PLACE)}, None),
        ({"places": (PLACE, RankResources((0, 1)))}, "different numbers of cores"),
        ({"places": (RankResources((0,), (0,)),)}, None),
        ({"places": (RankResources((0,), (0,)), PLACE)}, "only some of them have GPUs"),
    ],
)
def test_what_must_be_fresh(tmp_path: Path, changes: dict[str, Any], reason: str | None) -> None:
    places = changes.pop("places", (PLACE,))
    found = must_be_fresh(replace(slot_of(tmp_path, **changes), places=places))
    assert (reason in (found or "")) if reason else found is None


@pytest.mark.parametrize(
    ("behaviour", "state", "reason"),
    [
        ("succeed", AttemptState.SUCCEEDED, ""),
        ("raise", AttemptState.FAILED, "rank 1 was to fail"),
        ("die", AttemptState.FAILED, "SIGKILL"),
    ],
)
def test_ranks_of_one_node_are_forked(
    client: ForkClient, tmp_path: Path, behaviour: str, state: AttemptState, reason: str
) -> None:
    attempt = fork(
        client, tmp_path, ranks=3, workload="tests.toys.multi_rank", parameters={"behaviour": behaviour}
    )
    report = attempt.report()
    assert report.state is state, report.failure_message
    assert reason in f"{report.failure_reason} {report.failure_message}"
    if report.result is not None:
        assert report.result.observed.facts["processes"] == "warm"
        assert sorted(report.result.data["messages"]) == ["rank 0", "rank 1", "rank 2"]


def test_a_supervisor_forks_the_ranks_of_further_attempts(client: ForkClient, tmp_path: Path) -> None:
    attempt = fork(client, tmp_path, ranks=2, workload="tests.toys.multi_rank", parameters={})
    reports = []
    for _ in range(3):
        answer = attempt.supervisor.exchange(attempt.order(), lambda: 120.0)
        assert answer is not None
        reports.append(AttemptReport.from_json(json.loads(answer)))
    attempt.supervisor.close()
    results = [report.result for report in reports if report.result is not None]
    assert [result.observed.facts["processes"] for result in results] == ["warm"] * 3


def test_external_commands_are_run_by_forked_runners(client: ForkClient, tmp_path: Path) -> None:
    content = description("print('score 0.5')", quality={"metric": "score", "minimum": 0.1}, accuracy=SCORE)
    file = write(tmp_path, content)
    report = fork(client, tmp_path, workload=file, **external(file, {})).report()
    assert report.result is not None, report.failure_message
    assert (report.result.accuracy, report.result.observed.facts["processes"]) == (0.5, "warm")


def test_forked_trainings_see_the_gpus_of_their_slot(client: ForkClient, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    listing = "\n".join(f"GPU {n}: NVIDIA A100 (UUID: GPU-{n})" for n in range(4))
    (tools / "nvidia-smi").write_text(f"#!/bin/sh\ncat <<'EOF'\n{listing}\nEOF\n")
    (tools / "nvidia-smi").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    seen, servers = [], set()
    for gpus in ((0,), (2, 3)):
        slot = slot_of(tmp_path, workload="tests.toys.gpu_visibility", gpus=Gpus("nvidia", 4), parameters={})
        slot = replace(slot, places=(RankResources(slot.places[0].cores, gpus),))
        mark = f"test:{uuid.uuid4().hex}"
        report = Forked(slot, mark, client.fork(slot, {**environment, SLOT_MARK: mark})).report()
        assert report.result is not None, report.failure_message
        assert report.result.observed.facts["processes"] == "warm"
        seen.append([gpu["uuid"] for gpu in report.result.observed.gpus or ()])
        servers.add(server_of(client).pid)
    assert seen == [["GPU-0"], ["GPU-2", "GPU-3"]]
    assert len(servers) == 1


def test_a_process_that_has_a_gpu_open_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked_child, "other_threads", list)
    assert forked_child.left_behind() is None
    monkeypatch.setattr(forked_child, "_ACCELERATORS", ("/dev/zero",))
    with Path("/dev/zero").open("rb"):
        assert forked_child.left_behind() == "open devices: /dev/zero"


def test_a_training_whose_threads_a_variable_pins_is_fresh(client: ForkClient, tmp_path: Path) -> None:
    own = {"PYTHONPATH": str(ROOT)}
    with pytest.raises(ForkError, match="its variable OMP_PROC_BIND pins threads"):
        fork(client, tmp_path, environment=own | {"OMP_PROC_BIND": "close"})
    assert fork(client, tmp_path, environment=own | {"OMP_PROC_BIND": "false"}).report().result is not None


@pytest.mark.parametrize("character", ["a", "\n", "\u00e9", "\U0001f600", "\ud800"])
def test_a_long_refusal_fits_into_a_packet(character: str) -> None:
    packet = packet_of({"refused": "why: " + character * 10_000})
    assert len(packet) <= PACKET_BYTES
    assert json.loads(packet)["refused"].startswith("why: " + character * 200)


@pytest.mark.parametrize("packet", [b'{"refused": "cut', b"\xff", b"{}", b"[]"])
def test_a_packet_that_cannot_be_read_is_a_fork_error(packet: bytes) -> None:
    own, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with own, server:
        server.send(packet)
        with pytest.raises(ForkError):
            fork_client._answered(own)


def test_a_template_differs_by_variables_but_marks() -> None:
    template = Template({"A": "1", "B": "2", "ORCHESTRATOR_PAD": "---"}, frozenset(), LoadedFiles())
    assert template.differs({"A": "1", "B": "2", "ORCHESTRATOR_SLOT": "s"}) is None
    assert template.differs({"A": "1"}) == "B"
    assert template.differs({"A": "1", "B": "3"}) == "B"
    assert template.differs({"A": "1", "B": "2", "C": ""}) == "C"
    assert template.differs({"A": "1", "B": "3"}, {"B"}) is None
