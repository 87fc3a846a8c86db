"""A user's module that draws what nothing seeds is named; what packages draw for themselves is not."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from workloads.forking.random_draws import draws_in

SCRIPT = """
import importlib, sys
from workloads.forking.random_draws import draws_in
sys.path.insert(0, sys.argv[1])
print(draws_in(lambda: importlib.import_module("mine.net"), sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("source", "draws"),
    [
        ("X = 1", False),
        ("import numpy; RNG = numpy.random.default_rng()", True),
        ("import numpy; RNG = numpy.random.default_rng(3)", False),
        ("import random; RNG = random.Random()", True),
        ("import random; RNG = random.Random(3)", False),
        ("import uuid; RUN = uuid.uuid4()", True),
        ("import secrets; SEED = secrets.randbits(32)", True),
        ("import os\nclass Net:\n    seed = os.urandom(4)", True),
        ("import uuid; RUN = uuid.uuid1()", True),
        ("import os; SEED = os.getrandom(4)", True),
        ("import os, random; RNG = random.Random(os.getpid())", True),
        ("import logging; logging.warning('loaded')", False),
        ("import tempfile; FOLDER = tempfile.mkdtemp(dir='.')", True),
        ("import multiprocessing.process", False),
        ("def run():\n    import os\n    return os.urandom(4)", False),
    ],
)
@pytest.mark.parametrize(("folder", "package"), [("", ""), ("site-packages", "mine"), ("site-packages", "")])
def test_draws_of_a_users_module_are_seen(
    tmp_path: Path, source: str, folder: str, package: str, *, draws: bool
) -> None:
    module = tmp_path / folder / "mine" / "net.py"
    module.parent.mkdir(parents=True)
    module.write_text(source)
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / folder), package],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    is_users = package or not folder
    assert ended.stdout.strip() == str("mine.net" if draws and is_users else None)


def test_the_functions_are_put_back() -> None:
    before = os.urandom, random.__dict__["_urandom"], random.Random.seed
    with pytest.raises(ZeroDivisionError):
        draws_in(lambda: 1 / 0, "")
    assert before == (os.urandom, random.__dict__["_urandom"], random.Random.seed)
