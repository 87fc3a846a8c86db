"""Parsl's processes start without what they need not, and a pool's import Parsl when they need it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import parsl.config
import pytest

from orchestrator.engines.parsl_internals import _PYTHON, interchange_command

# What `multiprocessing` does with the main module in a process that it starts.
CHILD = """
import runpy, sys
main = runpy.run_path(sys.argv[1], run_name="__mp_main__")
before = "parsl" in sys.modules
worker = main["__getattr__"]("worker")
print(before, worker.__module__, sys.modules["sqlalchemy"])
"""

# What signals are ignored before the interchange has a group of its own, and once it has.
GROUP = """
import json, os, signal
ignored = [one.name for one in signal.valid_signals() if isinstance(one, signal.Signals)
           and signal.getsignal(one) is signal.SIG_IGN]
print(json.dumps([ignored, os.getpgid(0) == os.getpid(), os.getsid(0)]))
"""
# A process of `multiprocessing` that holds what others share, and is asked to end.
HOLDER = """
import multiprocessing, os, signal, runpy, sys
if __name__ == "__main__":
    sys.argv[0] = sys.modules["__main__"].__file__ = sys.argv[1]
    manager = multiprocessing.get_context("spawn").Manager()
    os.kill(manager._process.pid, signal.SIGTERM)
    manager._process.join()
    print(manager._process.exitcode)
"""

# A worker pool that connects to stay while the interchange has not seen the end of its first connection.
AGAIN = """
import runpy, sys, zmq
from parsl.curvezmq import ServerContext
script = runpy.run_path(sys.argv[1], run_name="again")
if sys.argv[2] == "mended":
    script["let_pools_connect_again"]()
context = ServerContext(None)
interchange = context.socket(zmq.ROUTER)
port = interchange.bind_to_random_port("tcp://127.0.0.1")
pools = [context.socket(zmq.DEALER) for _ in range(2)]
heard = []
for pool in pools:
    pool.setsockopt(zmq.IDENTITY, b"pool")
    pool.connect(f"tcp://127.0.0.1:{port}")
    pool.send(b"here")
    if interchange.poll(30_000 if pool is pools[0] or sys.argv[2] == "mended" else 500):
        heard.append(interchange.recv_multipart())
        interchange.send_multipart([b"pool", b"heard"])
        assert pool.recv() == b"heard"
print(len(heard))
context.destroy(linger=0)
"""


def run(*command: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_script_goes_without_sqlalchemy_and_has_its_own_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, parsl\nprint(__name__, sys.argv[1:], sys.modules['sqlalchemy'])")
    assert run(*_PYTHON, str(script), "--port", "7").split() == ["__main__", "['--port',", "'7']", "None"]


def test_parsls_functions_are_not_rewritten_to_check_types(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from parsl.config import Config\nprint(Config.__init__.__code__.co_filename)")
    assert run(*_PYTHON, str(script)).strip() == parsl.config.__file__


def test_a_process_of_a_worker_pool_imports_parsl_for_a_worker_alone() -> None:
    pool = "parsl.executors.high_throughput.process_worker_pool"
    assert run(sys.executable, "-c", CHILD, _PYTHON[-1]).split() == ["False", pool, "None"]


def test_signals_of_the_terminal_do_not_reach_the_interchange(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(GROUP)
    ignored, own_group, session = json.loads(run(*interchange_command(script)))
    assert {"SIGINT", "SIGQUIT", "SIGTSTP", "SIGHUP"} <= set(ignored)
    assert "SIGTERM" not in ignored
    assert own_group
    assert session == os.getsid(0)


def test_ctrl_c_before_the_interchange_has_its_own_group_is_the_drivers_alone(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("print('started')")
    command = interchange_command(script)
    # The shell tells when it ignores the signals, and waits until one was sent.
    command[2] = command[2].replace("exec", "echo ready; read sent; exec")
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate("sent\n", timeout=300)[0] == "started\n"
    assert process.returncode == 0


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder with a short name: the path of a Unix socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_the_holder_of_what_workers_share_leaves_no_folder(tmp_path: Path, short_folder: Path) -> None:
    main = tmp_path / "main.py"
    main.write_text(HOLDER)
    place = short_folder
    command = [sys.executable, str(main), _PYTHON[-1]]
    ended = subprocess.run(
        command,
        env=os.environ | {"TMPDIR": str(place)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert ended.stdout == "0\n"
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(("how", "heard"), [("as Parsl is", 1), ("mended", 2)])
def test_a_pool_that_connects_again_is_heard(how: str, heard: int) -> None:
    assert run(sys.executable, "-c", AGAIN, _PYTHON[-1], how) == f"{heard}\n"
