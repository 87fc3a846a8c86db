"""Real processes are found by their mark and ended to the last one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import psutil
import pytest

from orchestrator.host import processes
from orchestrator.host.processes import (
    CAMPAIGN_MARK,
    CORES_MARK,
    SLOT_MARK,
    boot_time_of,
    campaigns_on_cores,
    descendants,
    is_alive,
    living_tree,
    memory_of,
    runs,
    terminate,
    wait_ended,
    with_mark,
)
from tests.harness import wait_for

QUIET = "import signal; print('ready', flush=True); signal.pause()"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + QUIET
PARENT = (
    "import subprocess, sys; "
    f"c = subprocess.Popen([sys.executable, '-c', {QUIET!r}], start_new_session=True, "
    "stdout=subprocess.PIPE); "
    "c.stdout.readline(); print('ready', flush=True); c.wait()"
)
Starter = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Starter]:
    """Start a Python process, return once it says that it is ready; end what is left afterwards."""
    started: list[subprocess.Popen[str]] = []

    def run(code: str, **marks: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ | marks
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield run
    for process in started:
        for child in descendants(process.pid):
            child.kill()
        process.kill()
        process.wait(300)
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex


def pids(mark: str, name: str = CAMPAIGN_MARK) -> set[int]:
    return {process.pid for process in with_mark(name, mark)}


def test_processes_are_found_by_the_whole_mark(start: Starter, mark: str) -> None:
    mine = start(QUIET, **{CAMPAIGN_MARK: mark})
    start(QUIET, **{CAMPAIGN_MARK: mark + "0"})
    start(QUIET, **{SLOT_MARK: mark})
    start(QUIET, SOMETHING=f"{CAMPAIGN_MARK}={mark}")
    start(QUIET)
    assert pids(mark) == {mine.pid}
    assert pids(mark[:-1]) == set()


def test_children_inherit_the_mark_into_sessions_of_their_own(start: Starter, mark: str) -> None:
    parent = start(PARENT, **{CAMPAIGN_MARK: mark})
    child = descendants(parent.pid)[0]
    assert pids(mark) == {parent.pid, child.pid}
    parent.kill()
    parent.wait(300)
    assert pids(mark) == {child.pid}  # an orphan is still found
    assert terminate(with_mark(CAMPAIGN_MARK, mark), 10) == 1
    assert pids(mark) == set()


def test_the_caller_is_left_out(mark: str, start: Starter) -> None:
    code = (
        "import os; from orchestrator.host.processes import with_mark; "
        f"assert 'M' in os.environ; print(len(with_mark('M', {mark!r})), flush=True)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"M": mark}, capture_output=True, text=True, check=True
    )
    assert found.stdout == "0\n"


def test_end_asks_first(start: Starter, mark: str) -> None:
    process = start(QUIET, **{CAMPAIGN_MARK: mark})
    assert terminate(with_mark(CAMPAIGN_MARK, mark), 10) == 1
    assert process.wait(300) in (-signal.SIGTERM, 0)  # psutil may have reaped it
    assert not psutil.pid_exists(process.pid)
    assert pids(mark) == set()


def test_end_kills_who_does_not_listen(start: Starter, mark: str) -> None:
    start(STUBBORN, **{CAMPAIGN_MARK: mark})
    [stubborn] = with_mark(CAMPAIGN_MARK, mark)
    assert terminate([stubborn], 0.2) == 1
    wait_for(lambda: not runs(stubborn), "the end of the process")
    assert pids(mark) == set()


def test_a_process_that_is_not_reaped_has_ended(start: Starter, mark: str) -> None:
    parent = start(PARENT.replace("c.wait()", "import signal; signal.pause()"), **{SLOT_MARK: mark})
    [child] = descendants(parent.pid)
    assert wait_ended([child], 0) == [child]
    child.terminate()
    wait_for(lambda: child.status() == psutil.STATUS_ZOMBIE, "the end of the child")
    assert wait_ended([child], 0) == []


def test_ending_nothing_or_the_dead_is_no_error(start: Starter, mark: str) -> None:
    assert terminate([], 10) == 0
    process = start(QUIET, **{CAMPAIGN_MARK: mark})
    found = with_mark(CAMPAIGN_MARK, mark)
    process.kill()
    process.wait(300)
    assert terminate(found, 10) == 1
    assert pids(mark) == set()


def test_a_stranger_with_the_same_number_is_not_ended(start: Starter) -> None:
    """A process id that was reused meanwhile: psutil compares start times."""
    stranger = start(QUIET)
    remembered = psutil.Process(stranger.pid)
    remembered._create_time = 1.0
    remembered._ident = (stranger.pid, 1.0)
    terminate([remembered], 0.2)
    assert stranger.poll() is None


def test_alive(start: Starter) -> None:
    process = start(QUIET)
    started = boot_time_of(process.pid)
    assert is_alive(process.pid, started)
    assert not is_alive(process.pid, started - 60)  # another process had this number then
    os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE, "the end")
    assert not is_alive(process.pid, started)  # nobody has reaped it, and yet it is dead
    process.wait(300)
    assert not is_alive(process.pid, started)


def ids_of_descendants(pid: int) -> list[int]:
    return [one.pid for one in descendants(pid)]


@pytest.mark.parametrize("lists_children", [True, False])
@pytest.mark.parametrize("look", [ids_of_descendants, living_tree])
def test_descendants(
    start: Starter,
    monkeypatch: pytest.MonkeyPatch,
    look: Callable[[int], list[int]],
    lists_children: bool,
) -> None:
    monkeypatch.setattr(processes, "_lists_children", lambda: lists_children)
    parent = start(PARENT)
    [child] = look(parent.pid)
    assert psutil.Process(child).ppid() == parent.pid
    assert {parent.pid, child} <= set(look(os.getpid()))
    assert look(child) == []
    os.kill(child, signal.SIGKILL)
    parent.wait(300)
    assert look(parent.pid) == []


def test_the_memory_of_processes_is_what_the_kernel_says_and_none_where_they_have_ended(
    start: Starter,
) -> None:
    process = start(QUIET)
    whole = psutil.Process(process.pid).memory_info()
    assert memory_of([process.pid]) == (whole.rss, whole.rss - whole.shared)
    assert memory_of([process.pid] * 2) == (2 * whole.rss, 2 * (whole.rss - whole.shared))
    process.kill()
    process.wait(300)
    assert memory_of([process.pid]) == (0, 0)


def test_another_campaign_on_the_same_cores_is_found(start: Starter, mark: str) -> None:
    core = 60_000 + os.getpid() % 1000  # no real core, so no real campaign's
    start(QUIET, **{CAMPAIGN_MARK: mark, CORES_MARK: f"1,{core}"})
    assert campaigns_on_cores([core], "ours") == {mark}
    assert campaigns_on_cores([core + 1000], "ours") == set()
    assert campaigns_on_cores([core], mark) == set()
    assert campaigns_on_cores([], "ours") == set()


LEFT_BEHIND = f"""
import subprocess, sys
from orchestrator.host._linux import adopt_orphans
from orchestrator.host.processes import descendants, kill_descendants
import os
adopt_orphans()
parent = subprocess.Popen([sys.executable, "-c", {PARENT!r}], stdout=subprocess.PIPE)
parent.stdout.readline()
before = len(descendants(os.getpid()))
kill_descendants(60)
print(before, len(descendants(os.getpid())), parent.wait())
"""


def test_descendants_are_killed_and_reaped_with_those_that_lose_their_parent() -> None:
    found = subprocess.run([sys.executable, "-c", LEFT_BEHIND], capture_output=True, text=True, check=True)
    assert found.stdout.split()[:2] == ["2", "0"]


KEPT = f"""
import subprocess, sys
from orchestrator.host._linux import adopt_orphans
from orchestrator.host.processes import descendants, kill_descendants
import os
adopt_orphans()
words = [sys.executable, "-c", {PARENT!r}]
kept, other = (subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(2))
for one in (kept, other):
    one.stdout.readline()
