"""Rounds of measurements: every peer once in each, in an order that alternates, and the medians."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from tests.bench.peers.ensemble import Ensemble, Peer, write_files
from tests.bench.peers.environments import Missing, check_program, install
from tests.bench.peers.table import Row
from tests.harness import ROOT

LIMIT_SECONDS = 3600.0
Item = TypeVar("Item")
Figures = dict[str, float | None]


def alternating(items: Sequence[Item], rounds: int) -> Iterator[Item]:
    """Yield all items of each round, forwards and backwards in turn."""
    for number in range(rounds):
        yield from items if number % 2 == 0 else reversed(items)


def medians(measured: Sequence[Mapping[str, float | None]]) -> Figures:
    """Return the median of each figure over rounds; None where a round has none."""
    keys = dict.fromkeys(key for one in measured for key in one)
    found: Figures = {}
    for key in keys:
        values = [value for one in measured if (value := one.get(key)) is not None]
        found[key] = statistics.median(values) if len(values) == len(measured) else None
    return found


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> dict[str, float]:
    """Run a command to the end of all that it started, and return what it took.

    Raises
    ------
    Missing
        If it fails, with the last line that it wrote.
    """
    file, log = folder / "measured.json", folder / "peer.log"
    helper = [sys.executable, "-m", "tests.bench.peers.measured", str(LIMIT_SECONDS), str(file), *command]
    with log.open("wb") as out:
        process = subprocess.Popen(helper, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            process.wait()
        except BaseException:  # such as Ctrl-C: the helper ends all that the peer started
            process.terminate()
            process.wait()
            raise
    if not file.exists():
        raise Missing(f"could not be measured: {_last_line(log)}")
    found = json.loads(file.read_text())
    code = found.pop("code")
    if code != 0:
        reason = f"took more than {LIMIT_SECONDS:g} s" if code is None else f"ended with {code}"
        raise Missing(f"{reason}: {_last_line(log)}")
    return dict(found)


def peak_mib(taken: Mapping[str, float]) -> float | None:
    """Return the peak memory in MiB; None where a command ended before its first sample."""
    return taken["peak_bytes"] / 2**20 or None


def as_activated(python: str) -> dict[str, str]:
    """Return this process's environment variables with the programs of an environment first on the path."""
    programs = os.pathsep.join([str(Path(python).parent), os.environ.get("PATH", os.defpath)])
    return {**os.environ, "PATH": programs, "PYTHONPATH": str(ROOT)}


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1][:100] if lines else "no output"


def compare(
    peers: Sequence[Peer],
    modules: Sequence[ModuleType],
    rounds: int,
    variables: Mapping[str, str],
    ensemble_of: Callable[[Peer, Path], Ensemble],
    figures_of: Callable[[Peer, Ensemble, dict[str, float]], Figures],
) -> Iterator[list[Row]]:
    """Yield a row per peer, anew after each run: medians over rounds, or why it could not be tried.

    The last rows are complete. Those before are for who keeps them in case that a later run is broken off.

    Parameters
    ----------
    modules
        Modules of the peers, which say what to install.
    variables
        Environment variables of the peers beside this process's own.
    ensemble_of
        Returns a peer's ensemble in a folder.
    figures_of
        Returns the figures of a run from what was measured.
    """
    problems = _prepare(peers, modules)
    measured: dict[str, list[Figures]] = {peer.name: [] for peer in peers}
    yield _rows(peers, problems, measured, rounds)
    for peer in alternating(peers, rounds):
        if peer.name in problems:
            continue
        which = f"{peer.name}, round {len(measured[peer.name]) + 1} of {rounds}"
        print(f"  {datetime.now():%H:%M:%S} {which}: ", end="", file=sys.stderr, flush=True)
        folder = Path(tempfile.mkdtemp(prefix="peers-"))
        try:
            ensemble = ensemble_of(peer, folder)
            write_files(peer, ensemble)
            taken = run(peer.command(ensemble), folder, {**as_activated(ensemble.python), **variables})
            measured[peer.name].append(figures_of(peer, ensemble, taken))
            print(_progress(taken), file=sys.stderr, flush=True)
        except Missing as error:
            problems[peer.name] = str(error)
            print(error, file=sys.stderr, flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        yield _rows(peers, problems, measured, rounds)


def _progress(taken: Mapping[str, float]) -> str:
    return f"{taken['wall_seconds']:.1f} s, {taken['cpu_seconds']:.1f} s of CPU"


def _rows(
    peers: Sequence[Peer], problems: Mapping[str, str], measured: Mapping[str, Sequence[Figures]], rounds: int
) -> list[Row]:
    """Return a row per peer of what was measured so far."""
    rows = []
    for peer in peers:
        done = measured[peer.name]
        if peer.name in problems:
            rows.append(Row(peer.name, problem=problems[peer.name], ours=peer.ours))
        else:
            left = f"measured in {len(done)} of {rounds} rounds" if len(done) < rounds else ""
            rows.append(Row(peer.name, medians(done), ours=peer.ours, problem=left))
    return rows


def _prepare(peers: Sequence[Peer], modules: Sequence[ModuleType]) -> dict[str, str]:
    """Install what the peers need; return the reason for each that cannot be tried."""
    by_environment = {getattr(module, "ENVIRONMENT", ""): module for module in modules}
    problems = {}
    for peer in peers:
        try:
            check_program(peer.program)
            if peer.environment:
                install(by_environment[peer.environment])
        except Missing as error:
            problems[peer.name] = str(error)
    return problems
