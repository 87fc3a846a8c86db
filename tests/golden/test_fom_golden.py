"""Every kept ledger gives the figure of merit that it gave when it was kept, byte for byte.

The ledgers of ``ledgers/`` hold, for each of three shipped campaigns, that campaign with few instances and
variants of it: complete ones of which two are reportable, retries, several sessions, hosts and GPU nodes
with bounds of their clocks, and the facts that break the rules. They were made once by registering the
campaigns and recording made-up reports of their attempts through the ledger's own writer, with fixed random
numbers; times that the writer takes from the machine's clock were then replaced by fixed ones. Columns that
came after that writer are NULL. ``toy`` is the ledger of schema 1 that ``tests/db/schemas`` keeps.

``python -m tests.golden.regenerate`` writes the answers anew and leaves the ledgers as they are.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.kept import FOLDER, QUESTIONS, ROOT, answer, campaigns, dumps, expected, restored

CASES = [
    (ledger, campaign, question)
    for ledger, dump in dumps().items()
    for campaign in campaigns(dump)
    for question in QUESTIONS
]


@pytest.fixture(scope="module")
def ledger_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the upgraded file of a kept ledger, made when it is first asked for."""
    made: dict[str, Path] = {}

    def file(ledger: str) -> Path:
        if ledger not in made:
            made[ledger] = restored(dumps()[ledger], tmp_path_factory.mktemp(ledger))
        return made[ledger]

    return file


@pytest.mark.parametrize(("ledger", "campaign", "question"), CASES)
def test_a_kept_campaign_gives_the_same_answer(
    ledger: str, campaign: str, question: str, ledger_file: Callable[[str], Path]
) -> None:
    found = answer(question, campaign, ledger_file(ledger))
    kept = expected(question, ledger, campaign).read_bytes()
    assert found.decode() == kept.decode()  # as texts, so that pytest shows which lines differ
    assert found == kept


def test_a_process_of_its_own_writes_the_same_bytes(ledger_file: Callable[[str], Path]) -> None:
    done = subprocess.run(
        [
            sys.executable, "-m", "orchestrator", "fom", "coral2-base", "--json",
            "--ledger", str(ledger_file("coral2-base")),
        ],
        cwd=ROOT, capture_output=True, check=False, timeout=600,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == expected("fom", "coral2-base", "coral2-base").read_bytes()


def test_every_answer_that_is_kept_is_asked_for() -> None:
    kept = {file for question in QUESTIONS for file in (FOLDER / question).rglob("*.json")}
    assert kept == {expected(question, ledger, campaign) for ledger, campaign, question in CASES}


def test_the_kept_campaigns_are_shipped() -> None:
    kept = {ledger for ledger, _, _ in CASES} - {"toy"}
    assert kept == {"demo", "coral2-base", "coral2-optimized"}
    assert kept <= {file.stem for file in (ROOT / "workloads" / "campaigns").glob("*.yaml")}


@pytest.mark.parametrize("name", ["coral2-base", "coral2-optimized"])
def test_a_reportable_figure_is_among_those_kept(name: str) -> None:
    """A defect that makes everything not reportable must not be kept by writing the answers anew."""
    kept = expected("fom", name, name).read_bytes()
    assert kept.startswith(b'{\n  "reportable": true,\n')
