"""Run a program as its order says: ``python -m tests.bench.peers.published ORDER.json``.

The order has ``program``, ``data`` and ``settings``; seconds and accuracy go to standard output as JSON, in
the last line.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path


def main(file: str) -> None:
    """Run one program."""
    order = json.loads(Path(file).read_text())
    program = importlib.import_module(f"{__package__}.{order['program']}")
    data = Path(order["data"]) if order["data"] else None
    seconds, accuracy = program.run(data, order["settings"])
    print(json.dumps({"seconds": seconds, "accuracy": accuracy}))


if __name__ == "__main__":
    main(sys.argv[1])
