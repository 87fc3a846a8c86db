"""What an import may change of a process is compared, and named."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CHANGES = {
    "pass": None,
    "random.random()": "random's state",
    "np.random.seed(7)": "numpy.random's state",
    "os.environ['SWITCH'] = 'secret'": "the variable SWITCH",
    "file = open('lines.txt', 'rb')": "the open file {folder}/lines.txt",
    "file.read(1)": "the open file {folder}/lines.txt",
    "os.close(os.open('lines.txt', os.O_RDONLY))": None,
    "pipe = os.pipe()": "the open pipe N",
    "pair = socket.socketpair()": "the open socket N",
    "loop = asyncio.new_event_loop()": "the open anon_inode N",
    "null = open(os.devnull)": None,
    "signal.signal(signal.SIGUSR2, print)": f"the handler of signal {int(signal.SIGUSR2)}",
    "signal.signal(signal.SIGUSR1, signal.SIG_IGN)": f"the handler of signal {int(signal.SIGUSR1)}",
    "os.umask(0o077)": "the umask",
    "resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))": "the limits of resources",
    "os.chdir('/')": "the working directory",
    "lock = multiprocessing.Lock()": "memory that processes share",
    "block = mmap.mmap(-1, 4096)": "memory that processes share",
    "own = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE)": None,
    "child = subprocess.Popen(['true'])": "its child processes",
}
SCRIPT = """
import asyncio, json, mmap, multiprocessing, os, random, resource, signal, socket, subprocess, sys
import numpy as np
from workloads.forking.process_state import first_change, process_state
found = {}
os.umask(0o022)
for source in json.load(sys.stdin):
    before = process_state()
    exec(source)
    found[source] = first_change(before, process_state())
print(json.dumps(found))
"""


def test_each_change_is_named(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("12")
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(list(CHANGES)),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    folder = tmp_path.resolve()
    expected = {source: name and name.format(folder=folder) for source, name in CHANGES.items()}
    assert without_numbers(json.loads(ended.stdout)) == without_numbers(expected)


def without_numbers(found: dict[str, str | None]) -> dict[str, str | None]:
    """Return names of changes without the numbers of descriptors and signals at their ends."""
    return {source: name and re.sub(r"\d+$", "N", name) for source, name in found.items()}


FIRST_IMPORT = """
import json, sys
from workloads.forking.process_state import changed_by
assert "numpy" not in sys.modules
def load():
    exec(sys.argv[1])
finders = list(sys.meta_path)
print(json.dumps(changed_by(load)))
assert sys.meta_path == finders
"""


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("pass", None),
        ("import numpy.random", None),
        ("import numpy; numpy.random.seed(7)", "numpy.random's state"),
        ("import numpy; numpy.random.random()", "numpy.random's state"),
        ("import random; random.random()", "random's state"),
        ("import torch", None),
        ("import torch; torch.rand(1)", "torch's state"),
        ("import torch; torch.manual_seed(7)", "torch's state"),
    ],
)
def test_random_numbers_that_an_import_brings_are_compared(source: str, name: str | None) -> None:
    command = [sys.executable, "-c", FIRST_IMPORT, source]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout) == name
