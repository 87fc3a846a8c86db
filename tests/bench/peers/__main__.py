"""Compare the orchestrator with what users would take instead, and print a table for each part.

``python -m tests.bench.peers`` takes hours, as it repeats 80 trainings three times with each peer;
``--quick`` takes a few minutes. ``--only PART`` runs one part, ``--json FILE`` and ``--markdown FILE``
keep the tables; they are written after every run, so that one which breaks off loses no other. A part
that fails does not keep the later ones from being run.
"""

from __future__ import annotations

import argparse
import json
import os
import traceback
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from tests.bench.peers.parts import FULL, PARTS, QUICK, USUAL, Size
from tests.bench.peers.table import Result, markdown, show, to_json


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the parts that were asked for."""
    asked = _parser().parse_args(arguments)
    size = _size(asked)
    place = f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} logical CPUs of {_processor()}"
    console, results, failed = Console(), dict[str, Result](), []
    for name in asked.only or PARTS:
        found: dict[str, Result] = {}
        try:
            for result in PARTS[name](size):
                found[result.name] = result
                _keep(asked, place, [*results.values(), *found.values()])
        except Exception:  # noqa: BLE001  hours of other parts must not be lost
            traceback.print_exc()
            failed.append(name)
        finally:  # after Ctrl-C too
            for result in found.values():
                show(result, console)
        results |= found
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


def _keep(asked: argparse.Namespace, place: str, results: Sequence[Result]) -> None:
    """Write the files that were asked for."""
    if asked.json:
        asked.json.write_text(json.dumps({"where": place, "results": [*map(to_json, results)]}, indent=1))
    if asked.markdown:
        asked.markdown.write_text("\n".join([f"{place}\n", *map(markdown, results)]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers", description=__doc__)
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_true", help="a few instances, once")
    sizes.add_argument("--full", action="store_true", help="3,000 rows of P1B1, campaigns of a million")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="a part; may be repeated")
    parser.add_argument("--rounds", type=int, help="runs of each peer")
    parser.add_argument("--instances", type=int, help="trainings, instead of 80")
    parser.add_argument("--no-ops", type=int, help="instances that only report, instead of 10,000")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    return parser


def _size(asked: argparse.Namespace) -> Size:
    size = QUICK if asked.quick else FULL if asked.full else USUAL
    changed = {"rounds": asked.rounds, "trainings": asked.instances, "no_ops": asked.no_ops}
    return replace(size, **{name: value for name, value in changed.items() if value})


def _processor() -> str:
    """Return the model of the processor."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "an unknown processor"


if __name__ == "__main__":
    main()