own = {{one.pid for one in descendants(kept.pid)}} | {{kept.pid}}
left = kill_descendants(60, kept=[kept.pid])
print(left, {{one.pid for one in descendants(os.getpid())}} == own)
kill_descendants(60)
"""


def test_children_that_are_kept_live_with_their_own() -> None:
    found = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=True)
    assert found.stdout == "[] True\n"


def test_a_look_beside_kept_children_is_none_at_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 1,600 processes on a node, that took 30 ms of each attempt."""
    monkeypatch.setattr(psutil.Process, "children", None)
    monkeypatch.setattr(processes, "child_ids", lambda pid: {7})
    assert processes.descendants_beside([7]) == []


def test_what_sigkill_does_not_end_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    kills: list[int] = []
    pauses: list[float] = []
    stuck = SimpleNamespace(  # in uninterruptible sleep
        pid=7, kill=lambda: kills.append(1), is_running=lambda: True, status=lambda: "disk-sleep"
    )
    monkeypatch.setattr(processes, "descendants", lambda pid: [stuck])
    monkeypatch.setattr(processes, "reap", lambda: True)  # it would take children of other tests
    monkeypatch.setattr(processes.time, "monotonic", lambda: float(len(pauses)))
    assert processes.kill_descendants(3.0, pauses.append) == [7]
    assert len(kills) == 3
    assert pauses == [0.1] * 3
