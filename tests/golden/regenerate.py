"""Writes the kept answers anew: ``python -m tests.golden.regenerate``.

The ledgers stay as they are. Read the difference before it is committed: a figure of merit that changes
for a campaign that has ended is a defect, unless a change of the rules was meant.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.golden.kept import FOLDER, QUESTIONS, answers, dumps, expected, restored


def main() -> None:
    """Write the answers for all campaigns of all kept ledgers, and remove all others."""
    found: dict[Path, bytes] = {}
    for ledger, dump in dumps().items():
        with tempfile.TemporaryDirectory() as folder:
            for question, campaign, answer in answers(dump, restored(dump, Path(folder))):
                found[expected(question, ledger, campaign)] = answer
    for question in QUESTIONS:
        shutil.rmtree(FOLDER / question, ignore_errors=True)
    for file, answer in found.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(answer)
    print(f"{len(found)} answers in {FOLDER}")


if __name__ == "__main__":
    main()
