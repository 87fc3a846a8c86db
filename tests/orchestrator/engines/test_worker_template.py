"""Processes of a worker pool are forked, and are what new interpreters would be."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from multiprocessing import util
from pathlib import Path
from typing import Any

import psutil
import pytest

from orchestrator.engines import worker_template
from orchestrator.engines.parsl_internals import _PYTHON
from orchestrator.host.processes import terminate
from tests.harness import command_line, wait_for

PROBE = """
import os, signal, sys

def tell(answer):
    answer.send({
        "forked": "orchestrator.engines.worker_template" in sys.modules,
        "parent": os.getppid(),
        "arguments": sys.argv,
        "signals": [line for line in open("/proc/self/status") if line.startswith(("Sig", "Name"))],
        "environment": sorted(filter(None, open("/proc/self/environ").read().split("\\0"))),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "folder": os.getcwd(),
    })
    signal.pause()
"""
# Starts processes by the standard library, as a worker pool does.
POOL = """
import json, os, signal, sys
from multiprocessing import util
from parsl.multiprocessing import SpawnContext
sys.path.append(os.getcwd())
from probe import tell
processes = []

def start():
    answer, other = SpawnContext.Pipe()
    processes.append(SpawnContext.Process(target=tell, args=(other,)))
    processes[-1].start()
    return answer.recv() | {"pid": processes[-1].pid}

def exit_code_of_holder():
    holder = SpawnContext.Manager()
    holder._process.terminate()
    holder._process.join()
    return holder._process.exitcode

def kill_holder():
    global holder
    holder = SpawnContext.Manager()
    holder._process.kill()
    signal.pause()

def alive():
    return [process.is_alive() for process in processes]

def hurry():
    util.spawnv_passfds.__self__._connection.settimeout(0.1)

for line in sys.stdin:
    print(json.dumps(globals()[line.strip()]()), flush=True)
"""


class Pool:
    """A process that starts others when it is asked to."""

    def __init__(self, folder: Path, temporary: Path) -> None:
        (folder / "probe.py").write_text(PROBE)
        script = folder / "pool.py"
        script.write_text(POOL)
        self.process = subprocess.Popen(
            [*_PYTHON, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | {"TMPDIR": str(temporary)},
        )
        self.seen = psutil.Process(self.process.pid)

    def ask(self, what: str) -> Any:
        """Return the answer of a function of the pool."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def template(self) -> psutil.Process:
        """Return the process that others are forked from."""
        (found,) = [one for one in self.seen.children() if "worker template" in command_line(one)]
        return found


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder with a short name: the path of a Unix socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def pool(tmp_path: Path, temporary: Path) -> Iterator[Pool]:
    made = Pool(tmp_path, temporary)
    yield made
    family = made.seen.children(recursive=True) if made.process.poll() is None else []
    made.process.kill()
    terminate(family, 5)
    made.process.communicate()


def test_a_forked_process_is_what_a_new_interpreter_would_be(pool: Pool) -> None:
    forked = pool.ask("start")
    pool.template().kill()
    new = pool.ask("start")
    assert pool.ask("alive") == [True, True]
    words = [command_line(psutil.Process(one.pop("pid"))).split() for one in (forked, new)]
    assert words[0][:-3] == words[1][:-3]  # without numbers of descriptors
    assert [one.pop("forked") for one in (forked, new)] == [True, False]
    assert forked == new
    assert forked["parent"] == pool.process.pid


def test_the_death_of_a_forked_process_is_seen(pool: Pool) -> None:
    psutil.Process(pool.ask("start")["pid"]).kill()
    wait_for(lambda: pool.ask("alive") == [False], "its end")
    assert pool.ask("start")["forked"]


def test_a_template_that_does_not_answer_is_ended(pool: Pool) -> None:
    pool.ask("hurry")
    (template := pool.template()).suspend()
    assert not pool.ask("start")["forked"]
    assert not template.is_running()


def test_a_template_ends_with_its_pool(pool: Pool) -> None:
    worker, template = psutil.Process(pool.ask("start")["pid"]), pool.template()
    pool.process.kill()
    wait_for(lambda: not template.is_running(), "its end")
    assert worker.is_running()  # it sees for itself that the pool has ended
    worker.kill()


@pytest.mark.parametrize("forked", [True, False])
def test_the_holder_of_what_workers_share_leaves_no_folder(forked: bool, pool: Pool, temporary: Path) -> None:
    assert pool.ask("alive") == []
    if not forked:
        pool.template().kill()
    assert pool.ask("exit_code_of_holder") == 0
    assert list(temporary.iterdir()) == []


def test_a_pool_ends_when_the_holder_of_what_workers_share_is_killed(pool: Pool) -> None:
    assert pool.ask("alive") == []
    assert pool.process.stdin is not None
    pool.process.stdin.write("kill_holder\n")
    pool.process.stdin.flush()
    assert pool.process.wait(60) == os.EX_SOFTWARE


def test_a_pool_ends_with_each_of_its_threads(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(
        "import signal, threading\nthreading.Thread(target=lambda: 1 / 0).start()\nsignal.pause()"
    )
    ended = subprocess.run([*_PYTHON, str(script)], timeout=60, check=False)
    assert ended.returncode == os.EX_SOFTWARE


def test_a_process_with_threads_forks_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    before = util.spawnv_passfds
    monkeypatch.setattr(worker_template, "left_behind", lambda: "threads: numpy")
    assert worker_template.start() is None
    assert util.spawnv_passfds is before


def test_descriptors_that_have_each_others_numbers_change_places(tmp_path: Path) -> None:
    files = [os.open(tmp_path / name, os.O_CREAT | os.O_RDWR) for name in "ab"]
    try:
        worker_template._renumber(files, files[::-1])
        assert [Path(f"/proc/self/fd/{file}").readlink().name for file in files] == ["b", "a"]
        assert [os.get_inheritable(file) for file in files] == [True, True]
    finally:
        for file in files:
            os.close(file)
