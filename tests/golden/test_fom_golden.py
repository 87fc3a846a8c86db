"""Every kept ledger gives the figure of merit that it gave when it was kept, byte for byte.

The ledgers of ``ledgers/`` hold, for each shipped campaign, that campaign with few instances and variants
of it, as schema 2 and as schema 1 wrote them: complete ones of which two are reportable, retries, several
sessions, hosts and GPU nodes with bounds of their clocks, and the facts that break the rules. They
were made once by registering the campaigns and recording made-up reports of their attempts through the
ledger's own writer at schema 2, with fixed random numbers; times that the writer takes from the machine's
clock were then replaced by fixed ones, some accepted attempts of ``coral2-optimized`` lost their
``sighting`` as older drivers left it, and the rows were copied into tables of schema 1. ``toy-schema*``
are the ledgers that ``tests/db/schemas`` keeps.

``python -m tests.golden.regenerate`` writes the answers anew and leaves the ledgers as they are.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.kept import FOLDER, QUESTIONS, ROOT, campaigns, dumps, expected, restored, said

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
    answer = said(question, campaign, "--json", "--ledger", str(ledger_file(ledger)))
    kept = expected(question, ledger, campaign).read_bytes()
    assert answer.decode() == kept.decode()  # as texts, so that pytest shows which lines differ
    assert answer == kept


def test_a_process_of_its_own_writes_the_same_bytes(ledger_file: Callable[[str], Path]) -> None:
    done = subprocess.run(
        [
            sys.executable, "-m", "orchestrator", "fom", "coral2-base", "--json",
            "--ledger", str(ledger_file("coral2-base-schema1")),
        ],
        cwd=ROOT, capture_output=True, check=False, timeout=600,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == expected("fom", "coral2-base-schema1", "coral2-base").read_bytes()


def test_every_answer_that_is_kept_is_asked_for() -> None:
    kept = {file for question in QUESTIONS for file in (FOLDER / question).rglob("*.json")}
    assert kept == {expected(question, ledger, campaign) for ledger, campaign, question in CASES}


def test_campaigns_that_were_shipped_with_the_first_schemas_have_kept_ledgers_of_both() -> None:
    first = {"demo", "coral2-base", "coral2-optimized"}
    kept = {(ledger, campaign) for ledger, campaign, _ in CASES}
    assert first <= {file.stem for file in (ROOT / "workloads" / "campaigns").glob("*.yaml")}
    assert {(f"{name}-schema{schema}", name) for name in first for schema in (1, 2)} <= kept


@pytest.mark.parametrize("name", ["coral2-base", "coral2-optimized"])
def test_a_reportable_figure_is_among_those_kept(name: str) -> None:
    """A defect that makes everything not reportable must not be kept by writing the answers anew."""
    for schema in (1, 2):
        kept = expected("fom", f"{name}-schema{schema}", name).read_bytes()
        assert kept.startswith(b'{\n  "reportable": true,\n')
